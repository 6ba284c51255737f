# SPDX-License-Identifier: MIT
"""Knowledge bases: their documents, how these come into the index and leave it, what
is found, and by whom. How texts are cut and ranked is asked in tests/unit."""

import concurrent.futures
import json
import signal
import uuid

import pytest
from knowledge import NOBODY, base_of, found, left, settled, write
from lab import Lab, wait_until
from plain_browser import Browser


@pytest.fixture
def who():
    """A user of this test alone."""
    return "u" + uuid.uuid4().hex[:12]


def test_a_document_from_its_writing_to_its_end(lab, who):
    base = base_of(lab, who, description="What holds here")
    text = ("# Leave\n\nFive days carry over.\n\n\f## Travel\n\nBook trains early.\n"
            "\n| city | hotel |\n|---|---|\n| Bern | Adler |\n")
    answer = lab.post(f"{base}/documents", {
        "title": "Handbook 2026", "text": text, "externalId": "hb-1",
        "url": "https://intranet.example/hb"}, user=who)
    made = answer.json
    assert answer.status == 201, answer
    assert answer.headers["Location"] == f"{base[1:]}/documents/{made['id']}"
    assert (made["externalId"], made["title"], made["groups"], made["error"],
            made["bytes"]) == ("hb-1", "Handbook 2026", [], None, len(text))
    assert settled(lab, base, who) == {"queued": 0, "ready": 1, "failed": 0}
    seen = lab.get(f"{base}/documents/{made['id']}", user=who).json
    assert (seen["status"], seen["chunks"]) == ("ready", 2)
    hit, = found(lab, base, "how many days are carried over?", who, maxResults=1)
    assert (hit["documentId"], hit["externalId"], hit["title"], hit["heading"],
            hit["page"], hit["url"], hit["text"]) == (
        made["id"], "hb-1", "Handbook 2026", "Leave", 1,
        "https://intranet.example/hb", "Five days carry over.")
    assert hit["score"] > 0
    hit, = found(lab, base, '"hotel"', who)
    assert (hit["page"], hit["heading"]) == (2, "Leave > Travel")
    assert "| Bern | Adler |" in hit["text"]
    assert found(lab, base, "nothing", who) == []
    assert lab.call("DELETE", f"{base}/documents/{made['id']}", user=who).status == 204
    assert found(lab, base, "days", who) == []
    assert lab.get(f"{base}/documents/{made['id']}", user=who).status == 404
    assert lab.call("DELETE", f"{base}/documents/{made['id']}", user=who).status == 404
    wait_until("nothing is left", lambda: sum(left(lab, base).values()) == 1)


def test_a_conversation_is_added(lab, who):
    """What was said, by the user's choice, in a base that they may change; replaced later."""
    base = base_of(lab, who)
    base_id = base.rsplit("/", 1)[1]
    said = lab.chat({"text": "The valve\f opens at noon."}, user=who)
    conversation = said[0].data["conversationId"]

    def add(user=who, base_id=base_id, **more):
        return lab.post(f"/conversations/{conversation}/document",
                        {"knowledgeBaseId": base_id}, user=user, **more)

    assert lab.get(base, user=who).json["canEdit"] is True
    made = add()
    assert made.status == 201, made
    assert made.json["externalId"] == f"conversation-{conversation}"
    settled(lab, base, who)
    hit, = found(lab, base, "valve noon", who, maxResults=1)
    assert hit["documentId"] == made.json["id"] and hit["page"] is None
    lab.chat({"text": "The pump starts at dusk."}, user=who, conversationId=conversation)
    again = add()
    assert (again.status, again.json["id"]) == (200, made.json["id"])
    settled(lab, base, who)
    hits = found(lab, base, "pump dusk", who)
    assert any("The pump starts at dusk." in hit["text"] for hit in hits), hits
    # Of nobody else, nothing else, and into no base of others.
    assert add("eve").status == 404 and add(base_id=NOBODY).status == 404
    other = base_of(lab, "eve")
    assert lab.post(other + "/shares", {"group": "readers"}, user="eve",
                    groups=["readers"]).status == 201
    assert add(base_id=other.rsplit("/", 1)[1], groups=["readers"]).status == 403


