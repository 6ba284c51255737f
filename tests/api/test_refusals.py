# SPDX-License-Identifier: MIT
"""Servers that refuse what others accept: a conversation is never dead for good."""

import datetime
import json
import zoneinfo

import pytest
import yaml

from any_provider import Scripted, refusal
from lab import ROOT, wait_until
from labs import TICKETS, Lab

pytestmark = pytest.mark.threads

# As many datasets, with as many words, as a real workspace has.
WORKSPACE = {"workspace": "lab", "name": "Lab", "title_by_model": False, "datasets": {
    name: {"database": "lab", "table": "ticket", "description": "Help desk tickets " + "x" * 150}
    for name in ("tickets", "printers", "scanners", "servers", "phones")}}
OVERFLOWS = {
    "sglang": "The input ({size} tokens) is longer than the model's context length ({limit} tokens).",
    "chinese": "输入长度 {size} 超过上限 {limit}",
    "silent": "Bad request.",
}


def alternates(body):
    """Gemma's and Mistral's templates, at vLLM, llama.cpp and LM Studio."""
    roles = [m["role"] for m in body["messages"] if m["role"] not in ("system", "developer")]
    if roles != (["user", "assistant"] * len(roles))[:len(roles)] or roles[-1] != "user":
        return refusal("Conversation roles must alternate user/assistant/user/assistant/...")
    return None


def asked(body):
    """The user's last words."""
    return [m["content"] for m in body["messages"] if m["role"] == "user"][-1]


def strict(body):
    words = asked(body)
    if words.endswith("fail"):
        return 500, {"error": {"message": "out of order"}}
    return alternates(body) or "Strict template is happy."


def mistral(body):
    """Refuses a user behind a tool's result, and fails after it."""
    roles = [m["role"] for m in body["messages"]]
    if any(pair == ("tool", "user") for pair in zip(roles, roles[1:])):
        return refusal("Unexpected role 'user' after role 'tool'")
    if roles[-1] == "tool" and "look" in asked(body):
        return 500, {"error": {"message": "out of order"}}
    if asked(body).startswith("look"):
        return [{"tool_calls": [{"index": 0, "id": "call_1", "type": "function", "function": {
            "name": "list_datasets", "arguments": "{}"}}]}]
    return "Found."


def overflows(message):
    def script(body):
        # As most templates count: a token has three to four characters.
        size, limit = len(json.dumps(body)) // 4, 6000
        if size > limit:
            return 400, {"object": "error", "message": message.format(size=size, limit=limit),
                         "type": "BadRequestError", "param": None, "code": 400}
        return "It fits."
    return script


def poisoned(body):
    """Azure's filter: it reads the whole conversation each time."""
    if "forbidden" in json.dumps(body["messages"]):
        return refusal("The response was filtered due to the prompt triggering Azure OpenAI's "
                       "content management policy.", code="content_filter")
    return "Fine."


def one_of_two(body):
    if "temperature" in body and "top_p" in body:
        return 400, {"type": "error", "error": {"type": "invalid_request_error", "message":
                     "`temperature` and `top_p` cannot both be specified for this model. "
                     "Please use only one."}}
    return f"temperature {body.get('temperature')}, top_p {body.get('top_p')}"


def limits(body):
    tools = body.get("tools") or []
    if len(tools) > 128:
        return refusal(f"Invalid 'tools': array too long. Expected an array with maximum length "
                       f"128, but got an array with length {len(tools)} instead.", param="tools",
                       code="array_above_max_length")
    for i, tool in enumerate(tools):
        if len(tool["function"].get("description") or "") > 1024:
            return refusal(f"Invalid 'tools[{i}].function.description': string too long.",
                           param=f"tools[{i}].function.description",
                           code="string_above_max_length")
    return f"Accepted {len(tools)} tools."


def no_tools(body):
    if "tools" in body or any(m["role"] == "tool" for m in body["messages"]):
        return refusal("registry.ollama.ai/library/gemma3:4b does not support tools")
    return "Without tools."


def bedrock(body):
    """Claude at Bedrock through a gateway: {} stands for arguments yet to come."""
    results = [m for m in body["messages"] if m["role"] == "tool"]
    if results:
        return "Result: " + results[-1]["content"][:2000]
    piece = lambda text, **more: {"tool_calls": [
        {"index": 0, "function": {"arguments": text, **more.pop("function", {})}, **more}]}
    return [piece("{}", id="call_b", function={"name": "query-data"}),
            piece('{"dataset": "tickets", "limit": 2,'),
            piece(' "select": "[\\"id\\"]"}')]


