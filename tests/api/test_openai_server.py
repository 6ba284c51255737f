# SPDX-License-Identifier: MIT
"""{base}/openai/v1: an agent is a model (docs/openai-server.md)."""

import json
import time
import uuid

import pytest

from knowledge import base_of, settled, write
from lab import wait_until
from wire_cases import SCENARIOS, check_openai, script

CHAT = "//chat/openai/v1/chat/completions"
MODELS = "//chat/openai/v1/models"


def body(text, model="lab/helper", before=(), **more):
    return {"model": model, "messages": [*before, {"role": "user",
                                                   "content": text}], **more}


@pytest.fixture(scope="module")
def token(lab):
    made = lab.command("token", "create", "--user", "ada", "--name", "openai")
    return next(w for w in made.stdout.split() if w.startswith("lamp"))


@pytest.fixture
def bearer(token):
    """What an OpenAI client sends: its key, and nothing of a browser's."""
    return {"headers": {"Authorization": "Bearer " + token,
                        "Sec-Fetch-Site": "cross-site"}}


def test_models_are_agents(lab, bearer):
    answer = lab.get(MODELS, **bearer)
    assert answer.status == 200 and answer.json["object"] == "list"
    ids = [m["id"] for m in answer.json["data"]]
    assert ids[0] == "lab" and "lab/helper" in ids and "lab/claude" in ids
    assert not any(i.startswith("staff") for i in ids)
    assert all(set(m) == {"id", "object", "created", "owned_by"}
               for m in answer.json["data"])
    staff = lab.get(MODELS, user="eve", groups=["staff"]).json["data"]
    assert "staff" in [m["id"] for m in staff]


@pytest.mark.parametrize("id", ["lab", "lab/helper", "lab%2Fhelper",
                                "lab%2fclaude"])
def test_one_model(lab, bearer, id):
    """As the list has it; OpenAI's own clients escape the slash."""
    answer = lab.get(f"{MODELS}/{id}", **bearer)
    assert answer.status == 200, answer
    name = id.replace("%2F", "/").replace("%2f", "/")
    assert answer.json in lab.get(MODELS, **bearer).json["data"]
    assert answer.json["id"] == name


@pytest.mark.parametrize("id", ["none", "lab/none", "lab%2Fnone", "lab%2F",
                                "lab%2Fhelper%2Fx", "lab/helper%2Fx", "staff",
                                "staff%2Fhelper", "lab%2F..", "LAB"])
def test_a_model_that_is_not_there(lab, bearer, id):
    answer = lab.get(f"{MODELS}/{id}", **bearer)
    assert answer.status == 404, answer
    assert "data" not in answer.json


@pytest.mark.parametrize("path", ["/completions", "/moderations", "/audio/speech", "/x/y"])
def test_an_unknown_path_says_what_there_is(lab, bearer, path):
    answer = lab.post("//chat/openai/v1" + path, {}, **bearer)
    assert answer.status == 404 and answer.json["error"]["code"] == "not_found"
    for one in ("GET /models", "POST /chat/completions", "POST /responses",
                "POST /embeddings", "POST /rerank",
                "POST /audio/transcriptions"):
        assert one in answer.json["error"]["message"]


@pytest.mark.parametrize("path", ["chat/completions", "models", "responses"])
def test_a_base_url_without_its_end_is_told(lab, bearer, path):
    answer = lab.get(f"//chat/openai/{path}", **bearer)
    assert answer.status == 404 and "ends with /openai/v1" in answer.json["detail"]


@pytest.mark.parametrize("model", ["lab", "lab/helper", "lab/claude",
                                   "lab/llama"])
def test_a_plain_answer(lab, bearer, model):
    answer = lab.post(CHAT, body(script("tool"), model), **bearer)
    assert answer.status == 200, answer
    got = answer.json
    assert got["object"] == "chat.completion" and got["model"] == model
    choice = got["choices"][0]
    assert choice["message"]["role"] == "assistant"
    assert choice["message"]["content"] == "It is ticket 1."
    assert choice["message"]["annotations"] == []
    assert choice["finish_reason"] == "stop" and choice["index"] == 0
    usage = got["usage"]
    assert usage["total_tokens"] == (usage["prompt_tokens"]
                                     + usage["completion_tokens"]) > 0
    assert answer.headers["X-Request-Id"]


