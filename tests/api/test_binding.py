# SPDX-License-Identifier: MIT
"""What an LLM service is bound to, it can do (A29): one check by capability for
everything that names a service, for lists, for YAML, and where a turn begins."""

import contextlib
import json
import uuid

import pytest

from lab import Lab
from labs import KEYS, WORKSPACES

IT = {"user": "root", "groups": ["it"]}
SERVICES = {
    "vectors": {"model": "vectors", "capabilities": ["embed"]},
    "ranker": {"model": "ranker", "capabilities": ["rerank"]},
    "formless": {"like": "claude", "model": "x", "capabilities": ["embed", "rerank"]},
    "eyes": {"model": "eyes", "capabilities": ["chat", "vision"]},
}
ROLES = {"user": {"groups": ["*"], "permissions": ["AIChat.*", "AI.Chat.UseTool.*"]},
         "admin": {"groups": ["it"], "permissions": ["*"]}}


@pytest.fixture(scope="module")
def lab():
    with Lab(workspaces=WORKSPACES, services=SERVICES,
             config={"roles": ROLES, **KEYS}) as made:
        yield made


@pytest.fixture
def name():
    return "b" + uuid.uuid4().hex[:12]


def lacks(answer, capability, field, status=422):
    """Refused, with the capability that is missing."""
    assert (answer.status, answer.json.get("field")) == (status, field), answer
    assert f"does not have the capability {capability}." in answer.json["detail"], answer


def service(lab, name, **more):
    answer = lab.post("/llm-services", {
        "llmServiceId": name, "name": name, "provider": "openai_compatible",
        "model": name, "url": f"{lab.model_url}/v1", "apiKey": "sk-x", **more}, **IT)
    assert answer.status == 201, answer
    return answer.json


AGENTS = "/workspaces/lab/agents"


@pytest.mark.parametrize("method,path,body,field,capability", [
    ("POST", "/workspaces", {"name": "W", "llmServiceId": "{}"}, "llmServiceId", "chat"),
    ("POST", AGENTS, {"name": "A", "llmServiceId": "{}"}, "llmServiceId", "chat"),
    ("POST", AGENTS, {"name": "A", "rerankingServiceId": "plain"}, "rerankingServiceId",
     "rerank"),
    ("POST", "/knowledge-bases", {"name": "B", "embeddingServiceId": "plain"},
     "embeddingServiceId", "embed"),
    ("PATCH", "/settings?level=tenant", {"llm_service": "{}"}, "llm_service", "chat"),
    ("PATCH", "/settings?level=tenant", {"llm_services": ["demo", "{}"]}, "llm_services",
     "chat"),
    ("PATCH", "/settings?level=tenant", {"summary_service": "{}"}, "summary_service", "chat"),
    ("POST", "/llm-services", {"name": "S", "provider": "ollama", "model": "m",
                               "url": "http://127.0.0.1:9", "fallbacks": ["{}"]},
     "fallbacks", "chat"),
    ("POST", "/provider-instances", {"displayName": "I", "providerId": "ollama",
                                     "model": "m", "url": "http://127.0.0.1:9",
                                     "capabilities": ["embed"], "active": True},
     "active", "chat"),
])
def test_what_cannot_do_it_is_not_bound(lab, name, method, path, body, field, capability):
    service(lab, name, capabilities=["embed"])
    for id in ("vectors", name):                # of a file, and a row
        answer = lab.call(method, path, json.loads(json.dumps(body).replace("{}", id)),
                          **IT)
        lacks(answer, capability, field)


def test_ranking_needs_a_service_that_ranks(lab, name):
    """B52: rerankEnabled alone was stored, and nothing was ranked."""
    def lacking(answer):
        assert (answer.status, answer.json.get("field")) == (422, "rerankEnabled"), answer
        assert "the capability rerank" in answer.json["detail"]

    lacking(lab.post(AGENTS, {"name": "A", "rerankEnabled": True}, **IT))
    made = lab.post(AGENTS, {"name": "A", "agentId": name, "rerankEnabled": True,
                             "rerankingServiceId": "ranker"}, **IT)
    assert made.status == 201, made
    lacking(lab.call("PATCH", f"{AGENTS}/{name}", {"rerankingServiceId": None}, **IT))
    assert lab.call("PATCH", f"{AGENTS}/{name}", {
        "rerankingServiceId": None, "rerankEnabled": False}, **IT).status == 200
    lacking(lab.call("PATCH", f"{AGENTS}/{name}", {"rerankEnabled": True}, **IT))
    # what was stored before can still be changed
    lab.sql(f"UPDATE agent SET rerank_enabled = 1 WHERE agent_id = '{name}'")
    assert lab.call("PATCH", f"{AGENTS}/{name}", {"name": "B"}, **IT).status == 200


