# SPDX-License-Identifier: MIT
"""LLM services that take over from one that fails (issue: fallbacks, circuits)."""

import contextlib
import http.server
import json
import threading

import pytest

from lab import Lab, wait_until

pytestmark = pytest.mark.long


def chunk(**delta):
    return b"data: " + json.dumps({"id": "1", "model": "m", "choices": [
        {"index": 0, "delta": delta, "finish_reason": None}]}).encode() + b"\n\n"


class Model:
    """An OpenAI server: `mode` says how it answers; `asked` are the bodies."""

    def __init__(self, mode, text):
        self.mode, self.text, self.asked = mode, text, []
        self.over = threading.Event()	# ends what "mute" keeps waiting
        model = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                model.asked.append(body)
                mode = model.mode
                if mode == "tool, then 503" and len(model.asked) > 1:
                    mode = 503
                if mode == "503, then fine":
                    mode = 503 if len(model.asked) == 1 else "fine"
                if mode == "mute":
                    model.over.wait()
                    return
                if isinstance(mode, int):
                    self.send_response(mode)
                    self.send_header("Content-Length", "2")
                    self.end_headers()
                    self.wfile.write(b"{}")
                    return
                self.send_response(200)
                self.send_header("Content-Type", "text/event-stream")
                self.end_headers()
                if mode == "tool, then 503":
                    self.wfile.write(chunk(tool_calls=[{
                        "index": 0, "id": "c1", "type": "function", "function": {
                            "name": "list_datasets", "arguments": "{}"}}]))
                else:
                    self.wfile.write(chunk(role="assistant", content=model.text))
                if mode != "cut":
                    self.wfile.write(b'data: {"id":"1","choices":[{"index":0,"delta":'
                                     b'{},"finish_reason":"stop"}]}\n\n'
                                     b"data: [DONE]\n\n")

            def log_message(self, *_):
                pass

        self.http = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.http.serve_forever, args=(0.05,), daemon=True).start()
        self.service = {"provider": "openai_compatible", "model": text,
                        "url": f"http://127.0.0.1:{self.http.server_port}",
                        "capabilities": ["chat", "tools"], "retries": 2}

    def close(self):
        self.over.set()
        self.http.shutdown()
        self.http.server_close()


@pytest.fixture
def two():
    """The lab's services: first fails over to second, that to nobody."""
    with contextlib.ExitStack() as stack:
        first = stack.enter_context(contextlib.closing(Model("fine", "first")))
        second = stack.enter_context(contextlib.closing(Model("fine", "second")))
        lab = stack.enter_context(Lab(config={"chat": {"llm_service": "first"},
            "llm_services": {"first": {**first.service, "fallbacks": ["second"]},
                             "second": second.service}},
            workspaces={"lab": {"workspace": "lab", "name": "Lab",
                                "title_by_model": False}}))
        yield lab, first, second


def say(lab, text="Hello"):
    stream = lab.stream("/chat/lab/stream", {"content": text}, user="ada")
    events = stream.events()
    stream.close()
    return events


def text_of(events):
    return "".join(e.data["delta"] for e in events if e.name == "token")


def test_nothing_is_different_while_it_works(two):
    lab, first, second = two
    events = say(lab)
    assert text_of(events) == "first" and not second.asked
    assert not [e for e in events if e.name == "warning"]


@pytest.mark.parametrize("status", [500, 503, 529, 429, 402])
def test_another_takes_over(two, status):
    lab, first, second = two
    first.mode = status
    events = say(lab)
    assert text_of(events) == "second" and events[-1].name == "done"
    warning, = [e.data for e in events if e.name == "warning"]
    assert warning["code"] == "service_changed"
    assert warning["message"] == "first does not answer; second answers instead."
    assert len(first.asked) == 1	# it is not asked again while there is another
    assert events[-1].data["metadata"]["model"] == "m"
    rows = lab.sql("SELECT provider FROM usage_record")
    assert rows == [["openai_compatible"]]


def test_an_address_where_nobody_is(two):
    lab, first, second = two
    first.close()
    assert text_of(say(lab)) == "second"


@pytest.mark.parametrize("status", [400, 401, 404])
def test_what_will_not_pass_is_told(two, status):
    """A wrong key is the admin's to mend, not to be covered up."""
    lab, first, second = two
    first.mode = status
    assert say(lab)[-1].name == "error" and not second.asked


def test_not_behind_the_first_delta(two):
    """What was sent stays: no service begins again."""
    lab, first, second = two
    first.mode = "cut"
    events = say(lab)
    assert text_of(events) == "first" and events[-1].name == "error"
    assert not second.asked


def test_both_fail(two):
    lab, first, second = two
    first.mode, second.mode = 503, 500
    events = say(lab)
    assert events[-1].name == "error"
    assert len(first.asked) == 1 and len(second.asked) == 3	# its own two retries


def test_in_the_middle_of_a_turn(two):
    """The second call goes to the other one, with the tool's result."""
    lab, first, second = two
    first.mode = "tool, then 503"
    events = say(lab)
    assert text_of(events) == "second" and events[-1].name == "done"
    roles = [m["role"] for m in second.asked[0]["messages"]]
    assert roles[-2:] == ["assistant", "tool"]
    assert second.asked[0]["tools"]


