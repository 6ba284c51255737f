# SPDX-License-Identifier: MIT
"""Vectors, ranking and transcriptions for programs: {base}/openai/v1/embeddings, /rerank and
/audio/transcriptions pass on to services that the admin offers (docs/openai-server.md)."""

import base64
import json
import struct

import pytest
from described import check
from embedders import DIMENSION, peer, service_of, vector  # noqa: F401: fixtures
from lab import Lab
from labs import KEYS, WORKSPACES
from vectors import form_of

ROOT = "//chat/openai/v1"
KEY = "sk-of-the-provider-0123456789"
ROLES = {"user": {"groups": ["*"], "permissions": ["AIChat.*", "AI.Chat.UseTool.*", "AI.Tokens.*"]},
         "admin": {"groups": ["it"], "permissions": ["*"]}}


@pytest.fixture(scope="module")
def lab(peer):  # noqa: F811
    def service(*can, **more):
        return {"provider": "openai_compatible", "url": peer.url + "/v1", "model": "tiny",
                "api_key": KEY, "capabilities": list(can), "retries": 0, **more}
    with Lab(workspaces=WORKSPACES, config={"roles": ROLES, "openai": {"services": {
            "vectors": {}, "ranks": ["*"], "staff-vectors": {"groups": ["staff"]},
            "nomic": {}, "whisper": {}}}, **KEYS}, services={
                "vectors": service("embed", quirks={
                    "embed_query_prefix": "query: ", "embed_document_prefix": "passage: "}),
                "ranks": service("rerank"), "staff-vectors": service("embed"),
                "hidden": service("embed", "rerank"),
                "nomic": service("embed", provider="ollama", url=peer.url, model="nomic"),
                "whisper": service("transcribe", extra_body={"vad_filter": True}),
            }) as made:
        yield made


@pytest.fixture(autouse=True)
def fresh(peer):  # noqa: F811
    peer.reset()


def embed(lab, given, model="vectors", user="ada", **more):
    return lab.post(ROOT + "/embeddings", {"model": model, "input": given, **more}, user=user)


def rerank(lab, documents, model="ranks", query="which?", user="ada", **more):
    return lab.post(ROOT + "/rerank", {"model": model, "query": query,
                                       "documents": documents, **more}, user=user)


def models(lab, **who):
    return [m["id"] for m in lab.get(ROOT + "/models", **who).json["data"]]


def near(a, b):
    return len(a) == len(b) and all(abs(x - y) < 1e-6 for x, y in zip(a, b))


def test_what_is_offered_is_listed(lab):
    assert models(lab, user="ada")[-4:] == ["vectors", "ranks", "nomic", "whisper"]
    assert models(lab, user="eve", groups=["staff"])[-4:] == ["ranks", "staff-vectors", "nomic", "whisper"]
    answer = lab.get(ROOT + "/models/vectors", user="ada")
    assert answer.json == {"id": "vectors", "object": "model", "created": 0,
                           "owned_by": "lamplighter"}
    for one in ("hidden", "staff-vectors", "nope"):
        assert lab.get(f"{ROOT}/models/{one}", user="ada").status == 404
    assert lab.get(ROOT + "/models/staff-vectors", user="eve", groups=["staff"]).status == 200


def test_vectors_in_the_order_of_their_texts(lab, peer):  # noqa: F811
    texts = ["leave", "trains are late", "größer 👋"]
    answer = embed(lab, texts)
    assert answer.status == 200, answer
    check("/openai/v1/embeddings", "POST", answer)
    got = answer.json
    assert (got["object"], got["model"]) == ("list", "vectors")
    assert [d["index"] for d in got["data"]] == [0, 1, 2]
    for one, text in zip(got["data"], texts):
        assert one["object"] == "embedding" and near(
            one["embedding"], vector("passage: " + text)), text
    assert got["usage"] == {"prompt_tokens": 7, "total_tokens": 7}
    sent = peer.seen[-1]
    assert json.loads(sent.body) == {"model": "tiny", "input": ["passage: " + t for t in texts]}
    assert sent.headers["Authorization"] == "Bearer " + KEY
    used = lab.sql("SELECT input_tokens, service_id, finish_reason FROM usage_record"
                   " WHERE kind = 6 ORDER BY created_us DESC LIMIT 1")
    assert [str(v) for v in used[0]] == ["7", "vectors", "stop"]


