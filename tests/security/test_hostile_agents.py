# SPDX-License-Identifier: MIT
"""Agents and workspaces of others: not seen, not used, not changed, by no way that
there is; and nobody becomes more than they are."""

import base64
import json
import uuid

import pytest

from lab import Lab, wait_until
from labs import WORKSPACES

pytestmark = pytest.mark.usefixtures("tidy_agents")
IT = {"user": "root", "groups": ["it"]}
NOBODY = "0192f000-0000-7000-8000-000000000000"


@pytest.fixture
def who():
    return "v" + uuid.uuid4().hex[:12]


@pytest.fixture
def secret(lab, who):
    """A private agent, and its prompt, which nobody else may ever read."""
    made = lab.post("/workspaces/lab/agents", {
        "name": "N" + who, "agentId": who, "systemPrompt": "S" + who}, user=who)
    assert made.status == 201, made
    return made


def all_agents(lab, **who):
    text, cursor = "", ""
    while cursor is not None:
        answer = lab.get(f"/workspaces/lab/agents?pageSize=100{cursor}", **who)
        text += answer.body.decode()
        cursor = answer.json["nextCursor"] and "&cursor=" + answer.json["nextCursor"]
    return text


@pytest.mark.parametrize("eve", [{"user": "eve"}, IT], ids=["user", "admin"])
def test_a_private_agent_is_nobody_elses(lab, who, secret, eve):
    path, none = f"/workspaces/lab/agents/{who}", "/workspaces/lab/agents/none-such"
    tag = lab.get(path, user=who).headers["ETag"]

    def same(method, suffix="", body=None, **kw):
        """As for one that there is not, byte for byte but for the request's id."""
        answers = [lab.call(method, p + suffix, body, **kw, **eve) for p in (path, none)]
        told = [{k: v for k, v in a.json.items() if k != "requestId"} for a in answers]
        assert told[0] == told[1] and answers[0].status == 404, answers
        assert who not in answers[0].body.decode()
        assert "ETag" not in answers[0].headers

    same("GET")
    same("GET", headers={"If-None-Match": tag})
    same("PATCH", body={"name": "x"})
    same("PATCH", body={"name": "x"}, headers={"If-Match": tag})
    same("DELETE")
    same("GET", "/conversations")
    same("POST", "/conversations", {})
    for body in ({"agentId": who, "content": "x"}, {"agentId": "none-such", "content": "x"}):
        assert lab.post("/chat/lab/stream", body, **eve).status == 404
    assert lab.post("/conversations", {"workspaceId": "lab", "agentId": who}, **eve
                    ).status == 404
    assert who not in all_agents(lab, **eve)
    assert "S" + who not in lab.get("/openai/v1/models", **eve).body.decode()
    # Its id is free for them, and theirs is another agent.
    theirs = lab.post("/workspaces/lab/agents", {
        "name": "x", "agentId": who, "visibility": "private"}, **eve)
    assert theirs.status == 201 and theirs.json["systemPrompt"] is None
    assert lab.call("DELETE", path, **eve).status == 204
    assert lab.get(path, user=who).json["systemPrompt"] == "S" + who


def cursor_of(place):
    return base64.urlsafe_b64encode(json.dumps(place).encode()).decode().rstrip("=")


def test_cursors_show_nothing_more(lab, who, secret):
    for place in ({"c": 0, "id": NOBODY}, {"c": 1, "id": "f" * 8 + NOBODY[8:]},
                  {"id": "helper"}, {"id": who}, {"c": -1, "id": NOBODY}, {"c": "x"},
                  {"k": "", "id": NOBODY}, {"k": "a' OR 1=1", "id": NOBODY}):
        for path in ("/workspaces", "/workspaces/lab/agents"):
            answer = lab.get(f"{path}?cursor={cursor_of(place)}", user="eve")
            assert answer.status in (200, 400), answer
            assert who not in answer.body.decode(), place


def test_a_key_of_another_makes_ones_own(lab, who, secret):
    key = {"Idempotency-Key": "same-" + who}
    ids = [lab.post("/workspaces/lab/agents", {"name": "K"}, user=user, headers=key
                    ).json["agentId"] for user in (who, "eve")]
    assert ids[0] != ids[1]


