# SPDX-License-Identifier: MIT
"""Plain pages: the caller's settings as a form."""

import re
import uuid

import pytest

from plain_browser import Browser


@pytest.fixture
def browser(lab):
    return Browser(lab, "s" + uuid.uuid4().hex[:10])


def mine(lab, browser):
    items = lab.get("/settings", user=browser.user).json["items"]
    return {one["key"]: one["says"].get("user") for one in items}


def test_the_form_has_what_a_user_can_set(lab, browser):
    start = browser.get("plain/")
    assert "settings" in start.links and "prompts?conversation=" in start.links
    page = browser.get("plain/settings")
    assert page.status == 200 and "css/theme.css" in page.text
    for one in lab.get("/settings", user=browser.user).json["items"]:
        there = f'name="{one["key"]}"' in page.text
        assert there == one["editable"], one["key"]
        assert not there or one["label"] in page.text
    assert '<option value="ctrl-enter">Ctrl + Enter</option>' in page.text
    assert "Now: Match system." in page.text


def test_what_is_chosen_is_saved(lab, browser):
    page = browser.get("plain/settings")
    reply = browser.submit(page, "settings", theme="dark", web_search="true",
                           history_messages="7", custom_context="<b>\nI am Ada",
                           default_agent="")
    assert reply.status == 303, reply
    page = browser.get(browser.follow(reply, "plain/settings"))
    assert "Your settings are saved." in page.text
    said = mine(lab, browser)
    assert (said["theme"], said["web_search"], said["history_messages"],
            said["custom_context"], said["default_agent"]) == (
        "dark", True, 7, "<b>\nI am Ada", None)
    assert "&lt;b&gt;" in page.text
    assert '<option value="dark" selected>Dark</option>' in page.text
    # an empty one is not set any more, and one that is not sent stays
    token = re.search('name="token" value="([^"]+)"', page.text).group(1)
    assert browser.post("plain/settings", {"token": token, "theme": ""}).status == 303
    said = mine(lab, browser)
    assert said["theme"] is None and said["history_messages"] == 7


@pytest.mark.parametrize("wrong, says", [
    ({"history_messages": "many"}, "whole number from 0 to 1000"),
    ({"history_messages": "99999999999999999999"}, "whole number from 0 to 1000"),
    ({"theme": "pink"}, "must be one of"), ({"default_workspace": "nowhere"}, "no workspace"),
    ({"answer_language": "x" * 41}, "at most 40")])
def test_what_is_wrong_is_said_at_its_field(lab, browser, wrong, says):
    page = browser.get("plain/settings")
    reply = browser.submit(page, "settings", density="compact", **wrong)
    text = reply.body.decode()
    key, value = next(iter(wrong.items()))
    assert reply.status == 422 and says in text
    assert text.index(f'name="{key}"') < text.index('class="error"')
    if not key.endswith(("e", "theme", "workspace")) or key == "answer_language":
        assert f'value="{value}"' in text       # to be put right
    assert '<option value="compact" selected>' in text
    assert mine(lab, browser)["density"] is None


def test_a_form_of_another_page_is_refused(lab, browser):
    assert browser.post("plain/settings", {"theme": "dark"}).status == 403
    assert mine(lab, browser)["theme"] is None