def test_lists_of_forms_have_what_can_be_bound(lab, name):
    """The list that a form names for a field is what the API accepts for it."""
    service(lab, name, capabilities=["rerank"])
    fields = {(form["name"], f["key"]): f["of"] for form in lab.get(
        "/forms", **IT).json["items"] for f in form["fields"]}
    for field, expected in {
            ("workspaces", "llmServiceId"): {"demo", "eyes", "plain"},
            ("agents", "llmServiceId"): {"demo", "eyes", "plain"},
            ("agents", "rerankingServiceId"): {"ranker", name},
            ("knowledge-bases", "embeddingServiceId"): {"vectors"}}.items():
        path = "/" + fields[field].replace("{workspace}", "lab")
        listed = {s["llmServiceId"] for s in lab.get(path + "&pageSize=100", **IT
                                                     ).json["items"]}
        assert listed & {"demo", "eyes", "plain", "ranker", "vectors", name} == (
            expected), field
    answer = lab.get("/workspaces/lab/llm-services?can=fly", **IT)
    assert (answer.status, answer.json["field"]) == (422, "can")


def test_a_change_is_checked_too(lab, name):
    space = lab.post("/workspaces", {"name": "W", "workspaceId": name}, **IT)
    agent = lab.post(f"/workspaces/{name}/agents", {"name": "A"}, **IT).json["agentId"]
    assert space.status == 201
    lacks(lab.call("PATCH", f"/workspaces/{name}", {"llmServiceId": "ranker"}, **IT),
          "chat", "llmServiceId")
    at = f"/workspaces/{name}/agents/{agent}"
    lacks(lab.call("PATCH", at, {"llmServiceId": "vectors"}, **IT), "chat",
          "llmServiceId")
    fits = lab.call("PATCH", at, {"rerankingServiceId": "ranker", "llmServiceId": "demo"},
                    **IT)
    assert fits.status == 200 and fits.json["rerankingServiceId"] == "ranker"


def test_a_format_without_it(lab):
    """The capability alone does not help where the provider has no such request."""
    answer = lab.post("/knowledge-bases", {"name": "B", "embeddingServiceId": "formless"},
                      **IT)
    assert (answer.status, answer.json["field"]) == (422, "embeddingServiceId")
    assert "cannot embed" in answer.json["detail"]


def test_a_service_in_use_keeps_what_it_is_used_for(lab, name):
    row = service(lab, name, capabilities=["chat", "tools", "rerank"])
    agent = lab.post(AGENTS, {"name": "A", "llmServiceId": name,
                              "rerankingServiceId": name}, **IT).json["agentId"]
    at = f"/llm-services/{row['id']}"
    for left, lost in ((["chat"], "rerank"), (["rerank"], "chat")):
        lacks(lab.call("PATCH", at, {"capabilities": left}, **IT), lost, "capabilities",
              409)
    lab.call("PATCH", f"{AGENTS}/{agent}", {"rerankingServiceId": None}, **IT)
    assert lab.call("PATCH", at, {"capabilities": ["chat"]}, **IT).status == 200
    lab.call("DELETE", f"{AGENTS}/{agent}", **IT)
    assert lab.call("PATCH", at, {"capabilities": ["rerank"]}, **IT).status == 200


def test_lists_say_who_can_answer(lab):
    items = lab.get("/workspaces/lab/llm-services", **IT).json["items"]
    usable = {s["llmServiceId"]: s["usable"] for s in items}
    assert usable["demo"] and usable["eyes"]
    assert not usable["vectors"] and not usable["ranker"]
    offered = {s["llmServiceId"]: s["usable"]
               for s in lab.get("/llm-services?pageSize=100", **IT).json["items"]}
    assert offered["demo"] and not offered["vectors"]
    settings = {s["key"]: s for s in lab.get("/settings?level=tenant", **IT).json["items"]}
    choices = {c["value"] for c in settings["llm_services"]["choices"]}
    assert {"demo", "auto"} <= choices and not {"vectors", "ranker"} & choices