def test_writing_it_again_replaces_it(lab, who):
    base = base_of(lab, who)
    one = write(lab, base, who, "The old one.", externalId="x")
    settled(lab, base, who)
    again = write(lab, base, who, "The new one.", externalId="x", title="U", status=200)
    assert (again["id"], again["title"], again["createdAt"]) == (
        one["id"], "U", one["createdAt"])
    settled(lab, base, who)
    assert [hit["text"] for hit in found(lab, base, "one", who)] == ["The new one."]
    # The same name in another base is another document.
    other = base_of(lab, who, name="Other")
    assert write(lab, other, who, "Another.", externalId="x")["id"] != one["id"]
    # The same request under the same key is one document.
    body = {"title": "K", "text": "Keyed."}
    ids = {lab.post(f"{base}/documents", body, user=who,
                    headers={"Idempotency-Key": "k1"}).json["id"] for _ in range(2)}
    assert len(ids) == 1


def test_lists_are_newest_first_in_pages(lab, who):
    base = base_of(lab, who)
    ids = [write(lab, base, who, f"Number {i}.")["id"] for i in range(5)][::-1]
    settled(lab, base, who)
    seen, cursor = [], ""
    for _ in range(3):
        page = lab.get(f"{base}/documents?pageSize=2{cursor}", user=who).json
        seen += [item["id"] for item in page["items"]]
        cursor = f"&cursor={page['nextCursor']}"
    assert (seen, page["nextCursor"]) == (ids, None)
    assert len(lab.get(f"{base}/documents?status=ready", user=who).json["items"]) == 5
    assert lab.get(f"{base}/documents?status=failed", user=who).json["items"] == []
    assert lab.get(f"{base}/documents?status=no", user=who).json["field"] == "status"
    assert lab.get(f"{base}/documents?cursor=e30", user=who).status == 400


def test_what_cannot_be_indexed_says_why(lab, who):
    base = base_of(lab, who)
    document = write(lab, base, who, "A text.", externalId="x")
    settled(lab, base, who)
    write(lab, base, who, "\f", externalId="x", status=200)
    write(lab, base, who, "".join(f"# H{i}\nx\n" for i in range(20001)), externalId="y")
    assert settled(lab, base, who) == {"queued": 0, "ready": 0, "failed": 2}
    errors = {item["externalId"]: item["error"]
              for item in lab.get(f"{base}/documents?status=failed", user=who).json["items"]}
    assert "no text" in errors["x"] and "too long" in errors["y"]
    assert found(lab, base, "text", who) == []
    write(lab, base, who, "It is well now.", externalId="x", status=200)
    settled(lab, base, who)
    again = lab.get(f"{base}/documents/{document['id']}", user=who).json
    assert (again["status"], again["error"]) == ("ready", None)


def test_a_document_that_ends_its_process_fails(lab, who):
    """It is tried alone after that, and not for ever; the others go on."""
    base = base_of(lab, who, paused=True)
    poisoned, suspect, plain = (write(lab, base, who, f"About {word}.")["id"]
                                for word in ("badgers", "wombats", "zebras"))
    for document, tries in ((poisoned, 3), (suspect, 2)):
        lab.sql(f"UPDATE document SET tries = {tries} WHERE id = "
                f"UNHEX('{document.replace('-', '')}')")
    assert lab.call("PATCH", base, {"paused": False}, user=who).status == 200
    assert settled(lab, base, who) == {"queued": 0, "ready": 2, "failed": 1}
    seen = lab.get(f"{base}/documents/{poisoned}", user=who).json
    assert seen["status"] == "failed" and "could not index it" in seen["error"]
    assert [hit["documentId"] for hit in found(lab, base, "wombats zebras", who)] in (
        [suspect, plain], [plain, suspect])
    assert lab.sql("SELECT COUNT(*) FROM document WHERE tries > 0")[0][0] == "0"
    assert lab.post(f"{base}/documents/{poisoned}/retry", None, user=who).status < 300
    assert settled(lab, base, who) == {"queued": 0, "ready": 3, "failed": 0}


def test_a_csv_is_found_by_rows_and_code_has_no_headings(lab, who):
    """Cases 15 and 16."""
    base = base_of(lab, who, language="none")
    rows = [f"{10000 + i};Firma {i} GmbH;Stadt{i % 90};{i * 37},00" for i in range(3000)]
    write(lab, base, who, "\n".join(["Kundennr;Name;Ort;Umsatz 2025", *rows]))
    write(lab, base, who, "# Installation\n\n```sh\n# Stop it first\nsystemctl stop foo\n"
          "# Then remove caches\n```\n\nThe frobnicator is ready.\n\n"
          "Setext Title\n============\n\nThe zebra.\n")
    settled(lab, base, who)
    hit = found(lab, base, '"Firma 2345"', who, maxResults=1)[0]
    lines = hit["text"].split("\n")
    assert lines[0] == "Kundennr;Name;Ort;Umsatz 2025" and rows[2345] in lines
    assert all(line in rows for line in lines[1:])
    assert found(lab, base, "frobnicator", who)[0]["heading"] == "Installation"
    assert found(lab, base, "zebra", who)[0]["heading"] == "Setext Title"


