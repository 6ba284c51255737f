# SPDX-License-Identifier: MIT
"""LLM services that are made over the API, and services of users (BYOK)."""

import concurrent.futures
import contextlib
import json
import re

import pytest

from any_provider import provider  # noqa: F401: a fixture
from lab import Lab, Twin, wait_until
from labs import KEYS, WORKSPACES

ROLES = {"user": {"groups": ["*"], "permissions": ["AIChat.*", "AI.Chat.UseTool.*"]},
         "admin": {"groups": ["it"], "permissions": ["AI.*"]}}
ALL = "/llm-services"
OWN = "/provider-instances"


CONFIG = {"roles": ROLES, **KEYS}


MORE = {"titled": {"workspace": "titled", "name": "Titled", "title_by_model": True},
        "chosen": {"workspace": "chosen", "name": "Auto", "title_by_model": False,
                   "llm_service": "auto", "auto": [{"service": "claude"}]}}


@pytest.fixture(scope="module")
def lab():
    with Lab(workspaces={**WORKSPACES, **MORE}, config=CONFIG) as made:
        yield made


def call(lab, method, path, body=None, user="root", groups=("it",), **kw):
    return lab.call(method, path, body, user=user, groups=groups, **kw)


def service(at, **more):
    return {"name": "Ours", "provider": "openai_compatible", "model": "small",
            "url": at.url, "apiKey": "sk-of-the-tenant", **more}


def instance(provider, **more):
    return {"displayName": "Mine", "providerId": "openai_compatible",
            "model": "mine", "url": provider.url, "apiKey": "sk-of-the-user", **more}


@pytest.fixture
def made(lab, provider):
    row = call(lab, "POST", ALL, service(provider, llmServiceId="ours"))
    assert row.status == 201, row
    yield row.json
    call(lab, "DELETE", f"{ALL}/{row.json['id']}")


@pytest.fixture
def mine(lab, provider):
    row = call(lab, "POST", OWN, instance(provider), user="ada", groups=())
    assert row.status == 201, row
    yield row.json
    call(lab, "DELETE", f"{OWN}/{row.json['id']}", user="ada", groups=())


# -- services of the tenant ----------------------------------------------------

def test_a_record(lab, made):
    """Every field is there, null where it is not set; the key is not."""
    row = dict(made)
    assert row.pop("id") and row.pop("createdAt") and row.pop("updatedAt")
    assert row.pop("url").startswith("http://127.0.0.1")
    assert row == {
        "llmServiceId": "ours", "name": "Ours", "provider": "openai_compatible",
        "model": "small", "apiKeySet": True, "apiVersion": None, "deployment": None,
        "capabilities": None, "contextTokens": None, "maxOutputTokens": None,
        "temperature": None, "topP": None, "reasoningEffort": None,
        "thinkingBudgetTokens": None, "connectTimeoutMs": None, "firstByteTimeoutMs": None,
        "idleTimeoutMs": None, "totalTimeoutMs": None, "retries": None, "fallbacks": None,
        "quirks": None, "source": "api", "usable": True}
    assert call(lab, "GET", f"{ALL}/{made['id']}").json == made


def test_the_list_has_those_of_files(lab, made):
    items = call(lab, "GET", ALL).json["items"]
    by_id = {s["llmServiceId"]: s for s in items}
    assert by_id["ours"]["source"] == "api"
    demo = by_id["demo"]
    assert demo["source"] == "config" and demo["url"] is None
    assert demo["createdAt"] is None and demo["usable"]
    for method, body in (("PATCH", {"name": "x"}), ("DELETE", None)):
        answer = call(lab, method, f"{ALL}/{demo['id']}", body)
        assert (answer.status, answer.json["code"]) == (409, "managed_by_config")
    names = [s["name"] for s in items]
    assert names == sorted(names, key=str.lower)


def test_the_workspace_has_it(lab, made):
    at = "/workspaces/lab/llm-services"
    item = call(lab, "GET", f"{at}/ours").json
    assert item["source"] == "api" and item["hasCredential"] and item["usable"]
    assert "ours" in [s["llmServiceId"] for s in call(lab, "GET", at).json["items"]]


def test_models_and_trial(lab, made, provider):
    at = "/workspaces/lab/llm-services/ours"
    models = call(lab, "GET", f"{at}/models").json["items"]
    assert [m["model"] for m in models] == ["big", "small"]
    assert provider.keys[-1] == "sk-of-the-tenant"
    assert call(lab, "POST", f"{at}/test", {}).json["works"]
    wait_until("its usage", lambda: lab.sql(
        "SELECT payer FROM usage_record WHERE kind = 5 ORDER BY created_us DESC LIMIT 1")
        == [["2"]])