@pytest.mark.parametrize("path,body", [
    ("/chat/{}/stream", {"content": "x"}), ("/chat/{}/complete", {"input": "x"}),
    ("/workspaces/{}/preview", {"content": "x"})])
def test_a_turn_does_not_begin(lab, name, path, body):
    """What an earlier version has bound: the refusal says what is missing."""
    lab.post("/workspaces", {"name": "W", "workspaceId": name}, **IT)
    lab.sql(f"UPDATE workspace SET llm_service_id = 'vectors' WHERE workspace_id = '{name}'")
    answer = lab.post(path.format(name), body, **IT)
    assert (answer.status, answer.json["code"]) == (503, "chat_disabled")
    assert answer.json["detail"] == (
        'The LLM service "vectors" does not have the capability chat.')
    assert not lab.get(f"/workspaces/{name}", **IT).json["chatEnabled"]


TOOL = {"peer": {"kind": "agent", "description": "Does it.",
                 "parameters": {"type": "object"},
                 "agent": {"llm_service": "vectors", "prompt": "Do it."}}}


@pytest.mark.parametrize("config,says", [
    ({"knowledge": {"embedding_service": "demo"}},
     'embedding_service "demo" does not have the capability embed'),
    ({"settings": {"summary_service": "ranker"}},
     '"ranker" does not have the capability chat'),
    ({"settings": {"summary_service": "nothing"}}, 'no LLM service "nothing"'),
    ({"tools": TOOL}, '"vectors" does not have the capability chat'),
    ({"chat": {"auto": [{"service": "plain", "needs": ["tools"]}, {"service": "demo"}]}},
     '"plain" does not have the capability tools'),
    ({"chat": {"auto": [{"service": "demo", "needs": ["vision"]}, {"service": "demo"}]}},
     '"demo" does not have the capability vision'),
])
def test_files_are_checked(lab, config, says):
    try:
        lab.write_config(config)
        answer = lab.command("check", check=False)
    finally:
        lab.write_config()
    assert answer.returncode == 1 and says in answer.stdout + answer.stderr


PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010806000000"
    "1f15c4890000000d49444154789c63f8ffff3f0005fe02fea7d6059b0000000049454e44ae426082")


def test_images_are_for_a_service_that_sees(make_lab):
    """needs: vision, with the message's image and with one of the thread."""
    lab = make_lab(services=SERVICES, config={"chat": {
        "llm_service": "auto",
        "auto": [{"service": "eyes", "needs": ["vision"]}, {"service": "plain"}]}})
    image = lab.call("POST", "/attachments?name=a.png", PNG, user="ada",
                     headers={"Content-Type": "application/octet-stream"}).json["id"]
    first = lab.chat("Hello")
    talk = first[0].data["conversationId"]
    seen = lab.chat("What is this?", attachments=[image], conversationId=talk)
    later = lab.chat("And its colour?", conversationId=talk)
    picture = json.dumps(lab.sent()[-1])
    # No model takes a drawing of this kind; its words go to any.
    svg = lab.call("POST", "/attachments?name=a.svg", "<svg xmlns='http://www.w3.org/2000/svg'>"
                   "<text>Sales have doubled</text></svg>", user="ada",
                   headers={"Content-Type": "application/octet-stream"}).json["id"]
    drawn = lab.chat("And this?", attachments=[svg])
    assert "Sales have doubled" in json.dumps(lab.sent()[-1])
    lab.chat("And this?", attachments=[svg], conversationId=talk)
    assert "Sales have doubled" in json.dumps(lab.sent()[-1])

    def service_of(events):
        with contextlib.suppress(StopIteration):
            return next(e.data for e in events if e.name == "service")
    assert service_of(first)["llmServiceId"] == "plain"
    assert (service_of(seen)["llmServiceId"], service_of(seen)["reason"]) == (
        "eyes", "needs")
    assert service_of(later)["llmServiceId"] == "eyes"
    assert service_of(drawn)["llmServiceId"] == "plain"
    assert "data:image/png" in picture