def test_cited_sources_are_annotations(lab):
    """Those with an address, at their places in what the client has."""
    who = "o" + uuid.uuid4().hex[:12]
    base = base_of(lab, who)
    write(lab, base, who, "Five days of leave carry over.", title="Leave",
          url="https://wiki.example/leave?a=1&b=2")
    write(lab, base, who, "Leave is asked for early.", title="Asking")
    settled(lab, base, who)
    made = lab.post("/workspaces/lab/agents", {
        "name": "Sage", "toolIds": ["search_knowledge"]}, user=who)
    model = "lab/" + made.json["agentId"]
    said = "!script " + json.dumps({
        "narration": "Ich prüfe es.", "tool_calls": [{
            "name": "search_knowledge", "args": {"query": "days of leave carry over"}}],
        "then": {"text": "Größe: fünf 🙂 [1], früh [2], `[1]`, [7] und [1, 2]."}})
    source = {"url": "https://wiki.example/leave?a=1&b=2", "title": "Leave"}

    def check(text, annotations):
        for one in annotations:
            assert one["type"] == "url_citation"
            assert source.items() <= one["url_citation"].items()
        assert [text[c["start_index"]:c["end_index"]] for c in (
            one["url_citation"] for one in annotations)] == ["[1]", "[1, 2]"], text
    whole = lab.post(CHAT, body(said, model), user=who)
    assert whole.status == 200, whole
    message = whole.json["choices"][0]["message"]
    assert message["content"].startswith("Größe")
    check(message["content"], message["annotations"])
    events = lab.stream(CHAT, body(said, model, stream=True), user=who).events()
    deltas = [c["delta"] for e in events[:-1] for c in e.data["choices"]]
    text = "".join(d.get("content", "") for d in deltas)
    assert text.startswith("Ich prüfe es.\n\nGröße")
    assert [list(d) for d in deltas if "annotations" in d] == [["annotations"]]
    check(text, deltas[-1]["annotations"])


@pytest.mark.parametrize("name", [n for n in SCENARIOS if n != "cancel"])
def test_streams(lab, bearer, name):
    stream = lab.stream(CHAT, body(script(name), stream=True), **bearer)
    events = stream.events()
    assert stream.headers["Content-Type"] == "text/event-stream"
    check_openai(list(events), name)
    assert all("usage" not in e.data for e in events[:-1])
    assert events[0].data["model"] == "lab/helper"


def test_usage_when_asked(lab, bearer):
    events = lab.stream(CHAT, body(
        script("text"), stream=True, stream_options={"include_usage": True}),
        **bearer).events()
    assert events[-1].data == "[DONE]"
    last = events[-2].data
    assert last["choices"] == [] and last["usage"]["completion_tokens"] > 0
    # The others say that they have none, as OpenAI's do.
    assert all(e.data["usage"] is None for e in events[:-2])


def test_the_given_history_is_the_context(lab, bearer):
    """It is stored with the message, and sent to the model before it."""
    before = [{"role": "system", "content": "Be brief."},
              {"role": "user", "content": "old question " * 30},
              {"role": "assistant", "content": "old answer " * 30}]
    sizes = []
    for given in ([], before):
        answer = lab.post(CHAT, body(script("text"), before=given), **bearer)
        turn = answer.json["id"].removeprefix("chatcmpl-")
        conversation = lab.get(f"/turns/{turn}", user="ada").json[
            "conversationId"]
        page = lab.get(f"/conversations/{conversation}/messages", user="ada")
        user = page.json["items"][-1]
        assert user["content"] == script("text")
        assert user["metadata"].get("given", []) == given
        assert user["metadata"]["client"] == "openai"
        # The page continues where the client was.
        again = lab.chat({"text": "x"}, conversationId=conversation)
        sizes.append([e.data for e in again if e.name == "context-usage"][0])
    assert sizes[1]["messages"] == sizes[0]["messages"] + 3
    assert sizes[1]["inputTokens"] > sizes[0]["inputTokens"] + 150