def test_before_it_is_saved(lab, provider):
    body = service(provider, apiKey="sk-not-saved")
    assert call(lab, "POST", f"{ALL}/test", body).json["works"]
    assert provider.keys[-1] == "sk-not-saved"
    assert call(lab, "POST", f"{ALL}/models", body).json["items"][0]["model"] == "big"
    wrong = call(lab, "POST", f"{ALL}/test", {**body, "apiKey": "bad-key-1"}).json
    assert not wrong["works"] and wrong["code"] == "upstream_auth"
    assert "bad-key-1" not in json.dumps(wrong)
    unknown = call(lab, "POST", f"{ALL}/test", {**body, "provider": "opnai"})
    assert unknown.status == 422 and 'did you mean "openai"' in unknown.json["detail"]
    assert not [s for s in call(lab, "GET", ALL).json["items"] if s["name"] == "Ours"]


def test_a_change(lab, made, provider):
    at = f"{ALL}/{made['id']}"
    changed = call(lab, "PATCH", at, {"contextTokens": 9000, "temperature": 0.5,
                                      "capabilities": ["chat"]}).json
    assert (changed["contextTokens"], changed["temperature"]) == (9000, 0.5)
    assert changed["capabilities"] == ["chat"] and changed["apiKeySet"]
    changed = call(lab, "PATCH", at, {"contextTokens": None, "apiKey": None}).json
    assert changed["contextTokens"] is None and not changed["apiKeySet"]
    assert lab.sql("SELECT api_key IS NULL FROM llm_service") == [["1"]]
    again = call(lab, "PATCH", at, {"apiKey": "sk-other"}).json
    assert again["apiKeySet"]
    call(lab, "GET", "/workspaces/lab/llm-services/ours/models")
    assert provider.keys[-1] == "sk-other"
    stale = call(lab, "PATCH", at, {"name": "x"}, headers={"If-Match": '"1"'})
    assert stale.status == 412


def test_numbers_come_back_as_they_were_sent(lab, made):
    """0.7, not the 0.69999999999999996 that a double is with all its digits."""
    at = f"{ALL}/{made['id']}"
    for temperature, top_p in ((0.7, 0.1), (1, 0), (2, 1e-05), (0.30000000000000004, 1)):
        body = {"temperature": temperature, "topP": top_p}
        words = json.dumps(body, separators=(",", ":"))[1:-1].encode()
        changed = call(lab, "PATCH", at, body)
        assert words in changed.body and words in call(lab, "GET", at).body, changed
        shown = lab.command("services", "show", "ours").stdout
        assert f"temperature: {temperature}\n" in shown and f"topP: {top_p}\n" in shown
        assert lab.command("services", "import", "-", stdin=shown
                           ).stdout == "ours\tunchanged\n"


@pytest.mark.parametrize("field,value,says", [
    ("name", "", "name"), ("name", None, "name"), ("name", "x" * 101, "100"),
    ("provider", "nonsense", "not supported"), ("model", 5, "model"),
    ("url", "ftp://x", "http"), ("url", "http://a@b/", "login"),
    ("apiKey", "", "apiKey"), ("apiKey", "a\nb", "apiKey"),
    ("apiKey", "x" * 4097, "4096"), ("apiKey", 5, "apiKey"),
    ("capabilities", ["sing"], "sing"), ("capabilities", "chat", "list"),
    ("capabilities", [], "at least one"), ("contextTokens", 1, "512"),
    ("temperature", 2.5, "0 to 2"), ("temperature", "x", "number"),
    ("topP", -1, "0 to 1"), ("llmServiceId", "Not A Slug", "lower case letters"),
    ("llmServiceId", "auto", "auto"), ("unheard", 1, "unheard"),
])
def test_bad_values(lab, provider, field, value, says):
    answer = call(lab, "POST", ALL, service(provider, **{field: value}))
    assert answer.status == 422 and says in answer.json["detail"], answer
    assert field in json.dumps(answer.json)


@pytest.mark.parametrize("url", [
    "https://10.1.2.3/v1", "https://[fd12::1]/", "https://[::ffff:10.1.2.3]:9",
    "https://2130706434", "https://0x0a010203/",
    "https://169.254.169.254/latest"])
