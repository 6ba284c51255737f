# SPDX-License-Identifier: MIT
"""Keys that people store: who gets at them, where they show, and what they reach."""

import base64
import contextlib
import json
import pathlib
import sys

import pytest

from lab import Lab, wait_until
from labs import KEYS, WORKSPACES

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "api"))

from any_provider import Provider, provider  # noqa: E402, F401: a fixture

KEY = KEYS["secrets"]["key"]
KEY_2 = "ffeeddccbbaa99887766554433221100" * 2
OWN = "/provider-instances"
ADA = "sk-ada-7f1c0ffee-and-nothing-else"
CONFIG = {
    "roles": {"user": {"groups": ["*"], "permissions": ["AIChat.*", "AI.Tokens.*"]},
              "bots": {"groups": ["bots"], "permissions": ["AIChat.Providers.Write"]},
              "admin": {"groups": ["it"], "permissions": ["*"]}},
    "log": {"level": "debug"}, **KEYS}


@pytest.fixture(scope="module")
def lab():
    with Lab(workspaces=WORKSPACES, config=CONFIG) as made:
        yield made


def instance(provider, key=ADA, **more):
    return {"displayName": "Mine", "providerId": "openai_compatible",
            "model": "mine", "url": provider.url, "apiKey": key, **more}


@pytest.fixture
def ada(lab, provider):
    row = lab.post(OWN, instance(provider), user="ada")
    assert row.status == 201, row
    yield row
    lab.call("DELETE", f"{OWN}/{row.json['id']}", user="ada")


def say(lab, user="ada"):
    return lab.post("/chat/lab/complete", {"input": "Who are you?"}, user=user)


def works(lab, user="ada"):
    answer = say(lab, user)
    return answer.status == 200 and answer.json["output"] == "This is mine."


@contextlib.contextmanager
def config(lab, until, **changes):
    lab.write_config(changes)
    wait_until("the configuration", until)
    try:
        yield
    finally:
        lab.write_config()
        wait_until("the old one", lambda: works(lab))


# -- whose -----------------------------------------------------------------------

def test_another_users(lab, ada):
    """Nothing tells that it is there; nothing of it is changed or used."""
    there = f"{OWN}/{ada.json['id']}"
    nowhere = f"{OWN}/0192f000-0000-7000-8000-000000000000"
    tag = ada.headers["ETag"]
    for method, tail, body, head in (
            ("GET", "", None, {}), ("GET", "", None, {"If-None-Match": tag}),
            ("PATCH", "", {"displayName": "x"}, {"If-Match": tag}),
            ("PATCH", "", {"url": "https://evil.example"}, {}),
            ("DELETE", "", None, {}), ("POST", "/test", {}, {}),
            ("GET", "/models", None, {})):
        for who in ({"user": "bob"}, {"user": "root", "groups": ["it"]}):
            answers = [lab.call(method, at + tail, body, headers=head, **who)
                       for at in (there, nowhere)]
            seen = [{k: v for k, v in a.json.items() if k != "requestId"}
                    for a in answers]
            assert seen[0] == seen[1] and answers[0].status == 404
    assert lab.get(there, user="ada").json == ada.json
    assert not works(lab, "bob") and works(lab)


def test_another_users_cursor(lab, ada, provider):
    lab.post(OWN, instance(provider, active=False), user="ada")
    page = lab.get(f"{OWN}?pageSize=1", user="ada").json
    theirs = lab.get(f"{OWN}?pageSize=1&cursor={page['nextCursor']}", user="bob")
    assert theirs.json["items"] == [] and theirs.json["totalCount"] == 0
    for row in lab.get(OWN, user="ada").json["items"]:
        if row["id"] != ada.json["id"]:
            lab.call("DELETE", f"{OWN}/{row['id']}", user="ada")


def test_the_take_out(lab, ada):
    mine = lab.command("export", "--user", "ada").stdout
    theirs = lab.command("export", "--user", "bob").stdout
    assert '"displayName":"Mine"' in mine and '"apiKeySet":true' in mine
    assert "Mine" not in theirs and "api_key" not in mine + theirs


