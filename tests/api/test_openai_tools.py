# SPDX-License-Identifier: MIT
"""Tools of a client of {base}/openai/v1 (docs/openai-server.md)."""

import json

import pytest

CHAT = "//chat/openai/v1/chat/completions"
EDIT = {"type": "function", "function": {
    "name": "edit", "strict": True, "parameters": {
        "$schema": "http://json-schema.org/draft-07/schema#", "type": "object",
        "required": ["path"], "additionalProperties": False,
        "properties": {"path": {"type": "string", "format": "uri-reference"}},
        "if": {"required": ["x"]}}}}
READ = {"type": "function", "function": {"name": "read", "description": "Reads."}}
ECHO = {"name": "echo", "args": {}}


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    import conftest
    tool = {"kind": "command", "untrusted": True, "description": "Says.",
            "command": {"run": ["/bin/echo", "words"]}}
    agents = [{"id": "helper", "default": True}, {"id": "other"},
              {"id": "claude", "llm_service": "claude"},
              {"id": "llama", "llm_service": "llama"}]
    with conftest.Lab(workspaces={
            "lab": {"workspace": "lab", "client_tools": "allow", "agents": agents,
                    "title_by_model": False},
            "closed": {"workspace": "closed", "title_by_model": False}},
            config={"tools": {"echo": tool, "wipe": {
                **tool, "effect": "destructive"}}}) as lab:
        yield lab


def call(name, **args):
    return {"name": name, "args": args}


def script(*calls, then="Done."):
    return "!script " + json.dumps({
        "narration": "Let me look.", "tool_calls": list(calls),
        "then": {"text": then} if isinstance(then, str) else then})


def body(messages, tools=(EDIT, READ), model="lab/helper", **more):
    if isinstance(messages, str):
        messages = [{"role": "user", "content": messages}]
    return {"model": model, "messages": messages, "tools": list(tools), **more}


def ask(lab, *args, status=200, user="ada", **kw):
    answer = lab.post(CHAT, body(*args, **kw), user=user)
    assert answer.status == status, answer
    return answer.json["choices"][0] if status == 200 else answer.json["error"]


def streamed(lab, *args, **kw):
    """The choice that a client puts together of the chunks (P-F5)."""
    events = lab.stream(CHAT, body(*args, stream=True, **kw), user="ada").events()
    message, how = {"role": None, "content": ""}, None
    assert events[-1].data == "[DONE]"
    for e in events[:-1]:
        choice = e.data["choices"][0]
        delta = choice["delta"]
        message["role"] = delta.get("role", message["role"])
        message["content"] += delta.get("content") or ""
        for one in delta.get("tool_calls", []):
            assert one.pop("index") == len(message.get("tool_calls", []))
            message.setdefault("tool_calls", []).append(one)
        how = choice["finish_reason"] or how
    return {"message": message, "finish_reason": how}


def results(choice, **more):
    return [{"role": "tool", "tool_call_id": c["id"], "content": text, **more}
            for c, text in zip(choice["message"]["tool_calls"], ["line 1\nline 2", ""])]


@pytest.mark.parametrize("model", ["lab/helper", "lab/claude", "lab/llama"])
@pytest.mark.parametrize("how", [ask, streamed])
def test_a_clients_tool_goes_on_with_its_result(lab, how, model):
    said = [{"role": "user", "content": script(
        call("edit", path="a.c"), ECHO, call("read"))}]
    lab.sent()
    first = how(lab, said, model=model)
    assert first["finish_reason"] == "tool_calls"
    calls = first["message"]["tool_calls"]
    assert [(c["type"], c["function"]["name"], json.loads(c["function"]["arguments"]))
            for c in calls] == [("function", "edit", {"path": "a.c"}),
                                ("function", "read", {})]
    assert all(len(c["id"]) <= 40 for c in calls)
    again = [*said, first["message"], *results(first)]
    last = how(lab, again, model=model)
    assert (last["message"]["content"], last["finish_reason"]) == ("Done.", "stop")
    assert "tool_calls" not in last["message"]
    sent = lab.sent()
    assert len(sent) == 2
    told = json.dumps(sent[1])
    assert "line 1\\\\nline 2" in told or "line 1\\nline 2" in told
    assert "words" in told	# the agent's own ran here