def test_form_feeds_without_an_end_of_line_are_indexed_at_once(lab, who):
    """Eight megabytes of them took a minute of CPU, at each request."""
    base = base_of(lab, who)
    made = write(lab, base, who, "badgers " + "\f" * 8_000_000 + " wombats")
    assert settled(lab, base, who) == {"queued": 0, "ready": 1, "failed": 0}
    hit, = found(lab, base, "wombats", who)
    shown = lab.get(f"{base}/documents/{made['id']}/text?chunk={hit['chunkId']}", user=who)
    assert shown.json["passage"].strip() == "wombats"


def test_a_base_can_be_paused(lab, who):
    base = base_of(lab, who, paused=True)
    write(lab, base, who, "It waits.")
    wait_until("the job has looked", lambda: not lab.sql(
        f"SELECT 1 FROM job WHERE subject = '{base.rsplit('/', 1)[1]}'"))
    assert lab.get(f"{base}/progress", user=who).json["queued"] == 1
    assert lab.call("PATCH", base, {"paused": False}, user=who).status == 200
    assert settled(lab, base, who)["ready"] == 1


def test_a_job_asked_for_in_a_transaction_is_seen_when_that_ends(lab, who):
    """Others answer while it is not stored yet, and look for jobs behind that."""
    base = base_of(lab, who, paused=True)
    write(lab, base, who, "Zebras graze.")
    wait_until("no job is there", lambda: lab.sql(
        "SELECT 1 FROM job WHERE kind = 'knowledge-index'") == [])
    row = f"'knowledge-index', '{base.rsplit('/', 1)[1]}', '', 0, 0"
    hold = ("START TRANSACTION; INSERT INTO job (kind, subject, tenant_id, due_us,"
            f" created_us) VALUES ({row}); DO SLEEP(1.5); ROLLBACK")
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        holding = pool.submit(lab.sql, hold)
        wait_until("its row is held", lambda: lab.sql(
            "SELECT 1 FROM information_schema.PROCESSLIST WHERE INFO LIKE 'DO SLEEP%'"))
        patch = pool.submit(lab.call, "PATCH", base, {"paused": False}, user=who)
        while not holding.done():
            assert lab.get(base, user=who).status == 200
        assert patch.result().status == 200
    assert settled(lab, base, who) == {"queued": 0, "ready": 1, "failed": 0}


def test_a_base_leaves_nothing(lab, who):
    base = base_of(lab, who)
    write(lab, base, who, "For some.", groups=(), externalId="x")
    lab.post(f"{base}/documents", {"title": "T", "text": "x", "groups": ["g"]}, user=who)
    settled(lab, base, who)
    assert sum(left(lab, base).values()) > 5
    assert lab.call("DELETE", base, user=who).status == 204
    for answer in (lab.get(base, user=who), lab.get(f"{base}/documents", user=who),
                   lab.post(f"{base}/search", {"query": "x"}, user=who),
                   lab.post(f"{base}/documents", {"title": "T", "text": "x"}, user=who)):
        assert answer.status == 404, answer
    wait_until("nothing is left", lambda: sum(left(lab, base).values()) == 0)
    wait_until("the job is gone", lambda: not lab.sql(
        f"SELECT 1 FROM job WHERE subject = '{base.rsplit('/', 1)[1]}'"))