def test_a_token_of_the_api(lab, provider):
    """One that may chat does not say where its user's chats go."""
    mine = lab.post(OWN, instance(provider), user="tom").json
    at = f"{OWN}/{mine['id']}"

    def token(**who):
        made = lab.post("/tokens", {}, user="tom", **who).json
        return {"headers": {"Authorization": f"Bearer {made['secret']}"}}

    wide, named = token(), token(groups=["bots"])
    for method, path, body in (("POST", OWN, instance(provider, key="sk-evil")),
                               ("PATCH", at, {"url": provider.url, "apiKey": "sk-evil"}),
                               ("PATCH", at, {"active": False})):
        answer = lab.call(method, path, body, **wide)
        assert answer.status == 403, answer
        assert "AIChat.Providers.Write" in answer.json["detail"]
    assert lab.get(OWN, **wide).json["items"] == [mine] and works(lab, "tom")
    made = lab.post(OWN, instance(provider, active=False), **named)
    assert made.status == 201, made
    assert lab.call("PATCH", at, {"displayName": "x"}, **named).status == 200
    for row in (mine, made.json):
        lab.call("DELETE", f"{OWN}/{row['id']}", user="tom")


# -- where it shows -----------------------------------------------------------------

def forms(key):
    raw = key.encode()
    return [key, raw.hex(), raw.hex().upper(), base64.b64encode(raw).decode()]


def everything(lab):
    """What the database has, and what the processes wrote."""
    tables = [row[0] for row in lab.sql("SHOW TABLES")]
    dump = lab.sql("".join(f"SELECT * FROM `{t}`;" for t in tables))
    return "\n".join("\t".join(row) for row in dump) + lab.log("responder")


def test_in_no_answer_row_or_log(lab, ada, provider):
    """Whatever was done with it, and what a provider says of it."""
    bad = "bad-key-4d5e6f-of-ada"
    seen = [ada, lab.get(OWN, user="ada"), say(lab)]
    at = f"{OWN}/{ada.json['id']}"
    seen.append(lab.call("PATCH", at, {"displayName": "Other"}, user="ada"))
    seen.append(lab.post(f"{at}/test", {}, user="ada"))
    seen.append(lab.call("PATCH", at, {"apiKey": ["not", ADA]}, user="ada"))
    seen.append(lab.call("PATCH", at, {"apiKey": ADA + "\n"}, user="ada"))
    seen.append(lab.call("PATCH", at, {"apiKey": bad}, user="ada"))
    seen.append(say(lab))
    assert seen[-1].json["code"] == "upstream_auth"
    seen.append(lab.post(f"{at}/test", {}, user="ada"))
    seen.append(lab.get(f"{at}/models", user="ada"))
    assert provider.keys[-1] == bad
    stored = lab.sql("SELECT HEX(api_key) FROM provider_instance")
    assert all(row[0].startswith("01") for row in stored)
    text = everything(lab) + "".join(
        a.body.decode() + str(a.headers) for a in seen)
    for key in (ADA, bad):
        for form in forms(key):
            at = text.find(form)
            assert at < 0, text[max(0, at - 300):at + 300]
    lab.call("PATCH", f"{OWN}/{ada.json['id']}", {"apiKey": ADA}, user="ada")


def test_after_it_is_deleted(lab, ada):
    sealed = lab.sql("SELECT HEX(api_key) FROM provider_instance")[0][0]
    lab.call("DELETE", f"{OWN}/{ada.json['id']}", user="ada")
    assert lab.sql("SELECT COUNT(*) FROM provider_instance") == [["0"]]
    assert sealed[20:60] not in everything(lab) and not works(lab)


def test_a_row_that_is_moved(lab, ada, provider):
    """Who can write to the database cannot use another's key with it."""
    bob = lab.post(OWN, instance(provider, key="sk-bob"), user="bob").json
    ids = [f"UNHEX('{r['id'].replace('-', '')}')" for r in (ada.json, bob)]
    lab.sql("UPDATE provider_instance b JOIN provider_instance a"
            f" SET b.api_key = a.api_key WHERE a.id = {ids[0]} AND b.id = {ids[1]}")
    answer = say(lab, "bob")
    assert (answer.status, answer.json["code"]) == (503, "secrets_unavailable")
    assert ADA not in provider.keys[-1:] and "moved" in answer.json["detail"]
    lab.call("DELETE", f"{OWN}/{bob['id']}", user="bob")


# -- where it reaches -----------------------------------------------------------------

def test_a_redirect(lab, provider):
    url = provider.url.removesuffix("/v1") + "/moved"
    row = lab.post(OWN, instance(provider, url=url), user="dora").json
    asked = len(provider.keys)
    assert say(lab, "dora").status == 502
    assert len(provider.keys) == asked + 1      # not where it points to
    lab.call("DELETE", f"{OWN}/{row['id']}", user="dora")


