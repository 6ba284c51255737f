# SPDX-License-Identifier: MIT
"""The examples of the docs are run as they are written: every YAML block of
these pages is loaded by the real program, and its tool is called by a model in
a turn, against real services on loopback. Their hosts and programs are elsewhere
than on this machine, which tests/peers/elsewhere.c sees to."""

import base64
import json
import os
import pathlib
import re
import ssl
import subprocess
import sys

import pytest

from demo_model import png
from lab import ROOT, Lab
from mcp_steps import DUAL, NODE

sys.path.insert(0, str(ROOT / "tests/peers"))

from hostile_mcp import HostileMcp  # noqa: E402
from recorder import Recorder  # noqa: E402

pytestmark = pytest.mark.long

PAGES = ("tools.md", "mcp.md", "datasets.md", "page-tools.md", "approvals.md",
         "configuration.md")
KINDS = {"sql", "client", "http", "openapi", "command", "agent", "web_search",
         "web_visit", "image_text", "mcp", "find_pii", "analyse_log"}
# Names of the docs and their addresses, public and private.
ADDRESSES = {
    "desk.example.org": "93.184.216.1", "hr.example.org": "93.184.216.2",
    "search.example.org": "93.184.216.3", "www.example.org": "93.184.216.4",
    "mcp.intranet.example": "10.30.0.7", "net.example.org": "10.20.9.9",
    "intranet.example.org": "192.168.7.7", "hr.corp.example.org": "192.168.7.8",
    "other.example.org": "192.168.7.9",
}
JSON = {"Content-Type": "application/json"}
OPENAPI = """\
openapi: 3.0.3
paths:
  /tickets/{id}:
    get:
      operationId: getTicket
      parameters: [{name: id, in: path, required: true, schema: {type: integer}}]
  /search: {get: {operationId: searchTickets}}
  /purge: {delete: {operationId: purge}}
"""
TICKETS = """
CREATE TABLE ticket (id INT PRIMARY KEY, title VARCHAR(80) NOT NULL,
  status VARCHAR(10) NOT NULL, opened DATETIME NOT NULL,
  hours DECIMAL(6,2) NOT NULL, opened_by VARCHAR(20) NOT NULL);
INSERT INTO ticket VALUES
  (1, 'Printer', 'open', '2026-02-03 09:00', 1.5, 'ada'),
  (2, 'Mouse', 'closed', '2025-02-03 09:00', 2.5, 'ada'),
  (3, 'Screen', 'open', '2026-03-03 09:00', 4, 'bob');
CREATE TABLE orders (id INT PRIMARY KEY, customer VARCHAR(20) NOT NULL);
INSERT INTO orders VALUES (1, 'Eve');
CREATE TABLE person (id INT PRIMARY KEY, login VARCHAR(20) NOT NULL,
  name VARCHAR(20) NOT NULL, department_id INT NOT NULL,
  salary_eur DECIMAL(10,2) NOT NULL);
INSERT INTO person VALUES (1, 'ada', 'Ada', 1, 10), (2, 'bob', 'Bob', 1, 20),
  (3, 'eve', 'Eve', 2, 30);
CREATE TABLE absence (person_id INT PRIMARY KEY, first_day DATE NOT NULL);
INSERT INTO absence VALUES (2, '2026-12-24'), (3, '2026-12-27');
"""


# -- the pages --------------------------------------------------------------------

def blocks(language):
    """All blocks of a language: {"PAGE NAME": text}, NAME being the first that
    the block declares."""
    found = {}
    for page in PAGES:
        text = (ROOT / "docs" / page).read_text()
        for block in re.findall(rf"^```{language}\n(.*?)^```$", text, re.M | re.S):
            name = re.search(r"^ +(?:- \{id: )?(\w+)", block, re.M)[1]
            found[f"{page} {name}"] = block
    return found


def file_of(block):
    """Where an admin would put it."""
    named = re.match(r"# (workspaces\.d/\S+)\n", block)
    of_main = re.match(r"(tools|mcp_servers|net|trusted_prompts):", block)
    return named[1] if named else "lamplighter.yaml" if of_main else \
        "workspaces.d/lab.yaml"


# -- the world of the docs ----------------------------------------------------------

