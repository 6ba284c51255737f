# SPDX-License-Identifier: MIT
"""LLM services over the API: the list, the provider's models, and trying one."""

import base64
import contextlib
import http.server
import io
import json
import socket
import threading
import wave

import pytest

from any_provider import Answering, Scripted
from embedders import DIMENSION, peer  # noqa: F401: a fixture
from lab import wait_until
from vectors import form_of

ADMIN = {"roles": {"admin": {"groups": ["it"], "permissions": ["AI.Services.*"]}}}
AT = "/workspaces/lab/llm-services"

SPOKEN = (b'data: {"id":"1","model":"right","choices":[{"index":0,"delta":{"role":'
          b'"assistant","content":"OK"},"finish_reason":null}]}\n\n'
          b'data: {"id":"1","model":"right","choices":[{"index":0,"delta":{},'
          b'"finish_reason":"stop"}],"usage":{"prompt_tokens":9,'
          b'"completion_tokens":1,"total_tokens":10}}\n\ndata: [DONE]\n\n')
MODELS = [{"id": "right", "supported_parameters": ["tools"], "context_length": 9000},
          {"id": "mute", "supported_parameters": ["temperature"]},
          {"id": "untold"}]


class Provider:
    """Lists MODELS for the key "good" and answers for the model "right"."""

    def __init__(self):
        self.asked = asked = []

        class Handler(Answering):
            def error(self, status, code):
                self.answer(status, json.dumps({"error": {
                    "message": "no, secret-of-ours", "code": code}}).encode())

            def do_GET(self):
                asked.append(("GET", self.path))
                if self.path.startswith("/listless/"):
                    return self.error(405, "method_not_allowed")
                if "good" not in self.headers.get("Authorization", ""):
                    return self.error(401, "invalid_api_key")
                return self.answer(200, json.dumps({"data": MODELS}).encode())

            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                asked.append(("POST", body))
                if "good" not in self.headers.get("Authorization", ""):
                    return self.error(401, "invalid_api_key")
                if body["model"] == "broke":
                    return self.error(429, "insufficient_quota")
                if body["model"] != "right":
                    return self.error(404, "model_not_found")
                return self.answer(200, SPOKEN, "text/event-stream")

        self.http = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = self.http.server_port
        threading.Thread(target=self.http.serve_forever, args=(0.05,), daemon=True).start()

    def close(self):
        self.http.shutdown()
        self.http.server_close()


@pytest.fixture(scope="module")
def provider():
    with contextlib.closing(Provider()) as made:
        yield made


@pytest.fixture(scope="module")
def eyes():
    with contextlib.closing(Scripted()) as made:
        yield made


@pytest.fixture(scope="module")
def lab(provider, peer, eyes):  # noqa: F811
    from conftest import WORKSPACES
    from lab import Lab
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        nobody = s.getsockname()[1]
    url = f"http://127.0.0.1:{provider.port}"
    base = {"provider": "openrouter", "model": "right", "url": url,
            "api_key": "good", "capabilities": ["chat", "tools"]}
    services = {
        "fine": base, "refused": {**base, "api_key": "bad-secret-key"},
        "typo": {**base, "model": "rihgt"}, "broke": {**base, "model": "broke"},
        "away": {**base, "url": f"http://127.0.0.1:{nobody}"},
        "nowhere": {**base, "url": "http://no-such-host.invalid"},
        "plain-tls": {**base, "url": f"https://127.0.0.1:{provider.port}"},
        "keyless": {**base, "api_key": ""},
        "listless": {**base, "url": f"{url}/listless"},
    }
    apart = {"provider": "openai_compatible", "model": "tiny", "api_key": "sk-peer",
             "url": f"{peer.url}/v1"}
    for name, *can in (("vectors", "embed"), ("ranks", "rerank"), ("ears", "transcribe"),
                       ("both", "embed", "rerank"), ("nothing", "chat", "embed")):
        services[name] = {**apart, "capabilities": can}
    services["eyes"] = {**apart, "url": eyes.url("eyes"), "capabilities": ["chat", "vision"]}
    services["blind"] = {**services["fine"], "capabilities": ["chat", "vision"],
                         "quirks": {"supports_vision": False}}
    services["no-ranks"] = {**apart, "provider": "ollama", "url": peer.url,
                            "capabilities": ["embed", "rerank"]}
    with Lab(workspaces=WORKSPACES, config={**ADMIN, "llm_services": services}) as made:
        yield made


def get(lab, path, **kw):
    return lab.get(AT + path, user="root", groups=["it"], **kw)