def test_another_address(lab, ada, provider):
    """A key goes to the address that it was entered for, and to no other."""
    admin = {"user": "root", "groups": ["it"]}
    service = lab.post("/llm-services", {
        "name": "S", "provider": "openai_compatible", "model": "m",
        "url": provider.url, "apiKey": "sk-tenant-5e4f"}, **admin).json
    with contextlib.closing(Provider()) as other:
        for at, name, who in ((f"{OWN}/{ada.json['id']}", "providerId", {"user": "ada"}),
                              (f"/llm-services/{service['id']}", "provider", admin)):
            for change in ({"url": other.url}, {"url": None}, {name: "openai"},
                           {"url": other.url, "model": "x"}):
                answer = lab.call("PATCH", at, change, **who)
                assert (answer.status, answer.json.get("field")) == (422, "apiKey"), answer
                assert "Enter the key again" in answer.json["detail"]
            assert lab.get(at, **who).json["url"] == provider.url
            # What stays as it is asks for nothing, nor does a key that goes.
            for change in ({"url": provider.url, name: "openai_compatible"},
                           {"url": other.url, "apiKey": "sk-new"},
                           {"url": provider.url, "apiKey": None}, {"url": other.url}):
                answer = lab.call("PATCH", at, change, **who)
                assert answer.status == 200, (change, answer)
        assert other.keys == []
    lab.call("DELETE", f"/llm-services/{service['id']}", **admin)


@contextlib.contextmanager
def stored(lab, at, body, url, **who):
    """The path of a row with an address that is refused by now."""
    row = lab.post(at, {**body, "url": "https://unseen.invalid/"}, **who)
    assert row.status == 201, row
    table = at[1:].replace("-", "_")[:-1]
    lab.sql(f"UPDATE {table} SET url = '{url}'"
            f" WHERE id = UNHEX('{row.json['id'].replace('-', '')}')")
    yield f"{at}/{row.json['id']}"
    assert lab.call("DELETE", f"{at}/{row.json['id']}", **who).status == 204


def test_clear_text_only_where_listed(lab):
    """http:// goes to what the list names, not to all the world because there is one."""
    url = "http://1.1.1.1:9/"
    for at, who, body in ((OWN, {"user": "ada"}, {"displayName": "x", "providerId": "ollama"}),
                          ("/llm-services", {"user": "root", "groups": ["it"]},
                           {"llmServiceId": "bare", "name": "x", "provider": "ollama"})):
        body |= {"model": "m", "apiKey": "k"}
        for path in (at, f"{at}/test"):
            answer = lab.post(path, {**body, "url": url}, **who)
            assert answer.status == 422 and "https://" in answer.json["detail"]
        with stored(lab, at, body, url, **who) as row:
            tried = lab.post(f"{row}/test", {}, **who).json if at == OWN else lab.post(
                "/workspaces/lab/llm-services/bare/test", {}, **who).json
        assert (tried["works"], tried["code"]) == (False, "address_refused"), tried
        assert "http://" in tried["message"]


# -- the key of keys ---------------------------------------------------------------------

def code(lab):
    return say(lab).json.get("code")


def test_a_lost_key(lab, ada):
    """It says which key is missing; records stay, and can be deleted or mended."""
    at = f"{OWN}/{ada.json['id']}"
    with config(lab, lambda: code(lab) == "secrets_unavailable",
                secrets={"key": KEY_2}):
        answer = say(lab)
        assert answer.status == 503 and "secrets.key" in answer.json["detail"]
        assert lab.get(at, user="ada").json["apiKeySet"]
        again = lab.command("secret", "rotate", check=False)
        assert again.returncode == 1 and "0 sealed again, 1 cannot" in again.stdout
        assert "provider_instance.api_key of " + ada.json["id"] in again.stderr
        assert "not in secrets.key" in again.stderr
    with config(lab, lambda: code(lab) == "secrets_unavailable", secrets={}):
        assert say(lab).status == 503
        stored = lab.post(OWN, {"displayName": "x", "providerId": "openai",
                                "model": "m", "apiKey": "k"}, user="eve")
        assert stored.status == 503 and "lamplighter secret key" in stored.json["detail"]


def test_keys_of_users_are_not_allowed(lab, ada, provider):
    """What was stored before is looked at and deleted, and goes to nobody."""
    at, asked = f"{OWN}/{ada.json['id']}", len(provider.keys)
    for mode in ("off", "platform_only"):
        with config(lab, lambda m=mode: lab.get("/providers", user="ada"
                                                ).json["mode"] == m, byok={**KEYS["byok"], "mode": mode}):
            for method, path, body in (("GET", f"{at}/models", None),
                                       ("POST", f"{at}/test", {}),
                                       ("POST", f"{at}/test", {"model": "x"})):
                answer = lab.call(method, path, body, user="ada")
                assert answer.status == 403 and "keys of their own" in answer.json["detail"]
            assert lab.get(at, user="ada").status == 200
            assert len(provider.keys) == asked
        asked = len(provider.keys)