def test_an_address_that_is_never_called(lab, provider, mine, made, url):
    """Refused as it is saved, and where a saved one is changed to it."""
    head = dict(user="ada", groups=())
    more = {"url": url, "apiKey": "sk-again"}
    for answer in (
            call(lab, "POST", ALL, service(provider, url=url)),
            call(lab, "PATCH", f"{ALL}/{made['id']}", more),
            call(lab, "POST", f"{ALL}/test", service(provider, url=url)),
            call(lab, "POST", OWN, instance(provider, url=url), **head),
            call(lab, "PATCH", f"{OWN}/{mine['id']}", more, **head),
            call(lab, "POST", f"{OWN}/models", instance(provider, url=url), **head)):
        assert answer.status == 422 and answer.json["field"] == "url", answer
        assert "does not allow" in answer.json["detail"]


def test_what_was_stored_before_can_still_be_changed(lab, mine):
    """An address that is refused by now keeps no one from the rest of the row."""
    at = f"{OWN}/{mine['id']}"
    lab.sql("UPDATE provider_instance SET url = 'https://10.1.2.3'")
    changed = call(lab, "PATCH", at, {"displayName": "Old", "active": False},
                   user="ada", groups=())
    assert changed.status == 200 and changed.json["displayName"] == "Old"


def test_an_id_that_is_taken(lab, made, provider):
    for taken in ("ours", "demo"):
        answer = call(lab, "POST", ALL, service(provider, llmServiceId=taken))
        assert (answer.status, answer.json["code"]) == (409, "conflict")
        assert "llmServiceId" in answer.json["detail"]
    other = call(lab, "POST", ALL, service(provider)).json
    assert other["llmServiceId"] == other["id"]
    assert call(lab, "DELETE", f"{ALL}/{other['id']}").status == 204


def test_a_repeated_key_of_the_request(lab, provider):
    """Sealed twice, the same key differs: it is compared as it was sent."""
    head = {"Idempotency-Key": "again-1"}
    body = service(provider, llmServiceId="twice")
    first = call(lab, "POST", ALL, body, headers=head)
    assert call(lab, "POST", ALL, body, headers=head).json == first.json
    other = call(lab, "POST", ALL, {**body, "apiKey": "sk-else"}, headers=head)
    assert other.status == 422
    call(lab, "DELETE", f"{ALL}/{first.json['id']}")


def test_permissions(lab, made):
    for method, path, body in (("GET", ALL, None), ("POST", ALL, {}),
                               ("POST", f"{ALL}/test", {}),
                               ("PATCH", f"{ALL}/{made['id']}", {"name": "x"}),
                               ("DELETE", f"{ALL}/{made['id']}", None)):
        answer = call(lab, method, path, body, user="ada", groups=())
        assert answer.status == 403 and "AI.Admin.Services" in answer.json["detail"]


# -- keys of users ----------------------------------------------------------------

def say(lab, user="ada", text="Who are you?"):
    answer = lab.post("/chat/lab/complete", {"input": text}, user=user)
    assert answer.status == 200, answer
    return answer.json["output"]


def chat(lab, user="ada", **more):
    return "".join(e.data["delta"] for e in lab.chat("Who are you?", user=user, **more)
                   if e.name == "token")


def payer(lab, kind):
    return lab.sql(f"SELECT payer, provider FROM usage_record WHERE kind = {kind}"
                   " ORDER BY created_us DESC LIMIT 1")


def test_a_record_of_an_instance(lab, mine):
    row = dict(mine)
    assert row.pop("id") and row.pop("createdAt") and row.pop("updatedAt")
    assert row.pop("url")
    assert row == {"displayName": "Mine", "providerId": "openai_compatible",
                   "model": "mine", "apiKeySet": True, "apiVersion": None,
                   "deployment": None, "capabilities": None, "agents": None,
                   "active": True}


def test_ones_own_key_is_used(lab, mine, provider):
    """For a completion and for a turn; another user has the installation's."""
    assert say(lab) == "This is mine." and provider.keys[-1] == "sk-of-the-user"
    wait_until("its usage", lambda: payer(lab, 2) == [["3", "openai_compatible"]])
    assert "This is mine." in chat(lab)
    wait_until("the turn's", lambda: payer(lab, 1) == [["3", "openai_compatible"]])
    assert "This is mine" not in say(lab, user="bob")
    wait_until("bob's", lambda: payer(lab, 2) == [["1", "openai_compatible"]])


