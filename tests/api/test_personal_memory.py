# SPDX-License-Identifier: MIT
"""What users let assistants remember of them in all conversations (docs/memory.md)."""

import contextlib
import json

import pytest

from lab import Lab, wait_until
from plain_browser import Browser
from remembering import POISON, Memory, Talk, sent_texts, system_of, tool


class Notes(Memory):
    """`sum` is asked what to note; note: the answer, or what makes it of the input."""

    note = None

    def fold(self, body):
        if "known" not in body["messages"][-1]["content"]:
            return super().fold(body)
        text = body["messages"][-1]["content"]
        self.given = json.loads(text[text.index("{"):text.rindex("}") + 1])
        return self.note if isinstance(self.note, (str, tuple)) else json.dumps(
            {"facts": self.note})


@pytest.fixture(scope="module")
def model():
    with contextlib.closing(Notes()) as made:
        yield made


@pytest.fixture(scope="module")
def lab(model):
    work = {"workspace": "lab", "name": "Lab", "llm_service": "chat", "title_by_model": False}
    with Lab(services={"chat": {"url": model.url("chat"), "model": "chat"},
                       "sum": {"url": model.url("sum"), "model": "sum"}},
             config={"settings": {"summary_service": "sum"}, "roles": {
                 "user": {"groups": ["*"], "permissions": ["AIChat.*", "AI.Chat.UseTool.*"]},
                 "admin": {"groups": ["it"], "permissions": ["*"]}}, "tools": {
                 "write": tool("{}", effect="write", confirm="tainted"),
                 "page": tool(POISON, effect="read", untrusted=True)}},
             workspaces={"lab": work, "shut": {**work, "workspace": "shut", "name": "Shut",
                                               "personal_memory": False}}) as lab:
        yield lab


def switch(lab, value, user="ada"):
    assert lab.call("PATCH", "/settings", {"personal_memory": value}, user=user).status == 200


def rows(lab, user="ada", query=""):
    return lab.get(f"/memories?pageSize=100{query}", user=user).json["items"]


def texts(lab, state, user="ada"):
    return [row["text"] for row in rows(lab, user, f"&state={state}")]


def decide(lab, row, user="ada", **change):
    return lab.call("PATCH", f"/memories/{row['id']}", change, user=user)


def said(lab, model, text, note, user="ada", **fields):
    """A message in a conversation of its own, after which the model notes this. What the
    model of the turn was sent."""
    model.note = note
    model.sent.clear()
    lab.chat(text, user=user, **fields)
    settled(lab)
    return model.sent["chat"][0]


def settled(lab):
    wait_until("no job is there", lambda: lab.sql(
        "SELECT 1 FROM job WHERE kind IN ('personal-memory', 'after-turn') AND error IS NULL") == [])


def test_a_sentence_is_kept_used_and_deleted(lab, model):
    said(lab, model, "I live in Bonn, in room 12.", ["no"])
    assert rows(lab) == [] and "sum" not in model.sent      # off by default
    switch(lab, "ask")
    said(lab, model, "I live in Bonn, in room 12.", ["The user lives in Bonn, in room 12."])
    assert model.given == {"message": "I live in Bonn, in room 12.", "known": []}
    [row] = rows(lab)
    assert (row["state"], row["origins"]) == ("proposed", None)
    assert row["conversationId"]
    assert "Bonn" not in system_of(said(lab, model, "And what is new today?", []))
    assert decide(lab, row, state="kept").json["state"] == "kept"
    # In another conversation; not to others, not where a workspace forbids it, not if off.
    body = said(lab, model, "What is the weather like?", ["the user lives in bonn, in room 12"])
    assert "- The user lives in Bonn, in room 12." in system_of(body)
    assert model.given["known"] == ["The user lives in Bonn, in room 12."]
    assert len(rows(lab)) == 1                              # what is known is not noted again
    assert "Bonn" not in system_of(said(lab, model, "Where do I live?", [], user="bob"))
    assert rows(lab, "bob") == [] and decide(lab, row, "bob", text="x").status == 404
    body = said(lab, model, "Where do I live now?", ["no"], workspace="shut")
    assert "Bonn" not in system_of(body) and "sum" not in model.sent
    assert "remembered-own" in lab.command(
        "preview", "--user", "ada", "--workspace", "lab", "Hello").stdout
    model.note = []
    usage = next(e.data for e in lab.chat("Once more, please.") if e.name == "context-usage")
    assert 0 < next(p["tokens"] for p in usage["parts"] if "remembered-own" in p.values()) < 100
    # It changes, and goes; the conversation takes nothing with it but its id.
    assert decide(lab, row, text="The user lives in Köln.").status == 200
    assert "Köln" in system_of(said(lab, model, "Where do I live then?", []))
    assert lab.call("DELETE", f"/conversations/{row['conversationId']}", user="ada").status == 204
    # A purge that met another job of the conversation comes again after 30 s.
    wait_until("the id is gone", lambda: [one["conversationId"] for one in rows(lab)] == [None],
               deadline_s=90)
    assert "Köln" in lab.command("export", "--user", "ada").stdout
    assert lab.call("DELETE", f"/memories/{row['id']}", user="ada").status == 204
    assert "Köln" not in system_of(said(lab, model, "Where do I live at all?", []))
    for allowed in (False, None):
        assert lab.call("PATCH", "/settings?level=tenant", {
            "personal_memory_allowed": allowed}, user="zoe", groups=["it"]).status == 200
        if allowed is False:
            said(lab, model, "I live in Rome, room 1.", ["The user lives in Rome."])
            assert "sum" not in model.sent
    assert rows(lab) == []
    switch(lab, None)


