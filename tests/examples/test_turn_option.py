# SPDX-License-Identifier: MIT
"""docs/add-a-turn-option.md: a patch."""

import contextlib
import json
import subprocess
import uuid

import pytest

import lab as lab_module
from copies import Copy, blocks
from lab import Lab, Stream

PATCH = "".join(blocks("add-a-turn-option.md", "diff"))
AT_MOST = 8		# with the option's own test
OPENAI = "//chat/openai/v1/chat/completions"
SAY = "!script " + json.dumps({"text": "ok"})


@pytest.fixture(scope="module", params=["MESSAGE", "TURN"])
def kept(request):
    return request.param


@pytest.fixture(scope="module")
def without_tools(tmp_path_factory, kept):
    """A lab whose responder has the example's option, kept so."""
    copy = Copy(tmp_path_factory.mktemp("option"))
    subprocess.run(["patch", "-p1", "--fuzz=0", "--no-backup-if-mismatch"], cwd=copy.root,
                   input=PATCH, text=True, check=True, capture_output=True)
    assert "sql/0999-no-tools.sql" in copy.touched()
    assert len(copy.touched()) + 1 <= AT_MOST, copy.touched()
    if kept == "TURN":
        copy.edit("lib/store/turn_options.def", '"noTools", BOOL, 0, MESSAGE',
                  '"noTools", BOOL, 0, TURN')
        (copy.root / "sql/0999-no-tools.sql").unlink()
    copy.make("lamplighter.fcgi")
    with contextlib.ExitStack() as stack:
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(lab_module, "RESPONDER", copy.build / "lamplighter.fcgi")
            patched.setenv("LAMPLIGHTER_SQL_DIR", str(copy.root / "sql"))
            started = stack.enter_context(Lab())
        yield started


def offered(lab, answer):
    """Whether the model was offered tools."""
    if isinstance(answer, Stream):
        answer.events()
    assert answer.status == 200
    requests = [r for r in lab.sent() if not r.get("response_format")]
    assert requests
    return any(r.get("tools") for r in requests)


def bodies():
    user = [{"role": "user", "id": "m", "content": SAY,
             "parts": [{"type": "text", "text": SAY}]}]
    wish = {"noTools": True}
    return {
        "chat": ("/chat/lab/stream", {"content": SAY}, wish),
        "v2": ("/agent/stream", {"message": SAY, "workspaceId": "lab"}, wish),
        "ai-sdk": ("/ai-sdk/lab", {"id": uuid.uuid4().hex, "messages": user},
                   wish),
        "ag-ui": ("/ag-ui/lab", {"threadId": uuid.uuid4().hex, "runId": "r",
                                 "messages": user}, {"forwardedProps": wish}),
        "openai": (OPENAI, {"model": "lab", "messages": [
            {"role": "user", "content": SAY}]}, {"no_tools": True}),
    }


@pytest.mark.parametrize("name", bodies())
def test_it_is_read_everywhere(without_tools, name):
    path, body, wish = bodies()[name]
    send = without_tools.post if name == "openai" else without_tools.stream
    without_tools.sent()
    assert offered(without_tools, send(path, body, user="ada"))
    path, body, wish = bodies()[name]
    assert not offered(without_tools, send(path, {**body, **wish}, user="ada"))


def test_a_wrong_value_is_refused(without_tools, lab):
    body = {"content": SAY, "noTools": "x"}
    answer = without_tools.post("/chat/lab/stream", body, user="ada")
    assert answer.status == 422 and answer.json["field"] == "noTools"
    answer = lab.post("/chat/lab/stream", body, user="ada")
    assert answer.status == 422 and answer.json["code"] == "unknown_field"


def test_a_continued_turn_has_it(without_tools):
    for began in (True, False):
        script = {"id": uuid.uuid4().hex, "fail_times": 1, "text": "ok",
                  "error": {"status": 400, "body": {"error": {"message": "no"}}}}
        events = without_tools.chat(script, noTools=began)
        assert events[-1].name == "error"
        without_tools.sent()
        turn = events[0].data["turnId"]
        answer = without_tools.stream(f"/turns/{turn}/continue", {}, user="ada")
        assert offered(without_tools, answer) != began


def test_an_answer_made_again_has_what_is_kept_with_its_message(without_tools, kept):
    body = {"content": SAY, "noTools": True}
    stream = without_tools.stream("/chat/lab/stream", body, user="ada")
    talk = stream.events()[0].data["conversationId"]
    path = f"/conversations/{talk}"
    assert offered(without_tools, without_tools.stream(
        f"{path}/regenerate", {}, user="ada")) == (kept == "TURN")
    assert offered(without_tools, without_tools.stream(
        f"{path}/regenerate", {"noTools": False}, user="ada"))
    fork = without_tools.post(f"{path}/fork", {"messageId": f"{talk}.1"},
                              user="ada").json["conversationId"]
    assert offered(without_tools, without_tools.stream(
        f"/conversations/{fork}/regenerate", {}, user="ada")) == (kept == "TURN")
    for wish, at in ({}, talk), ({"noTools": True}, fork):
        edit = {"messageId": f"{at}.1", "content": SAY, **wish}
        assert offered(without_tools, without_tools.stream(
            f"/conversations/{at}/edit", edit, user="ada")) == (not wish)