def test_a_text_alone_in_base64(lab):
    """As OpenAI's own client asks for it unless told otherwise."""
    got = embed(lab, "leave", encoding_format="base64", user="ada").json["data"]
    raw = base64.b64decode(got[0]["embedding"], validate=True)
    assert near(struct.unpack(f"<{DIMENSION}f", raw), vector("passage: leave"))


def test_dimensions_and_kinds_of_texts_are_passed_on(lab, peer):  # noqa: F811
    got = embed(lab, ["leave"], dimensions=16, input_type="search_query", user="ada")
    assert len(got.json["data"][0]["embedding"]) == 16
    assert json.loads(peer.seen[-1].body) == {
        "model": "tiny", "input": ["query: leave"], "dimensions": 16}
    got = embed(lab, ["leave"], model="nomic", dimensions=16)
    assert got.status == 400 and got.json["error"]["param"] == "dimensions"
    assert f"{DIMENSION} dimensions" in got.json["error"]["message"]


def test_ollama_serves_too(lab, peer):  # noqa: F811
    assert near(embed(lab, "leave", "nomic").json["data"][0]["embedding"], vector("leave"))
    assert peer.seen[-1].path == "/api/embed"


@pytest.mark.parametrize("status", [400, 413, 422, 500])
def test_lists_are_halved_for_small_limits(lab, peer, status):  # noqa: F811
    peer.refusal, peer.most_texts = (status, "batch size > maximum allowed batch size 3"), 3
    texts = [f"text number {i}" for i in range(11)]
    got = embed(lab, texts)
    assert got.status == 200, got
    for i, one in enumerate(got.json["data"]):
        assert one["index"] == i and near(one["embedding"], vector("passage: " + texts[i]))
    words = ["x" * (i + 1) for i in range(11)]
    got = rerank(lab, words)
    assert [r["index"] for r in got.json["results"]] == list(range(11))


def test_the_limits_of_tei(lab, peer):  # noqa: F811
    """Text Embeddings Inference takes 32 texts: what was found is kept for the rest."""
    peer.most_texts = 32
    peer.refusal = (422, "batch size 64 > maximum allowed batch size 32")
    texts = [f"text number {i}" for i in range(150)]
    got = embed(lab, texts)
    assert got.status == 200 and len(got.json["data"]) == 150
    assert [len(json.loads(r.body)["input"]) for r in peer.seen] == [64, 32, 32, 32, 32, 22]
    peer.seen.clear()
    got = rerank(lab, ["x" * (i + 1) for i in range(70)])
    assert [r["index"] for r in got.json["results"]] == list(range(70))
    assert max(len(json.loads(r.body)["documents"]) for r in peer.seen[2:]) <= 32


def test_a_text_that_is_too_long_is_not_cut(lab, peer):  # noqa: F811
    """A knowledge base takes the beginning; a program is told, in the service's words."""
    peer.refusal, peer.most_chars = (400, "maximum context length is 512 tokens"), 900
    got = embed(lab, ["fine", "word " * 400])
    assert got.status == 400, got
    error = got.json["error"]
    assert (error["type"], error["param"]) == ("invalid_request_error", "input")
    assert "refused input[1]. " in error["message"]
    assert "maximum context length is 512 tokens" in error["message"]
    peer.reset()
    assert embed(lab, "word " * 19000).status == 200
    assert len(json.loads(peer.seen[-1].body)["input"][0]) > 94000


def test_ranking(lab, peer):  # noqa: F811
    documents = ["three words here", {"text": "one"}, "two words", "one"]
    got = rerank(lab, documents, top_n=3, return_documents=True)
    assert got.status == 200, got
    check("/openai/v1/rerank", "POST", got)
    results = got.json["results"]
    assert [(r["index"], r["document"]["text"]) for r in results] == [
        (1, "one"), (3, "one"), (2, "two words")]
    assert results[0]["relevance_score"] == 0.25
    assert got.json["id"] and got.json["usage"]["total_tokens"] > 0
    assert json.loads(peer.seen[-1].body) == {
        "model": "tiny", "query": "which?", "documents": ["three words here", "one",
                                                          "two words", "one"]}
    assert "document" not in rerank(lab, documents).json["results"][0]
    assert lab.sql("SELECT COUNT(*) FROM usage_record WHERE kind = 7 AND service_id = 'ranks'"
                   )[0][0] not in (0, "0")