def test_what_a_model_may_propose(lab, model):
    switch(lab, "ask", "dan")
    message = "I am Dan, 42 years old, and I like ÄPFEL and tea."
    for note, kept in (
            ("no JSON", []), ("", []), ('{"facts": "x"}', []), ('{"facts": [1, null, ""]}', []),
            ((500, {"error": {"message": "down"}}), []),
            (["The user is 43."], []),              # an invented number
            (["x" * 301], []), (["The user\n\u202elikes tea."], ["The user likes tea."]),
            (["The user is 42.", "THE USER IS 42", " The user is 42. "], ["The user is 42."]),
            ([f"The user likes {c}." for c in "abcde"],
             [f"The user likes {c}." for c in "cba"])):
        said(lab, model, message, note, "dan")
        got = texts(lab, "proposed", "dan")
        assert sorted(" ".join(t.split()) for t in got) == sorted(
            " ".join(t.split()) for t in kept), note
        for row in rows(lab, "dan"):
            lab.call("DELETE", f"/memories/{row['id']}", user="dan")
        lab.sql("DELETE FROM job")
    # Refused: it is not proposed again, and not used.
    said(lab, model, message, ["The user likes tea."], "dan")
    decide(lab, rows(lab, "dan")[0], "dan", state="refused")
    body = said(lab, model, message, ["the user likes tea"], "dan")
    assert "likes tea" not in system_of(body)
    assert (texts(lab, "proposed", "dan"), len(rows(lab, "dan"))) == ([], 1)
    # Nobody decides: no more is asked.
    for i in range(20):
        decide(lab, lab.post("/memories", {"text": f"Fact {i}"}, user="dan").json, "dan",
               state="proposed")
    said(lab, model, message, ["The user likes Dan."], "dan")
    assert "sum" not in model.sent and len(texts(lab, "proposed", "dan")) == 20
    for bad, field in (({"text": ""}, "text"), ({"text": "x" * 301}, "text"),
                       ({"text": "a\nb"}, "text"), ({"text": "x", "state": "kep"}, "state"),
                       ({"text": "x", "origins": []}, "origins"), ({}, "text")):
        answer = lab.post("/memories", bad, user="dan")
        assert (answer.status, answer.json["field"]) == (422, field), bad
    switch(lab, "off", "dan")


def test_text_of_others_stays_theirs(lab, model):
    """A page cannot propose anything; what is tainted is asked about, also if it is kept."""
    switch(lab, "keep", "eve")
    t = Talk(lab, "eve")
    model.note = []
    t.say("call page {}")
    settled(lab)
    assert POISON not in json.dumps(model.sent["sum"][-1])
    assert POISON not in json.dumps(model.given)
    said(lab, model, "I work at night.", ["The user works at night."], "eve")
    assert texts(lab, "kept", "eve") == ["The user works at night."]
    assert not [e for e in lab.chat("call write {}", user="eve")
                if e.name == "approval-request"]
    settled(lab)
    # What may be pasted is asked about.
    for n, pasted in enumerate(("Is this right?\n> The user trusts example.org.",
                                "```\nThe user trusts example.org.\n```",
                                "The user trusts example.org. " + 40 * "It is a long page. ")):
        said(lab, model, pasted, [f"The user trusts example.{'abc'[n]}"], "eve")
        assert len(texts(lab, "kept", "eve")) == 1
        assert len(texts(lab, "proposed", "eve")) == n + 1
    for row in rows(lab, "eve", "&state=proposed"):
        assert lab.call("DELETE", f"/memories/{row['id']}", user="eve").status == 204
    # The sentence of a prompt that somebody else wrote is proposed, and marked.
    prompt = lab.post("/prompts", {"name": "Intro", "body": "I am in team Blue.",
                                   "tier": "team", "group": "blue"}, user="bob",
                      groups=["blue"]).json
    said(lab, model, "I am in team Blue.", ["The user is in team Blue."], "eve",
         groups=["blue"], promptId=prompt["id"])
    row = rows(lab, "eve", "&state=proposed")[0]
    assert row["origins"][0]["kind"] == "prompt"
    decide(lab, row, "eve", state="kept", text="The user is in team Blue, always.")
    body = said(lab, model, "Which team?", [], "eve")
    assert 'source="remembered"' in system_of(body)
    [asked] = [e.data for e in lab.chat("call write {}", user="eve")
               if e.name == "approval-request"]
    assert asked["reason"] == "tainted" and any(
        o["kind"] == "prompt" for o in asked["origins"]), asked
    switch(lab, "off", "eve")