@pytest.fixture(scope="module")
def world(tmp_path_factory):
    """What stands behind the names of the docs: services with certificates."""
    folder = tmp_path_factory.mktemp("world")
    names = ",".join("DNS:" + name for name in ADDRESSES)
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
         "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj",
         "/CN=docs", "-addext", "subjectAltName=" + names, "-keyout",
         folder / "key", "-out", folder / "certificate"],
        check=True, capture_output=True)
    subprocess.run(["cc", "-D_GNU_SOURCE", "-Wall", "-Werror", "-shared",
                    "-fPIC", "-o", folder / "elsewhere.so",
                    ROOT / "tests/peers/elsewhere.c"], check=True)
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(folder / "certificate", folder / "key")
    web, mcp = Recorder(), HostileMcp()
    mcp.tools = [{"name": n, "inputSchema": {"type": "object"}} for n in
                 ("read_a", "search", "move_file", "delete_all")]
    for server in (web.http, mcp.http):
        server.socket = tls.wrap_socket(server.socket, server_side=True)
    web.pages.update({
        "/api/tickets": (200, JSON, '{"items": [{"id": 7}]}'),
        "/api/tickets/7": (200, JSON, '{"id": 7}'),
        "/api/search": (200, JSON, "[]"),
        "/api/leave": (200, JSON, '{"left": 12}'),
        "/search": (200, JSON, json.dumps({"results": [
            {"title": "T", "url": "https://www.example.org/hours",
             "content": "s"}]})),
        "/hours": (200, {"Content-Type": "text/html"}, "<p>From nine to five."),
        "/plan.png": (200, {"Content-Type": "image/png"}, png(640, 480)),
    })
    programs = {"/usr/local/bin/ticket-mcp": f"exec {' '.join(NODE)} {DUAL} stdio",
                "/usr/local/bin/book-invoice": "cat"}
    moved = []
    for path, code in programs.items():
        script = folder / pathlib.Path(path).name
        script.write_text(f"#!/bin/sh\n{code}\n")
        script.chmod(0o755)
        moved.append(f"{path}={script}")
    ports = {**dict.fromkeys(ADDRESSES, web.port),
             "mcp.intranet.example": mcp.http.server_port}
    world = {"web": web, "mcp": mcp, "env": {
        "LD_PRELOAD": str(folder / "elsewhere.so"),
        "ELSEWHERE_HOSTS": " ".join(f"{name}={address}={ports[name]}" for
                                    name, address in ADDRESSES.items()),
        "ELSEWHERE_PROGRAMS": " ".join(moved),
        "SSL_CERT_FILE": str(folder / "certificate"),
        "ASAN_OPTIONS": "verify_asan_link_order=0:" + os.environ.get(
            "ASAN_OPTIONS", ""),
        "FILES_TOKEN": "token-of-the-files"}}
    yield world
    web.close()
    mcp.close()


class Docs(Lab):
    """A deployment whose configuration ends with a block of the docs."""

    def __init__(self, world, *texts, within=None):
        super().__init__(responder_env=world["env"])
        self.texts, self.within = texts, within

    def default_config(self):
        config = super().default_config()
        if self.within:		# what the model does within an agent's call
            config["llm_services"]["demo"]["model"] = "script:" + json.dumps(
                self.within)
        config["llm_services"]["eyes"] = {**config["llm_services"]["claude"],
                                          "capabilities": ["vision"]}
        config["databases"] = dict.fromkeys(
            ("desk", "shop", "intranet"), config["databases"]["lab"])
        return config

    def write_config(self, overrides=None):
        config = {**self.default_config(), **self.overrides}
        files = {"lamplighter.yaml": "".join(f"{key}: {json.dumps(value)}\n"
                                             for key, value in config.items()),
                 "workspaces.d/lab.yaml": "title_by_model: false\n"}
        for text in self.texts:
            name = file_of(text)
            files[name] = files.get(name, "") + text
        for name, text in files.items():
            (self.dir / name).parent.mkdir(exist_ok=True)
            (self.dir / name).write_text(text)
        (self.dir / "desk-openapi.yaml").write_text(OPENAPI)
        (self.dir / "secrets").mkdir(exist_ok=True)
        (self.dir / "secrets/hr-key").write_text(
            base64.b64encode(bytes(range(32))).decode())