def test_titles_rules_and_tools(lab, mine, provider):
    """Whatever else asks a model for the user, and whatever would choose one."""
    asked = len(provider.keys)
    assert chat(lab, workspace="titled") == "This is mine."
    wait_until("the title", lambda: payer(lab, 3) == [["3", "openai_compatible"]])
    assert provider.keys[asked:] == ["sk-of-the-user"] * 2
    assert chat(lab, workspace="chosen") == "This is mine."
    assert chat(lab, agentId="claude") == "This is mine."
    tool = lab.command("tools", "call", "summarize", "--user", "ada", "--workspace",
                       "lab", "--args", '{"text": "A long text."}')
    assert "This is mine." in tool.stdout
    seen = json.loads(lab.command("preview", "--user", "ada", "--workspace", "lab",
                                  "Hello").stdout)
    assert seen["model"] == "mine" and "sk-of" not in json.dumps(seen)
    seen = json.loads(lab.command("preview", "--user", "bob", "--workspace", "lab",
                                  "Hello").stdout)
    assert seen["model"] == "demo"


def test_what_records_show(lab, mine):
    assert lab.get("/workspaces/lab", user="ada").json["model"] == "mine"
    assert lab.get("/workspaces/lab", user="bob").json["model"] == "demo"
    models = [w["model"] for w in lab.get("/workspaces", user="ada").json["items"]]
    assert set(models) == {"mine"}
    agent = lab.get("/workspaces/lab/agents/claude", user="ada").json
    assert (agent["llmServiceId"], agent["resolvedLlmServiceId"]) == ("claude", "own")


def test_without_a_service_of_the_installation(lab, mine):
    """Who has a key of their own can chat all the same."""
    def bobs():
        return lab.post("/chat/lab/complete", {"input": "x"}, user="bob")
    lab.write_config({"chat": {"llm_service": ""}})
    wait_until("the configuration", lambda: bobs().status == 503)
    assert bobs().json["code"] == "chat_disabled"
    assert say(lab) == "This is mine." and chat(lab) == "This is mine."
    assert lab.get("/workspaces/lab", user="ada").json["chatEnabled"]
    assert not lab.get("/workspaces/lab", user="bob").json["chatEnabled"]
    lab.write_config()
    wait_until("the old one", lambda: bobs().status == 200)


def test_the_active_one(lab, mine, provider):
    head = dict(user="ada", groups=())
    other = call(lab, "POST", OWN, instance(provider, model="second",
                                            displayName="Two"), **head).json
    rows = {r["displayName"]: r["active"] for r in call(lab, "GET", OWN, **head).json["items"]}
    assert rows == {"Mine": False, "Two": True} and say(lab) == "This is second."
    call(lab, "PATCH", f"{OWN}/{mine['id']}", {"active": True}, **head)
    assert say(lab) == "This is mine."
    call(lab, "PATCH", f"{OWN}/{mine['id']}", {"active": False}, **head)
    assert "This is" not in say(lab)
    call(lab, "PATCH", f"{OWN}/{other['id']}", {"active": True}, **head)
    assert say(lab) == "This is second."
    assert call(lab, "DELETE", f"{OWN}/{other['id']}", **head).status == 204
    assert "This is" not in say(lab)
    assert lab.sql(f"SELECT COUNT(*) FROM provider_instance WHERE id = "
                   f"UNHEX('{other['id'].replace('-', '')}')") == [["0"]]