def test_bodies_that_do_not_fit(lab, who):
    base = base_of(lab, who)
    good = {"title": "T", "text": "x"}
    for bad, field in (({"title": ""}, "title"), ({"title": "x" * 201}, "title"),
                       ({"text": " "}, "text"), ({"text": None}, "text"),
                       ({"externalId": ""}, "externalId"),
                       ({"externalId": "x" * 191}, "externalId"),
                       ({"url": "a\nb"}, "url"), ({"groups": "g"}, "groups"),
                       ({"groups": [1]}, "groups"), ({"groups": [""]}, "groups"),
                       ({"groups": ["x" * 201]}, "groups"),
                       ({"groups": ["x"] * 51}, "groups"),
                       ({"txt": "x"}, "txt")):
        answer = lab.post(f"{base}/documents", {**good, **bad}, user=who)
        assert (answer.status, answer.json["field"]) == (422, field), answer
    big = lab.post(f"{base}/documents", {**good, "text": "x" * (8 << 20 | 1)}, user=who)
    assert (big.status, big.json["field"]) == (413, "text")
    for bad, field in (({"query": ""}, "query"), ({"query": "x" * 2001}, "query"),
                       ({"maxResults": 0}, "maxResults"), ({"maxResults": 51}, "maxResults"),
                       ({"mode": "all"}, "mode"), ({"mode": "vectors"}, "mode"),
                       ({"documentIds": []}, "documentIds"),
                       ({"documentIds": ["x"]}, "documentIds"),
                       ({"documentIds": [NOBODY] * 201}, "documentIds")):
        answer = lab.post(f"{base}/search", {"query": "q", **bad}, user=who)
        assert (answer.status, answer.json["field"]) == (422, field), answer
    for bad, field in (({"language": "xx"}, "language"), ({"tier": "all"}, "tier"),
                       ({"workspaceId": "nowhere"}, "workspaceId"),
                       ({"tier": "team"}, "group"), ({"group": "g"}, "group")):
        answer = lab.post("/knowledge-bases", {"name": "N", **bad}, user=who)
        assert (answer.status, answer.json["field"]) == (422, field), answer
    base = base_of(lab, who, name="Of a workspace", workspaceId="lab")
    assert lab.get(base, user=who).json["workspaceId"] == "lab"


def test_a_search_can_name_documents(lab, who):
    base = base_of(lab, who)
    one, two = (write(lab, base, who, "The plan.")["id"] for _ in range(2))
    settled(lab, base, who)
    hits = found(lab, base, "plan", who, documentIds=[two], mode="words")
    assert [hit["documentId"] for hit in hits] == [two]
    assert len(found(lab, base, "plan", who, documentIds=[one, two, NOBODY])) == 2


@pytest.fixture(scope="module")
def clerk():
    """A Lab with an agent that lists the tool."""
    with Lab(workspaces={
            "lab": {"workspace": "lab", "name": "Lab", "title_by_model": False,
                    "agents": [{"id": "clerk", "tools": ["search_knowledge"]}]},
            "other": {"workspace": "other", "name": "Other"}}) as lab:
        yield lab


def asked(lab, user, **args):
    """What the tool gives in a turn of the agent, as text."""
    events = lab.chat(script({"tool_calls": [{"name": "search_knowledge", "args": args}],
                              "then": {"text": "ok"}}), user=user, agentId="clerk")
    assert events[-1].name == "done", events
    return next(e.data for e in events if e.name == "tool-result")["result"]


def script(steps):
    return "!script " + json.dumps(steps)


def test_agents_find_what_their_users_see(clerk):
    base = base_of(clerk, "eve")
    write(clerk, base, "eve", "# Leave\n\nFive days carry over.", title="Handbook",
          url="https://intranet.example/hb")
    hidden = {"title": "Secret", "text": "Ten days for the board.", "groups": ["board"]}
    assert clerk.post(f"{base}/documents", hidden, user="eve").status == 201
    other = base_of(clerk, "eve", name="Other", workspaceId="other")
    write(clerk, other, "eve", "Days elsewhere.")
    for path in (base, other):
        settled(clerk, path, "eve")
    passage, = asked(clerk, "eve", query="days of leave for the board")["passages"]
    assert (passage["base"], passage["title"], passage["heading"], passage["url"],
            passage["text"]) == ("Handbook", "Handbook", "Leave",
                                 "https://intranet.example/hb", "Five days carry over.")
    assert asked(clerk, "eve", query="days", base="Handbook", max_results=1)["passages"]
    assert "with this name" in json.dumps(asked(clerk, "eve", query="days", base="x"))
    assert "no knowledge base here" in json.dumps(asked(clerk, "bob", query="days"))


CALL = {"name": "search_knowledge", "args": {"query": "days of leave"}}
QUOTES = ("By the handbook \u201cfive days *carry* over \u2026 to the next year\u201d [1], "
          "\"ten days are paid out at once\" [2][7]. `x[8]` and \"too short\"")