def counts(body):
    return "Counted."


TITLES = {
    "reasoning": ("<think>\nOkay, I need a title.\n</think>\n\nGreeting a colleague",
                  "Greeting a colleague"),
    "template": ("Okay, I need a title.\n</think>\n\nGreeting again", "Greeting again"),
    "channels": ("<|channel|>analysis<|message|>A title.<|end|><|start|>assistant<|channel|>final"
                 "<|message|>Printers upstairs", "Printers upstairs"),
    "fence": ('```json\n{"title": "Printer does not print"}\n```', "Printer does not print"),
    "quotes": ("\u201eUrlaubsantrag f\u00fcr den Sommer\u201c",
               "Urlaubsantrag f\u00fcr den Sommer"),
}


def titles(body):
    text = json.dumps(body["messages"])
    if "Assistant: Hello." not in text:
        return "Hello."
    return next(said for name, (said, _) in TITLES.items() if f"name {name}" in text)


SCRIPTS = {"strict": strict, "mistral": mistral, "poisoned": poisoned, "both": one_of_two,
           "limits": limits, "titles": titles, "notools": no_tools, "bedrock": bedrock, "echo": counts,
           **{name: overflows(text) for name, text in OVERFLOWS.items()}}
PLAIN = ("strict", "poisoned", "titles")


@pytest.fixture(scope="module")
def refusing():
    provider = Scripted()
    provider.scripts.update(SCRIPTS)
    services = {name: {"provider": "openai_compatible", "model": name, "retries": 0,
                       "url": provider.url(name), "context_tokens": 100000,
                       "capabilities": ["chat"] if name in PLAIN else ["chat", "tools"]}
                for name in SCRIPTS}
    services["both"] = {"provider": "anthropic", "model": "both", "api_key": "x",
                        "url": provider.url("both", ""), "temperature": 0.3, "top_p": 0.9}
    services["echo"] |= {"input_price": 2, "output_price": 10}
    workspace = {**WORKSPACE, "agents": [
        {"id": name, "llm_service": name} for name in SCRIPTS]}
    with Lab(config={"llm_services": services, "chat": {"llm_service": "echo"},
                     "prices": {"currency": "EUR"}},
             workspaces={"lab": workspace, "titled": {
                 "workspace": "titled", "llm_service": "titles"}}) as lab:
        lab.sql(TICKETS)
        lab.sent_to = lambda name: provider.sent.get(name, [])
        yield lab
    provider.close()


class Talk:
    """A conversation with one agent."""

    def __init__(self, lab, agent):
        self.lab, self.agent, self.id = lab, agent, {}

    def __call__(self, words, **fields):
        events = self.lab.chat(words, agentId=self.agent, **self.id, **fields)
        self.id = {"conversationId": events[0].data["conversationId"]}
        self.events = events
        error = events[-1].data["metadata"].get("error")
        return error["code"] if error else events[-1].data["content"]


def test_a_failed_turn_does_not_end_strict_templates(refusing):
    talk = Talk(refusing, "strict")
    assert talk("hello") == "Strict template is happy."
    assert talk("please fail") == "upstream_error"
    assert talk("and again, fail") == "upstream_error"
    assert talk("now") == "Strict template is happy."
    assert asked(refusing.sent_to("strict")[-1]).endswith("fail\n\nnow")
    assert talk("more") == "Strict template is happy."


def test_a_turn_that_failed_behind_its_tools(refusing):
    talk = Talk(refusing, "mistral")
    assert talk("look") == "upstream_error"
    assert talk("and now?") == "Found."
    assert [m["role"] for m in refusing.sent_to("mistral")[-1]["messages"]][-4:] == [
        "assistant", "tool", "assistant", "user"]


@pytest.mark.parametrize("agent", list(OVERFLOWS))
def test_an_overflow_in_any_words(refusing, agent):
    """The history is shortened, whatever the server calls it, and the turn is answered."""
    talk = Talk(refusing, agent)
    shortened = 0
    for n in range(12):
        assert talk(f"{n} " + "word " * 800) == "It fits."
        shortened += any(e.name == "warning" and e.data["code"] == "history_shortened"
                         for e in talk.events)
    assert shortened