BAD = [({"input": None}, "input"), ({"input": ""}, "input"), ({"input": []}, "input"),
       ({"input": ["a", ""]}, "input"), ({"input": ["a", None]}, "input"),
       ({"input": {"text": "a"}}, "input"), ({"input": [1, 2, 3]}, "input"),
       ({"input": [[1, 2], [3]]}, "input"), ({"input": ["x"] * 2049}, "input"),
       ({"encoding_format": "int8"}, "encoding_format"), ({"encoding_format": 1},
                                                          "encoding_format"),
       ({"dimensions": 0}, "dimensions"), ({"dimensions": 1.5}, "dimensions"),
       ({"dimensions": 4097}, "dimensions"), ({"dimensions": 2 ** 40}, "dimensions"),
       ({"model": 7}, "model"), ({"model": "ranks"}, "model")]


@pytest.mark.parametrize("change,param", BAD, ids=lambda v: str(v)[:24])
def test_bad_requests_name_the_field(lab, peer, change, param):  # noqa: F811
    got = embed(lab, **{"given": "x", **{
        "given" if k == "input" else k: v for k, v in change.items()}})
    assert got.status == 400 and got.json["error"]["param"] == param, got
    assert got.headers["X-Should-Retry"] == "false" and not peer.seen


def test_sizes_are_limited(lab, peer):  # noqa: F811
    """Of the body, and of the vectors of an answer; what fits is given whole."""
    assert embed(lab, "x" * 8388608).status == 413 and not peer.seen
    peer.dimension = 4096
    got = embed(lab, ["w"] * 1025)
    assert got.status == 413 and got.json["error"]["param"] == "input", got
    got = embed(lab, [f"w{i}" for i in range(1024)], encoding_format="base64").json["data"]
    assert [d["index"] for d in got] == list(range(1024))
    assert {len(d["embedding"]) for d in got} == {len(base64.b64encode(bytes(16384)))}


def test_lists_of_tokens_say_what_to_do(lab):
    assert "check_embedding_ctx_length" in embed(lab, [[1, 2]]).json["error"]["message"]


@pytest.mark.parametrize("change,param", [
    ({"query": ""}, "query"), ({"query": None}, "query"), ({"documents": "one"}, "documents"),
    ({"documents": []}, "documents"), ({"documents": [{"title": "x"}]}, "documents"),
    ({"top_n": 0}, "top_n"), ({"top_n": "3"}, "top_n"), ({"model": "vectors"}, "model")])
def test_bad_rankings(lab, peer, change, param):  # noqa: F811
    got = rerank(lab, **{"documents": ["a"], **change})
    assert got.status == 400 and got.json["error"]["param"] == param, got
    assert not peer.seen


def test_what_is_not_offered_does_not_exist(lab, peer):  # noqa: F811
    for model in ("hidden", "staff-vectors", "demo", "lab/helper", "nope", "../x", "tiny"):
        for got in (embed(lab, "x", model), rerank(lab, ["x"], model)):
            assert got.status == 404, (model, got)
            assert got.json["error"]["code"] == "model_not_found"
    assert not peer.seen
    assert lab.post(ROOT + "/embeddings", {"model": "staff-vectors", "input": "x"},
                    user="eve", groups=["staff"]).status == 200


@pytest.mark.parametrize("fails,status,retry", [(500, 502, True), (401, 502, False),
                                                (404, 502, False), (429, 503, True),
                                                (503, 503, True)])
def test_failures_are_readable_and_keep_the_key(lab, peer, fails, status, retry):  # noqa: F811
    peer.fails = fails
    for got in (embed(lab, "x"), rerank(lab, ["x"])):
        assert got.status == status, got
        error = got.json["error"]
        assert error["type"] == "server_error" and "failed. " in error["message"]
        assert ("X-Should-Retry" not in got.headers) == retry
        assert KEY not in got.body.decode() and peer.url not in got.body.decode()
    used = lab.sql("SELECT finish_reason FROM usage_record WHERE kind IN (6, 7)"
                   " ORDER BY created_us DESC LIMIT 1")
    assert used[0][0] == "error"


def test_a_service_that_says_the_key(lab, peer):  # noqa: F811
    peer.refuses, peer.refusal = "poison", (400, f"bad input for key {KEY}")
    got = embed(lab, "poison")
    assert got.status == 400 and KEY[:12] not in got.body.decode()