def marks(lab):
    return {row[0] for row in lab.sql(
        "SELECT HEX(LEFT(api_key, 9)) FROM provider_instance UNION ALL"
        " SELECT HEX(LEFT(api_key, 9)) FROM llm_service WHERE api_key IS NOT NULL")}


def test_rotation(lab, ada, provider):
    """In front, sealed again, the old one gone; twice is once."""
    service = lab.post("/llm-services", {
        "name": "S", "provider": "openai_compatible", "model": "m",
        "url": provider.url, "apiKey": "sk-s"}, user="root", groups=["it"]).json
    before = marks(lab)
    assert len(before) == 1
    lab.write_config({"secrets": {"key": f"{KEY_2} {KEY}"}})
    first = lab.command("secret", "rotate").stdout
    assert first.startswith("2 sealed again, 0 cannot be opened")
    assert len(marks(lab)) == 1 and marks(lab) != before
    assert lab.command("secret", "rotate").stdout.startswith("0 sealed again")
    wait_until("the server has both", lambda: works(lab))
    lab.write_config({"secrets": {"key": KEY_2}})
    assert lab.command("secret", "rotate").stdout.startswith("0 sealed again")
    assert works(lab)
    lab.write_config({"secrets": {"key": f"{KEY} {KEY_2}"}})
    assert lab.command("secret", "rotate").stdout.startswith("2 sealed again")
    assert marks(lab) == before
    lab.write_config()
    wait_until("the old one", lambda: works(lab))
    lab.call("DELETE", f"/llm-services/{service['id']}", user="root", groups=["it"])


def test_the_command(lab):
    key = lab.command("secret", "key").stdout.strip()
    assert len(key) == 64 and int(key, 16)
    for argv in ((), ("kye",), ("key", "x")):
        assert lab.command("secret", *argv, check=False).returncode == 2


def test_a_key_that_is_none(lab):
    """The check names the option, not the value."""
    lab.write_config({"secrets": {"key": "0123456789"}})
    said = lab.command("check", check=False)
    assert said.returncode == 1 and "64 hexadecimal digits" in said.stderr + said.stdout
    assert "0123456789" not in said.stderr + said.stdout
    lab.write_config()


# -- where no private address is allowed ------------------------------------------------

@pytest.fixture(scope="module")
def strict(lab):
    """The last tests': no private address is allowed from here on."""
    def refuses():
        return lab.post(OWN + "/test", {
            "displayName": "x", "providerId": "openai_compatible", "model": "m",
            "url": "http://127.0.0.1/", "apiKey": "k"}, user="zoe").status == 422
    lab.write_config({"byok": {"mode": "allow_user"}, "api_services": {}})
    wait_until("the configuration", refuses)
    yield lab
    lab.write_config()
    wait_until("the old one", lambda: not refuses())


@pytest.mark.parametrize("host", [
    "127.0.0.1", "localhost", "[::1]", "10.0.0.1", "192.168.1.1", "172.16.0.1",
    "169.254.169.254", "[::ffff:127.0.0.1]", "2130706433", "0x7f.1", "[fd00:ec2::254]"])
def test_private_addresses(strict, provider, host):
    port = provider.url.split(":")[2].split("/")[0]
    url = f"https://{host}:{port}/v1"
    asked = len(provider.keys)
    for path in (OWN, f"{OWN}/test", f"{OWN}/models"):
        answer = strict.post(path, instance(provider, url=url), user="ada")
        assert answer.status == 422 and answer.json["field"] == "url"
    with stored(strict, OWN, instance(provider), url, user="ada") as row:
        tried = strict.post(f"{row}/test", {}, user="ada").json
        assert not tried["works"] and tried["code"] == "address_refused"
        assert "private" in tried["message"]
        models = strict.get(f"{row}/models", user="ada")
        assert models.json["code"] == "address_refused"
    assert len(provider.keys) == asked


def test_without_tls(strict, provider):
    """A key does not go over the open net in the clear."""
    for path, body in ((OWN, instance(provider)), ("/llm-services", {
            "name": "x", "provider": "openai_compatible", "model": "m",
            "url": "http://example.com/v1"})):
        answer = strict.post(path, body, user="root", groups=["it"])
        assert answer.status == 422 and "https://" in answer.json["detail"]


def test_a_turn_with_a_stored_address(strict, provider, lab):
    """What was stored under other rules is asked again when it is used."""
    with stored(strict, OWN, instance(provider), "https://127.0.0.1:9/v1", user="carl"):
        answer = say(strict, "carl")
        assert answer.json["code"] == "address_refused", answer