def test_an_instance_for_an_agent(lab, mine, provider):
    """One key for an agent, another for all the rest (E33): for its turns, their
    previews and its record; whether or not there is a default."""
    head = dict(user="ada", groups=())
    agents = [call(lab, "POST", "/workspaces/lab/agents", {"name": n}, **head
                   ).json["agentId"] for n in ("One", "Two")]
    default = lab.get("/workspaces/titled/agents", user="ada").json["items"][0]["agentId"]
    special = call(lab, "POST", OWN, instance(
        provider, model="special", displayName="S", apiKey="sk-special", active=False,
        agents=[f"lab/{agents[0]}", f"titled/{default}"]), **head)
    assert special.status == 201 and special.json["agents"] == [
        f"lab/{agents[0]}", f"titled/{default}"]
    at = f"{OWN}/{special.json['id']}"
    shown = {a["agentId"]: a["model"] for a in
             lab.get("/workspaces/lab/agents", user="ada").json["items"]}
    assert [shown[a] for a in agents] == ["special", "mine"]
    assert "This is special." in chat(lab, agentId=agents[0])
    assert provider.keys[-1] == "sk-special"
    assert "This is mine." in chat(lab, agentId=agents[1]) and say(lab) == "This is mine."
    assert "This is special." in chat(lab, workspace="titled")
    # a completion has no agent
    answer = lab.post("/chat/titled/complete", {"input": "x"}, user="ada")
    assert answer.json["output"] == "This is mine."
    # without a default: only there
    call(lab, "PATCH", f"{OWN}/{mine['id']}", {"active": False}, **head)
    assert "This is special." in chat(lab, agentId=agents[0])
    assert "This is" not in chat(lab, agentId=agents[1])
    # of two for the same agent, the one changed last
    call(lab, "PATCH", f"{OWN}/{mine['id']}", {"agents": [f"lab/{agents[0]}"]}, **head)
    assert "This is mine." in chat(lab, agentId=agents[0])
    # nobody else's turns, and nothing that is not an agent of theirs
    for bad in (["lab/nobody"], ["nowhere/x"], ["lab"], [f"lab/{agents[0]}/x"], [1], "x",
                {}, [""], [f'lab/"{agents[0]}']):
        answer = call(lab, "PATCH", at, {"agents": bad}, **head)
        assert (answer.status, answer.json["field"]) == (422, "agents"), (bad, answer)
    answer = call(lab, "POST", OWN, instance(provider, agents=[f"lab/{agents[0]}"]),
                  user="bob", groups=())
    assert (answer.status, answer.json["field"]) == (422, "agents")
    answer = call(lab, "PATCH", at, {"capabilities": ["embed"]}, **head)
    assert (answer.status, answer.json["field"]) == (422, "agents")
    assert call(lab, "PATCH", at, {"agents": None}, **head).json["agents"] is None
    for path in [at, *(f"/workspaces/lab/agents/{a}" for a in agents)]:
        assert call(lab, "DELETE", path, **head).status == 204


def test_a_new_instance_for_an_agent_is_no_default(lab, mine, provider):
    """Other chats do not go to another provider by that; if the body says so, they do."""
    head = dict(user="ada", groups=())
    default = lab.get("/workspaces/titled/agents", user="ada").json["items"][0]["agentId"]
    bound = [call(lab, "POST", OWN, instance(
        provider, model="special", displayName="S", agents=agents), **head).json
        for agents in ([f"titled/{default}"], [])]
    assert [one["active"] for one in bound] == [False, True]
    call(lab, "PATCH", f"{OWN}/{mine['id']}", {"active": True}, **head)
    assert "This is special." in chat(lab, workspace="titled")
    assert say(lab) == "This is mine."
    bound.append(call(lab, "POST", OWN, instance(
        provider, model="both", displayName="B", active=True,
        agents=[f"titled/{default}"]), **head).json)
    assert bound[2]["active"] and say(lab) == "This is both."
    for one in bound:
        assert call(lab, "DELETE", f"{OWN}/{one['id']}", **head).status == 204


def test_a_key_that_is_refused_is_not_replaced(lab, provider):
    """The installation does not pay where a user's own key fails."""
    head = dict(user="eve", groups=())
    row = call(lab, "POST", OWN, instance(provider, apiKey="bad-key"), **head).json
    answer = lab.post("/chat/lab/complete", {"input": "x"}, user="eve")
    assert (answer.status, answer.json["code"]) == (502, "upstream_auth")
    assert "bad-key" not in json.dumps(answer.json)
    call(lab, "DELETE", f"{OWN}/{row['id']}", **head)


def test_instance_models_and_trial(lab, mine, provider):
    head = dict(user="ada", groups=())
    at = f"{OWN}/{mine['id']}"
    assert call(lab, "GET", f"{at}/models", **head).json["items"][0]["model"] == "big"
    assert call(lab, "POST", f"{at}/test", {}, **head).json["works"]
    assert call(lab, "POST", f"{OWN}/test", instance(provider), **head).json["works"]
    assert call(lab, "POST", f"{OWN}/models", instance(provider), **head).status == 200


def test_providers(lab):
    answer = lab.get("/providers", user="ada").json
    assert answer["mode"] == "allow_user"
    rows = {p["providerId"]: p for p in answer["items"]}
    assert rows["openai"]["keyRequired"] and rows["openai"]["url"].startswith("https://")
    assert not rows["ollama"]["keyRequired"]


def test_no_guest_has_a_key(lab, provider):
    answer = lab.call("POST", OWN, instance(provider))
    assert answer.status == 403 and "Sign in" in answer.json["detail"]


@contextlib.contextmanager
def config(lab, **changes):
    """Under another configuration, once the responder has it."""
    def mode():
        return lab.get("/providers", user="ada").json["mode"]
    lab.write_config({**changes})
    want = changes.get("byok", CONFIG["byok"])["mode"]
    wait_until("the configuration", lambda: mode() == want)
    yield
    lab.write_config()
    wait_until("the configuration", lambda: mode() == "allow_user")