@pytest.fixture
def answered(clerk, who):
    """A turn that has used a passage, and what it can be asked about."""
    base = base_of(clerk, who)
    text = "# Pay\n\nMonthly.\n\f# Leave\n\nFive days carry\nover, and move to the next year.\n"
    made = write(clerk, base, who, text, title="Handbook", externalId="hb",
                 url="https://intranet.example/hb")
    settled(clerk, base, who)
    events = clerk.chat(script({"tool_calls": [CALL], "then": {
        "tool_calls": [{"name": "search_knowledge", "args": {"query": "next year"}}],
        # escaped, because what the user says may be quoted as well
        "then": {"text": QUOTES}}}).replace("ten days", "t\\u0065n days"),
        user=who, agentId="clerk")
    assert events[-1].name == "done", events
    return base, made["id"], events


def test_passages_become_sources_of_the_answer(clerk, who, answered):
    base, document, events = answered
    source, = [e.data for e in events if e.name == "source"]
    names = [e.name for e in events]
    assert names.index("source") < names.index("tool-result")
    chunk, page, score = source.pop("chunkId"), source.pop("page"), source.pop("score")
    assert source == {
        "number": 1, "documentId": document, "externalId": "hb",
        "knowledgeBaseId": base.rsplit("/", 1)[1], "attachmentId": None,
        "title": "Handbook", "url": "https://intranet.example/hb",
        "text": "Five days carry\nover, and move to the next year."}
    assert page == 2 and score > 0
    results = [e.data["result"]["passages"] for e in events if e.name == "tool-result"]
    assert [[p["number"] for p in r] for r in results] == [[1], [1]]
    done = events[-1].data
    assert done["metadata"]["context_document_ids"] == [document]
    assert done["metadata"]["sources"] == [
        {"number": 1, "documentId": document, "knowledgeBaseId": source["knowledgeBaseId"],
         "attachmentId": None, "chunkId": chunk, "page": 2, "score": score}]
    turn = f"/turns/{done['turnId']}"
    kept, = clerk.get(f"{turn}/sources", user=who).json["items"]
    assert kept == {**source, "chunkId": chunk, "page": 2, "score": kept["score"]}
    # who comes later is told the same
    events = clerk.get(f"{turn}/events?after=0&wait=0", user=who).json["items"]
    assert [e["data"]["number"] for e in events if e["event"] == "source"] == [1]
    assert clerk.get(f"{turn}/sources", user="eve2").status == 404


def test_citations_are_checked(answered):
    done = answered[2][-1].data
    assert done["content"] == QUOTES
    assert done["metadata"]["citations"] == {
        "cited": [1], "unknown": [2, 7], "notFound": ["ten days are paid out at once"]}


def test_plain_pages_show_what_is_cited(clerk, who, answered):
    done = answered[2][-1].data
    path = f"conversations/{done['conversationId']}"
    browser = Browser(clerk, who)
    page = browser.get(f"plain/{path}").text
    assert "There is no source [2], [7]" in page
    assert "Not found in the sources: ten days are paid out at once" in page
    sources = f"{path}/sources?messageId={done['messageId']}"
    assert f'{sources}">Sources: 1</a>' in page
    page = browser.get(f"plain/{sources}").text
    assert "[1] Handbook, page 2</h2>" in page and 'href="https://intranet.example/hb"' in page
    assert "and move to the next year." in page


def test_a_fork_opens_the_same_sources(clerk, who, answered):
    """Under the rights of now, and after the original is gone."""
    base, document, events = answered
    done = events[-1].data
    mine = f"/turns/{done['turnId']}/sources"
    kept = clerk.get(mine, user=who).json["items"]

    def fork(message):
        made = clerk.post(f"/conversations/{message.split('.')[0]}/fork",
                          {"messageId": message}, user=who).json["conversationId"]
        return f"{made}.{message.split('.')[1]}"

    def sources(message, user=who):
        return clerk.get(f"/conversations/{message.split('.')[0]}/sources"
                         f"?messageId={message}", user=user)

    original = done["messageId"]
    first = fork(original)
    second = fork(first)		# of a copy
    for message in (original, first, second):
        assert sources(message).json["items"] == kept, message
        assert sources(message, user="eve2").status == 404
    asked = original.split(".")[0] + ".1"
    assert sources(asked).json["items"] == []
    wrong = clerk.get(f"/conversations/{original.split('.')[0]}/sources?messageId=x", user=who)
    assert (wrong.status, wrong.json["field"]) == (422, "messageId")
    assert clerk.get(f"/conversations/{original.split('.')[0]}/sources?messageId={first}",
                     user=who).status == 404
    browser = Browser(clerk, who)
    path = first.split(".")[0]
    page = browser.get(f"plain/conversations/{path}").text
    link = f"conversations/{path}/sources?messageId={first}"
    assert f'{link}">Sources: 1</a>' in page
    assert "and move to the next year." in browser.get(f"plain/{link}").text
    assert clerk.call("DELETE", f"/conversations/{original.split('.')[0]}",
                      user=who).status == 204
    clerk.command("work")
    assert clerk.get(mine, user=who).status == 404
    assert sources(first).json["items"] == sources(second).json["items"] == kept
    assert clerk.call("DELETE", f"{base}/documents/{document}", user=who).status == 204
    for message in (first, second):
        assert sources(message).json["items"] == []
    assert clerk.sql("SELECT COUNT(*) FROM turn_source WHERE document_id = UNHEX('"
                     + document.replace("-", "") + "')")[0][0] == "0"


