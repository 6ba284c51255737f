# SPDX-License-Identifier: MIT
"""Plain pages: choosing a prompt, its blanks as a form, and mentions by a search."""

import re

import pytest

from plain_browser import NOBODY, Browser, at_once, ended

WHO = "plainchooser"


@pytest.fixture
def browser(lab):
    return Browser(lab, WHO)


@pytest.fixture
def prompt(lab):
    made = lab.post("/prompts", {
        "name": "Zebra <b>", "body": "For {{Who}}, {{How: choice: kind | curt}} until"
        " {{Until: date}} about {{What: record: tickets}}. \\{{no}} {{Who}}"},
        user=WHO)
    assert made.status == 201, made
    yield made.json["id"]
    lab.call("DELETE", f"/prompts/{made.json['id']}", user=WHO)


FILLED = {"b0": "Ada", "b1": "curt", "b2": "2027-01-31", "b3": "17"}


def test_a_prompt_is_chosen_filled_in_and_sent(lab, browser, prompt):
    page = browser.get("plain/new")
    assert any("prompts?conversation=" in link for link in page.links)
    page = browser.get("plain/prompts?q=ZEBRA")
    assert f"prompts/{prompt}?conversation=" in page.links
    assert "Zebra &lt;b&gt;" in page.text
    path = f"plain/prompts/{prompt}"
    page = browser.get(path + "?conversation=")
    reply = browser.submit(page, prompt, **FILLED)
    assert reply.status == 200, reply
    text = reply.body.decode()
    assert "For Ada, curt until 2027-01-31 about @tickets/17. {{no}} Ada" in text
    assert 'value="record:tickets/17"' in text
    assert f'name="promptId" value="{prompt}"' in text
    # It is a form like any other, and nothing was sent yet.
    token = re.search('name="token" value="([^"]+)"', text).group(1)
    reply = browser.post("plain/new", {
        "token": token, "agent": "lab/helper", "mentions": "record:tickets/17",
        "promptId": prompt, "content": at_once(text="fine")})
    there = ended(browser, browser.follow(reply, "plain/new"))
    assert lab.sql(f"SELECT COUNT(*) FROM message WHERE prompt_id = '{prompt}'") == [["1"]]
    page = browser.get(there)
    assert "Ticket 17" in page.text and "/tickets/17?by=ada" in page.links
    # A prompt within a conversation leads back to it.
    conversation = there.split("/")[-1]
    page = browser.get(f"{path}?conversation={conversation}")
    text = browser.submit(page, prompt, **FILLED).body.decode()
    assert f'conversations/{conversation}"' in text


@pytest.mark.parametrize("wrong, says", [
    ({"b0": " "}, "Fill this in."), ({"b1": "rude"}, "Choose one of these."),
    ({"b2": ""}, "Fill this in."), ({"b3": "99999"}, "There is no such record"),
    ({"b3": "x'y"}, "There is no such record")])
def test_what_is_wrong_is_said_at_its_field(browser, prompt, wrong, says):
    page = browser.get(f"plain/prompts/{prompt}")
    reply = browser.submit(page, prompt, **{**FILLED, **wrong})
    text = reply.body.decode()
    assert reply.status == 422 and says in text
    field = next(iter(wrong))
    assert f'id="e{field[1:]}"' in text and text.count('class="error"') == 1
    assert 'value="Ada"' in text or field == "b0"


def test_what_is_mentioned_is_found_by_a_search(lab, browser):
    page = browser.get("plain/mentions?q=399&mentions=record:tickets/17")
    [link] = [link for link in page.links if "record%3Atickets%2F399" in link]
    page = browser.get("plain/" + link.removeprefix("./").split("#")[0])
    form = page.form("new")
    assert form["fields"]["mentions"] == "record:tickets/17 record:tickets/399"
    reply = browser.submit(page, "new", agent="lab/helper",
                           content=at_once(text="fine"))
    there = ended(browser, browser.follow(reply, "plain/new"))
    page = browser.get(there)
    assert "Ticket 17" in page.text and "Ticket 399" in page.text
    # Edited, it mentions the same.
    change = next(link for link in page.links if "change?message=" in link)
    page = browser.get("plain/" + change.replace("../", ""))
    assert page.form("change")["fields"]["mentions"] == \
        "record:tickets/17 record:tickets/399"


def test_what_is_not_there_is_said_and_the_text_is_kept(browser):
    page = browser.get("plain/new")
    reply = browser.submit(page, "new", agent="lab/helper", content="hello there",
                           mentions="record:mine/2")
    text = reply.body.decode()
    assert reply.status == 422 and "you may not see it" in text
    assert "hello there" in text and 'value="record:mine/2"' in text


def test_what_is_of_others_is_not_found(lab, browser, prompt):
    other = Browser(lab, "someoneelse")
    assert other.get(f"plain/prompts/{prompt}").status == 404
    assert browser.get(f"plain/prompts?conversation={NOBODY}").status == 404
    assert browser.get(f"plain/mentions?conversation={NOBODY}").status == 404
    assert browser.get("plain/mentions?conversation=x").status == 404