def test_who_may_make_what_all_see(lab, who):
    for user in ({"user": who}, {"user": who, "groups": ["staff"]}):
        for path in ("/workspaces/lab/agents", "/workspaces/staff/agents"):
            answer = lab.post(path, {"name": "x", "visibility": "workspace"}, **user)
            assert answer.status in (403, 404), answer
        assert lab.post("/workspaces", {"name": "x"}, **user).status == 403
    made = lab.post("/workspaces/lab/agents", {"name": "x", "agentId": who,
                                               "visibility": "workspace"}, **IT)
    assert (made.status, made.json["visibility"]) == (201, "workspace")
    path = f"/workspaces/lab/agents/{who}"
    assert lab.get(path, user="eve").json["canEdit"] is False
    for method, body in (("PATCH", {"name": "x"}), ("DELETE", None)):
        assert lab.call(method, path, body, user="eve").status == 403
    # One's own of the same id was there first: it stays one's own.
    own = lab.post("/workspaces/lab/agents", {"name": "x", "agentId": who}, user="eve")
    assert (own.status, own.json["field"]) == (409, "agentId")
    assert lab.call("DELETE", path, **IT).status == 204


def test_a_later_one_for_all_takes_nobodys_place(lab, who, secret):
    """Whoever made a private agent before keeps talking to it, and its end is not theirs."""
    talk = lab.post("/conversations", {"workspaceId": "lab", "agentId": who}, user=who
                    ).json["conversationId"]
    made = lab.post("/workspaces/lab/agents", {
        "name": "x", "agentId": who, "visibility": "workspace", "systemPrompt": "All"}, **IT)
    assert made.status == 201, made
    path = f"/workspaces/lab/agents/{who}"
    assert lab.get(path, user=who).json["systemPrompt"] == "S" + who
    assert lab.get(path, user="eve").json["systemPrompt"] == "All"
    assert all_agents(lab, user=who).count(f'"agentId":"{who}"') == 1
    other = lab.post("/conversations", {"workspaceId": "lab", "agentId": who}, user="eve"
                     ).json["conversationId"]
    assert lab.call("DELETE", path, **IT).status == 204
    wait_until("its conversations are gone", lambda: lab.get(
        f"/conversations/{other}", user="eve").status == 404)
    assert lab.get(f"/conversations/{talk}", user=who).status == 200


def test_a_stored_workspace_is_for_those_who_see_it(lab, who):
    made = lab.post("/workspaces", {"name": "W" + who, "workspaceId": who,
                                    "prompt": "P" + who, "visibleTo": ["sales"]}, **IT)
    path = f"/workspaces/{who}"
    for eve in ({"user": "eve"}, {"user": "sales"}, {"user": "eve", "groups": ["Sales", "*"]}):
        for method, p, body in (
                ("GET", path, None), ("PATCH", path, {"name": "x"}), ("DELETE", path, None),
                ("GET", path + "/agents", None), ("GET", path + "/agents/bobby", None),
                ("POST", path + "/agents", {"name": "x"}),
                ("POST", path + "/agents/from-template", {"templateId": "sage"}),
                ("GET", path + "/agent-templates", None),
                ("POST", f"/chat/{who}/stream", {"content": "x"}),
                ("POST", f"/chat/{who}/complete", {"input": "x"}),
                ("POST", "/conversations", {"workspaceId": who})):
            answer = lab.call(method, p, body, **eve)
            assert answer.status in (403, 404), (method, p, answer)
            assert "W" + who not in answer.body.decode()
        assert who not in lab.get("/workspaces?pageSize=100", **eve).body.decode()
    sales = {"user": "s", "groups": ["sales"]}
    seen = lab.get(path, **sales).body.decode()
    assert "P" + who not in seen and "sales" not in seen
    for method, p, body in (("PATCH", path, {"managerUsers": ["s"]}), ("DELETE", path, None),
                            ("PATCH", path + "/agents/bobby", {"name": "x"}),
                            ("DELETE", path + "/agents/bobby", None),
                            ("POST", path + "/agents", {"name": "x",
                                                        "visibility": "workspace"})):
        assert lab.call(method, p, body, **sales).status == 403, (method, p)
    assert lab.get(path, **IT).json == made.json