@pytest.mark.parametrize("number", ["null", "NaN", "1e999", '"0.5"'])
def test_vectors_that_are_none(lab, peer, number):  # noqa: F811
    """llama.cpp gives null, Ollama NaN, where a model breaks down at a text."""
    page = peer.pages["/v1/embeddings"]
    peer.pages["/v1/embeddings"] = (200, {}, '{"data": [{"index": 0, "embedding": [1, %s]}]}'
                                    % number)
    got = embed(lab, "x")
    peer.pages["/v1/embeddings"] = page
    assert got.status == 502 and got.json["error"]["code"] == "upstream_protocol", got


def test_a_text_that_a_service_fails_at_is_named(lab, peer):  # noqa: F811
    peer.refuses, peer.refusal = "poison", (500, "unsupported value: NaN")
    got = embed(lab, ["a", "b", "poison", "d"])
    assert got.status == 502 and "failed at input[2]. " in got.json["error"]["message"], got


def test_ignored_parameters_are_named(lab):
    got = embed(lab, "x", encoding_format=None, dimensions=None, user="ada")
    assert "X-Ignored-Parameters" not in got.headers
    got = lab.post(ROOT + "/embeddings", {"model": "vectors", "input": "x", "user": "u-1",
                                          "truncate": None, "late_chunking": True}, user="ada")
    assert got.headers["X-Ignored-Parameters"] == "user, late_chunking"


def key(lab, **more):
    answer = lab.post("/tokens", {"name": "desk", **more}, user="ada")
    assert answer.status == 201, answer
    return {"headers": {"Authorization": "Bearer " + answer.json["secret"]}}


def test_tokens(lab, peer):  # noqa: F811
    """A token that reads may ask here as it may ask an agent; one for agents may not."""
    reads, agents = key(lab, readOnly=True), key(lab, agents=["lab/helper"])
    body = {"model": "vectors", "input": "x"}
    assert lab.post(ROOT + "/embeddings", body, **reads).status == 200
    seen = len(peer.seen)
    for path, more in (("/embeddings", body),
                       ("/rerank", {"model": "ranks", "query": "q", "documents": ["x"]})):
        got = lab.post(ROOT + path, more, **agents)
        assert got.status == 403 and got.json["error"]["type"] == "permission_error"
    assert len(peer.seen) == seen
    assert "vectors" not in models(lab, **agents) and "vectors" in models(lab, **reads)


def test_rows_can_be_offered(peer):  # noqa: F811
    """One that was made over the API, in its tenant; the check of names knows both."""
    with Lab(workspaces=WORKSPACES, config={
            "roles": ROLES, "openai": {"services": {"spare": {}, "gone": {}}}, **KEYS}) as lab:
        assert "spare" not in models(lab, user="ada")
        assert "there is no LLM service" in lab.command("check", check=False).stderr
        assert embed(lab, "x", "spare").status == 404
        service_of(lab, peer.url + "/v1", llmServiceId="spare", apiKey=KEY)
        assert "spare" in models(lab, user="ada")
        assert embed(lab, "x", "spare").status == 200


def transcribe(lab, sound=b"Hello there.", name="a.wav", model="whisper", user="ada", fields=(),
               **more):
    body = b""
    for key, filename, value in ([("file", name, sound)] if sound is not None else []) + [
            ("model", None, model.encode())] + [
            (key, None, value.encode()) for key, value in fields]:
        file = f'; filename="{filename}"' if filename else ""
        body += (f'--XyZ\r\nContent-Disposition: form-data; name="{key}"{file}\r\n\r\n'
                 ).encode() + value + b"\r\n"
    return lab.post(ROOT + "/audio/transcriptions", body + b"--XyZ--\r\n", user=user, **{
        "headers": {"Content-Type": "multipart/form-data; boundary=XyZ"}, **more})