YAML = blocks("yaml")


def step(name, **args):
    return {"name": name, "args": args}


def one(name, *want, **args):
    """A case: one call, and what its result must show."""
    return {"calls": [step(name, **args)], "want": want}


def to(host):
    return {"kind": "http", "description": "A test.",
            "http": {"url": f"https://{host}/api/leave"}}


INSIDE = {name.split(".")[0]: to(name) for name in (
    "net.example.org", "intranet.example.org", "other.example.org")}
INSIDE["corp"] = to("hr.corp.example.org")

CASES = {
    "tools.md tickets": one(
        "query_data", '"rows": [[1, "Printer", "open"]]', dataset="tickets",
        select=["id", "title", "status"],
        filters=[{"column": "status", "op": "eq", "value": "open"}]),
    "tools.md open_ticket": one("open_ticket", '"id": 7', id=7),
    "tools.md find_ticket": one("find_ticket", '[{"id": 7}]', text="a & b"),
    "tools.md desk": {"calls": [step("desk_getTicket", id=7),
                                step("desk_searchTickets")],
                      "want": ['{"id": 7}', "[]"]},
    "tools.md allow_private": {
        "calls": [step("net"), step("intranet"), step("corp"), step("other")],
        "want": ['"left": 12', "may not be reached"], "refused": ["other"],
        "with": "tools: " + json.dumps(INSIDE) + "\n"},
    "tools.md days_off": one("days_off", '"left": 12'),
    "tools.md disk_space": one("disk_space", "Avail", path="/"),
    "tools.md translate": {**one("translate", "house", text="Haus",
                                 language="English"),
                           "within": {"text": "house"}},
    "tools.md research": {
        **one("research", "One is open.", question="How many are open?"),
        "with": YAML["tools.md tickets"], "within": {
            "tool_calls": [step("query_data", dataset="tickets")],
            "then": {"text": "One is open."}}},
    "tools.md web_search": {"calls": [
        step("web_search", query="hours"),
        step("web_visit", url="https://www.example.org/hours")],
        "want": ["https://www.example.org/hours", "From nine to five."]},
    "tools.md extract_text_from_image": one(
        "extract_text_from_image", "image/png, 640 x 480 pixels",
        image="https://www.example.org/plan.png"),
    "tools.md checker": {"agent": "checker", "calls": [
        step("find_pii", text="ada@example.org"),
        step("analyse_log", text="2026-01-01T00:00:00Z ERROR x")],
        "want": ['"email": 1', '"error": 1']},
    "tools.md helpdesk": {**one("helpdesk_era", "legacy"),
                          "accept": ["helpdesk"]},
    "mcp.md files": {"calls": [step("files_search"), step("tickets_era")],
                     "want": ["found", "legacy"],
                     "accept": ["files", "tickets"]},
    "page-tools.md select_row": one("select_row", '"order": 7', order=7),
    "approvals.md users": {**one("days_off", '"left": 12'),
                           "with": YAML["tools.md days_off"]},
    "approvals.md services": {**one("days_off", '"left": 12'),
                              "with": YAML["tools.md days_off"]},
    "approvals.md book_invoice": one("book_invoice", '"number": "R7"',
                                     number="R7"),
    "approvals.md set_field": one("set_field", '"York"', field="city",
                                  value="York"),
    "configuration.md orders": one("query_data", '"rows": [[1, "Eve"]]',
                                   dataset="orders"),
    "configuration.md absences": one(
        "query_data", '"rows": [["Bob", "2026-12-24"]]', dataset="absences"),
    "datasets.md tickets": one(
        "query_data", '"rows": [[2]]', '"nextCursor"', dataset="tickets",
        select=["id"], sort=[{"column": "status"}], limit=1),
    "approvals.md calendar": one("suggest_action", "/tickets/7",
                                 action="ticket", values={"id": "7"}),
}


def test_every_example_is_a_case():
    assert set(CASES) == set(YAML)


