# SPDX-License-Identifier: MIT
"""{base}/openai/v1/responses: the Responses API as a server (docs/openai-server.md)."""

import base64
import itertools
import json
import uuid

import pytest

from described import check
from lab import Stream, wait_until

RESPONSES = "//chat/openai/v1/responses"
TOOL = {"type": "function", "name": "read_file", "description": "Reads.", "strict": True,
        "parameters": {"type": "object", "properties": {"path": {"type": "string"}}}}


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    import conftest
    with conftest.Lab(workspaces={"lab": {
            "workspace": "lab", "client_tools": "allow", "title_by_model": False,
            "agents": [{"id": "helper", "default": True},
                       {"id": "claude", "llm_service": "claude"}]}}) as lab:
        yield lab


@pytest.fixture
def who():
    return "r" + uuid.uuid4().hex[:12]


def script(**what):
    return "!script " + json.dumps(what)


def ask(lab, who, said, status=200, **more):
    answer = lab.post(RESPONSES, {"model": "lab/helper", "input": said, **more}, user=who)
    assert answer.status == status, answer
    return answer.json if status == 200 else answer.json["error"]


def text_of(response):
    return "".join(p["text"] for i in response["output"] if i["type"] == "message"
                   for p in i["content"])


def conversation(lab, who, response):
    turn = uuid.UUID(response["id"].removeprefix("resp_"))
    return lab.get(f"/turns/{turn}", user=who).json["conversationId"]


def stream(lab, who, said, **more):
    """The events, checked as the real ones are; the last one's response."""
    events = lab.stream(RESPONSES, {"model": "lab/helper", "input": said, "stream": True,
                                    **more}, user=who).events()
    assert [e.data["sequence_number"] for e in events] == list(range(len(events)))
    assert all(e.name == e.data["type"] for e in events)
    names = [e.name for e in events]
    assert names[:2] == ["response.created", "response.in_progress"]
    added = [e.data for e in events if e.name == "response.output_item.added"]
    done = [e.data for e in events if e.name == "response.output_item.done"]
    last = events[-1].data["response"]
    assert [d["output_index"] for d in added] == [d["output_index"] for d in done] == list(
        range(len(added)))
    assert [d["item"]["id"] for d in added] == [d["item"]["id"] for d in done]
    assert [d["item"] for d in done] == last["output"]
    for e in events:	# each part belongs to the item that is open
        if "item_id" in e.data:
            assert e.data["item_id"] == added[e.data["output_index"]]["item"]["id"]
    deltas = "".join(e.data["delta"] for e in events
                     if e.name == "response.output_text.delta")
    assert deltas == text_of(last)
    return events, last


def test_a_plain_response(lab, who):
    got = ask(lab, who, script(reasoning="Hm.", text="Hello."), instructions="Be brief.",
              metadata={"a": "b"}, temperature=0.5)
    assert got["object"] == "response" and got["status"] == "completed"
    assert got["id"].startswith("resp_") and got["created_at"] > 1e9
    assert [i["type"] for i in got["output"]] == ["reasoning", "message"]
    assert got["output"][0]["summary"][0]["text"] == "Hm."
    assert got["output"][1]["content"] == [{"type": "output_text", "text": "Hello.",
                                            "annotations": [], "logprobs": []}]
    usage = got["usage"]
    assert usage["total_tokens"] == usage["input_tokens"] + usage["output_tokens"] > 0
    assert usage["output_tokens_details"]["reasoning_tokens"] >= 0
    assert (got["instructions"], got["temperature"]) == ("Be brief.", 0.5)
    assert got["error"] is None and got["incomplete_details"] is None
    same = lab.get(f"{RESPONSES}/{got['id']}", user=who)
    assert same.status == 200 and text_of(same.json) == "Hello."
    assert lab.get(f"{RESPONSES}/{got['id']}", user=who + "x").status == 404
    assert lab.get(f"{RESPONSES}/resp_x", user=who).status == 404
    for query in ("?stream=false&include[]=reasoning.encrypted_content", "?include=x"):
        assert lab.get(f"{RESPONSES}/{got['id']}{query}", user=who).status == 200, query
    for query, param in (("stream=yes", "stream"), ("starting_after=-2", "starting_after"),
                         ("starting_after=x", "starting_after")):
        wrong = lab.get(f"{RESPONSES}/{got['id']}?{query}", user=who)
        assert wrong.status == 400 and wrong.json["error"]["param"] == param
    assert lab.get(f"{RESPONSES}/{got['id']}?stream=true", user=who + "x").status == 404