@pytest.fixture(scope="module")
def makers():
    """Where some may make workspaces who look after no others'."""
    with Lab(workspaces=WORKSPACES, config={"roles": {
            "user": {"groups": ["*"], "permissions": ["AIChat.*"]},
            "maker": {"groups": ["makers"], "permissions": ["AI.Workspaces.Write"]},
            "admin": {"groups": ["it"], "permissions": ["*"]}}}) as made:
        yield made


def test_managers_are_no_admins(makers, who):
    """One who may make workspaces shows them to their own groups only, sees no others'."""
    lab = makers
    maker = {"user": "m", "groups": ["makers"]}
    other = lab.post("/workspaces", {"name": "x", "workspaceId": "theirs"}, **IT)
    assert other.status == 201
    for bad, field in (({"visibleTo": ["*"]}, "visibleTo"), ({"visibleTo": ["it"]}, "visibleTo"),
                       ({"managerGroups": ["it"]}, "managerGroups"),
                       ({"llmServiceId": "demo"}, "llmServiceId")):
        answer = lab.post("/workspaces", {"name": "x", **bad}, **maker)
        assert (answer.status, answer.json["field"]) == (422, field), answer
    mine = lab.post("/workspaces", {"name": "x", "workspaceId": "mine",
                                    "visibleTo": ["makers"]}, **maker)
    assert (mine.status, mine.json["managerUsers"]) == (201, ["m"])
    assert lab.get("/workspaces/theirs", **maker).status == 404
    assert lab.call("PATCH", "/workspaces/theirs", {"name": "y"}, **maker).status == 404
    # What an admin has added stays; it can be taken away, and not be added again.
    lab.call("PATCH", "/workspaces/mine", {"visibleTo": ["makers", "it"]}, **IT)
    kept = lab.call("PATCH", "/workspaces/mine", {"visibleTo": ["it"]}, **maker)
    assert (kept.status, kept.json["visibleTo"]) == (200, ["it"])
    # Another of the group sees it, but does not manage it, and then not even that.
    lab.call("PATCH", "/workspaces/mine", {"visibleTo": ["makers"]}, **maker)
    second = {"user": "n", "groups": ["makers"]}
    assert lab.call("PATCH", "/workspaces/mine", {"name": "y"}, **second).status == 403
    lab.call("PATCH", "/workspaces/mine", {"visibleTo": [], "managerUsers": ["n"]}, **maker)
    assert lab.get("/workspaces/mine", **maker).status == 404
    assert lab.get("/workspaces/mine", **second).json["canEdit"] is True
    assert lab.get("/workspaces/mine", **IT).json["canEdit"] is True
    # Private agents of others in it are not the managers', and go with it.
    assert lab.call("DELETE", "/workspaces/mine", **second).status == 204


# -- an id that was used before ------------------------------------------------------

MAKER = {"user": "m", "groups": ["makers"]}


def left_behind(lab, workspace, agent="default"):
    """A conversation of ada's, older than all that has the ids from now on."""
    talk = lab.post("/conversations", {"workspaceId": "lab"}, user="ada").json
    key = talk["conversationId"].replace("-", "")
    lab.sql(f"UPDATE conversation SET workspace_id = '{workspace}', agent_id = '{agent}',"
            f" created_us = created_us - 600000000 WHERE id = UNHEX('{key}')")
    return f"/conversations/{talk['conversationId']}"


def purged(lab, conversation):
    """Waits for the job that deletes what was said with an agent."""
    wait_until("its conversation is gone", lambda: lab.get(
        f"/conversations/{conversation['conversationId']}", user="ada").status == 404)
    wait_until("the job is done", lambda: lab.sql(
        "SELECT COUNT(*) FROM job WHERE kind = 'agent-purge'") == [["0"]])


