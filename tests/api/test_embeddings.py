# SPDX-License-Identifier: MIT
"""Vectors of knowledge bases: the services that make them, the job that asks, what
becomes of a search when they fail, and who sees what. The peer here speaks the wire
forms and hashes words; how good a real model is, tests/bench measures."""

import json
import select
import threading

import pytest
from embedders import ADMIN, DIMENSION, peer, service_of, who  # noqa: F401: fixtures
from fastcgi import Request
from knowledge import NOBODY, base_of, embedded, found, left, write
from lab import DEADLINE_S, wait_until
from labs import KEYS


def base_with(lab, user, service, **fields):
    """Of an admin, who may name a service."""
    return base_of(lab, user, groups=ADMIN["groups"], embeddingServiceId=service, **fields)


def test_vectors_come_behind_the_words(lab, who, peer):
    base = base_with(lab, who, service_of(lab, peer.url + "/v1"))
    write(lab, base, who, "Five days of leave carry over.", title="Rules")
    write(lab, base, who, "Trains are booked early.", title="Travel")
    state = embedded(lab, base, who)
    assert state == {"model": "tiny", "dimension": DIMENSION, "passages": 2, "vectors": 2,
                     "error": None}
    sent = json.loads(next(r for r in peer.seen if b"Five" in r.body).body)
    assert (sent["model"], sent["input"][0]) == (
        "tiny", "Rules\nFive days of leave carry over.")
    assert next(iter(peer.seen)).headers["Authorization"] == "Bearer sk-embed"
    # No word in common but by meaning.
    assert found(lab, base, "holiday", who, mode="words") == []
    for mode in ("vectors", "fused"):
        hit = found(lab, base, "holiday", who, mode=mode)[0]
        assert hit["title"] == "Rules"
    used = lab.sql("SELECT kind, model, input_tokens FROM usage_record WHERE kind = 6"
                   f" AND tenant_id = 'default' AND model = 'tiny'")
    assert ["6", "tiny", "7"] in [list(row) for row in used]
    # A document that is written again gets new ones, one that goes takes its own along.
    document = write(lab, base, who, "Ships sail.", externalId="s")
    embedded(lab, base, who, lambda e: e["vectors"] == 3)
    write(lab, base, who, "Planes fly.", externalId="s", status=200)
    wait_until("it is new", lambda: any(b"Planes" in r.body for r in peer.seen))
    embedded(lab, base, who)
    assert found(lab, base, "planes", who, mode="vectors")[0]["text"] == "Planes fly."
    assert lab.call("DELETE", f"{base}/documents/{document['id']}", user=who).status == 204
    wait_until("its vectors are gone", lambda: left(lab, base)["search_vector"] == 2)
    assert lab.call("DELETE", base, user=who).status == 204
    wait_until("nothing is left", lambda: sum(left(lab, base).values()) == 0)


def test_ollama_speaks_its_own_form(lab, who, peer):
    base = base_with(lab, who, service_of(lab, peer.url, provider="ollama", model="nomic"))
    write(lab, base, who, "Five days of leave carry over.")
    assert embedded(lab, base, who)["model"] == "nomic"
    assert found(lab, base, "holiday", who)[0]["text"].startswith("Five")
    assert {r.path for r in peer.seen} == {"/api/embed"}


def test_a_service_that_fails_leaves_the_words(lab, who, peer):
    service = service_of(lab, peer.url + "/v1")
    base = base_with(lab, who, service)
    write(lab, base, who, "Five days of leave carry over.")
    embedded(lab, base, who)
    peer.fails = 500
    answer = lab.post(f"{base}/search", {"query": "leave days"}, user=who).json
    assert [hit["text"] for hit in answer["items"]] == ["Five days of leave carry over."]
    assert "did not answer" in answer["notice"]
    peer.fails = 401
    write(lab, base, who, "Trains are booked early.")
    state = embedded(lab, base, who, lambda e: e["error"])
    assert service in state["error"] and "credential" in state["error"]
    assert found(lab, base, "trains", who)[0]["text"].startswith("Trains")
    peer.fails = None
    assert lab.call("PATCH", base, {"paused": False}, user=who).status == 200


def test_a_text_that_is_refused_is_named(lab, who, peer):
    peer.refuses = "poison"
    base = base_with(lab, who, service_of(lab, peer.url + "/v1"))
    write(lab, base, who, "Good text.", externalId="good")
    bad = write(lab, base, who, "A poison pill.", externalId="bad")
    embedded(lab, base, who, lambda e: e["vectors"] == 1)

    def refused():
        return lab.get(f"{base}/documents/{bad['id']}", user=who).json["embeddingError"]
    assert "refused" in wait_until("it is said", refused)
    assert found(lab, base, "poison", who, mode="words")[0]["externalId"] == "bad"