def test_what_was_refused_is_not_sent_for_ever(refusing):
    talk = Talk(refusing, "poisoned")
    assert talk("hello") == "Fine."
    assert talk("something forbidden") == "upstream_content_filter"
    assert talk("something else") == "Fine."
    assert talk("and more") == "Fine."


def test_two_parameters_of_which_one_is_accepted(refusing):
    talk = Talk(refusing, "both")
    assert talk("hello") == "temperature 0.3, top_p None"
    before = len(refusing.sent_to("both"))
    assert talk("again") == "temperature 0.3, top_p None"
    assert len(refusing.sent_to("both")) == before + 1      # it is remembered


def test_a_model_without_tools(refusing):
    talk = Talk(refusing, "notools")
    assert talk("hello") == "Without tools."
    assert talk("again") == "Without tools."


def test_tools_within_the_limits_of_azure(refusing):
    before = len(refusing.sent_to("limits"))
    assert Talk(refusing, "limits")("hello").startswith("Accepted ")
    assert len(refusing.sent_to("limits")) == before + 1    # as they are


def test_arguments_behind_an_empty_object(refusing):
    """The tool's name is changed as well, and a list came as its text."""
    talk = Talk(refusing, "bedrock")
    answer = talk("look")
    call = next(e for e in talk.events if e.name == "tool-call").data
    assert call["toolName"] == "query_data"
    assert call["args"]["dataset"] == "tickets" and call["args"]["limit"] == 2
    assert '"rowCount":2' in answer


def test_the_date_of_the_user(refusing):
    """The browser's zone, then another one that the user has set. The two never have the
    same date: they are 26 hours apart."""
    east, west = "Pacific/Kiritimati", "Etc/GMT+12"
    talk = Talk(refusing, "echo")

    def told(zone, **fields):
        days = {datetime.datetime.now(zoneinfo.ZoneInfo(zone)).strftime("%A, %Y-%m-%d")}
        talk("hello", **fields)
        days.add(datetime.datetime.now(zoneinfo.ZoneInfo(zone)).strftime("%A, %Y-%m-%d"))
        system = refusing.sent_to("echo")[-1]["messages"][0]["content"]
        return any(f"Today is {day} ({zone})." in system for day in days)

    assert told(east, timeZone=east)
    assert told(west, timeZone=west)
    assert told("UTC", timeZone="UTC")
    talk("hello", timeZone="Nowhere/At_all")
    assert "Nowhere" not in json.dumps(refusing.sent_to("echo")[-1])
    done = refusing.call("PATCH", "/settings", {"time_zone": west}, user="ada")
    assert done.status == 200, done
    try:
        assert told(west, timeZone=east)
    finally:
        refusing.call("PATCH", "/settings", {"time_zone": None}, user="ada")


@pytest.mark.parametrize("name", list(TITLES))
def test_titles_are_only_titles(refusing, name):
    """Without inline reasoning, fences, JSON and quotes of any language."""
    events = refusing.chat(f"a name {name}", workspace="titled")
    path = f"/conversations/{events[0].data['conversationId']}"
    first = events[0].data.get("title")
    wait_until("a title", lambda: refusing.get(path, user="ada").json["title"] not in (
        first, f"a name {name}"))
    assert refusing.get(path, user="ada").json["title"] == TITLES[name][1]


def test_the_cost_of_a_turn(refusing):
    """At the prices of the service, in millionths of its currency."""
    Talk(refusing, "echo")("hello")
    row = refusing.sql("SELECT input_tokens, output_tokens, cost FROM usage_record "
                       "WHERE agent_id = 'echo' ORDER BY created_us DESC LIMIT 1")
    n_in, n_out, cost = (float(x) for x in row[0])
    assert cost == pytest.approx((2 * n_in + 10 * n_out) / 1e6) and cost > 0


def test_tools_of_the_demo_workspace_are_short():
    """Those that are compiled in: tests/unit/test_tool_rows.c."""
    text = (ROOT / "conf/demo/workspaces.d/intranet.yaml").read_text()
    for tool in yaml.safe_load(text)["tools"].values():
        assert len(tool.get("description", "")) <= 1024
