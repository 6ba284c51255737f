# SPDX-License-Identifier: MIT
"""Links that need no sign-on: only where an admin allows them, only until their end, only
what the share has, and nothing that leads further; and that they end at once."""

import base64
import time
import uuid

import pytest

from plain_browser import Browser
from sharing import DAY, IT, OWNER, allow, at, known, link, say, script, share, stranger, talk

pytestmark = pytest.mark.usefixtures("public_links")


def test_anybody_reads_it_and_only_that(lab):
    id = talk(lab, "one **question**", title="Of <b>mine</b>")
    made = link(lab, id)
    page = stranger(lab, made["link"])
    assert page.status == 200
    assert "one **question**" in page.text and "Of &lt;b&gt;mine&lt;/b&gt;" in page.text
    # nothing leads into the site, names its owner, or asks for anything
    assert page.links == [] and page.forms == []
    assert "sara" not in page.text and id not in page.text and made["id"] not in page.text
    assert "Set-Cookie" not in page.headers
    assert page.headers["X-Robots-Tag"].startswith("noindex")
    assert page.headers["Referrer-Policy"] == "no-referrer"
    assert page.headers["Cache-Control"] == "no-store"
    assert 'name="robots" content="noindex' in page.text
    policy = page.headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy and "form-action 'none'" in policy
    assert "unsafe" not in policy and "script" not in policy
    # it is no key to anything else
    for path in (f"/conversations/{id}", f"/shared-conversations/{made['id']}",
                 f"/conversation-shares/{made['id']}"):
        assert lab.get(path).status in (401, 404), path
    # nobody who is signed in gets it in their list
    nobody = f"u{uuid.uuid4().hex}"
    known(lab, nobody)
    assert lab.get("/shared-conversations", user=nobody).json["items"] == []
    assert lab.get(f"/shared-conversations/{made['id']}", user=nobody).status == 404


def test_only_reading(lab):
    path = link(lab, talk(lab, "one"))["link"]
    for method in "POST", "DELETE", "PATCH":
        assert Browser(lab, user=None).call(method, path).status == 405
    assert Browser(lab, user=None).call("HEAD", path).status == 200


def other(text, i):
    """With another character at that place, which stands for other bits."""
    return text[:i] + ("A" if text[i] != "A" else "B") + text[i + 1:]


def test_tampering(lab):
    path = link(lab, talk(lab, "one"))["link"]
    head, _, text = path.rpartition("/")
    assert len(text) == 64
    for i in range(0, len(text), 3):
        assert stranger(lab, f"{head}/{other(text, i)}").status == 404, i
    for bad in (text[:-1], text + "A", text[:22], "A" * 64, text.lower(), "~", text[::-1]):
        assert stranger(lab, f"{head}/{bad}").status == 404, bad
    page = stranger(lab, f"{head}/{other(text, 40)}")
    assert "leads nowhere" in page.text and "Conversations" not in page.text
    assert page.links == []


def test_the_mark_of_another_share_is_no_key(lab):
    a, b = (link(lab, talk(lab, text)) for text in ("first", "second"))
    head = a["link"].rpartition("/")[0]
    raw = [base64.urlsafe_b64decode(x["link"].rpartition("/")[2]) for x in (a, b)]
    mixed = base64.urlsafe_b64encode(raw[0][:16] + raw[1][16:]).decode().rstrip("=")
    assert stranger(lab, f"{head}/{mixed}").status == 404
    # nor one for a share with people, whose id its readers know
    known(lab, "rita")
    named = share(lab, talk(lab, "third"), user="rita")
    mixed = base64.urlsafe_b64encode(uuid.UUID(named).bytes + raw[0][16:]).decode().rstrip("=")
    assert stranger(lab, f"{head}/{mixed}").status == 404


def test_ends(lab):
    made = link(lab, talk(lab, "one"))
    assert stranger(lab, made["link"]).status == 200
    lab.sql(f"UPDATE conversation_share SET expires_us = {int(time.time() - 1)}000000"
            f" WHERE id = UNHEX('{made['id'].replace('-', '')}')")
    assert stranger(lab, made["link"]).status == 404
    # its owner gives it another end: it is the same link
    more = lab.call("PATCH", f"/conversation-shares/{made['id']}", {"expiresAt": at(DAY)},
                    **OWNER)
    assert (more.status, more.json["link"]) == (200, made["link"])
    assert stranger(lab, made["link"]).status == 200