def test_readers_of_a_share_open_the_sources_that_they_may_see(clerk, who, answered):
    base, document, events = answered
    done = events[-1].data
    reader = f"r{who}"
    clerk.sign_in(reader)

    def shared(**more):
        made = clerk.post("/conversation-shares", {"conversationId": done["conversationId"],
                                                   "user": reader, **more}, user=who)
        assert made.status == 201, made
        return made.json["id"]

    def ask(share, seq, user=reader, groups=()):
        return clerk.get(f"/shared-conversations/{share}/sources?messageId={share}.{seq}",
                         user=user, groups=groups)

    share, seq = shared(), done["messageId"].split(".")[1]
    answer = clerk.get(f"/shared-conversations/{share}/messages", user=reader).json["items"][0]
    assert answer["metadata"]["sources"] == [{"number": 1}]
    assert answer["metadata"]["citations"] == done["metadata"]["citations"]
    assert document not in json.dumps(answer)
    assert ask(share, seq).json == {"items": []}                # the base is not theirs
    own = clerk.get(f"/turns/{done['turnId']}/sources", user=who).json["items"]
    grant = clerk.post(f"{base}/shares", {"group": "readers"}, user=who, groups=["readers"])
    assert grant.status == 201
    assert ask(share, seq, groups=["readers"]).json["items"] == own
    assert ask(share, seq).json["items"] == []
    # of another's share, of what is not in it, and of no message
    assert ask(share, seq, user=who, groups=["readers"]).status == 404
    assert ask(share, 1, groups=["readers"]).json["items"] == []
    assert clerk.get(f"/shared-conversations/{share}/sources?messageId={done['messageId']}",
                     user=reader, groups=["readers"]).status == 404
    wrong = clerk.get(f"/shared-conversations/{share}/sources?messageId=x", user=reader)
    assert (wrong.status, wrong.json["field"]) == (422, "messageId")
    assert clerk.get(f"/shared-conversations/{share}/sources", user=reader).status == 422
    # what came after the share is not in it
    at = f"/workspaces/lab/agents/clerk/conversations/{done['conversationId']}/messages"
    assert clerk.post(at, {"content": script({"tool_calls": [CALL], "then": {"text": "[2]"}})},
                      user=who).status < 300
    later = clerk.get(f"/conversations/{done['conversationId']}/messages",
                      user=who).json["items"][0]
    assert later["metadata"]["sources"]
    later = later["messageId"].split(".")[1]
    assert ask(share, later, groups=["readers"]).json["items"] == []
    assert clerk.call("DELETE", f"{base}/shares/{grant.json['id']}", user=who).status == 204
    assert ask(share, seq, groups=["readers"]).json["items"] == []
    assert clerk.call("DELETE", f"/conversation-shares/{share}", user=who).status == 204
    assert ask(share, seq, groups=["readers"]).status == 404