def test_requests_are_separate_conversations(lab, bearer):
    turns = {lab.post(CHAT, body(script("text")), **bearer).json["id"]
             for _ in range(2)}
    conversations = {lab.get(f"/turns/{t.removeprefix('chatcmpl-')}",
                             user="ada").json["conversationId"] for t in turns}
    assert len(conversations) == 2


@pytest.mark.parametrize("change,status,param,code", [
    ({"model": "lab/nope"}, 404, "model", "model_not_found"),
    ({"model": "staff"}, 404, "model", "model_not_found"),
    ({"model": "gpt-5/../x"}, 404, "model", "model_not_found"),
    ({"model": "lab/helper/x"}, 404, "model", "model_not_found"),
    ({"model": None}, 400, "model", "invalid_field"),
    ({"messages": []}, 400, "messages", "invalid_field"),
    ({"messages": [{"role": "assistant", "content": "x"}]}, 400, "messages",
     "invalid_field"),
    ({"messages": [{"role": "tool", "content": "x"},
                   {"role": "user", "content": "x"}]}, 400, "messages",
     "invalid_field"),
    ({"messages": [{"role": "assistant", "tool_calls": [{"id": "x"}]},
                   {"role": "user", "content": "x"}]}, 400, "messages",
     "invalid_field"),
    ({"messages": [{"role": "user", "content": [{
        "type": "image_url", "image_url": {"url": "data:,"}}]}]}, 400,
     "messages", "invalid_field"),
    ({"tools": [{"type": "function", "function": {"name": "f"}}]}, 400,
     "tools", "invalid_field"),
    ({"n": 2}, 400, "n", "invalid_field"),
    ({"stream": "yes"}, 400, "stream", "invalid_field"),
    ({"stream": 1}, 400, "stream", "invalid_field"),
    ({"stream": True, "stream_options": 1}, 400, "stream_options",
     "invalid_field"),
    ({"stream": True, "stream_options": {"include_usage": "x"}}, 400,
     "stream_options.include_usage", "invalid_field"),
    ({"n": "1"}, 400, "n", "invalid_field"),
    ({"response_format": {"type": "grammar"}}, 400, "response_format",
     "invalid_field"),
    ({"response_format": "json"}, 400, "response_format", "invalid_field"),
    ({"response_format": {"type": "json_schema", "json_schema": {"name": "x"}}},
     400, "response_format", "invalid_field"),
    ({"response_format": {"type": "json_schema", "json_schema": {
        "name": "x", "schema": {"type": "object", "if": {}}}}},
     400, "response_format", "invalid_field"),
    ({"max_tokens": 0}, 400, "max_tokens", "invalid_field"),
    ({"max_tokens": 0, "max_completion_tokens": 0}, 400, "max_completion_tokens",
     "invalid_field"),
    ({"tools": [{"type": "custom", "custom": {"name": "f"}}]}, 400, "tools",
     "invalid_field"),
    ({"tool_choice": {"type": "function", "function": {"name": "f"}}}, 400,
     "tool_choice", "invalid_field"),
    ({"tool_choice": "some"}, 400, "tool_choice", "invalid_field"),
    ({"parallel_tool_calls": 1}, 400, "parallel_tool_calls", "invalid_field"),
    ({"max_completion_tokens": "9"}, 400, "max_completion_tokens", "invalid_field"),
    ({"temperature": 2.1}, 400, "temperature", "invalid_field"),
    ({"temperature": "hot"}, 400, "temperature", "invalid_field"),
    ({"top_p": -1}, 400, "top_p", "invalid_field"),
    ({"seed": 1.5}, 400, "seed", "invalid_field"),
    ({"presence_penalty": 3}, 400, "presence_penalty", "invalid_field"),
    ({"frequency_penalty": -3}, 400, "frequency_penalty", "invalid_field"),
    ({"reasoning_effort": "some"}, 400, "reasoning_effort", "invalid_field"),
    ({"stop": ["a", "b", "c", "d", "e"]}, 400, "stop", "invalid_field"),
    ({"stop": 5}, 400, "stop", "invalid_field"),
    ({"stop": [5]}, 400, "stop", "invalid_field"),
    ({"logprobs": True}, 400, "logprobs", "invalid_field"),
    ({"modalities": ["text", "audio"]}, 400, "modalities", "invalid_field"),
])
def test_what_cannot_be_done_is_refused(lab, bearer, change, status, param,
                                        code):
    answer = lab.post(CHAT, {**body("x"), **change}, **bearer)
    assert answer.status == status, answer
    error = answer.json["error"]
    assert error["param"] == param and error["code"] == code
    assert error["type"] == "invalid_request_error" and error["message"]
    assert answer.headers["X-Should-Retry"] == "false"