def test_an_address_that_is_not_set(lab):
    """That of the provider: Ollama's is localhost, for which this list has no entry."""
    body = {"displayName": "Here", "providerId": "ollama", "model": "x"}

    def save():
        return call(lab, "POST", f"{OWN}/models", body, user="ada", groups=())
    with config(lab, byok={"mode": "allow_user"}):
        wait_until("the configuration", lambda: save().status == 422)
        assert save().json["field"] == "url" and "itself" in save().json["detail"]
    wait_until("the old one", lambda: save().status != 422)


def test_where_it_is_off(lab, mine, provider):
    """What is stored is not used, and can still be deleted."""
    head = dict(user="ada", groups=())
    other = call(lab, "POST", OWN, instance(provider, active=False), **head).json
    for mode in ("off", "platform_only"):
        with config(lab, byok={"mode": mode}):
            assert "This is mine" not in say(lab)
            for method, path, body in (
                    ("POST", OWN, instance(provider)),
                    ("POST", f"{OWN}/test", instance(provider)),
                    ("PATCH", f"{OWN}/{mine['id']}", {"active": True})):
                answer = call(lab, method, path, body, **head)
                assert answer.status == 403 and "does not let" in answer.json["detail"]
            assert len(call(lab, "GET", OWN, **head).json["items"]) == (
                2 if mode == "off" else 1)
            call(lab, "DELETE", f"{OWN}/{other['id']}", **head)
    assert say(lab) == "This is mine."


# -- services that are in use -------------------------------------------------------

def workspace(lab, **more):
    answer = call(lab, "POST", "/workspaces", {"name": "Of root", **more})
    assert answer.status == 201, answer
    return answer.json["workspaceId"]


def test_a_service_in_use(lab, made, provider):
    """B50; a turn of what uses it is answered by it."""
    space = workspace(lab, llmServiceId="ours", visibleTo=["*"])
    at = f"{ALL}/{made['id']}"
    refused = call(lab, "DELETE", at)
    assert (refused.status, refused.json["code"]) == (409, "conflict")
    assert "use this LLM service" in refused.json["detail"]
    asked = len(provider.keys)
    assert chat(lab, user="bob", workspace=space) == "This is small."
    assert provider.keys[asked] == "sk-of-the-tenant"
    wait_until("its usage", lambda: payer(lab, 1) == [["2", "openai_compatible"]])
    call(lab, "PATCH", f"/workspaces/{space}", {"llmServiceId": None})
    agent = call(lab, "POST", f"/workspaces/{space}/agents",
                 {"name": "A", "llmServiceId": "ours"}).json
    assert agent["llmServiceId"] == agent["resolvedLlmServiceId"] == "ours"
    assert call(lab, "DELETE", at).status == 409
    call(lab, "PATCH", f"/workspaces/{space}/agents/{agent['agentId']}",
         {"llmServiceId": None})
    assert call(lab, "DELETE", at).status == 204
    gone = call(lab, "POST", f"/workspaces/{space}/agents",
                {"name": "B", "llmServiceId": "ours"})
    assert gone.status == 422 and gone.json["field"] == "llmServiceId"
    call(lab, "DELETE", f"/workspaces/{space}")


def test_a_race_for_a_service(lab, provider):
    """Deleted by one node while another binds it: never both."""
    space = workspace(lab)
    outcomes = set()
    with Twin(lab, config=CONFIG) as other:
        for n in range(12):
            row = call(lab, "POST", ALL, service(provider, llmServiceId="race")).json
            with concurrent.futures.ThreadPoolExecutor(2) as both:
                deleted = both.submit(call, lab, "DELETE", f"{ALL}/{row['id']}")
                agent = both.submit(call, other, "POST", f"/workspaces/{space}/agents",
                                    {"name": f"A {n}", "llmServiceId": "race"})
            outcome = deleted.result().status, agent.result().status
            assert outcome in ((204, 422), (409, 201)), outcome
            outcomes.add(outcome)
            there = lab.sql("SELECT (SELECT COUNT(*) FROM llm_service WHERE service_id ="
                            " 'race'), (SELECT COUNT(*) FROM agent WHERE"
                            " llm_service_id = 'race')")
            assert there == ([["0", "0"]] if outcome[0] == 204 else [["1", "1"]])
            if outcome[0] == 409:
                call(lab, "DELETE", f"/workspaces/{space}/agents/"
                     f"{agent.result().json['agentId']}")
                assert call(lab, "DELETE", f"{ALL}/{row['id']}").status == 204
    call(lab, "DELETE", f"/workspaces/{space}")