def items_of(lab, who, id, query="", status=200):
    answer = lab.get(f"{RESPONSES}/{id}/input_items{query}", user=who)
    assert answer.status == status, answer
    if status == 200:
        check("/openai/v1/responses/{response}/input_items", "GET", answer)
    return answer.json if status == 200 else answer.json["error"]


def test_the_items_of_its_input(lab, who):
    """All that came with the request, in pages of either order."""
    got = ask(lab, who, [
        {"role": "user", "content": "Q0"},
        {"type": "function_call", "call_id": "c1", "name": "f", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "c1", "output": "R"},
        {"role": "assistant", "content": "A0"},
        {"role": "user", "content": script(text="Hello.")}], instructions="Be brief.")["id"]
    all = items_of(lab, who, got, "?order=asc")
    assert [(i["type"], i.get("role")) for i in all["data"]] == [
        ("message", "system"), ("message", "user"), ("function_call", None),
        ("function_call_output", None), ("message", "assistant"), ("message", "user")]
    assert all["data"][4]["content"] == [
        {"type": "output_text", "text": "A0", "annotations": []}]
    assert all["data"][5]["content"] == [
        {"type": "input_text", "text": script(text="Hello.")}]
    ids = [i["id"] for i in all["data"]]
    assert len(set(ids)) == 6 and (all["first_id"], all["last_id"]) == (ids[0], ids[-1])
    assert not all["has_more"]
    newest = items_of(lab, who, got, "?limit=4")
    assert [i["id"] for i in newest["data"]] == ids[:1:-1] and newest["has_more"]
    rest = items_of(lab, who, got, f"?limit=4&after={newest['last_id']}")
    assert [i["id"] for i in rest["data"]] == ids[1::-1] and not rest["has_more"]
    last = items_of(lab, who, got, f"?order=asc&after={ids[-1]}")
    assert last["data"] == [] and last["first_id"] is None and not last["has_more"]
    first = items_of(lab, who, got, f"?order=asc&before={ids[2]}")
    assert [i["id"] for i in first["data"]] == ids[:2]
    for query, param in (("?after=x", "after"), ("?before=" + ids[0] + "x", "before"),
                         ("?limit=0", "limit"), ("?limit=101", "limit"),
                         ("?limit=x", "limit"), ("?order=up", "order")):
        assert items_of(lab, who, got, query, 400)["param"] == param
    items_of(lab, who + "x", got, status=404)


def test_calls_that_a_response_waits_for_are_stored(lab, who):
    got = ask(lab, who, script(tool_calls=[{"name": "read_file", "args": {"path": "a"}}]),
              tools=[TOOL])
    again = lab.get(f"{RESPONSES}/{got['id']}", user=who).json
    assert again["status"] == "completed"
    assert [i for i in again["output"] if i["type"] == "function_call"] == [
        i for i in got["output"] if i["type"] == "function_call"]


def delete(lab, who, id, status=200):
    answer = lab.call("DELETE", f"{RESPONSES}/{id}", user=who)
    assert answer.status == status, answer
    if status == 200:
        assert answer.json == {"id": id, "object": "response", "deleted": True}


def test_responses_are_deleted_one_by_one(lab, who):
    """The last one takes the conversation along, and with it all texts."""
    first = ask(lab, who, script(text="One."))
    second = ask(lab, who, script(text="Two."), previous_response_id=first["id"])
    talk = conversation(lab, who, first)
    assert conversation(lab, who, second) == talk
    delete(lab, who + "x", first["id"], 404)
    delete(lab, who, first["id"])
    for path in ("", "/input_items"):
        assert lab.get(f"{RESPONSES}/{first['id']}{path}", user=who).status == 404
    assert lab.post(f"{RESPONSES}/{first['id']}/cancel", {}, user=who).status == 404
    ask(lab, who, "x", 404, previous_response_id=first["id"])
    delete(lab, who, first["id"], 404)
    assert text_of(lab.get(f"{RESPONSES}/{second['id']}", user=who).json) == "Two."
    third = ask(lab, who, script(text="Three."), previous_response_id=second["id"])
    assert conversation(lab, who, third) == talk
    delete(lab, who, third["id"])
    assert lab.get(f"/conversations/{talk}", user=who).status == 200
    delete(lab, who, second["id"])
    assert lab.get(f"/conversations/{talk}", user=who).status == 404
    wait_until("its messages are gone", lambda: not int(lab.sql(
        f"SELECT COUNT(*) FROM message WHERE conversation_id = x'{talk.replace('-', '')}'"
    )[0][0]))