def test_the_list(lab):
    items = get(lab, "").json["items"]
    by_id = {s["llmServiceId"]: s for s in items}
    assert {"fine", "refused", "keyless", "demo"} <= set(by_id)
    fine = by_id["fine"]
    assert fine["model"] == "right" and fine["usable"] and fine["hasCredential"]
    assert fine["capabilities"]["supportsToolUse"]
    assert not by_id["keyless"]["usable"] and not by_id["keyless"]["hasCredential"]
    text = json.dumps(items)
    assert "bad-secret-key" not in text and "127.0.0.1" not in text
    assert get(lab, "/fine").json == fine
    assert get(lab, "/none").status == 404
    assert lab.get("/workspaces/none/llm-services", user="root",
                   groups=["it"]).status == 404


def test_pages(lab):
    first = get(lab, "?pageSize=3").json
    rest = get(lab, f"?pageSize=50&cursor={first['nextCursor']}").json
    assert len(first["items"]) == 3
    assert [s["llmServiceId"] for s in first["items"] + rest["items"]] == [
        s["llmServiceId"] for s in get(lab, "").json["items"]]


def test_only_with_the_permission(lab):
    """AIChat.*, which everybody has here, does not include them."""
    for method, path in (("GET", ""), ("GET", "/fine"), ("GET", "/fine/models"),
                         ("POST", "/fine/test")):
        answer = lab.call(method, AT + path, {} if method == "POST" else None,
                          user="ada")
        assert answer.status == 403 and "AI.Services." in answer.json["detail"]


def test_models_that_call_tools(lab):
    """B21: what cannot call tools is left out; what is not told stays."""
    assert get(lab, "/fine/models").json == {"complete": True, "items": [
        {"model": "right", "name": "right", "contextTokens": 9000, "tools": True,
         "vision": None},
        {"model": "untold", "name": "untold", "contextTokens": None, "tools": None,
         "vision": None}]}


def test_no_models(lab):
    refused = get(lab, "/refused/models")
    assert refused.status == 502 and refused.json["code"] == "upstream_auth"
    listless = get(lab, "/listless/models")
    assert listless.status == 404 and "no list" in listless.json["detail"]
    away = get(lab, "/away/models")
    assert away.status == 502 and away.json["code"] == "upstream_unreachable"
    keyless = get(lab, "/keyless/models")
    assert keyless.status == 422 and keyless.json["code"] == "llm_credential_missing"


def try_out(lab, service, **body):
    answer = lab.post(f"{AT}/{service}/test", body, user="root", groups=["it"])
    assert answer.status == 200, answer
    return answer.json


def test_one_that_works(lab, provider):
    answer = try_out(lab, "fine")
    assert answer["works"] and answer["code"] is None and answer["model"] == "right"
    assert answer["firstTokenMs"] >= 0
    sent = next(body for method, body in reversed(provider.asked) if method == "POST")
    assert sent.get("tools") is None and len(sent["messages"]) == 1
    wait_until("its usage", lambda: lab.sql(
        "SELECT provider, model, output_tokens FROM usage_record WHERE kind = 5")
        == [["openrouter", "right", "1"]])


@pytest.mark.parametrize("service,code,says", [
    ("refused", "upstream_auth", "rejects the key"),
    ("typo", "upstream_model_unknown", 'no model "rihgt"; did you mean "right"?'),
    ("broke", "upstream_quota", "no credit left"),
    ("away", "upstream_unreachable", "Nothing accepts connections"),
    ("nowhere", "upstream_unreachable", "host name of the address is not known"),
    ("plain-tls", "upstream_unreachable", "TLS"),
    ("keyless", "llm_credential_missing", "Set api_key:"),
])
def test_what_is_wrong(lab, service, code, says):
    answer = try_out(lab, service)
    assert not answer["works"] and answer["code"] == code
    assert says in answer["message"]
    text = json.dumps(answer)
    assert "secret" not in text and "127.0.0.1" not in text


def test_another_model_of_it(lab):
    assert try_out(lab, "typo", model="right")["works"]
    assert "no model" in try_out(lab, "fine", model="nonsense")["message"]


def test_the_body(lab):
    assert lab.call("POST", f"{AT}/fine/test", user="root",
                    groups=["it"]).status == 200
    wrong = lab.post(f"{AT}/fine/test", {"modle": "x"}, user="root", groups=["it"])
    assert wrong.status == 422 and 'did you mean "model"' in wrong.json["detail"]


def run(lab, *argv):
    return lab.command("services", *argv, check=False)


