# SPDX-License-Identifier: MIT
"""ETag, If-None-Match and If-Match on conversations and their messages."""

import json
import threading

import pytest

from threads import Thread, say, thread  # noqa: F401

pytestmark = pytest.mark.threads


def paths(thread):
    below = f"/workspaces/lab/agents/helper{thread.path}"
    return [thread.path, below, thread.path + "/messages", below + "/messages"]


def tags(thread):
    out = []
    for path in paths(thread):
        answer = thread.lab.get(path, user="ada")
        assert answer.status == 200
        out.append(answer.headers["ETag"])
    return out


def test_what_is_known_is_not_sent_again(thread, lab):
    thread.send(say("one"))
    for path, tag in zip(paths(thread), tags(thread), strict=True):
        core = tag.strip('"')
        for known in (tag, f'"x", {tag}', "W/" + tag, "*", f'"{core}-gzip"',
                      f'W/"{core}-br" ,"y"'):
            answer = lab.get(path, user="ada", headers={"If-None-Match": known})
            assert answer.status == 304, (path, known, answer)
            assert answer.body == b"" and answer.headers["ETag"] == tag
        for known in ('"x"', f'"{core}0"', core, "", f'"1{core}"', '"', "W/"):
            answer = lab.get(path, user="ada", headers={"If-None-Match": known})
            assert answer.status == 200, (path, known)
        head = lab.call("HEAD", path, user="ada", headers={"If-None-Match": tag})
        assert head.status == 304
        # Not for others.
        assert lab.get(path, user="bob",
                       headers={"If-None-Match": tag}).status == 404


def test_every_change_is_seen(thread, lab):
    thread.send(say("one"))
    seen = [tags(thread)]

    def changed(what):
        now = tags(thread)
        for before, after in zip(seen[-1], now, strict=True):
            assert before != after, what
        assert all(now[2] != tag for s in seen for tag in s[2:]), what
        seen.append(now)

    lab.call("PATCH", thread.path, {"title": "T"}, user="ada")
    changed("rename")
    thread.send(say("two"))
    changed("message")
    thread.regenerate()
    changed("regenerate")
    thread.edit(thread.rows()[0], say("three"))
    changed("edit")
    thread.choose(thread.variants(thread.rows()[0])["items"][0]["variantId"])
    changed("choose")
    # Choosing what is chosen changes nothing, and neither does reading.
    thread.choose(thread.variants(thread.rows()[0])["items"][0]["variantId"])
    assert tags(thread) == seen[-1]
    stream = lab.stream("/chat/lab/stream", {
        "content": "!script " + json.dumps({"tokens": 1000, "rate": 50}),
        "conversationId": thread.id}, user="ada")
    turn = next(iter(stream)).data["turnId"]
    changed("a turn begins")
    # Its lease runs out: it is found dead by who reads the record.
    lab.post(f"/turns/{turn}/cancel", {}, user="ada")
    list(stream)
    stream.close()
    changed("a turn ends")


def test_a_dead_turn_is_a_change(make_lab):
    lab = make_lab()
    thread = Thread(lab)
    thread.send(say("one"))
    lab.sql("UPDATE conversation SET running_turn_id = (SELECT id FROM turn);"
            "UPDATE turn SET status = 1, lease_until_us = 9e15")
    before = lab.get(thread.path, user="ada")
    assert before.json["runningTurnId"]
    lab.sql("UPDATE turn SET lease_until_us = 1")
    after = lab.get(thread.path, user="ada", headers={
        "If-None-Match": before.headers["ETag"]})
    assert after.status == 200 and after.json["runningTurnId"] is None


def test_a_title_is_changed_from_what_was_seen(thread, lab):
    for path in paths(thread)[:2]:
        seen = lab.get(path, user="ada").headers["ETag"]

        def rename(title, match, path=path):
            return lab.call("PATCH", path, {"title": title}, user="ada",
                            headers={"If-Match": match})

        first = rename("One", seen)
        assert first.status == 200 and first.headers["ETag"] != seen
        late = rename("Two", seen)
        assert late.status == 412
        assert late.json["code"] == "precondition_failed"
        assert thread.record["title"] == "One"
        again = rename("Three", f'"x", W/{first.headers["ETag"]}')
        assert again.status == 200 and again.json["title"] == "Three"
        assert rename("Four", "*").status == 200
        assert rename("Five", '"x"').status == 412
        # A PATCH that changes nothing is checked as well.
        answer = lab.call("PATCH", path, {}, user="ada",
                          headers={"If-Match": seen})
        assert answer.status == 412
        assert lab.call("PATCH", path, {}, user="ada").status == 200
    answer = lab.call("PATCH", thread.path, {"title": "x"}, user="bob",
                      headers={"If-Match": "*"})
    assert answer.status == 404


def test_of_many_titles_one_wins(thread, lab):
    seen = lab.get(thread.path, user="ada").headers["ETag"]
    got = []
    gate = threading.Barrier(6)

    def rename(n):
        gate.wait()
        got.append((lab.call("PATCH", thread.path, {"title": f"T{n}"},
                             user="ada", headers={"If-Match": seen}).status, n))

    tabs = [threading.Thread(target=rename, args=(n,)) for n in range(6)]
    for tab in tabs:
        tab.start()
    for tab in tabs:
        tab.join()
    assert sorted(status for status, _ in got) == [200] + [412] * 5
    won = next(n for status, n in got if status == 200)
    assert thread.record["title"] == f"T{won}"
