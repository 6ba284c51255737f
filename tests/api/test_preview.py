"""The parts of the context: what each takes, what is cut for want of room, and
`lamplighter preview` against the bytes that a model really gets."""

import json
import math

import pytest

from lab import Lab
from peers.recorder import Recorder

ECHO = {"kind": "command", "description": "Says it again, with ümlauts.",
        "effect": "read", "command": {"run": ["/bin/cat"]},
        "parameters": {"type": "object", "properties": {
            "text": {"type": "string", "description": "größer"}}}}
ANSWER = b"""\
data: {"id":"1","choices":[{"index":0,"delta":{"content":"Yes."}}]}

data: {"id":"1","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}

data: [DONE]

"""


@pytest.fixture(scope="module")
def model():
    return Recorder(pages={"/v1/chat/completions": (
        200, {"Content-Type": "text/event-stream"}, ANSWER)})


@pytest.fixture(scope="module")
def lab(model):
    services = {
        "recorded": {"url": f"http://127.0.0.1:{model.port}/v1"},
        "narrow": {"context_tokens": 3000, "max_output_tokens": 500},
        "blind": {"like": "plain"},
    }
    workspaces = {name: {
        "workspace": name, "name": name, "llm_service": name,
        "title_by_model": False,
        "prompt": {"name": f"of-{name}", "version": 2, "text": prompt},
        "agents": [{"id": "default", "name": "A", "tools": ["echo"],
                    "system_prompt": "You are an agent."}],
    } for name, prompt in [
        ("recorded", "Speak plainly. "), ("claude", "Sprich klar, ü."),
        ("llama", "Speak."), ("blind", "Speak."),
        ("narrow", "rule " * 3000 + "THE END")]}
    with Lab(services=services, workspaces=workspaces,
             config={"tools": {"echo": ECHO}}) as it:
        yield it


def preview(lab, text, workspace, *argv):
    return json.loads(lab.command(
        "preview", "--user", "ada", "--workspace", workspace, *argv,
        text).stdout)


def usage(events):
    return [e.data for e in events if e.name == "context-usage"][0]


def parts(of):
    return {p["part"]: p for p in of["parts"]}


def tokens(*texts):
    return math.ceil(sum(len(text) for text in texts) / 4)


def raw_request(text):
    """The request of a preview, byte by byte."""
    return text[text.index('"request":') + len('"request":'):-2]


def test_the_preview_is_what_the_model_gets(lab, model):
    """The first message, and one behind a thread with a call."""
    conversation = []
    for text in ("How many?", "And nöw?"):
        shown = lab.command("preview", "--user", "ada", "--workspace",
                            "recorded", *conversation, text).stdout
        model.seen.clear()
        more = {"conversationId": conversation[1]} if conversation else {}
        events = lab.chat(text, "recorded", **more)
        assert [r.body.decode() for r in model.seen] == [raw_request(shown)]
        told = usage(events)
        said = json.loads(shown)
        for key in ("inputTokens", "contextTokens", "messages"):
            assert said[key] == told[key]
        assert [{k: p[k] for k in ("part", "tokens", "cut")}
                for p in said["parts"]] == told["parts"]
        conversation = ["--conversation", events[-1].data["conversationId"]]


def test_a_conversation_stays_with_its_agent(lab):
    """Nobody has to name them again, and others are refused."""
    lab.sent()
    conversation = lab.chat("How many?", "claude")[-1].data["conversationId"]
    argv = ["preview", "--user", "ada", "--conversation", conversation]
    shown = json.loads(lab.command(*argv, "And now?").stdout)
    lab.sent()
    lab.chat("And now?", "claude", conversationId=conversation)
    assert lab.sent()[0] == shown["request"]
    for other in (["--workspace", "llama"], ["--agent", "other"]):
        refused = lab.command(*argv, *other, "And now?", check=False)
        assert refused.returncode == 1
        assert "with the agent default in the workspace claude" in refused.stderr


@pytest.mark.parametrize("workspace", ["claude", "llama", "blind"])
def test_the_preview_is_in_the_providers_own_format(lab, workspace):
    shown = preview(lab, "How many?", workspace)
    lab.sent()
    lab.chat("How many?", workspace)
    assert lab.sent()[0] == shown["request"]