def test_a_response_that_runs_is_deleted(lab, who):
    events = iter(lab.stream(RESPONSES, {
        "model": "lab/helper", "stream": True, "input": script(tokens=100000, rate=50)}, user=who))
    id = next(events).data["response"]["id"]
    delete(lab, who, id)
    list(events)
    assert lab.get(f"{RESPONSES}/{id}", user=who).status == 404


def test_tokens_that_only_read_delete_nothing(lab, who):
    got = ask(lab, who, script(text="One."))
    made = lab.post("/tokens", {"name": "x", "readOnly": True}, user=who)
    if made.status == 201:
        answer = lab.call("DELETE", f"{RESPONSES}/{got['id']}", headers={
            "Authorization": "Bearer " + made.json["secret"]})
        assert answer.status == 403
    assert lab.get(f"{RESPONSES}/{got['id']}", user=who).status == 200


def test_a_response_is_stopped(lab, who):
    stream = lab.stream(RESPONSES, {"model": "lab/helper", "stream": True,
                                    "input": script(tokens=100000, rate=50)}, user=who)
    events = iter(stream)
    id = next(events).data["response"]["id"]
    path = f"{RESPONSES}/{id}/cancel"
    assert lab.post(path, None, user=who + "x").status == 404
    assert lab.post(path, None, user=who).json["id"] == id
    assert list(events)[-1].data["response"]["id"] == id
    wait_until("the end", lambda: lab.get(
        f"{RESPONSES}/{id}", user=who).json["status"] != "in_progress")
    # Late and repeated ones are no error.
    assert lab.post(path, {}, user=who).status == 200


def test_a_stream(lab, who):
    events, last = stream(lab, who, script(reasoning="Hm, so.", text="Hello wörld."))
    assert last["status"] == "completed" and events[-1].name == "response.completed"
    assert text_of(last) == "Hello wörld." and last["usage"]["total_tokens"] > 0
    names = [e.name for e in events]
    order = ["response.output_item.added", "response.content_part.added",
             "response.output_text.delta", "response.output_text.done",
             "response.content_part.done", "response.output_item.done"]
    at = [len(names) - 1 - names[::-1].index(n) for n in order]
    assert at == sorted(at)


def test_tools_as_a_coding_agent_has_them(lab, who):
    """Those of kinds that a client runs itself are left out and named, and so is a search
    of the web that the model does not have; what a server would run is refused."""
    tools = [TOOL, {"type": "namespace", "name": "multi_agent", "tools": [TOOL]},
             {"type": "custom", "name": "apply_patch", "format": {"type": "grammar"}},
             {"type": "local_shell"}, {"type": "web_search", "external_web_access": True}]
    answer = lab.post(RESPONSES, {"model": "lab/helper", "tools": tools, "tool_choice": "auto",
                                  "input": script(tool_calls=[
                                      {"name": "read_file", "args": {"path": "a"}}])}, user=who)
    assert answer.status == 200, answer
    assert answer.headers["X-Ignored-Parameters"] == (
        "tools.multi_agent, tools.apply_patch, tools.local_shell, tools.web_search")
    assert [i["name"] for i in answer.json["output"] if i["type"] == "function_call"] == [
        "read_file"]
    for refused in ([{"type": "web_search"}], [{"type": "local_shell"}], [TOOL, {"type": "file_search"}],
                    [TOOL, {"type": "code_interpreter"}], [TOOL, {"type": "mcp"}]):
        assert ask(lab, who, "x", 400, tools=refused)["param"] == "tools"


def reference(item):
    return {"type": "item_reference", "id": item["id"]}