def test_it_is_one_turn_of_one_conversation(lab):
    said = [{"role": "user", "content": script(
        call("edit", path="a"), then={"tool_calls": [call("read")],
                                      "then": {"text": "End."}})}]
    turns = set()
    for _ in range(3):
        answer = lab.post(CHAT, body(said), user="ada").json
        turns.add(answer["id"])
        choice = answer["choices"][0]
        if choice["finish_reason"] == "stop":
            break
        said += [choice["message"], *results(choice)]
    assert choice["message"]["content"] == "End." and len(turns) == 1


def test_results_that_are_missing_are_named(lab):
    said = script(call("edit", path="a"), call("read"))
    first = ask(lab, said)
    some = [{"role": "user", "content": said}, first["message"], results(first)[0]]
    error = ask(lab, some, status=400)
    assert first["message"]["tool_calls"][1]["id"] in error["message"]
    assert error["param"] == "messages"


def test_results_of_another_are_no_results(lab):
    """Nobody resumes the turn of another user or model; the history is given then."""
    said = script(call("edit", path="a"))
    first = ask(lab, said)
    messages = [{"role": "user", "content": said}, first["message"], *results(first)[:1]]
    turn = first["message"]["tool_calls"][0]["id"][5:37]
    for kw in ({"user": "eve"}, {"model": "lab/other"}):
        ask(lab, messages, **kw)
        assert lab.get(f"/turns/{turn[:8]}-{turn[8:12]}-{turn[12:16]}-{turn[16:20]}-"
                       f"{turn[20:]}", user="ada").json["status"] == "waiting"
    assert ask(lab, messages)["message"]["content"] == "Done."


@pytest.mark.parametrize("model", ["lab/helper", "lab/claude", "lab/llama"])
def test_calls_of_the_given_history_are_calls(lab, model):
    """Of another model, as the client has them; a call without a result has one."""
    calls = [{"id": i, "type": "function", "function": {
        "name": "read", "arguments": "{}"}} for i in ("x1", "x2")]
    said = [{"role": "user", "content": "Read."},
            {"role": "assistant", "content": None, "tool_calls": calls},
            {"role": "tool", "tool_call_id": "x1", "content": "eleven"},
            {"role": "assistant", "content": [{"type": "text", "text": "It is 11."}]},
            {"role": "user", "content": "!script " + json.dumps({"text": "Yes."})}]
    lab.sent()
    assert ask(lab, said, model=model)["message"]["content"] == "Yes."
    sent = json.dumps(lab.sent()[0])
    assert "eleven" in sent and "no result of this call" in sent


def test_tool_choice_reaches_the_model(lab):
    for choice, wanted in (("required", "required"), ("none", "none"), (
            {"type": "function", "function": {"name": "edit"}},
            {"type": "function", "function": {"name": "edit"}})):
        lab.sent()
        ask(lab, "!script " + json.dumps({"text": "x"}), tool_choice=choice)
        assert lab.sent()[0].get("tool_choice") == wanted
    lab.sent()
    ask(lab, "!script " + json.dumps({"text": "x"}), tool_choice={
        "type": "allowed_tools", "allowed_tools": {"mode": "auto", "tools": [READ]}})
    names = [t["function"]["name"] for t in lab.sent()[0]["tools"]]
    assert "read" in names and "edit" not in names and "echo" in names


def test_one_call_at_a_time(lab):
    first = ask(lab, script(call("read"), call("edit", path="a")),
                parallel_tool_calls=False)
    assert len(first["message"]["tool_calls"]) == 1