@pytest.mark.parametrize("ends", [-60, 31 * DAY, None])
def test_an_end_is_needed_and_near(lab, ends):
    id = talk(lab, "one")
    refused = lab.post("/conversation-shares", {
        "conversationId": id, "kind": "link", "expiresAt": ends and at(ends)}, **OWNER)
    assert (refused.status, refused.json["field"]) == (422, "expiresAt")
    made = link(lab, id)
    changed = lab.call("PATCH", f"/conversation-shares/{made['id']}",
                       {"expiresAt": ends and at(ends)}, **OWNER)
    assert (changed.status, changed.json["field"]) == (422, "expiresAt")


def test_for_nobody_by_name(lab):
    known(lab, "rita")
    assert link(lab, talk(lab, "one"), 422, user="rita")["field"] == "user"
    assert link(lab, talk(lab, "one"), 422, kind="public")["field"] == "kind"
    # a share with people has no link
    id = talk(lab, "one")
    made = lab.post("/conversation-shares", {"conversationId": id, "user": "rita"}, **OWNER)
    assert (made.json["kind"], made.json["link"]) == ("named", None)


def test_revoked_at_once(lab):
    made = link(lab, talk(lab, "one"))
    assert lab.call("DELETE", f"/conversation-shares/{made['id']}", user="rita").status == 404
    assert lab.call("DELETE", f"/conversation-shares/{made['id']}", **OWNER).status == 204
    assert stranger(lab, made["link"]).status == 404


def test_goes_with_its_conversation(lab):
    id = talk(lab, "one")
    made = link(lab, id, live=True)
    assert lab.call("DELETE", f"/conversations/{id}", **OWNER).status == 204
    assert stranger(lab, made["link"]).status == 404


def test_switched_off(lab):
    id = talk(lab, "one")
    made = link(lab, id)
    allow(lab, 0)
    assert stranger(lab, made["link"]).status == 404
    assert link(lab, id, 422)["field"] == "kind"
    # what is as it was can still be changed otherwise, and ended
    assert lab.call("PATCH", f"/conversation-shares/{made['id']}", {"tools": True},
                    **OWNER).status == 200
    allow(lab, 30)
    assert stranger(lab, made["link"]).status == 200
    # and off is what it is unless somebody says otherwise
    allow(lab, None)
    assert stranger(lab, made["link"]).status == 404
    assert lab.get("/me?include=settings", **OWNER).json["settings"]["public_link_days"] == 0


def test_a_shorter_time_counts_for_those_that_are_there(lab):
    made = link(lab, talk(lab, "one"), ends=20 * DAY)
    lab.sql(f"UPDATE conversation_share SET updated_us = {int(time.time() - 3 * DAY)}000000"
            f" WHERE id = UNHEX('{made['id'].replace('-', '')}')")
    assert stranger(lab, made["link"]).status == 200
    allow(lab, 2)
    assert stranger(lab, made["link"]).status == 404


def test_users_and_teams_do_not_decide(lab):
    for level in ("", "?level=team&group=staff"):
        answer = lab.call("PATCH", f"/settings{level}", {"public_link_days": 5},
                          **{**IT, "groups": ["it", "staff"]})
        assert answer.status == 422, (level, answer)
    assert lab.call("PATCH", "/settings?level=tenant", {"public_link_days": 366},
                    **IT).status == 422


def test_tools_and_files_only_if_chosen(lab):
    id = talk(lab)
    say(lab, id, script({"tool_calls": [{"name": "query_data",
                                         "args": {"dataset": "hidden words"}}],
                         "then": {"text": "Now."}}))
    bare, full = link(lab, id), link(lab, id, tools=True)
    assert "<summary>Look up data" not in stranger(lab, bare["link"]).text
    page = stranger(lab, full["link"])
    assert "<summary>Look up data" in page.text and page.links == []
    file = lab.call("POST", "/attachments?name=%3Cb%3Eplan.txt", b"secret text",
                    headers={"Content-Type": "application/octet-stream"}, **OWNER).json["id"]
    id = talk(lab)
    answer = lab.post(f"/workspaces/lab/agents/helper/conversations/{id}/messages",
                      {"content": "read", "attachments": [file]}, **OWNER)
    assert answer.status < 300, answer
    bare, named = link(lab, id), link(lab, id, files=True)
    assert "plan.txt" not in stranger(lab, bare["link"]).text
    page = stranger(lab, named["link"])
    assert "&lt;b&gt;plan.txt" in page.text and file not in page.text and page.links == []