def test_items_that_a_client_only_refers_to(lab, who):
    """As the AI SDK does by default: the response is followed, in its conversation."""
    said = {"role": "user", "content": script(reasoning="Hm.", text="One.")}
    first = ask(lab, who, [{"role": "system", "content": "Be brief."}, said])
    more = [{"role": "system", "content": "Be brief."}, said,
            *map(reference, first["output"]), {"role": "user", "content": script(text="Two.")}]
    second = ask(lab, who, more)
    assert text_of(second) == "Two."
    talk = conversation(lab, who, first)
    assert conversation(lab, who, second) == talk
    roles = [m["role"] for m in lab.get(
        f"/conversations/{talk}/messages", user=who).json["items"]]
    assert sorted(roles) == ["assistant", "assistant", "user", "user"]
    # Once more behind the first: a fork. The type may be missing.
    fork = ask(lab, who, [said, {"id": first["output"][-1]["id"]},
                          {"role": "user", "content": script(text="Three.")}])
    assert text_of(fork) == "Three." and conversation(lab, who, fork) != talk
    for user, items in ((who + "x", more), (who, [
            {"type": "item_reference", "id": "msg_" + "0" * 33}, said])):
        assert ask(lab, user, items, 404)["param"] == "input"
    for bad in ("msg_x", "", 7):
        assert ask(lab, who, [{"type": "item_reference", "id": bad}, said],
                   400)["param"] == "input"


def test_results_of_calls_behind_references(lab, who):
    said = {"role": "user", "content": script(tool_calls=[
        {"name": "read_file", "args": {"path": p}} for p in "ab"],
        then={"text": "Both."})}
    first = ask(lab, who, [said], tools=[TOOL])
    calls = [i for i in first["output"] if i["type"] == "function_call"]
    results = [{"type": "function_call_output", "call_id": c["call_id"], "output": "x"}
               for c in calls]
    items = [said, *map(reference, first["output"]), *results]
    mixed = [said, reference(calls[0]), results[0], reference(calls[1]), results[1]]
    last = ask(lab, who, mixed, tools=[TOOL])
    assert text_of(last) == "Both." and last["id"] == first["id"]
    after = ask(lab, who, [*items, *map(reference, last["output"]), {
        "role": "user", "content": script(text="On.")}], tools=[TOOL])
    assert text_of(after) == "On."
    assert conversation(lab, who, after) == conversation(lab, who, first)


def test_narration_and_tools_of_the_agent(lab, who):
    said = script(narration="Let me look.", tool_calls=[{"name": "none", "args": {}}],
                  then={"text": "It is so."})
    _, last = stream(lab, who, said)
    assert text_of(last) == "Let me look.\n\nIt is so."
    assert [i["type"] for i in last["output"]] == ["message"]


@pytest.mark.parametrize("streamed", [False, True])
@pytest.mark.parametrize("linked", [False, True])
def test_tools_of_the_client(lab, who, streamed, linked):
    said = script(narration="Let me look.", tool_calls=[
        {"name": "read_file", "args": {"path": "a"}}], then={"text": "It is a."})
    run = (lambda i, **kw: stream(lab, who, i, tools=[TOOL], **kw)[1]) if streamed else (
        lambda i, **kw: ask(lab, who, i, tools=[TOOL], **kw))
    first = run(said)
    (call,) = [i for i in first["output"] if i["type"] == "function_call"]
    assert (call["name"], json.loads(call["arguments"])) == ("read_file", {"path": "a"})
    assert call["status"] == "completed" and call["id"] != call["call_id"]
    result = {"type": "function_call_output", "call_id": call["call_id"], "output": "text"}
    if linked:
        second = run([result], previous_response_id=first["id"])
    else:
        second = run([{"role": "user", "content": said}, *first["output"], result])
    assert text_of(second) == "It is a."
    assert conversation(lab, who, second) == conversation(lab, who, first)