def test_everything_that_is_sent_is_counted(lab):
    """C25: four characters are a token, rounded up for each thing sent."""
    shown = preview(lab, "Hów many?", "claude")
    by = parts(shown)
    assert list(by) == ["guardrails", "workspace", "agent", "tools", "session",
                        "tool-definitions", "message"]
    for part in shown["parts"]:
        if "text" in part:
            assert part["tokens"] == tokens(part["text"]) and part["hash"]
    assert by["guardrails"]["tokens"] <= 400
    assert (by["workspace"]["name"], by["workspace"]["version"]) == (
        "of-claude", 2)
    assert by["message"]["tokens"] == tokens("Hów many?") == 3
    [echo] = [t for t in shown["request"]["tools"] if t["name"] == "echo"]
    [tool] = [t for t in shown["tools"] if t["name"] == "echo"]
    assert tool["schema"] == echo["input_schema"]
    schema = json.dumps(tool["schema"], ensure_ascii=False,
                        separators=(",", ":"))
    assert tool["tokens"] == tokens("echo", tool["description"], schema)
    assert by["tool-definitions"]["tokens"] == sum(
        t["tokens"] for t in shown["tools"])
    assert shown["inputTokens"] == sum(p["tokens"] for p in shown["parts"])
    assert "tool-definitions" not in parts(preview(lab, "x", "blind"))


def test_steps_and_history_are_parts(lab):
    """What the turn did, and in the next turn the same as history."""
    events = lab.chat({"tool_calls": [{"name": "echo", "args": {
        "text": "x" * 400}}], "then": {"text": "So it is."}}, "claude")
    first, second = [parts(e.data) for e in events
                     if e.name == "context-usage"]
    assert "steps" not in first and "history" not in first
    assert second["steps"]["tokens"] >= 200
    after = parts(usage(lab.chat(
        "x", "claude", conversationId=events[-1].data["conversationId"])))
    assert after["history"]["tokens"] >= (
        first["message"]["tokens"] + second["steps"]["tokens"])
    assert not after["history"]["cut"] and "steps" not in after


def test_a_narrow_window_cuts_by_priority(lab):
    """What is small stays, the workspace's prompt loses its end; the thread is
    left out before that. The guardrails are whole."""
    whole = parts(preview(lab, "x", "claude"))
    shown = preview(lab, "x", "narrow")
    by = parts(shown)
    for part in ("guardrails", "agent", "tools", "session"):
        assert by[part] == whole[part] and not by[part]["cut"]
    assert by["workspace"]["cut"] and "THE END" not in by["workspace"]["text"]
    assert by["workspace"]["text"].endswith("no room for it.]")
    assert 2400 < shown["inputTokens"] <= 3000 - 500
    events = lab.chat("an older message", "narrow")
    again = parts(usage(lab.chat("x", "narrow", conversationId=events[-1].data[
        "conversationId"])))
    assert again["history"] == {"part": "history", "tokens": 0, "cut": True}
    prompts = json.loads(lab.sql(
        "SELECT prompts FROM usage_record ORDER BY id DESC LIMIT 1")[0][0])
    assert [p["layer"] for p in prompts] == [
        "guardrails", "workspace", "agent", "tools", "session"]
    assert prompts[1]["hash"] == by["workspace"]["hash"]


def test_the_command_is_told_what_it_needs(lab):
    for argv in ((), ("x",), ("--user", "ada"), ("--user", "ada", "x", "y"),
                 ("--nix", "x")):
        assert lab.command("preview", *argv, check=False).returncode == 2
    for argv, why in (
            (("--workspace", "nix", "x"), "no workspace"),
            (("x",), "choose one"),
            (("--workspace", "claude", "--agent", "nix", "x"), "no agent"),
            (("--workspace", "claude", "--conversation", "nix", "x"),
             "not the id of a conversation"),
            (("--workspace", "claude", "--conversation",
              "00000000-0000-7000-8000-000000000000", "x"), "conversation")):
        refused = lab.command("preview", "--user", "ada", *argv, check=False)
        assert refused.returncode == 1 and why in refused.stderr, refused.stderr
    # Somebody else's conversation is as if it were not there.
    events = lab.chat("mine", "claude")
    other = lab.command("preview", "--user", "bob", "--workspace", "claude",
                        "--conversation", events[-1].data["conversationId"],
                        "x", check=False)
    assert other.returncode == 1 and not other.stdout


def test_nothing_is_stored_or_asked(lab):
    def rows():
        return lab.sql("SELECT (SELECT COUNT(*) FROM turn),"
                       " (SELECT COUNT(*) FROM message),"
                       " (SELECT COUNT(*) FROM usage_record)")
    before = rows()
    lab.sent()
    preview(lab, "x", "claude")
    assert rows() == before and lab.sent() == []