def test_a_service_that_refuses_everything_is_at_fault(lab, who, peer):
    peer.refuses = ""
    base = base_with(lab, who, service_of(lab, peer.url + "/v1"))
    made = [write(lab, base, who, f"Text {i}.") for i in range(3)]
    assert "rejected" in embedded(lab, base, who, lambda e: e["error"])["error"]
    assert all(lab.get(f"{base}/documents/{d['id']}", user=who).json["embeddingError"] is None
               for d in made)
    peer.refuses = "\0"
    lab.sql("UPDATE job SET attempts = 0, due_us = 0 WHERE kind = 'knowledge-embed'")
    lab.command("work")
    assert embedded(lab, base, who)["vectors"] == 3


REFUSALS = [(413, "batch size 64 > maximum allowed batch size 32"),
            (422, "input must have less than 512 tokens"),
            (400, "This model's maximum context length is 512 tokens"),
            (500, "input is too large to process. increase the physical batch size")]


@pytest.mark.parametrize("refusal", REFUSALS, ids=lambda r: str(r[0]))
def test_requests_that_are_too_large_are_halved(lab, who, peer, refusal):
    """A server's limit of texts; a passage beyond its limit has the vector of its beginning."""
    peer.refusal, peer.most_texts, peer.most_chars = refusal, 2, 900
    base = base_with(lab, who, service_of(lab, peer.url + "/v1"))
    for i in range(5):
        write(lab, base, who, f"Text number {i} about leave.")
    long = write(lab, base, who, "Trains " + "abcdefghi " * 170, externalId="long")
    state = embedded(lab, base, who, lambda e: e["vectors"] >= 6)
    assert not state["error"]
    assert lab.get(f"{base}/documents/{long['id']}",
                   user=who).json["embeddingError"] is None
    good = [json.loads(r.body)["input"] for r in peer.seen]
    assert max(len(texts) for texts in good if len(texts) <= 2) == 2
    assert found(lab, base, "trains", who, mode="vectors")[0]["externalId"] == "long"


def test_a_text_that_a_service_fails_at_blocks_no_other(lab, who, peer):
    """It is named with the service's own words, but for its key; the others go on."""
    peer.refuses, peer.refusal = "poison", (500, "cannot tokenize this")
    base = base_with(lab, who, service_of(lab, peer.url + "/v1"))
    bad = write(lab, base, who, "A poison pill.")
    for i in range(3):
        write(lab, base, who, f"Good text {i}.")
    assert not embedded(lab, base, who, lambda e: e["vectors"] == 3)["error"]

    def refused(id):
        return lab.get(f"{base}/documents/{id}", user=who).json["embeddingError"]
    assert "cannot tokenize this" in wait_until("it is said", lambda: refused(bad["id"]))
    peer.refusal = (400, "bad input from sk-embed")
    other = write(lab, base, who, "Another poison pill.")
    said = wait_until("it is said", lambda: refused(other["id"]))
    assert "refused" in said and "sk-embed" not in said
    # Down is not refused: nothing is given up.
    peer.fails = 500
    last = write(lab, base, who, "Good text at last.")
    assert embedded(lab, base, who, lambda e: e["error"])
    assert refused(last["id"]) is None


def test_a_text_that_was_refused_can_be_tried_again(lab, who, peer):
    base = base_with(lab, who, service_of(lab, peer.url + "/v1"))
    write(lab, base, who, "Good text.")
    embedded(lab, base, who)
    for again in (lambda path: lab.post(f"{path}/retry", None, user=who),
                  lambda path: lab.call("PATCH", base, {"name": "Again"}, user=who)):
        peer.refuses = "poison"
        path = f"{base}/documents/" + write(lab, base, who, "A poison pill.")["id"]
        wait_until("it is said", lambda: lab.get(path, user=who).json["embeddingError"])
        peer.refuses = "\0"
        assert again(path).status == 200
        embedded(lab, base, who)
        assert lab.get(path, user=who).json["embeddingError"] is None


def test_another_model_makes_all_vectors_anew(lab, who, peer):
    base = base_with(lab, who, service_of(lab, peer.url + "/v1"))
    for i in range(3):
        write(lab, base, who, f"Text number {i} about leave.")
    embedded(lab, base, who, lambda e: e["vectors"] == 3)
    peer.dimension = 32
    other = service_of(lab, peer.url + "/v1", model="small")
    answer = lab.call("PATCH", base, {"embeddingServiceId": other}, user=who,
                      groups=ADMIN["groups"])
    assert answer.status == 200, answer
    state = embedded(lab, base, who, lambda e: e["model"] == "small" and e["vectors"] == 3)
    assert state["dimension"] == 32
    assert len(found(lab, base, "holiday", who, mode="vectors")) == 3
    # The same model with another dimension is a sentence, and words remain.
    peer.dimension = 16
    write(lab, base, who, "One more.")
    state = embedded(lab, base, who, lambda e: e["error"])
    assert "16 dimensions" in state["error"] and "32 dimensions" in state["error"]
    answer = lab.post(f"{base}/search", {"query": "number"}, user=who).json
    assert len(answer["items"]) == 3 and "16 dimensions" in answer["notice"]