def test_a_chat_by_previous_response_id(lab, who):
    first = ask(lab, who, script(text="One."))
    second = ask(lab, who, script(text="Two."), previous_response_id=first["id"])
    assert second["previous_response_id"] == first["id"]
    assert conversation(lab, who, second) == conversation(lab, who, first)
    # Another one after the first is a branch.
    third = ask(lab, who, script(text="Three."), previous_response_id=first["id"])
    assert conversation(lab, who, third) != conversation(lab, who, first)
    page = lab.get(f"/conversations/{conversation(lab, who, third)}/messages",
                   user=who).json["items"]
    assert [m["content"] for m in page if m["role"] == "assistant"] == ["Three.", "One."]
    fourth = ask(lab, who, script(text="Four."), previous_response_id=second["id"])
    assert conversation(lab, who, fourth) == conversation(lab, who, first)


def test_a_chat_by_its_items(lab, who):
    """As clients do with store: false: all of it, with the items of the answers."""
    items, ids = [], set()
    for i in range(3):
        items.append({"type": "message", "role": "user", "content": [
            {"type": "input_text", "text": script(reasoning="Hm.", text=f"Number {i}.")}]})
        got = ask(lab, who, items, store=False, include=["reasoning.encrypted_content"])
        items += got["output"]
        ids.add(conversation(lab, who, got))
    assert len(ids) == 1


@pytest.mark.parametrize("previous", ["resp_x", "resp_" + "0" * 32, "other", "model"])
def test_a_response_that_is_not_there(lab, who, previous):
    first = ask(lab, who + "x" if previous == "other" else who, script(text="One."))
    id = first["id"] if previous in ("other", "model") else previous
    error = ask(lab, who, "x", 404, previous_response_id=id,
                model="lab/claude" if previous == "model" else "lab/helper")
    assert error["param"] == "previous_response_id"


def test_a_typed_response(lab, who):
    schema = {"type": "object", "properties": {"n": {"type": "integer"}},
              "required": ["n"], "additionalProperties": False}
    form = {"format": {"type": "json_schema", "name": "x", "schema": schema, "strict": True}}
    got = ask(lab, who, script(text='```json\n{"n": 4}\n```'), text=form)
    assert json.loads(text_of(got)) == {"n": 4} and got["text"] == form
    _, last = stream(lab, who, script(text='{"n": 5}'), text=form)
    assert json.loads(text_of(last)) == {"n": 5}


def test_files(lab, who):
    got = ask(lab, who, [{"role": "user", "content": [
        {"type": "input_text", "text": script(text="Seen.")},
        {"type": "input_file", "filename": "a.txt", "file_data": "data:text/plain;base64,"
         + base64.b64encode(b"Nine days").decode()},
        {"type": "input_image", "image_url": "data:text/plain,x"}]}])
    page = lab.get(f"/conversations/{conversation(lab, who, got)}/messages", user=who).json
    assert [a["name"] for a in page["items"][-1]["metadata"]["attachments"]] == [
        "a.txt", "text.plain"]


@pytest.mark.parametrize("change,param", [
    ({"input": []}, "input"), ({"input": None}, "input"), ({"input": 4}, "input"),
    ({"input": [{"type": "item_reference", "id": "x"}]}, "input"),
    ({"input": ["x"]}, "input"),
    ({"background": "yes"}, "background"), ({"conversation": "c"}, "conversation"),
    ({"prompt": {"id": "p"}}, "prompt"),
    ({"tools": [{"type": "file_search"}]}, "tools"), ({"tools": "x"}, "tools"),
    ({"tool_choice": {"type": "function", "name": "f"}}, "tool_choice"),
    ({"text": {"format": {"type": "grammar"}}}, "text.format"),
    ({"max_output_tokens": 0}, "max_output_tokens"),
    ({"input": [{"role": "user", "content": [{"type": "x"}]}]}, "input"),
    ({"reasoning": {"effort": "much"}}, "reasoning.effort"),
    ({"stream": "yes"}, "stream"),
])
def test_what_cannot_be_done_is_refused(lab, who, change, param):
    assert ask(lab, who, **{"said": "x", "status": 400, **{
        "said" if k == "input" else k: v for k, v in change.items()}})["param"] == param


def test_what_has_no_effect_is_named(lab, who):
    answer = lab.post(RESPONSES, {
        "model": "lab/helper", "input": script(text="x"), "service_tier": "flex",
        "metadata": {"a": "b"}, "store": True, "truncation": "auto",
        "prompt_cache_key": "k", "include": ["x"]}, user=who)
    assert set(answer.headers["X-Ignored-Parameters"].split(", ")) == {
        "service_tier", "metadata", "prompt_cache_key"}