def test_the_command(lab):
    assert "fine\topenrouter\tright\tconfig\n" in run(lab, "list").stdout
    models = run(lab, "models", "fine").stdout.splitlines()
    assert models == ["right\t9000\tyes\t-\tright", "mute\t0\tno\t-\tmute",
                      "untold\t0\t-\t-\tuntold"]
    works = run(lab, "test", "fine")
    assert works.returncode == 0 and works.stdout == "The service works.\n"
    wrong = run(lab, "test", "fine", "rihgt")
    assert wrong.returncode == 1 and 'did you mean "right"' in wrong.stdout
    assert "no list" in run(lab, "models", "refused").stderr
    assert 'no LLM service "x"' in run(lab, "test", "x").stderr
    for argv in ((), ("lst",), ("test",), ("list", "x"), ("test", "fine", "m", "x")):
        assert run(lab, *argv).returncode == 2


# -- what is no chat --------------------------------------------------------------

@pytest.mark.parametrize("service,path,does", [
    ("vectors", "/v1/embeddings", f"makes vectors of {DIMENSION} dimensions"),
    ("ranks", "/v1/rerank", "ranks texts"),
    ("ears", "/v1/audio/transcriptions", "transcribes sound")])
def test_what_a_service_can_is_tried(lab, peer, service, path, does):  # noqa: F811
    peer.reset()
    answer = try_out(lab, service)
    assert answer == {"works": True, "code": None, "model": None, "firstTokenMs": None,
                      "message": f"The service works: it {does}."}
    assert [r.path for r in peer.seen if r.method == "POST"] == [path]
    wait_until("its usage", lambda: lab.sql(
        f"SELECT model, finish_reason FROM usage_record WHERE kind = 5 AND service_id = '{service}'")
        == [["tiny", "stop"]])
    assert lab.command("services", "test", service).stdout == answer["message"] + "\n"


def test_the_sound_that_is_tried_is_sound(lab, peer):  # noqa: F811
    peer.reset()
    assert try_out(lab, "ears")["works"]
    form = {name: data for name, _, data in form_of(peer.seen[-1])}
    with wave.open(io.BytesIO(form["file"])) as sound:
        assert (sound.getnchannels(), sound.getsampwidth(), sound.getframerate(),
                sound.getnframes()) == (1, 2, 16000, 16000)


def test_one_of_several_is_named(lab, peer):  # noqa: F811
    """With what the service says itself, and what works."""
    peer.reset()
    peer.refuses, peer.refusal = "Lamplighter", (422, "no such words")
    answer = try_out(lab, "both")
    assert not answer["works"] and answer["message"].startswith("Vectors: The provider")
    assert "no such words" in answer["message"]
    assert answer["message"].endswith("The rest works: it ranks texts.")
    peer.reset()
    said = try_out(lab, "no-ranks")
    assert said["code"] == "llm_provider_unsupported"
    assert said["message"].startswith("Ranking: The provider \"ollama\"")
    assert f"it makes vectors of {DIMENSION} dimensions." in said["message"]
    # A key that is refused is refused for all of it.
    peer.reset()
    peer.fails = 401
    answer = try_out(lab, "both")
    assert answer["code"] == "upstream_auth" and "rejects the key" in answer["message"]
    assert len([r for r in peer.seen if r.method == "POST"]) == 1


def test_a_service_that_has_no_chat(lab, peer):  # noqa: F811
    """It is said of the chat; the vectors are tried all the same."""
    peer.reset()
    answer = try_out(lab, "nothing")
    assert not answer["works"] and answer["message"].startswith("Chat: ")
    assert f"it makes vectors of {DIMENSION} dimensions." in answer["message"]


@pytest.mark.parametrize("says,works", [
    ("Red.", True), ("**RED**", True), ("", True),
    ("The colour is red", True), ("I see no image.", False), ("It is covered.", False)])
def test_whether_a_model_sees(lab, eyes, says, works):
    """Servers leave images out for models that see none, and answer all the same."""
    def said(body):
        parts = body["messages"][-1]["content"]
        if isinstance(parts, str):
            return "OK"
        image = next(p for p in parts if p["type"] == "image_url")["image_url"]["url"]
        assert base64.b64decode(image.removeprefix("data:image/png;base64,"))[1:4] == b"PNG"
        return says
    eyes.scripts["eyes"] = said
    answer = try_out(lab, "eyes")
    assert answer["works"] is works, answer
    if works:
        assert answer["message"] == "The service works: it answers, sees images."
    else:
        assert says in answer["message"] and "does not see images" in answer["message"]


def test_a_provider_that_takes_no_images(lab):
    answer = try_out(lab, "blind")
    assert not answer["works"] and "supports_vision" in answer["message"]
    assert answer["message"].endswith("The rest works: it answers.")