def test_wrong_arguments_do_not_reach_the_client(lab):
    answer = ask(lab, script(call("edit", file="a")))
    assert answer["message"]["content"] == "Done."


def test_an_approval_is_not_the_clients(lab):
    """A destructive tool of the agent waits beside it, and no result approves it."""
    said = script(call("wipe"), call("edit", path="a"))
    first = ask(lab, said)
    assert [c["function"]["name"] for c in first["message"]["tool_calls"]] == ["edit"]
    assert "approval" in first["message"]["content"]
    assert f"Answer on the page: {lab.url}/#/c/" in first["message"]["content"]
    assert "Answer on the page: " in streamed(lab, said)["message"]["content"]
    turn = first["message"]["tool_calls"][0]["id"][:37]
    answers = [lab.post(CHAT, body([
        {"role": "user", "content": said}, first["message"],
        {"role": "tool", "tool_call_id": f"{turn}{n}", "content": "approved"}]),
        user="ada") for n in (1, 2)]
    assert sorted(a.status for a in answers) == [200, 400]
    last = next(a.json["choices"][0] for a in answers if a.status == 200)
    assert "approval" in last["message"]["content"]
    assert last["finish_reason"] == "stop" and "tool_calls" not in last["message"]


def test_tools_that_the_workspace_does_not_take(lab):
    error = ask(lab, "x", model="closed", status=400)
    assert error["param"] == "tools"


def test_a_name_of_the_server_is_the_servers(lab):
    taken = {"type": "function", "function": {"name": "echo"}}
    answer = lab.post(CHAT, body(script(ECHO), (taken, READ)), user="ada")
    assert answer.json["choices"][0]["message"]["content"] == "Done."
    assert answer.headers["X-Ignored-Parameters"] == "tools.echo"


@pytest.mark.parametrize("tools", [
    [READ, READ], [{"type": "function"}], ["read"], "read",
    [{"type": "function", "function": {}}] * 2,
    [{"type": "function", "function": {"description": "x"}}] * 2,
    [{"type": "function", "function": {"name": ["x"]}}] * 2,
    [{"type": "function", "function": {"name": "a b"}}],
    [{"type": "function", "function": {"name": "x" * 65}}],
    [{"type": "function", "function": {"name": "x", "parameters": []}}],
    [{"type": "function", "function": {"name": "x", "description": "y" * 16385}}],
    [{"type": "function", "function": {"name": f"t{i}"}} for i in range(129)],
])
def test_tools_that_are_none(lab, tools):
    answer = lab.post(CHAT, {**body("x"), "tools": tools}, user="ada")
    assert answer.status in (400, 413), answer
    assert answer.json["error"]["param"] == "tools"
    assert "null" not in answer.json["error"]["message"]


def test_an_answer_is_continued(lab):
    lab.sent()
    answer = ask(lab, [{"role": "user", "content": "Count."},
                       {"role": "assistant", "content": "One, two,"}])
    assert answer["finish_reason"] == "stop"
    sent = lab.sent()[0]["messages"]
    assert sent[-2]["content"] == "One, two," and "Continue" in sent[-1]["content"]


# -- what broke clients of other servers ---------------------------------------------

def test_usage_comes_with_a_call(lab):
    events = lab.stream(CHAT, body(script(call("read")), stream=True, stream_options={
        "include_usage": True}), user="ada").events()
    last = events[-2].data
    assert last["choices"] == [] and last["usage"]["total_tokens"] > 0
    assert events[-3].data["choices"][0]["finish_reason"] == "tool_calls"