def test_a_cut_answer_and_a_failure(lab, who):
    got = ask(lab, who, script(text="one two three", finish="length"))
    assert (got["status"], got["incomplete_details"]) == (
        "incomplete", {"reason": "max_output_tokens"})
    events = lab.stream(RESPONSES, {"model": "lab/helper", "stream": True, "input": script(
        text="one two three four five six", cut_after=3)}, user=who).events()
    assert events[-1].name == "response.failed"
    failed = events[-1].data["response"]
    assert failed["status"] == "failed" and failed["error"]["message"]


def test_messages_are_no_input(lab, who):
    error = ask(lab, who, script(text="x"), 400, messages=[{"role": "user", "content": "y"}])
    assert "has input" in error["message"]
    # An empty list asks for nothing.
    assert text_of(ask(lab, who, script(text="Fine."), messages=[])) == "Fine."


def again(lab, who, id, after=None):
    query = "?stream=true" + ("" if after is None else f"&starting_after={after}")
    events = Stream(*lab.open("GET", f"{RESPONSES}/{id}{query}", user=who)).events()
    return [(e.name, e.data) for e in events]


def known(events):
    """Without what only the request said."""
    return [(e[0], {k: v for k, v in e[1].items() if k != "response"}) for e in events]


SCHEMA = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"],
          "additionalProperties": False}


@pytest.mark.parametrize("said,more", [
    (script(reasoning="Let me think.", text="One two three four five."), {}),
    (script(narration="Let me look.", tool_calls=[{"name": "query_data", "args": {}}],
            then={"text": "None of it."}), {}),
    (script(text='{"n": 1}'), {"text": {"format": {
        "type": "json_schema", "name": "x", "schema": SCHEMA, "strict": True}}}),
    (script(tool_calls=[{"name": "read_file", "args": {"path": "a"}}]), {"tools": [TOOL]}),
    (script(error={"status": 401, "body": "nope"}), {})],
    ids=["text", "tools", "typed", "calls", "failed"])
def test_a_response_is_streamed_again(lab, who, said, more):
    """With the same events and numbers, from any of them on; the last one always comes."""
    first = [(e.name, e.data) for e in lab.stream(
        RESPONSES, {"model": "lab/helper", "input": said, "stream": True, **more},
        user=who).events()]
    last = first[-1][1]["response"]
    got = again(lab, who, last["id"])
    assert known(got) == known(first)
    assert got[-1][1]["response"]["output"] == last["output"]
    for after in range(len(first) - 1):
        assert known(again(lab, who, last["id"], after)) == known(first[after + 1:])
    beyond = again(lab, who, last["id"], len(first) + 5)
    assert [e[0] for e in beyond] == [first[-1][0]]
    assert beyond[0][1]["sequence_number"] == len(first) + 6


def test_results_begin_a_response_of_their_own(lab, who):
    """Which has the id of the one with the calls, since they are one turn."""
    said = script(tool_calls=[{"name": "read_file", "args": {"path": "a"}}],
                  then={"text": "Read it."})
    _, calls = stream(lab, who, said, tools=[TOOL])
    call = calls["output"][-1]
    events, last = stream(lab, who, [
        {"role": "user", "content": said}, call,
        {"type": "function_call_output", "call_id": call["call_id"], "output": "text"}],
        tools=[TOOL])
    assert text_of(last) == "Read it."
    assert known(again(lab, who, last["id"])) == known([(e.name, e.data) for e in events])


def test_a_response_in_the_background(lab, who):
    got = ask(lab, who, script(tokens=40, rate=40), background=True)
    assert got["status"] == "in_progress" and got["output"] == [] and got["background"]
    check("/openai/v1/responses", "POST", lab.post(RESPONSES, {
        "model": "lab/helper", "input": script(text="x"), "background": True}, user=who))
    events = again(lab, who, got["id"])     # follows it to its end
    assert events[-1][0] == "response.completed"
    assert [e[1]["sequence_number"] for e in events] == list(range(len(events)))
    done = lab.get(f"{RESPONSES}/{got['id']}", user=who).json
    assert done["status"] == "completed" and text_of(done)
    assert text_of(events[-1][1]["response"]) == text_of(done)
    # The next request knows the thread, by its id and by its text.
    for more in ({"input": script(text="Next."), "previous_response_id": got["id"]},
                 {"input": [{"role": "user", "content": script(tokens=40, rate=40)},
                            {"role": "assistant", "content": text_of(done)},
                            {"role": "user", "content": script(text="Next.")}]}):
        next = ask(lab, who, more.pop("input"), **more)
        assert text_of(next) == "Next."


