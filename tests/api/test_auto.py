# SPDX-License-Identifier: MIT
"""llm_service auto: rules decide who answers (A28-A30, A65)."""

import contextlib
import json

import pytest

from lab import Lab, wait_until

pytestmark = pytest.mark.long

# Each says who it is, whatever it is asked.
SERVICES = {"small": {}, "big": {}, "tooled": {}, "staff": {}, "titles": {},
            "narrow": {"context_tokens": 6000, "max_output_tokens": 1000},
            "wide": {"context_tokens": 100000}}
RULES = [{"service": "keyless"},     # skipped: it cannot be used
         {"service": "staff", "groups": ["staff"], "tasks": ["chat", "agent"]},
         {"service": "titles", "tasks": ["title", "complete"]},
         {"service": "big", "min_tokens": 3000},
         {"service": "tooled", "needs": ["tools"], "groups": ["makers"]},
         {"service": "small"}]


TOOLS = {"peer": {
    "kind": "agent", "description": "Does it.", "parameters": {"type": "object"},
    "agent": {"llm_service": "big", "prompt": "Do it."}},
    "note": {
    "kind": "command", "description": "Notes.", "confirm": "always",
    "effect": "write", "command": {"run": ["/bin/echo", "noted"]}}}


def services(**more):
    return {**{name: {"model": name, **own, **more}
               for name, own in SERVICES.items()},
            "keyless": {"like": "claude", "model": "none", "api_key": ""}}


@pytest.fixture(scope="module")
def lab():
    agents = [{"id": "free", "tools": ["none"]}, {"id": "named", "llm_service": "big"},
              {"id": "tools", "tools": ["ask_user"]}, {"id": "asks", "tools": ["peer"]},
              {"id": "careful", "tools": ["note"]}]
    base = {"title_by_model": False, "agents": agents}
    with Lab(services={**services(), "plain": {"model": "plain",
                                               "capabilities": ["chat"]}},
             config={"chat": {"llm_service": "auto", "auto": RULES}, "tools": TOOLS},
             workspaces={
                 "lab": {"workspace": "lab", **base},
                 "titled": {"workspace": "titled", "agents": agents},
                 "brief": {"workspace": "brief", "history_messages": 2, **base},
                 "mixed": {"workspace": "mixed", **base, "auto": [
                     {"service": "tooled", "needs": ["tools"], "min_tokens": 3000},
                     {"service": "plain"}]},
                 "sized": {"workspace": "sized", **base, "auto": [
                     {"service": "wide", "min_tokens": 5500},
                     {"service": "narrow"}]},
                 "makers": {"workspace": "makers", **base, "auto": [
                     {"service": "tooled", "groups": ["makers"]},
                     {"service": "plain"}]},
                 "own": {"workspace": "own", **base, "auto": [
                     {"service": "staff", "groups": ["nobody"]},
                     {"service": "big"}]}}) as made:
        yield made


def say(lab, text="Hello", agent="free", workspace="lab", groups=()):
    stream = lab.stream(f"/chat/{workspace}/stream", {
        "content": text, "agentId": agent}, user="ada", groups=list(groups))
    events = stream.events()
    stream.close()
    assert events[-1].name == "done", events[-1].data
    return events


def say_on(lab, events, text, agent="free", workspace="lab"):
    """The same in the conversation of those events."""
    with contextlib.closing(lab.stream(
            f"/workspaces/{workspace}/agents/{agent}/conversations/"
            f"{events[0].data['conversationId']}/messages/stream",
            {"content": text}, user="ada")) as stream:
        return stream.events()


def chosen(events):
    said = [e.data for e in events if e.name == "service"]
    assert len(said) <= 1
    return (said[0]["llmServiceId"], said[0]["reason"]) if said else None


def asked_for(lab, events):
    """The model of the turn's usage record: who was really asked."""
    return lab.sql("SELECT model FROM usage_record WHERE kind = 1 AND turn_id = "
                   f"UNHEX(REPLACE('{events[0].data['turnId']}', '-', ''))")[0][0]


@pytest.mark.parametrize("kw,service,reason", [
    ({}, "small", "default"),
    ({"text": "long " * 4000}, "big", "min_tokens"),
    ({"groups": ["staff"]}, "staff", "groups, tasks"),
    ({"agent": "tools", "groups": ["makers"]}, "tooled", "needs, groups"),
    ({"agent": "free", "groups": ["makers"]}, "small", "default"),
    ({"agent": "tools"}, "small", "default"),
    ({"workspace": "own"}, "big", "default"),
])
def test_the_first_rule_that_holds(lab, kw, service, reason):
    events = say(lab, **kw)
    assert chosen(events) == (service, reason)
    assert asked_for(lab, events) == service


def test_one_that_is_named_is_not_chosen(lab):
    events = say(lab, agent="named", groups=["staff"])
    assert chosen(events) is None and asked_for(lab, events) == "big"


def test_the_thread_counts(lab):
    """What is sent counts, not the last message alone."""
    events = say(lab, "long " * 4000)
    assert chosen(say_on(lab, events, "and?")) == ("big", "min_tokens")


