# SPDX-License-Identifier: MIT
"""Schemas, patterns and JSON of people who mean harm: nothing of it ends the
process, or holds a worker for long."""

import json
import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "peers"))

from hostile_mcp import HostileMcp  # noqa: E402

# What the pattern did: overflowed the stack in regcomp, took a gigabyte, ran
# for minutes, or uses what only PCRE2 has.
REFUSED = {
    "unrolled": "(a?){10000}",
    "nested repetition": "((((a{1,100}){1,100}){1,100}){1,100}){1,100}",
    "deep": "(" * 120 + "a" + ")" * 120,
    "long": "a" * 5000,
    "recursion": "(a(?1)?b)",
    "callout": "(?C1)a",
    "verb": "(*NO_JIT)a",
}
# They compile; matching them tries without end.
ENDLESS = ["^(a+)+$", "(a|a)*[bc]", "(a*)*(a*)*[bc]", "a*a*a*a*a*[bc]",
           "(" * 20 + "a" + ")+" * 20 + "[bc]"]
DEEP = "[" * 2000 + "]" * 2000


def nested(n):
    """n anyOf around a $ref to all of it."""
    schema = {"$ref": "#"}
    for _ in range(n):
        schema = {"anyOf": [schema]}
    return schema


@pytest.fixture(scope="module", params=[256, 128])
def lab(request):
    from lab import Lab
    with Lab(workspaces={"lab": {"workspace": "lab", "client_tools": "allow",
                                 "title_by_model": False}},
             config={"threads": {"stack_kb": request.param}}) as lab:
        yield lab


@pytest.fixture(autouse=True)
def alive(lab):
    yield
    assert lab.processes["responder"].poll() is None, lab.log("responder")


def complete(lab, schema, text):
    return lab.post("/chat/lab/complete", {
        "input": "!script " + json.dumps({"text": json.dumps(text)}),
        "schema": schema}, user="ada")


@pytest.mark.parametrize("what", REFUSED)
def test_complete_refuses_a_pattern_beyond_bounds(lab, what):
    answer = complete(lab, {"type": "string", "pattern": REFUSED[what]}, "aaa")
    assert (answer.status, answer.json["field"]) == (422, "schema"), answer


@pytest.mark.parametrize("pattern", ENDLESS)
def test_complete_ends_a_match(lab, pattern):
    answer = complete(lab, {"type": "string", "pattern": pattern},
                      "a" * 5000 + "!")
    assert (answer.status, answer.json["code"]) == (502, "upstream_protocol")


@pytest.mark.parametrize("schema", [
    nested(28), {"not": {"$ref": "#"}}, {"allOf": [{"$ref": "#"}] * 2},
    {"additionalProperties": {"$ref": "#"}, "oneOf": [{"$ref": "#"}, {}]}])
def test_complete_ends_a_schema_without_end(lab, schema):
    answer = complete(lab, schema, {"a": {"b": {}}})
    assert (answer.status, answer.json["code"]) == (502, "upstream_protocol")


def test_what_is_good_is_still_checked(lab):
    schema = {"type": "object", "properties": {"n": {"pattern": "^\\d+(?=x)"}}}
    assert complete(lab, schema, {"n": "12x"}).status == 200
    assert complete(lab, schema, {"n": "x"}).status == 502


def page_tool(**parameters):
    return {"name": "pick", "description": "Picks.",
            "parameters": {"type": "object", **parameters}}


def test_a_page_cannot_bring_such_a_pattern(lab):
    for pattern in REFUSED.values():
        answer = lab.post("/chat/lab/stream", {
            "content": "hi", "client": {"mode": "page", "tools": [
                page_tool(properties={"a": {"pattern": pattern}})]}}, user="ada")
        assert (answer.status, answer.json["field"]) == (422, "client"), answer


@pytest.mark.parametrize("parameters", [
    {"properties": {"a": {"pattern": ENDLESS[0]}}},
    {"properties": {"a": {"pattern": ENDLESS[4]}}}, nested(28)])
def test_a_call_of_such_a_tool_of_a_page_fails(lab, parameters):
    events = lab.chat({"tool_calls": [{"name": "pick", "args": {
        "a": "a" * 5000 + "!"}}], "then": {"text": "ok"}},
        client={"mode": "page", "tools": [page_tool(**parameters)]})
    [result] = [e.data for e in events if e.name == "tool-result"]
    assert result["isError"] is True and "too complex" in json.dumps(result)
    assert events[-1].name == "done"


def test_deep_json_in_an_ag_ui_tool_message_is_a_text(lab):
    def run(thread, *messages):
        return [e.data for e in lab.stream("/ag-ui/lab", {
            "threadId": thread, "runId": "r", "messages": messages,
            "tools": [page_tool()]}, user="ada").events()]
    thread = f"deep-{lab.port}"
    told = run(thread, {"id": "1", "role": "user", "content": "!script " +
                        json.dumps({"tool_calls": [{"name": "pick", "args": {}}],
                                    "then": {"text": "seen"}})})
    [call] = told[-1]["outcome"]["pendingToolCallIds"]
    more = run(thread, {"id": "2", "role": "tool", "toolCallId": call,
                        "content": DEEP})
    assert more[-1]["type"] == "RUN_FINISHED"
    assert more[-1]["result"]["finishReason"] == "stop"


@pytest.fixture
def hostile():
    server = HostileMcp()
    yield server
    server.http.shutdown()
    server.http.server_close()


def mcp(make_lab, hostile):
    return make_lab(config={"threads": {"stack_kb": 128}, "mcp_servers": {"bad": {
        "url": hostile.url, "allow_private": ["127.0.0.1"],
        "pin": "first-use", "effect": "read"}}})


def call_of(lab, args):
    events = lab.chat({"tool_calls": [{"name": "bad_look", "args": args}],
                       "then": {"text": "ok"}})
    assert events[-1].name == "done", events
    return next(e.data for e in events if e.name == "tool-result")


def test_patterns_of_an_mcp_server_are_left_out(make_lab, hostile):
    hostile.tools[0]["inputSchema"] = {"type": "object", "properties": {
        f"p{i}": {"pattern": p} for i, p in enumerate(REFUSED.values())}}
    lab = mcp(make_lab, hostile)
    assert call_of(lab, {"p0": "x", "p1": "x"})["result"] == "found"
    assert "not checked" in lab.log("responder")


@pytest.mark.parametrize("schema", [
    {"type": "object", "properties": {"a": {"pattern": p}}} for p in ENDLESS] + [
    {"type": "object", "allOf": [nested(10)]}])
def test_endless_schemas_of_an_mcp_server(make_lab, hostile, schema):
    """Its tool cannot be called, which harms nobody else."""
    hostile.tools[0]["inputSchema"] = schema
    lab = mcp(make_lab, hostile)
    result = call_of(lab, {"a": "a" * 5000 + "!"})
    assert result["isError"] is True
    assert "too complex" in json.dumps(result)


def test_one_deep_definition_leaves_the_other_tools(make_lab, hostile):
    """The database's parser stops at 32 levels, and none was listed then."""
    hostile.tools.append({"name": "deep", "description": "x", "inputSchema": {
        "type": "object", "allOf": [nested(20)]}})
    lab = mcp(make_lab, hostile)
    assert call_of(lab, {})["result"] == "found"
    assert "30 levels" in lab.command("mcp", "list").stdout


def test_deep_results_of_an_mcp_server(make_lab, hostile):
    """As a text, which every follower of the stored message reads again."""
    hostile.result = {"content": [{"type": "text", "text": DEEP}]}
    lab = mcp(make_lab, hostile)
    assert call_of(lab, {})["result"] == DEEP
