# SPDX-License-Identifier: MIT
"""Kind agent: a model as a tool, once or in a loop of its own (A17 to A22)."""

import pytest

from lab import Lab, scripted
from steps import stopped

pytestmark = pytest.mark.threads

TASK = {"type": "object", "properties": {"task": {"type": "string"}},
        "required": ["task"]}


def service(script, **more):
    return {"model": scripted(script), **more}


def rows(n):
    return {"name": "query_data", "args": {"dataset": "mine",
                                           "limit": n}}


SERVICES = {
    "says": service({"text": "Guten Tag"}),
    "looks": service({"tool_calls": [rows(1)], "then": {"text": "Found."}}),
    "deep": service({"tool_calls": [{"name": "inner", "args": {"task": "x"}}],
                     "then": {"text": "Outer."}}),
    "greedy": service({"tool_calls": [rows(1), rows(2)],
                       "then": {"text": "Enough."}}),
    "fails": service({"error": {"status": 401, "body": "no"}}),
    "silent": service({"empty": True}),
    "stalls": service({"tokens": 500, "rate": 20}),
    "hands_on": service({"error": {"status": 503, "body": "no"}}, retries=0,
                        fallbacks=["stalls"]),
    "sees": service({"text": "It says EXIT."},
                    capabilities=["chat", "vision"]),
}


def agent(llm=None, **more):
    inner = {"prompt": "Do the task."}
    if llm:
        inner["llm_service"] = llm
    common = {k: more.pop(k) for k in ("untrusted", "timeout_ms", "groups")
              if k in more}
    return {"kind": "agent", "description": "Does it.", "parameters": TASK,
            "agent": {**inner, **more}, **common}


TOOLS = {
    "translate": agent("says", untrusted=False),
    "research": agent("looks", tools=["query_data"], untrusted=False),
    "inner": agent("looks", tools=["query_data"]),
    "outer": agent("deep", tools=["inner"]),
    "capped": agent("greedy", tools=["query_data"], max_calls=1),
    "poor": agent("looks", tools=["query_data"], max_tokens=1000),
    "broken": agent("fails"),
    "mute": agent("silent"),
    "slow": agent("stalls"),
    "late": agent("stalls", timeout_ms=500),
    "late_too": agent("hands_on", timeout_ms=500),
    "bare": agent("looks"),
    "eyes": agent(capability=["vision"]),
    "ears": agent(capability=["embed"]),
    "staff_only": agent("says", groups=["staff"]),
}


@pytest.fixture(scope="module")
def peers():
    from conftest import TICKETS, WORKSPACES

    with Lab(config={"tools": TOOLS}, workspaces=WORKSPACES,
             services=SERVICES) as lab:
        lab.sql(TICKETS)
        yield lab


def ask(lab, name, **kw):
    events = lab.chat({"tool_calls": [{"name": name, "args": {"task": "go"}}],
                       "then": {"text": "ok"}}, **kw)
    assert events[-1].name == "done"
    return (next(e.data for e in events if e.name == "tool-result"),
            [(e.data["toolName"], e.data["status"]) for e in events
             if e.name == "tool-progress"], events)


def test_one_call_of_a_model(peers):
    """A19: looks like any other tool; its usage is a record of its own."""
    result, operations, events = ask(peers, "translate")
    assert result["result"] == "Guten Tag" and result["isError"] is False
    assert operations == []
    turn = events[-1].data["turnId"].replace("-", "")
    assert peers.sql("SELECT kind, agent_id, iterations FROM usage_record WHERE"
                     f" turn_id = UNHEX('{turn}') ORDER BY kind") == [
        ["1", "helper", "2"], ["4", "translate", "1"]]


@pytest.mark.parametrize("user", ["ada", "bob"])
def test_a_loop_with_tools_of_the_caller(peers, user):
    """A20, A24: it reads what the caller may, and shows what it does."""
    result, operations, events = ask(peers, "research", user=user)
    assert result["result"] == "Found."
    assert operations == [("query_data", "start"), ("query_data", "success")]
    # Nothing of it is in the thread but the call and its result.
    page = peers.get(f"/conversations/{events[-1].data['conversationId']}"
                     "/messages?include=steps", user=user).json["items"]
    assert [m["role"] for m in page] == ["assistant", "tool", "assistant", "user"]


def test_agents_within_agents_end_at_two(peers):
    result, operations, _ = ask(peers, "outer")
    assert result["result"] == "Outer."
    assert operations == [("inner", "start"), ("query_data", "start"),
                          ("query_data", "success"), ("inner", "success")]


def test_the_budget_of_calls(peers):
    result, operations, _ = ask(peers, "capped")
    assert result["result"].startswith("Enough.")
    assert "end of its budget" in result["result"]
    assert sorted(operations) == [
        ("query_data", "error"), ("query_data", "start"),
        ("query_data", "start"), ("query_data", "success")]


def test_the_budget_of_tokens(peers):
    """At 1000 tokens the first step is the last but the answer."""
    result, _, _ = ask(peers, "poor")
    assert result["result"].startswith("Found.")