def test_a_denied_call_without_its_result_does_not_end_the_chat(lab):
    """GoogleCloudPlatform/kubectl-ai issue 144: each later request was 400."""
    said = script(call("edit", path="a"))
    first = ask(lab, said)
    lab.sent()
    answer = ask(lab, [{"role": "user", "content": said}, first["message"], {
        "role": "user", "content": "!script " + json.dumps({"text": "Fine."})}])
    assert answer["message"]["content"] == "Fine."
    results = [m for m in lab.sent()[0]["messages"] if m["role"] == "tool"]
    assert [json.loads(m["content"])["error"]["code"] for m in results] == [
        "tool_not_approved"]
    # Of a thread that was not here.
    first["message"]["tool_calls"][0]["id"] = "call_x"
    ask(lab, [{"role": "user", "content": "elsewhere"}, first["message"], {
        "role": "user", "content": "!script " + json.dumps({"text": "Fine."})}])
    assert "no result of this call" in json.dumps(lab.sent()[0])


@pytest.mark.parametrize("assistant", [
    {"content": "x", "tool_calls": []}, {"content": "", "tool_calls": None},
    {"content": None}, {}, {"content": []}, {"content": [{"type": "text", "text": "x"}]}])
def test_answers_as_clients_keep_them(lab, assistant):
    said = [{"role": "user", "content": "x"}, {"role": "assistant", **assistant},
            {"role": "user", "content": "!script " + json.dumps({"text": "Yes."})}]
    assert ask(lab, said)["message"]["content"] == "Yes."


def test_a_result_in_parts(lab):
    said = script(call("edit", path="a"))
    first = ask(lab, said)
    lab.sent()
    ask(lab, [{"role": "user", "content": said}, first["message"], {
        **results(first)[0], "content": [{"type": "text", "text": "part 1, "},
                                         {"type": "text", "text": "part 2"}]}])
    assert "part 1, part 2" in json.dumps(lab.sent()[0])


SAID = {"role": "user", "content": "!script " + json.dumps({"text": "Yes."})}


def call_of(arguments):
    return [{"role": "user", "content": "x"}, {"role": "assistant", "content": None, "tool_calls": [
        {"id": "call_a", "type": "function", "function": {"name": "read", "arguments": arguments}}]},
        {"role": "tool", "tool_call_id": "call_a", "content": "It was not run."}]


@pytest.mark.parametrize("arguments,seen", [
    ({"path": "a", "n": 1}, {"path": "a", "n": 1}),     # deer-flow issue 4445
    ('{"value": ', {}),                 # vLLM 43995, kimi-cli 2165, llama.cpp 25510
    ("[]", {}), ("", {}), ("null", {}),                 # CLIProxyAPI issue 5362
])
def test_arguments_in_the_history(lab, arguments, seen):
    """Cut ones must not end the chat, and those that came opened are not lost."""
    lab.sent()
    assert ask(lab, [*call_of(arguments), SAID])["message"]["content"] == "Yes."
    step = next(m for m in lab.sent()[0]["messages"] if m.get("tool_calls"))
    assert json.loads(step["tool_calls"][0]["function"]["arguments"]) == seen


def test_instructions_behind_the_last_message(lab):
    """As programs repeat them at the end (SillyTavern's post-history instructions)."""
    lab.sent()
    late = [{"role": "system", "content": "Rhyme."}, {"role": "developer", "content": "Now."}]
    assert ask(lab, [SAID, *late])["message"]["content"] == "Yes."
    seen = [m["content"] for m in lab.sent()[0]["messages"][-3:]]
    assert [m for m in seen if m in ("Rhyme.", "Now.")] == ["Rhyme.", "Now."] or (
        "Rhyme." in seen[-1] and seen[-1].index("Now.") < seen[-1].index("!script"))
    # Behind results they do not keep the turn from going on.
    said = script(call("edit", path="a"))
    first = ask(lab, said)
    history = [{"role": "user", "content": said}, first["message"], *results(first)]
    assert ask(lab, [*history, *late])["message"]["content"] == "Done."