def test_a_part_whose_text_is_none(lab, bearer):
    """As Jan sent what its assistants had written."""
    answer = lab.post(CHAT, body([{"type": "text", "text": {
        "annotations": [], "value": "Hola"}}]), **bearer)
    assert answer.status == 400 and "must be a string" in answer.json["error"]["message"]


def test_what_asks_for_nothing_is_accepted(lab, bearer):
    answer = lab.post(CHAT, body(
        [{"type": "text", "text": script("text")}], temperature=None, n=1,
        tools=[], logprobs=False, modalities=["text"], seed=None, stop=[""],
        response_format={"type": "text"}, max_completion_tokens=None,
        stream=None, stream_options={"include_usage": None},
        store=False, metadata={}), **bearer)
    assert answer.status == 200, answer
    assert "X-Ignored-Parameters" not in answer.headers


WISHES = {"max_completion_tokens": 77, "temperature": 0.25, "top_p": 0.5, "seed": -3,
          "presence_penalty": 1, "frequency_penalty": -0.5,
          "reasoning_effort": "high", "stop": ["END", "FIN"]}
SENT = {
    "lab/helper": {**WISHES, "max_tokens": 77},
    "lab/claude": {"max_tokens": 77, "temperature": 0.25, "top_p": 0.5,
                   "stop_sequences": ["END", "FIN"],
                   "output_config": {"effort": "high"}},
    "lab/llama": {"think": "high", "options": {
        **{k: WISHES[k] for k in ("temperature", "top_p", "seed", "presence_penalty",
                                  "frequency_penalty", "stop")}, "num_predict": 77}},
}


def same(wanted, got):
    """The members of wanted, as they were sent."""
    return all(same(v, got.get(k, {})) if isinstance(v, dict) else got.get(k) == v
               for k, v in wanted.items() if k != "max_completion_tokens")


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("model", SENT)
def test_parameters_reach_the_model(lab, bearer, model, stream):
    """With each call of the turn, and what the format has no place for is named."""
    lab.sent()
    asked = body(script("tool"), model, stream=stream, user="u", logit_bias={"1": 2},
                 **WISHES)
    answer = (lab.stream if stream else lab.post)(CHAT, asked, **bearer)
    if stream:
        answer.events()
    sent = lab.sent()
    assert len(sent) == 2 and all(same(SENT[model], one) for one in sent), sent
    ignored = answer.headers["X-Ignored-Parameters"].split(", ")
    assert set(ignored) == {"user", "logit_bias"} | (
        {"seed", "presence_penalty", "frequency_penalty"} if "claude" in model
        else set())