def test_tools_count_though_the_first_choice_has_none(lab):
    """The first choice, by the message alone, is a service without tools."""
    events = say(lab, "long " * 4000, "tools", "mixed")
    assert chosen(events) == ("tooled", "needs, min_tokens")
    assert chosen(say(lab, "Hello", "tools", "mixed")) == ("plain", "default")
    assert chosen(say_on(lab, events, "and?", "tools", "mixed")) == (
        "tooled", "needs, min_tokens")


def test_what_the_thread_may_not_have_does_not_count(lab):
    """History that is left out for another reason than the window is not sent."""
    events = say(lab, workspace="brief")
    for _ in range(2):
        assert chosen(say_on(lab, events, "and?", workspace="brief")) == (
            "small", "default")


def test_a_wider_window_has_the_thread_that_fits_it(lab):
    """The first choice, by the message alone, had room for a part of it."""
    events = say(lab, "first " * 2500, workspace="sized")
    for text in ("second " * 2500, "and?"):
        lab.sent()
        assert chosen(say_on(lab, events, text, workspace="sized")) == (
            "wide", "min_tokens")
    [asked] = lab.sent()
    said = [m["content"] for m in asked["messages"] if m["role"] == "user"]
    assert [s.split()[0] for s in said] == ["first", "second", "and?"]


def test_a_call_that_was_approved_has_a_service_with_tools(lab):
    """Though the rules would choose another one for whoever decides."""
    script = {"tool_calls": [{"name": "note", "args": {}}], "then": {"text": "ok"}}
    stream = lab.stream("/chat/makers/stream", {
        "content": "!script " + json.dumps(script), "agentId": "careful"},
        user="ada", groups=["makers"])
    events = stream.events()
    assert chosen(events) == ("tooled", "groups")
    [request] = [e.data for e in events if e.name == "approval-request"]
    stream = lab.stream(f"/turns/{request['turnId']}/approvals", {
        "approvalId": request["approvalId"], "decision": "approve"}, user="ada")
    events = stream.events()
    assert chosen(events) == ("tooled", "groups")
    assert events[-1].data["content"] == "ok"


def test_an_agent_that_names_its_service(lab):
    """The rules of the turn that calls it do not hold for it."""
    script = {"tool_calls": [{"name": "peer", "args": {}}], "then": {"text": "ok"}}
    events = say(lab, "!script " + json.dumps(script), agent="asks")
    assert chosen(events) == ("small", "default")
    turn = events[0].data["turnId"].replace("-", "")
    assert lab.sql("SELECT model FROM usage_record WHERE kind = 4 AND turn_id = "
                   f"UNHEX('{turn}')") == [["big"]]


def test_records_show_the_default(lab):
    agent = lab.get("/workspaces/lab/agents/free", user="ada").json
    assert agent["llmServiceId"] is None
    assert agent["resolvedLlmServiceId"] == "small" and agent["model"] == "small"
    assert lab.get("/workspaces/lab", user="ada").json["chatEnabled"]


def test_titles_and_completions(lab):
    answer = lab.post("/chat/lab/complete", {"input": "x"}, user="ada")
    assert answer.status == 200
    used = "SELECT service_id, model FROM usage_record WHERE kind = "
    assert lab.sql(used + "2") == [["titles", "titles"]]
    say(lab, workspace="titled")
    wait_until("the title", lambda: lab.sql(used + "3") == [["titles", "titles"]])


def test_the_preview_tells_who(lab):
    shown = lab.command("preview", "--user", "ada", "--workspace", "lab", "--agent",
                        "free", "long " * 4000).stdout
    assert '"model": "big"' in shown or '"model":"big"' in shown


@pytest.mark.parametrize("rules,says", [
    ([], "llm_service auto needs rules"),
    ([{"service": "small", "groups": ["x"]}], "the last rule of auto must have no"),
    ([{"service": "smal"}], 'did you mean "small"?'),
    ([{"service": "small", "from": "22:00"}, {"service": "small"}],
     "from and until must be set together"),
    ([{"service": "small", "from": "24:00", "until": "06:00"}, {"service": "small"}],
     "must be a time of the day"),
    ([{"service": "small", "needs": ["sight"]}, {"service": "small"}], "tools"),
    ([{"service": "small", "from": "09:00", "until": "09:00"}, {"service": "small"}],
     "are the same time"),
])
def test_wrong_rules(make_lab, rules, says):
    lab = make_lab(services=services())
    lab.write_config({"chat": {"llm_service": "auto", **({"auto": rules} if rules
                                                         else {})}})
    answer = lab.command("check", check=False)
    assert answer.returncode == 1 and says in answer.stdout + answer.stderr


def test_the_name_is_taken(make_lab):
    lab = make_lab()
    config = lab.default_config()["llm_services"]
    lab.write_config({"llm_services": {**config, "auto": config["demo"]}})
    answer = lab.command("check", check=False)
    assert answer.returncode == 1 and "the name auto is reserved for" in (
        answer.stdout + answer.stderr)


def test_the_preview_names_the_rule(lab):
    """Who would answer and why, for this caller and this message."""
    def asked(content="x", **body):
        by = {"user": "ada", "groups": body.pop("groups", [])}
        seen = lab.post("/workspaces/lab/preview", {"content": content, **body}, **by).json
        return seen["serviceId"], seen["rule"]
    assert asked() == ("small", "default")
    assert asked(groups=["staff"]) == ("staff", "groups, tasks")
    assert asked("word " * 4000) == ("big", "min_tokens")
    assert asked(agentId="named") == ("big", None)