def test_without_tools_it_has_none(peers):
    result, operations, _ = ask(peers, "bare")
    assert result["isError"] is False
    assert ("query_data", "success") not in operations


@pytest.mark.parametrize("name,says", [
    ("broken", "rejected the credential"), ("mute", "failed"),
    ("late", "did not answer in time"),
    ("late_too", "did not answer in time")])
def test_failures_are_results(peers, name, says):
    result, _, _ = ask(peers, name)
    assert result["isError"] is True
    assert says in result["result"]["error"]["message"]


def test_a_model_is_found_by_what_it_can(peers):
    """A21: vision is a tool; where no model sees, there is no such tool (A69)."""
    assert ask(peers, "eyes")[0]["result"] == "It says EXIT."
    assert ask(peers, "ears")[0]["result"]["error"]["code"] == "tool_unknown"


def test_groups(peers):
    assert ask(peers, "staff_only")[0]["result"]["error"]["code"] == "tool_unknown"


@pytest.mark.parametrize("name,marked", [
    ("translate", False), ("research", True), ("inner", True)])
def test_what_read_foreign_text_is_foreign(peers, name, marked):
    """A10: untrusted when its inputs were, even where YAML trusts it."""
    events = peers.chat({"tool_calls": [{"name": name, "args": {"task": "go"}}]})
    assert ("UNTRUSTED-DATA" in events[-1].data["content"]) is marked


def test_foreign_text_that_goes_in_comes_out_marked(peers):
    script = {"tool_calls": [{"name": "query_data", "args": {
        "dataset": "tickets", "limit": 1}}], "then": {
            "tool_calls": [{"name": "translate", "args": {"task": "go"}}]}}
    events = peers.chat(script)
    said = events[-1].data["content"]
    assert 'source="translate"' in said


def test_a_stop_reaches_it(peers):
    stopped(peers, "slow", {"task": "go"})


def steps_of(lab, events):
    conversation = events[-1].data["conversationId"]
    rows = lab.get(f"/conversations/{conversation}/messages?include=steps",
                   user="ada").json["items"]
    return [row["metadata"].get("steps") for row in rows if row["role"] == "tool"]


def test_what_it_did_stays_in_the_thread(peers):
    _, live, events = ask(peers, "outer")
    assert [name for name, status in live if status == "start"] == ["inner", "query_data"]
    assert steps_of(peers, events) == [[
        {"toolName": "inner", "text": "", "isError": False},
        {"toolName": "query_data", "text": "", "isError": False}]]
    # Two calls of one tool, at the same time: two lines; the second is refused.
    _, _, events = ask(peers, "capped")
    assert [(s["toolName"], s["isError"]) for s in steps_of(peers, events)[0]] in (
        [("query_data", False), ("query_data", True)],
        [("query_data", True), ("query_data", False)])
    # Nothing where there was nothing to tell.
    assert steps_of(peers, ask(peers, "translate")[2]) == [None]


def test_operations_can_be_read_later(peers):
    _, live, events = ask(peers, "research")
    turn = events[-1].data["turnId"]
    replay = peers.get(f"/turns/{turn}/events?after=0&wait=1", user="ada").json
    assert [(e["data"]["toolName"], e["data"]["status"])
            for e in replay["items"] if e["event"] == "tool-progress"] == live


# -- by hand ------------------------------------------------------------------------

def by_hand(lab, name, *argv, **kw):
    return lab.command("tools", "call", name, "--user", "ada", "--workspace",
                       "lab", "--args", '{"task": "go"}', *argv, **kw)


def test_agents_are_called_by_hand(peers):
    """`lamplighter tools call` runs any tool; what agents do is shown."""
    assert by_hand(peers, "translate").stdout == "Guten Tag\n"
    done = by_hand(peers, "outer")
    assert done.stdout == "Outer.\n"
    assert [line for line in done.stderr.splitlines() if ": " in line] == [
        "inner: started", "query_data: started", "query_data: done", "inner: done"]
    failed = by_hand(peers, "broken", check=False)
    assert failed.returncode == 1 and "tool_failed" in failed.stdout
    # Each cost something, and there is no turn that it could belong to.
    rows = peers.sql("SELECT agent_id, COUNT(*) FROM usage_record WHERE turn_id IS NULL"
                     " AND conversation_id IS NULL GROUP BY agent_id")
    assert ["outer", "1"] in rows and ["inner", "1"] in rows
    assert not [row for row in rows if row[0] not in ("outer", "inner", "translate",
                                                      "broken")]


def test_a_dry_run_of_an_agent(peers):
    before = peers.sql("SELECT COUNT(*) FROM usage_record")
    shown = by_hand(peers, "research", "--dry-run").stdout
    assert shown == ("llm_service: looks\ntools: query_data\n"
                     "prompt: Do the task.\ninput: {\"task\":\"go\"}\n")
    assert "llm_service: sees\ntools: none, a single call" in by_hand(
        peers, "eyes", "--dry-run").stdout
    assert peers.sql("SELECT COUNT(*) FROM usage_record") == before