def test_max_tokens_only_lowers_the_limit(lab, bearer):
    """llama.cpp and others took the older name only; here both have one meaning."""
    for asked, sent in (({"max_tokens": 50}, 50), ({"max_completion_tokens": 50}, 50),
                        ({"max_tokens": 60, "max_completion_tokens": 50}, 50)):
        lab.sent()
        assert lab.post(CHAT, body(script("text"), **asked), **bearer).status == 200
        one, = lab.sent()
        assert one.get("max_tokens", one.get("max_completion_tokens")) == sent
    lab.sent()
    lab.post(CHAT, body(script("text"), "lab/claude"), **bearer)
    own = lab.sent()[0]["max_tokens"]
    lab.post(CHAT, body(script("text"), "lab/claude", max_tokens=10 * own), **bearer)
    assert lab.sent()[0]["max_tokens"] == own


def test_nothing_is_sent_that_was_not_asked_for(lab, bearer):
    lab.sent()
    lab.post(CHAT, body(script("text")), **bearer)
    assert not {*WISHES, "tool_choice", "parallel_tool_calls"} & lab.sent()[0].keys()


def test_an_answer_that_stops_at_once_is_empty(lab, bearer):
    said = "!script " + json.dumps({"text": "", "finish": "stop"})
    answer = lab.post(CHAT, body(said, stop="x"), **bearer)
    assert answer.status == 200, answer
    assert answer.json["choices"][0]["message"]["content"] == ""
    assert answer.json["choices"][0]["finish_reason"] == "stop"
    assert lab.post(CHAT, body(said), **bearer).status == 502


SCHEMA = {"type": "object", "required": ["n"], "additionalProperties": False,
          "properties": {"n": {"type": "integer"}}}
FORMAT = {"type": "json_schema", "json_schema": {"name": "x", "strict": True,
                                                 "schema": SCHEMA}}


def told(events):
    """The text of a stream, and how it ended."""
    assert events[-1].data == "[DONE]"
    chunks = [c for e in events[:-1] for c in e.data.get("choices", [])]
    return ("".join(c["delta"].get("content") or "" for c in chunks),
            chunks[-1]["finish_reason"] if chunks else None)


@pytest.mark.parametrize("model", ["lab/helper", "lab/claude", "lab/llama", "lab/plain"])
@pytest.mark.parametrize("stream", [False, True])
def test_a_typed_answer_fits(lab, bearer, model, stream):
    """After tools of the server, too; fences are not part of it."""
    said = "!script " + json.dumps({
        "narration": "Let me look.",
        "tool_calls": [{"name": "query_data", "args": {"dataset": "nope"}}],
        "then": {"text": "```json\n{\"n\": 4}\n```"}})
    if model == "lab/plain":
        said = "!script " + json.dumps({"text": '{"n": 4}'})
    asked = body(said, model, stream=stream, response_format=FORMAT)
    if stream:
        text, how = told(lab.stream(CHAT, asked, **bearer).events())
    else:
        choice = lab.post(CHAT, asked, **bearer).json["choices"][0]
        text, how = choice["message"]["content"], choice["finish_reason"]
    assert (json.loads(text), how) == ({"n": 4}, "stop")


def test_a_typed_answer_is_sent_back_once(lab, bearer):
    """The stand-in fills a simple schema when it is asked again."""
    said = "!script " + json.dumps({"text": '{"n": "four"}'})
    for stream in (False, True):
        lab.sent()
        asked = body(said, response_format=FORMAT, stream=stream)
        text = (told(lab.stream(CHAT, asked, **bearer).events())[0] if stream else
                lab.post(CHAT, asked, **bearer).json["choices"][0]["message"]["content"])
        assert json.loads(text) == {"n": 0}
        first, again = lab.sent()
        assert again["messages"][-2]["content"] == '{"n": "four"}'
        assert "does not fit the schema" in again["messages"][-1]["content"]


def test_a_typed_answer_that_never_fits_is_an_error(lab, bearer):
    schema = {"type": "object", "required": ["n"],
              "properties": {"n": {"type": "string", "pattern": "^zz$"}}}
    asked = body("!script " + json.dumps({"text": "Sure!"}), response_format={
        "type": "json_schema", "json_schema": {"name": "x", "schema": schema}})
    lab.sent()
    answer = lab.post(CHAT, asked, **bearer)
    assert answer.status == 502, answer
    assert "schema" in answer.json["error"]["message"] and len(lab.sent()) == 2
    events = lab.stream(CHAT, {**asked, "stream": True}, **bearer).events()
    assert not [e for e in events[:-2] if e.data["choices"][0]["delta"].get("content")]
    assert "schema" in events[-2].data["error"]["message"]