def test_a_stream_in_the_background_outlives_its_client(lab, who):
    """Without it the answer of a client that leaves is stopped; with it, it is resumed."""
    s = lab.stream(RESPONSES, {"model": "lab/helper", "input": script(tokens=60, rate=40),
                               "stream": True, "background": True}, user=who)
    seen = list(itertools.islice(s, 6))
    id = seen[0].data["response"]["id"]
    s.close()
    rest = again(lab, who, id, seen[-1].data["sequence_number"])
    assert rest[-1][0] == "response.completed"
    assert [e[1]["sequence_number"] for e in rest] == list(range(6, 6 + len(rest)))
    deltas = "".join(d["delta"] for n, d in [(e.name, e.data) for e in seen] + rest
                     if n == "response.output_text.delta")
    assert deltas == text_of(rest[-1][1]["response"]) and deltas


def test_a_background_response_is_stopped(lab, who):
    got = ask(lab, who, script(tokens=100000, rate=50), background=True)
    stopped = lab.post(f"{RESPONSES}/{got['id']}/cancel", {}, user=who)
    assert stopped.status == 200
    wait_until("the end", lambda: lab.get(f"{RESPONSES}/{got['id']}", user=who).json["status"]
               != "in_progress")


def test_history_of_another_model(lab, who):
    """openai/codex issue 24612, CommandCode 893, llama.cpp 23465: when the user changed the
    model, what the other one did made each request 400."""
    lab.sent()
    call = {"call_id": "c1", "name": "apply_patch", "input": "*** Begin"}
    answer = lab.post(RESPONSES, {"model": "lab/helper", "input": [
        {"role": "user", "content": "x"},
        {"type": "web_search_call", "id": "ws_1", "status": "completed",
         "action": {"type": "search", "query": "q"}},
        {"type": "tool_search_call", "call_id": "t", "execution": "client", "arguments": {}},
        {"type": "tool_search_output", "call_id": "t", "tools": []},
        {"type": "compaction", "encrypted_content": "y"},
        {"type": "custom_tool_call", **call},
        {"type": "custom_tool_call_output", "call_id": "c1", "output": [
            {"type": "input_text", "text": "patched"}]},
        {"type": "shell_call", "call_id": "c2", "action": {"commands": ["ls"]}},
        {"type": "shell_call_output", "call_id": "c2", "output": [{"stdout": "a.txt"}]},
        {"type": "function_call", "call_id": "c3", "name": "f", "arguments": {"n": 1}},
        {"type": "function_call_output", "call_id": "c3", "output": [
            {"type": "input_text", "text": "three"},
            {"type": "input_image", "image_url": "data:image/png;base64,AA=="}]},
        {"role": "user", "content": script(text="Yes.")}]}, user=who)
    assert answer.status == 200 and text_of(answer.json) == "Yes.", answer
    assert set(answer.headers["X-Ignored-Parameters"].split(", ")) == {
        "web_search_call", "tool_search_call", "tool_search_output", "compaction"}
    sent = lab.sent()[0]["messages"]
    calls = [c["function"] for m in sent for c in m.get("tool_calls", [])]
    assert [(c["name"], json.loads(c["arguments"])) for c in calls] == [
        ("apply_patch", {"input": "*** Begin"}), ("shell", {"action": {"commands": ["ls"]}}),
        ("f", {"n": 1})]
    results = [m["content"] for m in sent if m["role"] == "tool"]
    for text, result in zip(("patched", "a.txt", "three"), results, strict=True):
        assert text in result
    # Without its id there is no pair.
    assert ask(lab, who, [{"type": "custom_tool_call", "name": "x"},
                          {"role": "user", "content": "x"}], status=400)["param"] == "input"