def test_what_models_write_is_harmless(lab):
    bad = ("<script>alert(1)</script> <img src=x onerror=alert(1)> [a](javascript:alert(1)) "
           "![i](https://elsewhere.example/x.png) [ok](https://ok.example/)")
    id = talk(lab)
    say(lab, id, script({"text": bad}))
    page = stranger(lab, link(lab, id)["link"])
    assert "<img" not in page.text and "onerror=alert(1)>" not in page.text
    assert "javascript:" not in "".join(page.links)
    assert set(page.links) <= {"https://ok.example/", "https://elsewhere.example/x.png"}
    assert 'rel="nofollow noreferrer"' in page.text


def test_at_this_point_or_live_and_pages(lab):
    id = talk(lab, *(f"number {i} of it" for i in range(17)))
    then, live = link(lab, id), link(lab, id, live=True)
    say(lab, id, "what came later")
    assert "what came later" not in stranger(lab, then["link"]).text
    page = stranger(lab, live["link"])
    assert "what came later" in page.text and "number 0 of" not in page.text
    [older] = page.links
    page = stranger(lab, live["link"].rpartition("/")[0] + "/" + older)
    assert "number 0 of" in page.text and "what came later" not in page.text
    # a number beyond the point shows no more
    assert "what came later" not in stranger(lab, then["link"] + "?before=1000").text
    for bad in ("?before=-1", "?before=x", "?after=1"):
        assert stranger(lab, then["link"] + bad).status in (400, 422), bad


def test_an_admin_sees_and_ends_all(lab):
    id = talk(lab, "one")
    made = link(lab, id)
    known(lab, "rita")
    named = share(lab, id, user="rita")
    listed = lab.get("/public-links?pageSize=100", **IT).json["items"]
    [mine] = [i for i in listed if i["id"] == made["id"]]
    assert (mine["user"], mine["tools"], mine["live"]) == ("sara", False, False)
    assert "link" not in mine and "conversationId" not in mine
    assert named not in [i["id"] for i in listed]
    for who in OWNER, {"user": "rita"}:
        assert lab.get("/public-links", **who).status == 403
        assert lab.call("POST", f"/public-links/{made['id']}/revoke", **who).status == 403
    # only what is a link, and what there is
    for gone in named, str(uuid.uuid4()):
        assert lab.call("POST", f"/public-links/{gone}/revoke", **IT).status == 404
    assert lab.call("POST", f"/public-links/{made['id']}/revoke", **IT).status == 204
    assert stranger(lab, made["link"]).status == 404
    assert made["id"] not in [i["id"] for i in lab.get("/conversation-shares", **OWNER).json["items"]]
    assert named in [i["id"] for i in lab.get("/conversation-shares", **OWNER).json["items"]]


def test_too_many_requests(make_lab):
    """A lab of its own: strangers have one count with the other tests."""
    lab = make_lab(config={"settings": {"public_link_days": 2}})
    path = link(lab, talk(lab, "one"))["link"]
    seen = []
    for _ in range(125):	# two minutes' worth, should one end meanwhile
        reply = Browser(lab, user=None).call("GET", path)
        seen.append(reply.status)
        if reply.status == 429:
            break
    assert set(seen) == {200, 429}, seen
    assert 0 < int(reply.headers["Retry-After"]) <= 61
    assert b"Wait a minute" in reply.body
    # those who are signed in are not counted
    assert lab.get("/me", **OWNER).status == 200


def test_the_installation_can_forbid_it(make_lab):
    lab = make_lab(config={"settings": {"public_link_days": 0},
                           "roles": {"admin": {"groups": ["it"], "permissions": ["*"]}}})
    allow(lab, 30)
    assert link(lab, talk(lab, "one"), 422)["field"] == "kind"