def test_any_object(lab, bearer):
    lab.sent()
    for model, form in (("lab/helper", {"type": "json_object"}), ("lab/claude", None),
                        ("lab/plain", {"type": "json_object"})):
        answer = lab.post(CHAT, body("!script " + json.dumps({"text": '{"a": [1]}'}),
                                     model, response_format={"type": "json_object"}),
                          **bearer)
        assert answer.status == 200, answer
        assert json.loads(answer.json["choices"][0]["message"]["content"]) == {"a": [1]}
        assert lab.sent()[0].get("response_format") == form


def test_a_typed_answer_that_is_cut_off_says_so(lab, bearer):
    said = "!script " + json.dumps({"text": '{"n": ', "finish": "length"})
    answer = lab.post(CHAT, body(said, response_format=FORMAT), **bearer)
    choice = answer.json["choices"][0]
    assert (choice["message"]["content"], choice["finish_reason"]) == ('{"n": ', "length")


def test_reasoning_is_in_plain_answers(lab, bearer):
    answer = lab.post(CHAT, body(script("text")), **bearer)
    assert answer.json["choices"][0]["message"]["reasoning_content"] == "Think."
    answer = lab.post(CHAT, body("!script " + json.dumps({"text": "x"})), **bearer)
    assert "reasoning_content" not in answer.json["choices"][0]["message"]


def test_created_is_when_it_was(lab, bearer):
    """Of a repeated request, too, which follows a turn that is not its own."""
    head = {"headers": {**bearer["headers"], "Idempotency-Key": str(uuid.uuid4())}}
    asked = body(script("text"), stream=True)
    times = [{e.data["created"] for e in lab.stream(CHAT, asked, **head).events()[:-1]}
             for _ in range(2)]
    assert times[0] == times[1] and abs(times[0].pop() - time.time()) < 60


def test_refusals_before_the_handler(lab, bearer):
    answer = lab.post(CHAT, body("x"), headers={
        "Authorization": "Bearer lamp_wrong"})
    assert answer.status == 401
    assert answer.json["error"]["type"] == "authentication_error"
    assert answer.headers["X-Should-Retry"] == "false"
    answer = lab.post(CHAT, "{", headers={
        **bearer["headers"], "Content-Type": "application/json"})
    assert answer.status == 400
    assert answer.json["error"]["code"] == "invalid_json"
    answer = lab.get("//chat/openai/v1/nothing", **bearer)
    assert answer.status == 404 and "error" in answer.json
    answer = lab.get(CHAT, **bearer)
    assert answer.status == 405 and "POST" in answer.headers["Allow"]


@pytest.mark.parametrize("name,status,retry", [
    ({"error": {"status": 401, "body": "nope"}}, 502, "false"),
    ({"text": "one two three", "cut_after": 2}, 502, None),
    ({"error": {"status": 400, "body": "no"}}, 502, "false"),
])
def test_failed_turns_have_a_status(lab, bearer, name, status, retry):
    answer = lab.post(CHAT, body("!script " + json.dumps(name)), **bearer)
    assert answer.status == status, answer
    assert answer.json["error"]["code"].startswith("upstream_")
    assert answer.json["error"]["type"] == "server_error"
    assert answer.headers.get("X-Should-Retry") == retry


def test_a_stream_that_is_left_is_stopped(lab, bearer):
    stream = lab.stream(CHAT, body(script("cancel"), stream=True), **bearer)
    first = next(iter(stream)).data
    stream.close()
    turn = first["id"].removeprefix("chatcmpl-")
    state = wait_until("the turn to stop", lambda: (
        t := lab.get(f"/turns/{turn}", user="ada").json)
        ["status"] != "running" and t)
    assert state["status"] == "cancelled"