def test_marks_of_a_corrected_answer_lead_to_its_sources(clerk, who):
    base = base_of(clerk, who)
    written = write(clerk, base, who, "Salaries are ten.")
    settled(clerk, base, who)
    done = clerk.chat(script({"tool_calls": [{"name": "search_knowledge", "args": {
        "query": "salaries"}}], "then": {"text": "They are eleven [1]."}}), agentId="clerk",
        user=who)[-1].data
    path = f"/conversations/{done['conversationId']}"
    text = "They are *ten* [1], and I know it [2][99]. `[3]`"
    answer = clerk.post(f"{path}/correct", {"messageId": done["messageId"], "content": text}, user=who)
    meta = answer.json["metadata"]
    assert meta["sources"] == done["metadata"]["sources"]
    assert meta["citations"] == {"cited": [1], "unknown": [2, 99], "notFound": []}
    assert meta["context_document_ids"] == done["metadata"]["context_document_ids"]

    def opened(conversation, message):
        return [(s["number"], s["text"]) for s in clerk.get(
            f"/conversations/{conversation}/sources?messageId={message}", user=who).json["items"]]

    # Those of the answer, of a correction of the correction, and in a fork of it.
    ids = [done["messageId"], answer.json["messageId"]]
    for text in ("Ten [1].", "Ten!"):
        ids.append(clerk.post(f"{path}/correct", {"messageId": ids[-1], "content": text},
                              user=who).json["messageId"])
    assert [opened(done["conversationId"], id) for id in ids] == [[(1, "Salaries are ten.")]] * 4
    fork = clerk.post(f"{path}/fork", {"messageId": ids[-1]}, user=who).json["conversationId"]
    copy = f"{fork}.{ids[-1].split('.')[1]}"
    fixed = clerk.post(f"/conversations/{fork}/correct", {"messageId": copy, "content": "10 [1]"}, user=who)
    assert opened(fork, copy) == opened(fork, fixed.json["messageId"]) == [(1, "Salaries are ten.")]
    assert fixed.json["metadata"]["citations"]["cited"] == [1]
    # The texts go with the document, whoever cites them.
    assert clerk.call("DELETE", f"{base}/documents/{written['id']}", user=who).status == 204
    wait_until("the texts are gone", lambda: clerk.sql("SELECT COUNT(*) FROM turn_source WHERE conversation_id IN"
               f" (UNHEX('{fork.replace('-', '')}'), UNHEX('{done['conversationId'].replace('-', '')}'))")[0][0] == "0")


def test_a_fork_opens_what_its_user_may_see_now(clerk, who):
    base = base_of(clerk, who)
    write(clerk, base, who, "Salaries are ten.")
    share = clerk.post(f"{base}/shares", {"group": "readers"}, user=who, groups=["readers"])
    assert share.status == 201
    settled(clerk, base, who)
    reader = {"user": who + "r", "groups": ["readers"]}
    done = clerk.chat(script({"tool_calls": [{"name": "search_knowledge", "args": {
        "query": "salaries"}}], "then": {"text": "ok [1]"}}), agentId="clerk", **reader)[-1].data
    fork = clerk.post(f"/conversations/{done['conversationId']}/fork",
                      {"messageId": done["messageId"]}, **reader).json["conversationId"]
    path = f"/conversations/{fork}/sources?messageId={fork}.{done['messageId'].split('.')[1]}"
    assert [s["text"] for s in clerk.get(path, **reader).json["items"]] == ["Salaries are ten."]
    assert clerk.get(path, user=reader["user"]).json["items"] == []
    assert clerk.call("DELETE", f"{base}/shares/{share.json['id']}", user=who).status == 204
    assert clerk.get(path, **reader).json["items"] == []


def test_no_mark_counts_beyond_the_last_page(clerk, who):
    """The number behind the largest one is none: passages and their document agree."""
    base = base_of(clerk, who, name="Marks")
    document = write(clerk, base, who, "<!-- page 9223372036854775807 -->\nOne wombat.\n\f"
                     "Two.\n", title="T")["id"]
    settled(clerk, base, who)
    [found] = clerk.post(f"{base}/search", {"query": "wombat"}, user=who).json["items"]
    seen = clerk.get(f"{base}/documents/{document}/text?chunk={found['chunkId']}",
                     user=who).json
    assert (found["page"], seen["page"], seen["pages"], seen["found"]) == (1, 1, 2, True)