def test_nothing_but_instructions(lab):
    """mistral.rs issue 506: it is the question."""
    for role in "system", "developer":
        assert ask(lab, [{**SAID, "role": role}])["message"]["content"] == "Yes."
    assert ask(lab, [{"role": "system", "content": "Be brief."}, {**SAID, "role": "system"}]
               )["message"]["content"] == "Yes."


@pytest.mark.parametrize("part", [
    {"type": "thinking", "thinking": "Hm."}, {"type": "redacted_thinking", "data": "x"},
    {"type": "reasoning", "text": "Hm."},
    {"type": "thinking", "thinking": [{"type": "text", "text": "Hm."}]}])
def test_reasoning_in_parts_of_an_answer(lab, part):
    """vLLM pull request 41718, LiteLLM issue 22997: what a client kept was refused."""
    lab.sent()
    said = [{"role": "user", "content": "x"}, {"role": "assistant", "content": [
        part, {"type": "text", "text": "An answer."}]}, SAID]
    assert ask(lab, said)["message"]["content"] == "Yes."
    sent = lab.sent()[0]["messages"]
    assert "An answer." in json.dumps(sent) and "Hm." not in json.dumps(sent)


def test_integers_that_are_written_as_reals(lab):
    """As programs do whose language has one kind of number."""
    lab.sent()
    ask(lab, [SAID], max_tokens=77.0, seed=5.0, n=1.0)
    sent = lab.sent()[0]
    assert (sent["max_tokens"], sent["seed"]) == (77, 5)
    assert isinstance(sent["max_tokens"], int) and isinstance(sent["seed"], int)
    for wrong in {"max_tokens": 77.5}, {"seed": 1e300}, {"n": 1.5}:
        ask(lab, [SAID], status=400, **wrong)


CUT = "cut \ud83d off, \udcff and \x00 too"     # as json.dumps escapes it
MENDED = "cut \ufffd off, \ufffd and \ufffd too"


@pytest.mark.parametrize("path", ["chat/completions", "responses"])
def test_text_that_was_cut_within_a_character(lab, path):
    """anthropics/claude-code issues 1939, 6273 and many more: one such result of a tool,
    and each later request was 400."""
    lab.sent()
    said = [{"role": "user", "content": CUT}, {"role": "assistant", "content": CUT}, SAID]
    answer = lab.post(f"//chat/openai/v1/{path}", {"model": "lab/helper", **(
        {"input": said} if path == "responses" else {"messages": said})}, user="ada")
    assert answer.status == 200, answer
    assert [m["content"] for m in lab.sent()[0]["messages"]].count(MENDED) == 2


def test_old_text_that_was_cut_in_other_dialects(lab):
    text = SAID["content"]
    for path, more in (("/ai-sdk/lab", {"id": "cut", "trigger": "submit-message"}),
                       ("/ag-ui/lab", {"threadId": "cut", "runId": "r", "state": {}, "tools": [],
                                       "context": [], "forwardedProps": {}})):
        events = lab.stream(path, {**more, "messages": [
            {"id": "a", "role": "assistant", "content": CUT, "parts": [
                {"type": "text", "text": CUT}]},
            {"id": "b", "role": "user", "content": text, "parts": [
                {"type": "text", "text": text}]}]}, user="ada").events()
        assert "Yes." in str([e.data for e in events]), path


@pytest.mark.parametrize("tool", [
    {"type": "function", "name": "read", "description": "Reads."},      # of Responses
    {"function": {"name": "read"}}])
def test_tools_in_other_words(lab, tool):
    """llama.cpp issue 22389, LocalAI issue 9988: it is clear what is meant."""
    got = ask(lab, script(call("read")), tools=[tool], tool_choice={
        "type": "function", "name": "read"})
    assert got["finish_reason"] == "tool_calls"
    assert got["message"]["tool_calls"][0]["function"]["name"] == "read"
    for wrong in {}, {"type": "function"}, {"name": "read"}, {"type": "x", "function": {
            "name": "read"}}:
        ask(lab, "x", tools=[wrong], status=400)
