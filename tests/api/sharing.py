# SPDX-License-Identifier: MIT
"""Chats that are shared: made, read by others and by links, and gone on with."""

import itertools
import json
import time

from plain_browser import Browser, Page

NUMBERS = itertools.count()
OWNER = {"user": "sara", "groups": ["staff"]}
RITA = {"user": "rita"}
IT = {"user": "root", "groups": ["it"]}
DAY = 86400


def script(fields):
    return "!script " + json.dumps(fields)


def known(lab, *users):
    for user in users:
        lab.sign_in(user)


def talk(lab, *texts, title="T", **who):
    who = who or OWNER
    made = lab.post("/conversations", {"workspaceId": "lab", "title": title}, **who)
    id = made.json["conversationId"]
    for text in texts:
        say(lab, id, text, **who)
    return id


def say(lab, id, text, **who):
    answer = lab.post(f"/workspaces/lab/agents/helper/conversations/{id}/messages",
                      {"content": text}, **(who or OWNER))
    assert answer.status < 300, answer
    return answer.json


def share(lab, id, status=201, **fields):
    made = lab.post("/conversation-shares", {"conversationId": id, **fields}, **OWNER)
    assert made.status == status, made
    return made.json["id"] if status == 201 else made.json


def read(lab, id, user="rita", path="/messages", **more):
    return lab.get(f"/shared-conversations/{id}{path}", user=user, **more)


def at(seconds):
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + seconds))


def allow(lab, days, level="tenant"):
    answer = lab.call("PATCH", f"/settings?level={level}", {"public_link_days": days}, **IT)
    assert answer.status == 200, answer


def link(lab, id, status=201, ends=DAY, **fields):
    made = lab.post("/conversation-shares", {
        "conversationId": id, "kind": "link", "expiresAt": at(ends), **fields}, **OWNER)
    assert made.status == status, made
    return made.json


def stranger(lab, path, **headers):
    """Somebody without a name, each time another; pages with a script are refused."""
    return Page(outside(lab).call("GET", path, **headers), path)


def outside(lab):
    """A browser with an address that no other has, since what one may ask is counted."""
    n = next(NUMBERS)
    return Browser(lab, user=None, address=f"127.1.{n // 250}.{n % 250 + 1}")


def fork(lab, s, status=201, user="rita", **headers):
    made = lab.post(f"/shared-conversations/{s}/fork", {}, user=user, headers=headers)
    assert made.status == status, made
    return made


def rows(lab, id, steps=False, user="rita"):
    path = f"/conversations/{id}/messages?pageSize=100" + ("&include=steps" if steps else "")
    return lab.get(path, user=user).json["items"][::-1]