def test_the_document_around_a_source(clerk, who, answered):
    base, document, events = answered
    source = next(e.data for e in events if e.name == "source")
    text = f"{base}/documents/{document}/text"
    seen = clerk.get(f"{text}?chunk={source['chunkId']}", user=who).json
    assert seen == {"documentId": document, "title": "Handbook",
                    "url": "https://intranet.example/hb", "fileName": None,
                    "page": 2, "pages": 2,
                    "found": True, "cut": False, "before": "# Leave\n\n", "passage": source["text"],
                    "after": "\n"}
    first = clerk.get(f"{text}?page=1", user=who).json
    assert (first["page"], first["found"], first["before"], first["passage"],
            first["after"]) == (1, False, "", "", "# Pay\n\nMonthly.\n")
    assert clerk.get(f"{text}?page=3", user=who).status == 404
    assert clerk.get(f"{text}?chunk=x", user=who).json["field"] == "chunk"
    assert clerk.get(f"{text}?page=0", user=who).json["field"] == "page"
    assert clerk.get(text, user="eve2").status == 404
    # Without pages, of a long one a part that says so.
    long = write(clerk, base, who, "Leave it.\n\n" * 3000, title="Long")["id"]
    settled(clerk, base, who)
    part = clerk.get(f"{base}/documents/{long}/text", user=who).json
    assert (part["page"], part["pages"], part["found"], part["cut"]) == (None, 0, False, True)
    assert part["after"].startswith("Leave it.") and 19000 < len(part["after"]) <= 20000


def test_a_turn_that_goes_on_tells_what_may_be_seen_now(clerk, who):
    """As GET /turns/{turn}/sources does; and a number is given once."""
    base = base_of(clerk, who)
    for text, groups in (("Salaries are ten.", ["pay"]), ("Salaries are paid.", [])):
        assert clerk.post(f"{base}/documents", {"title": "T", "text": text, "groups": groups},
                          user=who, groups=["pay"]).status == 201
    settled(clerk, base, who)

    def sources(events):
        return {e.data["text"]: e.data["number"] for e in events if e.name == "source"}

    fails = {"id": who, "fail_times": 1, "error": {"status": 400, "body": {
        "error": {"message": "no"}}}, "tool_calls": [{"name": "search_knowledge", "args": {
            "query": "salaries fine"}}], "then": {"text": "ok"}}
    told = clerk.chat(script({"tool_calls": [{"name": "search_knowledge", "args": {
        "query": "ten"}}], "then": {"tool_calls": [{"name": "search_knowledge", "args": {
            "query": "salaries"}}], "then": fails}}), user=who, groups=["pay"],
        agentId="clerk")
    assert told[-1].name == "error", told
    before = sources(told)
    assert before == {"Salaries are ten.": 1, "Salaries are paid.": 2}
    turn = told[0].data["turnId"]
    events = clerk.stream(f"/turns/{turn}/continue", None, user=who).events()
    assert events[-1].name == "done", events
    assert sources(events) == {"Salaries are paid.": 2}


def test_what_is_deleted_or_out_of_sight_is_no_source_any_more(clerk, who, answered):
    base, document, events = answered
    turn = f"/turns/{events[-1].data['turnId']}/sources"
    assert clerk.get(turn, user=who).json["items"]
    # The document and what was quoted go together, or not at all.
    clerk.sql("CREATE TRIGGER keep BEFORE DELETE ON turn_source FOR EACH ROW"
              " SIGNAL SQLSTATE '45000'")
    assert clerk.call("DELETE", f"{base}/documents/{document}", user=who).status == 500
    assert clerk.get(f"{base}/documents/{document}", user=who).status == 200
    clerk.sql("DROP TRIGGER keep")
    assert clerk.call("DELETE", f"{base}/documents/{document}", user=who).status == 204
    assert clerk.get(turn, user=who).json["items"] == []
    assert clerk.sql("SELECT COUNT(*) FROM turn_source WHERE document_id = UNHEX('"
                     + document.replace("-", "") + "')")[0][0] == "0"


def test_indexing_survives_the_process(clerk):
    base = base_of(clerk, "ada")
    for i in range(30):
        write(clerk, base, "ada", "".join(
            f"# Part {k}\n\nNumber {i} of {k}.\n\n" for k in range(200)))
    for i in range(6):
        assert clerk.call("POST", f"{base}/documents?name={i}.md", b"Quokka %d." % i,
                          user="ada", headers={"Content-Type": "text/markdown"}
                          ).status == 201
    clerk.stop("responder", signal.SIGKILL)
    # A lease that the killed one held is over.
    clerk.sql("UPDATE job SET due_us = 0")
    clerk.start_responder()
    clerk.command("work")
    assert settled(clerk, base, "ada") == {"queued": 0, "ready": 36, "failed": 0}
    assert len(found(clerk, base, "number", "ada", maxResults=50)) == 50
    assert len(found(clerk, base, "quokka", "ada", maxResults=50)) == 6
    rows = left(clerk, base)
    assert rows["document"] == 36 and rows["search_chunk"] == 30 * 200 + 6