def test_quirks_of_a_stored_service(lab, who, peer):
    """What is sent is said in its row; another dimension is another name of the model."""
    quirks = {"embed_dimensions": 24, "embed_texts": 1, "embed_type_field": "input_type",
              "embed_query_type": "query", "embed_document_type": "passage"}
    service = service_of(lab, peer.url + "/v1", quirks=quirks)
    base = base_with(lab, who, service)
    for i in range(2):
        write(lab, base, who, f"Text number {i} about leave.")
    state = embedded(lab, base, who, lambda e: e["vectors"] == 2)
    assert (state["model"], state["dimension"]) == ("tiny/24", 24)
    assert len(found(lab, base, "holiday", who, mode="vectors")) == 2
    bodies = [json.loads(request.body) for request in peer.seen]
    assert [(len(b["input"]), b["input_type"], b["dimensions"]) for b in bodies] == [
        (1, "passage", 24), (1, "passage", 24), (1, "query", 24)]
    bad = lab.call("PATCH", f"/llm-services/{service}", {"quirks": {"embed_dimensions": 0}}, **ADMIN)
    assert (bad.status, bad.json["field"]) == (422, "quirks")
    assert "embed_dimensions must be a number from 1 to 4096" in bad.json["detail"]


def test_nobody_is_answered_with_what_they_may_not_see(lab, who, peer):
    service = service_of(lab, peer.url + "/v1")
    base = base_with(lab, who, service)
    assert lab.post(f"{base}/shares", {"group": "g1"}, user=who,
                    groups=["g1", "g2"]).status == 201
    write(lab, base, who, "Leave of the first.", groups=["g1"])
    secret = lab.post(f"{base}/documents", {
        "title": "S", "text": "Leave of the second.", "groups": ["g2"]}, user=who,
        groups=["g1", "g2"]).json
    embedded(lab, base, who, groups=["g1", "g2"])
    seen = found(lab, base, "holiday", "other", groups=["g1"], mode="vectors")
    assert [hit["text"] for hit in seen] == ["Leave of the first."]
    assert lab.post(f"{base}/search", {"query": "holiday", "mode": "vectors",
                                       "documentIds": [secret["id"]]}, user="other",
                    groups=["g1"]).json["items"] == []


def test_what_cannot_be_is_refused(lab, who, peer):
    chat = service_of(lab, peer.url + "/v1", capabilities=["chat"])
    for name in (chat, "nobody"):
        answer = lab.post("/knowledge-bases", {
            "name": "X", "embeddingServiceId": name}, user=who, groups=ADMIN["groups"])
        assert (answer.status, answer.json["field"]) == (422, "embeddingServiceId")
    service = service_of(lab, peer.url + "/v1")
    # One who may not see which services there are names none.
    assert lab.post("/knowledge-bases", {"name": "X", "embeddingServiceId": service},
                    user=who).status == 422
    base = base_with(lab, who, service)
    answer = lab.call("DELETE", f"/llm-services/{service}", **ADMIN)
    assert answer.status in (404, 409)
    answer = lab.post(f"{base}/search", {"query": "x", "mode": "vectors"}, user=who)
    assert (answer.status, answer.json["field"]) == (422, "mode")
    assert lab.get(f"/knowledge-bases/{NOBODY}/progress", user=who).status == 404


def test_a_search_ends_with_its_client(make_lab, who, peer):
    """On the responder's own socket: lighttpd 1.4.69 does not watch its client before
    the first byte of an answer."""
    lab = make_lab(config={**KEYS, "knowledge": {"question_ms": 60000}, "roles": {
        "admin": {"groups": ADMIN["groups"], "permissions": ["*"]}}})
    base = base_with(lab, who, service_of(lab, peer.url + "/v1"))
    write(lab, base, who, "Five days of leave carry over.")
    embedded(lab, base, who)
    asked, gone, let = threading.Event(), threading.Event(), threading.Event()

    def late(request):
        if b"how many" not in request.body:
            return peer.openai(request)
        asked.set()
        # Readable without a request in it: the responder has closed the connection.
        while not let.is_set():
            if select.select([request.connection], [], [], 0.05)[0]:
                gone.set()
                break
        return peer.openai(request)

    peer.pages["/v1/embeddings"] = late
    body = json.dumps({"query": "how many days?"}).encode()
    try:
        for leaves in (True, False):
            asked.clear()
            client = Request(lab, "POST", f"{base}/search", [
                ("HTTP_" + name.upper().replace("-", "_"), value)
                for name, value in lab.identity(who).items()], length=len(body))
            assert client.send(body) and client.send(b"")
            assert asked.wait(DEADLINE_S), "the service is not asked"
            if leaves:
                client.socket.close()
                assert gone.wait(DEADLINE_S), "the search goes on without its client"
                gone.clear()
                continue
            # One that stays has its answer, with vectors.
            let.set()
            status, answer = client.answer()
            assert status == 200 and not gone.is_set(), answer
            assert json.loads(answer)["notice"] is None
    finally:
        let.set()
        peer.pages["/v1/embeddings"] = peer.openai