def test_the_circuit(two):
    """After three failures in a row it is left alone, and /ready says so."""
    lab, first, second = two
    first.mode = 503
    for _ in range(3):
        assert text_of(say(lab)) == "second"
    assert len(first.asked) == 3
    first.mode = "fine"
    assert text_of(say(lab)) == "second" and len(first.asked) == 3
    ready = lab.get("/ready")
    assert ready.status == 200 and ready.json["status"] == "degraded"
    assert ready.json["checks"]["llmServices"] == {
        "ok": False,
        "detail": "1 LLM service does not answer and is not used for a while."}
    assert "first" not in json.dumps(ready.json)
    # Where nobody else answers either, a request is better than none.
    second.mode = 503
    for _ in range(3):
        assert say(lab)[-1].name == "error"
    assert len(first.asked) == 3
    assert text_of(say(lab)) == "first" and len(first.asked) == 4


def test_a_service_that_was_mended_is_asked_at_once(two):
    """A new configuration is not judged by failures of the old one."""
    lab, first, second = two
    mended = {**first.service, "fallbacks": ["second"]}
    lab.write_config({"chat": {"llm_service": "first"}, "llm_services": {
        "first": {**mended, "url": "http://127.0.0.1:1"}, "second": second.service}})
    wait_until("the broken address is in use", lambda:
               text_of(say(lab)) == "second")
    for _ in range(3):
        assert text_of(say(lab)) == "second"
    assert lab.get("/ready").json["status"] == "degraded"
    lab.write_config({"chat": {"llm_service": "first"}, "llm_services": {
        "first": mended, "second": second.service}})
    wait_until("the circuit to be closed", lambda:
               lab.get("/ready").json["status"] == "ready", 20)
    assert text_of(say(lab)) == "first"


def test_a_success_forgets_failures(two):
    lab, first, second = two
    for mode in (503, 503, "fine", 503, 503):
        first.mode = mode
        say(lab)
    first.mode = "fine"
    assert text_of(say(lab)) == "first"
    assert lab.get("/ready").json["checks"]["llmServices"]["ok"]


def test_its_own_retries_where_nobody_takes_over(two):
    """A fallback that cannot be asked does not cost the service its retries."""
    lab, first, second = two
    lab.write_config({"chat": {"llm_service": "first"}, "llm_services": {
        "first": {**first.service, "fallbacks": ["keyless"]},
        "keyless": {"provider": "openai", "model": "m", "api_key": ""}}})
    lab.stop("responder")
    lab.start_responder()
    first.mode = "503, then fine"
    assert text_of(say(lab)) == "first" and len(first.asked) == 2


def usage(lab, events, columns="input_tokens"):
    turn = events[-1].data["turnId"].replace("-", "")
    return lab.sql(f"SELECT {columns} FROM usage_record WHERE turn_id = "
                   f"UNHEX('{turn}') ORDER BY created_us, id")


def test_what_a_late_one_has_read_is_paid(two):
    """As without a fallback: the provider worked, though nothing came of it. Each
    has its own record."""
    lab, first, second = two
    lab.write_config({"chat": {"llm_service": "first"}, "llm_services": {
        "first": {**first.service, "fallbacks": ["second"],
                  "first_byte_timeout_ms": 500}, "second": second.service}})
    lab.stop("responder")
    lab.start_responder()
    [[alone]] = usage(lab, say(lab))
    first.mode = "mute"
    events = say(lab)
    assert text_of(events) == "second"
    assert usage(lab, events, "model, input_tokens, iterations, finish_reason") == [
        ["first", alone, "1", "error"], ["m", alone, "1", "stop"]]
    assert events[-1].data["metadata"]["usage"]["inputTokens"] == 2 * int(alone)


def test_each_service_has_what_it_did(two):
    """The calls of the first one are not booked on the second."""
    lab, first, second = two
    first.mode = "tool, then 503"
    events = say(lab)
    got = usage(lab, events, "iterations, ttft_ms IS NULL, finish_reason")
    assert got == [["2", "1", "error"], ["1", "0", "stop"]]
    turn = events[-1].data["turnId"].replace("-", "")
    assert lab.sql("SELECT model FROM turn WHERE id = UNHEX("
                   f"'{turn}')") == [["second"]]


@pytest.mark.parametrize("ids,says", [
    (["nobody"], 'unknown llm_service "nobody"'),
    (["secnd"], 'did you mean "second"?'),
    (["first"], "cannot take over from itself"),
    (["mute"], "does not have the capability chat"),
])
def test_wrong_ones_are_refused(two, ids, says):
    lab, first, second = two
    lab.write_config({"llm_services": {
        "first": {**first.service, "fallbacks": ids}, "second": second.service,
        "mute": {**second.service, "capabilities": ["tools"]}}})
    answer = lab.command("check", check=False)
    assert answer.returncode == 1 and says in answer.stdout + answer.stderr
    wait_until("the broken configuration is noticed",
               lambda: lab.get("/ready").json["status"] == "degraded")