# -- what turns make of them ------------------------------------------------------

@contextlib.contextmanager
def failing(lab, provider, **more):
    """A service that answers 503, for the agents of a workspace."""
    body = service(provider, llmServiceId="broken", retries=0,
                   url=provider.url.replace("/v1", "/down/v1"), **more)
    row = call(lab, "POST", ALL, body)
    assert row.status == 201, row
    space = call(lab, "POST", "/workspaces", {
        "name": "F", "workspaceId": "falls", "visibleTo": ["*"],
        "llmServiceId": "broken", "managerUsers": ["root"]})
    assert space.status == 201, space
    try:
        yield row.json
    finally:
        call(lab, "DELETE", "/workspaces/falls")
        call(lab, "DELETE", f"{ALL}/{row.json['id']}")


def ask(lab):
    stream = lab.stream("/chat/falls/stream", {"content": "Hello"}, user="eva")
    events = stream.events()
    stream.close()
    return events


def test_a_stored_service_takes_over(lab, made, provider):
    """Fallbacks of a row: another row, one of a file; what is gone is passed over."""
    with failing(lab, provider, fallbacks=["ours", "demo"]) as row:
        events = ask(lab)
        assert "".join(e.data["delta"] for e in events if e.name == "token") == "This is small."
        assert [e.data["code"] for e in events if e.name == "warning"] == ["service_changed"]
        assert provider.keys[-1] == "sk-of-the-tenant"
        # One that fails is left alone: after three failures it is not asked.
        assert ask(lab)[-1].name == ask(lab)[-1].name == ask(lab)[-1].name == "done"
        assert not lab.get("/ready").json["checks"]["llmServices"]["ok"]
        assert call(lab, "DELETE", f"{ALL}/{made['id']}").status == 204
        events = ask(lab)
        assert events[-1].name == "done"
        assert "demo" in next(e.data["message"] for e in events if e.name == "warning")
        # A change of it begins again.
        call(lab, "PATCH", f"{ALL}/{row['id']}", {"fallbacks": None})
        last = ask(lab)[-1]
        assert last.name == "error", (last.name, last.data)


def test_quirks_and_timeouts_of_a_row_are_used(lab, provider):
    with failing(lab, provider, quirks={"think_tags": "tags"}, totalTimeoutMs=1000) as row:
        path = f"{ALL}/{row['id']}"
        assert row["quirks"] == {"think_tags": "tags"} and row["totalTimeoutMs"] == 1000
        assert row["retries"] == 0
        call(lab, "PATCH", path, {"quirks": {"key_required": True}, "apiKey": None})
        assert call(lab, "GET", path).json["usable"] is False
        text = lab.command("services", "show", "broken").stdout
        assert "totalTimeoutMs: 1000" in text and "retries: 0" in text
        assert lab.command("services", "import", "-", stdin=text).stdout == "broken\tunchanged\n"


@pytest.mark.parametrize("field, value, words", [
    ("connectTimeoutMs", 0, "1 to 600000"), ("totalTimeoutMs", "x", "whole number"),
    ("retries", 11, "0 to 10"), ("fallbacks", "demo", "list"), ("fallbacks", ["nobody"], "nobody"),
    ("fallbacks", ["auto"], "auto"), ("fallbacks", ["ours"], "itself"),
    ("fallbacks", ["demo"] * 9, "at most 8"), ("fallbacks", [7], "fallbacks[0]"),
    ("quirks", [], "object"), ("quirks", {"think_tag": "x"}, "think_tags"),
    ("quirks", {"url_template": "https://elsewhere/{url}"}, "url_template"),
    ("quirks", {"auth_header": "X: {key}"}, "auth_header"),
    ("quirks", {"embed_query_prefix": "x" * 5000}, "4096")])
def test_bad_values_for_turns_are_refused(lab, made, field, value, words):
    answer = call(lab, "PATCH", f"{ALL}/{made['id']}", {field: value})
    assert (answer.status, answer.json["field"]) == (422, field), answer
    assert words in answer.json["detail"], answer
    assert call(lab, "GET", f"{ALL}/{made['id']}").json == made


# -- the command ----------------------------------------------------------------