def test_the_id_of_a_workspace_that_is_gone(makers, who):
    """Whoever takes it gets none of the conversations that are left: not by making
    one that answers in them, and not by deleting it."""
    lab, old = makers, left_behind(makers, who)
    body, key = {"name": "x", "workspaceId": who}, {"Idempotency-Key": who}
    refused = lab.post("/workspaces", body, headers=key, **MAKER)
    assert (refused.status, refused.json["field"]) == (409, "workspaceId"), refused
    assert lab.get(old, user="ada").status == 200
    # Who looks after all of them may, and what was there before stays.
    assert lab.post("/workspaces", {**body, "visibleTo": ["*"]}, **IT).status == 201
    new = lab.post("/conversations", {"workspaceId": who}, user="ada").json
    assert lab.call("DELETE", f"/workspaces/{who}", **IT).status == 204
    purged(lab, new)
    assert lab.get(old, user="ada").status == 200


def test_a_repeated_key_with_conversations(makers, who):
    """The workspace's own conversations are no reason to refuse its own request."""
    body, key = {"name": "x", "workspaceId": who}, {"Idempotency-Key": who}
    made = [makers.post("/workspaces", body, headers=key, **MAKER)]
    makers.post("/conversations", {"workspaceId": who}, **MAKER)
    left_behind(makers, who)
    made.append(makers.post("/workspaces", body, headers=key, **MAKER))
    assert [m.status for m in made] == [201, 201] and made[0].json == made[1].json
    assert makers.post("/workspaces", body, **MAKER).status == 409


def test_the_id_of_an_agent_that_is_gone(makers, who):
    """Deleting another one of that id leaves what was said with the first."""
    old = left_behind(makers, "lab", who)
    made = makers.post("/workspaces/lab/agents", {
        "name": "x", "agentId": who, "visibility": "workspace"}, **IT)
    assert made.status == 201, made
    new = makers.post("/conversations", {"workspaceId": "lab", "agentId": who},
                      user="ada").json
    assert makers.call("DELETE", f"/workspaces/lab/agents/{who}", **IT).status == 204
    purged(makers, new)
    assert makers.get(old, user="ada").status == 200


# -- what a workspace limits -----------------------------------------------------------

def test_rounds_of_a_private_agent(makers, who):
    """No more than the workspace has, unless its managers say so."""
    at = "/workspaces/lab/agents"
    for most, status in ((7, 422), (6, 201)):
        made = makers.post(at, {"name": "x", "agentId": who, "maxToolIterations": most},
                           user="eve")
        assert made.status == status, made
        if status == 422:
            assert made.json["field"] == "maxToolIterations" and "6" in made.json["detail"]
    changed = makers.call("PATCH", f"{at}/{who}", {"maxToolIterations": 25}, user="eve")
    assert (changed.status, changed.json["field"]) == (422, "maxToolIterations")
    assert makers.call("PATCH", f"{at}/{who}", {"name": "y"}, user="eve").status == 200
    assert makers.post(at, {"name": "x", "agentId": "m" + who, "maxToolIterations": 25,
                            "visibility": "private"}, **IT).status == 201


def test_rounds_of_a_workspace_that_has_fewer_by_now(makers, who):
    """A private agent that was allowed more gets what the workspace has today."""
    space = makers.post("/workspaces", {
        "workspaceId": who, "name": "x", "visibleTo": ["*"], "maxToolIterations": 6,
        "managerUsers": ["root"]}, **IT)
    assert space.status == 201, space
    made = makers.post(f"/workspaces/{who}/agents", {
        "name": "x", "agentId": "deep", "maxToolIterations": 6}, user="eve")
    assert made.status == 201, made
    wanted = {"text": "Done."}
    for n in range(4):
        wanted = {"tool_calls": [{"name": "list_datasets", "args": {"n": n}}],
                  "then": wanted}

    def rounds():
        makers.sent()
        stream = makers.stream(f"/chat/{who}/stream", {
            "content": f"!script {json.dumps(wanted)}", "agentId": "deep"}, user="eve")
        assert stream.events()[-1].name == "done"
        return max(sum(m["role"] == "tool" for m in body["messages"])
                   for body in makers.sent())
    before = rounds()
    changed = makers.call("PATCH", f"/workspaces/{who}", {"maxToolIterations": 1}, **IT)
    assert changed.status == 200, changed
    assert (before, rounds()) == (4, 1)
    assert makers.get(f"/workspaces/{who}/agents/deep", user="eve").json[
        "maxToolIterations"] == 6
    assert makers.call("DELETE", f"/workspaces/{who}", **IT).status == 204