def test_a_transcription(lab, peer):  # noqa: F811
    """The file may stand before the model; what the service is asked is its own model."""
    peer.usage = {"type": "tokens", "input_tokens": 14, "output_tokens": 5, "total_tokens": 19}
    got = transcribe(lab, b"\0\xff\r\n--XyW sound", 'a b.wav', fields=[
        ("language", "de"), ("timestamp_granularities[]", "word"),
        ("timestamp_granularities[]", "segment"), ("user", "u-1"), ("stream", "false")])
    assert got.status == 200, got
    check("/openai/v1/audio/transcriptions", "POST", got)
    assert got.json["text"] == "\0\ufffd\r\n--XyW sound" and got.json["usage"] == peer.usage
    assert got.headers["X-Ignored-Parameters"] == "user"
    sent = peer.seen[-1]
    assert form_of(sent) == [
        ("file", "a b.wav", b"\0\xff\r\n--XyW sound"), ("language", None, b"de"),
        ("timestamp_granularities[]", None, b"word"),
        ("timestamp_granularities[]", None, b"segment"), ("model", None, b"tiny"),
        ("vad_filter", None, b"true")]
    assert sent.headers["Authorization"] == "Bearer " + KEY
    used = lab.sql("SELECT input_tokens, output_tokens, service_id, finish_reason"
                   " FROM usage_record WHERE kind = 11")
    assert [str(v) for v in used[-1]] == ["14", "5", "whisper", "stop"]


@pytest.mark.parametrize("format,begins", [
    ("json", '{"text"'), ("verbose_json", '{"text"'), ("text", "Hello there."),
    ("srt", "1\n00:00:00,000"), ("vtt", "WEBVTT")])
def test_formats_of_transcriptions(lab, peer, format, begins):  # noqa: F811
    got = transcribe(lab, fields=[("response_format", format)])
    assert got.status == 200 and got.body.decode().startswith(begins), got
    assert got.headers["Content-Type"] == (
        "application/json" if "json" in format else "text/plain; charset=utf-8")
    assert ("segments" in got.body.decode()) == (format == "verbose_json")


def test_formats_that_a_service_does_not_give(lab, peer):  # noqa: F811
    """Servers with few formats refuse others, or give JSON for all."""
    peer.only_json = True
    assert transcribe(lab, fields=[("response_format", "text")]).body == b"Hello there."
    got = transcribe(lab, fields=[("response_format", "vtt")])
    assert got.status == 502 and "in the format vtt" in got.json["error"]["message"], got
    peer.reset()
    peer.refuses, peer.refusal = "Hello", (400, "response_format 'vtt' is not compatible")
    got = transcribe(lab, fields=[("response_format", "vtt")])
    assert got.status == 400, got
    assert "response_format 'vtt' is not compatible" in got.json["error"]["message"]


@pytest.mark.parametrize("change,param,status", [
    ({"sound": None}, "file", 400), ({"sound": b""}, "file", 400),
    ({"name": None}, "file", 400), ({"model": ""}, "model", 400), ({"model": "nope"}, "model", 404),
    ({"model": "vectors"}, "model", 400), ({"model": "staff-vectors"}, "model", 404),
    ({"fields": [("response_format", "mp3")]}, "response_format", 400),
    ({"fields": [("stream", "true")]}, "stream", 400),
    ({"fields": [("prompt", "x" * 40000)]}, "prompt", 413),
    ({"sound": b"x" * 27262976}, None, 413),
    ({"headers": {"Content-Type": "audio/wav"}}, None, 415),
    ({"headers": {"Content-Type": "multipart/form-data"}}, None, 400)],
    ids=lambda v: str(v)[:30])
def test_bad_transcriptions(lab, peer, change, param, status):  # noqa: F811
    got = transcribe(lab, **change)
    assert got.status == status and got.json["error"]["param"] == param, got
    assert not peer.seen


def test_a_big_file_is_passed_on_whole(lab, peer):  # noqa: F811
    assert transcribe(lab, b"x" * 26000000).status == 200
    assert len(form_of(peer.seen[-1])[0][2]) == 26000000


@pytest.mark.parametrize("fails,status", [(500, 502), (401, 502), (429, 503)])
def test_failed_transcriptions(lab, peer, fails, status):  # noqa: F811
    peer.fails = fails
    got = transcribe(lab)
    assert got.status == status and "failed. " in got.json["error"]["message"], got
    assert KEY not in got.body.decode() and peer.url not in got.body.decode()


def test_transcriptions_and_tokens(lab, peer):  # noqa: F811
    for more, status in ((key(lab, readOnly=True), 200), (key(lab, agents=["lab/helper"]), 403)):
        got = transcribe(lab, user=None, headers={
            **more["headers"], "Content-Type": "multipart/form-data; boundary=XyZ"})
        assert got.status == status, got