def test_services_out_and_in_again(lab, made, provider):
    """What is exported has no key; an import keeps the one that is stored."""
    path = f"{ALL}/{made['id']}"
    call(lab, "PATCH", path, {"temperature": 0.5, "capabilities": ["chat", "vision"],
                              "contextTokens": 8192, "retries": 0, "fallbacks": ["demo"],
                              "quirks": {"key_required": True, "reasoning_in": ["b", "a"]}})
    text = lab.command("services", "export").stdout
    assert "llmServiceId: \"ours\"" in text and "sk-of" not in text and "apiKey" not in text
    assert lab.command("services", "show", "ours").stdout == text
    assert lab.command("services", "import", "-", stdin=text).stdout == "ours\tunchanged\n"
    assert lab.command("services", "set", "ours", "temperature", "1").stdout == "ours\tchanged\n"
    now = call(lab, "GET", path).json
    assert now["apiKeySet"] and now["temperature"] == 1
    # The key that it has is still the one that the provider is sent.
    tried = lab.command("services", "test", "ours", check=False)
    assert tried.returncode and tried.stdout.startswith("Images: ")  # it sees none
    assert tried.stdout.endswith("The rest works: it answers.\n")
    assert provider.keys[-1] == "sk-of-the-tenant"
    lab.command("services", "import", "-", stdin=text)
    assert lab.command("services", "export").stdout == text
    # Elsewhere it is made again, and has no key yet.
    call(lab, "DELETE", path)
    assert lab.command("services", "import", "-", stdin=text).stdout == "ours\tcreated\n"
    assert lab.command("services", "export").stdout == text
    again = call(lab, "GET", ALL).json["items"]
    again = next(r for r in again if r["llmServiceId"] == "ours")
    assert again["apiKeySet"] is False
    call(lab, "DELETE", f"{ALL}/{again['id']}")


def test_an_import_takes_away_nothing_that_is_used(lab, made):
    """A capability that an agent needs, as over the API (A29)."""
    agent = call(lab, "POST", "/workspaces/lab/agents", {
        "name": "Bound", "llmServiceId": made["llmServiceId"]}, user="ada", groups=("it",))
    assert agent.status == 201, agent
    call(lab, "PATCH", f"{ALL}/{made['id']}", {"capabilities": ["chat"]})
    text = lab.command("services", "export").stdout
    other = re.sub(r"capabilities:(\s+- |.*)\"chat\"\]?", "capabilities: [embed]", text)
    assert other != text, text
    for how in (["import", "-"], ["set", "ours", "capabilities", '["embed"]']):
        answer = lab.command("services", *how, check=False, stdin=other)
        assert answer.returncode == 1, (how, answer)
        assert "does not have the capability chat" in answer.stderr, answer.stderr
    assert lab.command("services", "export").stdout == text
    assert call(lab, "DELETE", f"/workspaces/lab/agents/{agent.json['agentId']}",
                user="ada", groups=("it",)).status == 204


@pytest.mark.parametrize("line, place, words", [
    ("apiKey: sk-open", "6:5", "not be sealed"), ("api_key: sk-open", "6:5", "not be sealed"),
    ("modle: x", "6:5", "model"), ("provider: nobody", "6:5", "nobody"),
    ("url: http://169.254.169.254/", "6:5", "url"), ("temperature: 3", "6:5", "from 0 to 2"),
    ("capabilities: [fly]", "6:5", "fly"), ("llmServiceId: auto", "6:5", "llmServiceId"),
    ("llmServiceId: claude", "6:5", "llmServiceId")])
def test_a_bad_file_of_services_says_where(lab, tmp_path, line, place, words):
    file = tmp_path / "services.yaml"
    rest = {"llmServiceId": "q", "name": "Q", "model": "m", "provider": "openai_compatible",
            "url": "https://example.com/v1"}
    rest.pop(line.split(":")[0], None)
    lines = [f"{k}: {v}" for k, v in rest.items()][:4]
    lines += ["contextTokens: 1000"] * (4 - len(lines)) + [line]
    file.write_text("services:\n  - " + "\n    ".join(lines) + "\n")
    answer = lab.command("services", "import", str(file), check=False)
    assert answer.returncode == 1
    assert f"{file}:{place}" in answer.stderr and words in answer.stderr, answer.stderr
    assert "sk-open" not in answer.stderr
    assert lab.command("services", "export").stdout == "services: []\n"


def test_a_key_does_not_follow_an_address_in_a_file(lab, made):
    text = lab.command("services", "show", "ours").stdout
    other = text.replace("http://127.0.0.1", "http://localhost")
    answer = lab.command("services", "import", "-", stdin=other, check=False)
    assert answer.returncode == 1 and "another address" in answer.stderr
    assert lab.command("services", "show", "ours").stdout == text
    answer = lab.command("services", "set", "ours", "apiKey", "sk-x", check=False)
    assert answer.returncode == 1 and "not be sealed" in answer.stderr