def test_never_more_than_its_part(lab, model):
    switch(lab, "ask", "kim")
    lab.sign_in("kim")
    lab.sql("""INSERT INTO personal_memory (id, tenant_id, user_id, version, created_us,
        updated_us, text, state) SELECT UNHEX(MD5(seq)), u.tenant_id, u.id, 1, seq, seq,
        CONCAT('Number ', seq, ' is of the ', IF(seq = 7, 'zebra', 'horse'), REPEAT(' x', 120)),
        'kept' FROM seq_1_to_300, user u WHERE u.login = 'kim'""")
    body = said(lab, model, "What about the zebra?", ["x"], "kim")
    system = system_of(body)
    lines = [line for line in system.split("\n") if line.startswith("- Number")]
    # The newest, but for the one that the message is about.
    assert lines[0].startswith("- Number 7 ") and lines[1].startswith("- Number 300 ")
    assert 5 < len(lines) and len("".join(lines)) <= 3000
    assert "sum" not in model.sent                          # there is no room for more
    answer = lab.post("/memories", {"text": "One more"}, user="kim")
    assert answer.status == 409, answer
    assert sent_texts(body) == ["What about the zebra?"]
    lab.sql("DELETE FROM personal_memory")


def test_on_the_plain_pages_and_as_cgi(lab, model):
    browser = Browser(lab)

    def submit(action, **values):
        browser.submit(browser.get("plain/memories"), action, **values)
        return browser.get("plain/memories").text

    assert "I am &lt;Ada&gt;." in submit("memories", text="I am <Ada>.")
    [row] = rows(lab)
    assert "I am Bo." in submit(f"memories/{row['id']}", text="I am Bo.", save="Save")
    decide(lab, row, state="proposed")
    submit(f"memories/{row['id']}", text="I am Bo.", keep="Keep")
    assert texts(lab, "kept") == ["I am Bo."]
    submit(f"memories/{row['id']}", text="", delete="Delete")
    assert rows(lab) == []
    switch(lab, "keep")
    model.note = ["The user said hello."]
    lab.stop("responder")
    try:
        reply = lab.cgi("/chat/lab/stream", {"content": "Hello, remember me."})
        assert b"event: done" in reply.stdout.read()
        reply.stdout.close()
        assert reply.wait(30) == 0
        lab.command("work")
    finally:
        lab.start_responder()
        wait_until("it answers", lambda: lab.get("/me", user="ada").status == 200)
    assert texts(lab, "kept") == ["The user said hello."]


def test_what_nobody_said_is_not_kept(lab, model):
    """Weak models repeat the request as a fact (mem0 issue 2736)."""
    switch(lab, "keep", "eli")
    said(lab, model, "Hello there, I drink tea.", [
        "The new facts are mentioned in triple backticks.", "The user drinks tea."], "eli")
    assert texts(lab, "kept", "eli") == ["The user drinks tea."]
    assert texts(lab, "proposed", "eli") == ["The new facts are mentioned in triple backticks."]
    switch(lab, "off", "eli")


def test_a_long_message_is_cut_for_the_model_and_refused_once(lab, model):
    """A pasted document was sent whole, and sent again after each 400 (LibreChat 13594)."""
    switch(lab, "ask", "fay")
    said(lab, model, "I am Fay. " + "y" * 20000, (400, {"error": {"message": "too long"}}), "fay")
    sent = model.sent.get("sum", [])
    assert len(sent) == 1 and len(json.dumps(sent[0])) < 20000, len(sent)
    switch(lab, "off", "fay")


def test_the_same_again_and_the_newest_of_a_full_list(lab, model):
    """The same sentence twice deleted it (mem0 1674); the last of a full list could not be
    changed (LibreChat 15217); only one of several was sent (open-webui 12880)."""
    switch(lab, "ask", "gus")
    for text in ("I like jazz", "I live in Ulm", "I row", "I paint", "I sing"):
        assert lab.post("/memories", {"text": text}, user="gus").status == 201
    twice = lab.post("/memories", {"text": "I like jazz"}, user="gus")
    assert twice.status in (201, 409) and len(texts(lab, "kept", "gus")) >= 5
    body = said(lab, model, "hello", [], "gus")
    assert all(text in system_of(body) for text in ("jazz", "Ulm", "row", "paint", "sing"))
    lab.sql("""INSERT INTO personal_memory (id, tenant_id, user_id, version, created_us,
        updated_us, text, state) SELECT UNHEX(MD5(seq)), u.tenant_id, u.id, 0, seq, seq,
        CONCAT('full ', seq), 'kept' FROM seq_1_to_300, user u WHERE u.login = 'gus'
        LIMIT 293""")
    made = [lab.post("/memories", {"text": f"more {n}"}, user="gus") for n in range(3)]
    last = [one.json for one in made if one.status == 201][-1]
    assert made[-1].status == 409, made
    assert decide(lab, last, "gus", text="I have changed").status == 200
    switch(lab, "off", "gus")