def test_the_page_shows_each_kind():
    """docs/tools.md: each kind in about ten lines, as issue 4 has it."""
    shown = {}
    for name, block in YAML.items():
        if name.startswith("tools.md "):
            kinds = re.findall(r"kind: (\w+)", block)
            kinds += ["sql"] * block.startswith("datasets:")
            kinds += ["mcp"] * block.startswith("mcp_servers:")
            kinds += ["find_pii", "analyse_log"] * ("group:text" in block)
            shown.update(dict.fromkeys(kinds, len(block.splitlines())))
    assert set(shown) == KINDS
    assert max(shown.values()) <= 12, shown


# -- running them ----------------------------------------------------------------------

def answer(lab, wait):
    """What the user or the user's page does about a call that waits."""
    if wait["type"] == "approval":
        path, body = "approvals", {"approvalId": wait["approvalId"],
                                   "decision": "approve"}
    else:
        path, body = "tool-results", {"results": [{
            "toolCallId": wait["toolCallId"], "result": {
                "done": wait["arguments"]}}]}
    return lab.stream(f"/turns/{wait['turnId']}/{path}", body,
                      user="ada").events()


def turn(lab, calls, workspace, **kw):
    """A turn of these calls, one after the other; their results by name."""
    script = part = {}
    for call in calls:
        part["tool_calls"], part["then"] = [call], {}
        part = part["then"]
    part["text"] = "done"
    events = lab.chat("!script " + json.dumps(script), workspace=workspace,
                      webSearch=True, client={"mode": "page", "tools": [
                          call["name"] for call in calls]}, **kw)
    found = []
    while True:
        found += [e.data for e in events if e.name == "tool-result"]
        if events[-1].name != "waiting":
            break
        events = answer(lab, events[-1].data["for"][0])
    assert events[-1].name == "done", events
    assert [f["toolName"] for f in found] == [call["name"] for call in calls]
    return found


@pytest.mark.parametrize("name", YAML)
def test_an_example_runs(world, name):
    block, case = YAML[name], CASES[name]
    with Docs(world, block, case.get("with", ""),
              within=case.get("within")) as lab:
        lab.sql(TICKETS)
        lab.command("check")
        for server in case.get("accept", ()):
            lab.command("mcp", "accept", server)
        workspace = pathlib.Path(file_of(block)).stem
        if workspace == "lamplighter":
            workspace = "lab"
        found = turn(lab, case["calls"], workspace, **(
            {"agentId": case["agent"]} if "agent" in case else {}))
        for result in found:
            assert result["isError"] is (result["toolName"] in
                                         case.get("refused", ())), result
        text = "\n".join(json.dumps(f["result"]) if not isinstance(
            f["result"], str) else f["result"] for f in found)
        for want in case["want"]:
            assert want in text, text


def seen(world, path):
    return next(r for r in reversed(world["web"].seen) if r.path == path)


def test_what_the_services_got(world):
    """The examples say more than that they work: hosts, values, credentials."""
    for name in ("find_ticket", "desk", "days_off"):
        test_an_example_runs(world, "tools.md " + name)
    assert seen(world, "/api/tickets?search=a%20%26%20b").headers[
        "Host"] == "desk.example.org"
    assert seen(world, "/api/tickets/7").headers["Host"] == "desk.example.org"
    head, payload, _ = seen(world, "/api/leave").headers["Authorization"
        ].removeprefix("Bearer ").split(".")
    head, claims = (json.loads(base64.urlsafe_b64decode(part + "=" * (-len(
        part) % 4))) for part in (head, payload))
    assert head["alg"] == "EdDSA"
    assert (claims["aud"], claims["sub"]) == ("hr", "ada")
    assert claims["exp"] - claims["iat"] == 60
    test_an_example_runs(world, "mcp.md files")
    assert {h["Authorization"] for _, h, _ in world["mcp"].requests} == {
        "Bearer token-of-the-files"}


def test_the_queries_of_the_page(world):
    """docs/datasets.md: its JSON is what query_data takes."""
    queries = [json.loads(q) for q in re.findall(
        r"^```json\n(.*?)^```$", (ROOT / "docs/datasets.md").read_text(),
        re.M | re.S)]
    assert len(queries) == 2
    with Docs(world, YAML["tools.md tickets"]) as lab:
        lab.sql(TICKETS)
        rows, groups = turn(lab, [step("query_data", **q) for q in queries],
                            "lab")
        assert rows["result"]["rows"] == [[1, "Printer"]]
        assert groups["result"]["rowCount"] == 2, groups
