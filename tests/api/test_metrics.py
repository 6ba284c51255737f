# SPDX-License-Identifier: MIT
"""GET /metrics: what is counted where, as text that a real parser reads, and the
sums of several processes."""

import json
import signal

import pytest
from prometheus_client.openmetrics import parser as openmetrics
from prometheus_client.parser import text_string_to_metric_families

from lab import Lab, Stream, Twin, wait_until
from labs import TICKETS, WORKSPACES

OPEN = "application/openmetrics-text; version=1.0.0"
ROLES = {"roles": {
    "user": {"groups": ["*"], "permissions": ["AIChat.*", "AI.Chat.UseTool.*"]},
    "monitoring": {"groups": ["monitoring"], "permissions": ["AI.Admin.Metrics"]}}}


@pytest.fixture(scope="module")
def site():
    with Lab(workspaces=WORKSPACES, config=ROLES) as lab:
        lab.sql(TICKETS)
        yield lab


def scrape(lab, accept=OPEN):
    answer = lab.get("/metrics", user="prometheus", groups=["monitoring"],
                     headers={"Accept": accept})
    assert answer.status == 200, answer
    return answer


def samples(lab):
    """{(name, labels): value}"""
    families = openmetrics.text_string_to_metric_families(scrape(lab).body.decode())
    return {(s.name.removeprefix("lamplighter_"), *sorted(s.labels.values())): s.value
            for family in families for s in family.samples}


class Growth:
    """How much has been counted since it was made."""

    def __init__(self, lab):
        self.lab, self.before = lab, samples(lab)

    def of(self, *key):
        return samples(self.lab)[key] - self.before[key]


def test_both_formats_are_read_by_their_parsers(site):
    """OpenMetrics for those who ask for it, with units; else Prometheus text."""
    for accept in (OPEN + ",text/plain;version=0.0.4;q=0.5", OPEN):
        answer = scrape(site, accept)
        assert answer.headers["Content-Type"] == \
            "application/openmetrics-text; version=1.0.0; charset=utf-8"
        families = {f.name: f for f in openmetrics.text_string_to_metric_families(
            answer.body.decode())}
        assert answer.body.endswith(b"\n# EOF\n")
        assert families["lamplighter_requests"].type == "counter"
        assert families["lamplighter_model_tokens"].unit == "tokens"
        assert families["lamplighter_first_token_seconds"].unit == "seconds"
        assert families["lamplighter_open_streams"].type == "gauge"
    for accept in ("*/*", "text/plain", ""):
        answer = scrape(site, accept)
        assert answer.headers["Content-Type"] == \
            "text/plain; version=0.0.4; charset=utf-8"
        plain = {f.name: f for f in text_string_to_metric_families(
            answer.body.decode())}
        assert set(plain) == set(families)
        assert b"EOF" not in answer.body
        for name, family in plain.items():
            assert family.documentation == families[name].documentation
            assert family.type == families[name].type
            assert {s.name for s in family.samples} == {
                s.name for s in families[name].samples}


def test_the_list_is_the_table(site):
    listed = {line.split("\t")[0] for line in
              site.command("list", "metrics").stdout.splitlines()}
    told = {f.name + ("_total" if f.type == "counter" else "")
            for f in openmetrics.text_string_to_metric_families(
                scrape(site).body.decode())}
    assert listed == told


def test_it_needs_its_permission(site):
    for user in ("ada", None):
        refused = site.get("/metrics", user=user)
        assert refused.status == 403
        assert "AI.Admin.Metrics" in refused.json["detail"]
    made = site.command("token", "create", "--user", "prometheus", "--group",
                        "monitoring").stdout.split()[-1]
    answer = site.get("/metrics", headers={"Authorization": f"Bearer {made}"})
    assert answer.status == 200 and b"lamplighter_turns_total" in answer.body


def test_requests_and_turns(site):
    grown = Growth(site)
    assert site.chat("Hello.")[-1].name == "done"
    assert site.get("/turns/not-an-id", user="ada").status == 404
    assert site.get("/me?x=1", user="ada").status == 422
    # A request is counted behind its answer.
    for key in (("2xx", "chat"), ("4xx", "me"), ("4xx", "other")):
        wait_until(key, lambda key=key: grown.of("requests_total", *key) == 1)
    wait_until("our own", lambda: grown.of("requests_total", "2xx", "metrics") > 0)
    assert grown.of("turns_total", "done") == 1
    assert grown.of("model_tokens_total", "input") > 0
    assert grown.of("model_tokens_total", "output") > 0
    assert grown.of("first_token_seconds_count") == 1
    assert grown.of("first_token_seconds_bucket", "+Inf") == 1
    assert grown.of("upstream_errors_total", "error") == 0


def test_tools_and_errors(site):
    grown = Growth(site)
    site.chat({"tool_calls": [{"name": "list_datasets", "args": {}},
                              {"name": "no_such_tool", "args": {}}],
               "then": {"text": "So."}})
    assert grown.of("tool_calls_total", "data", "ok") == 1
    assert grown.of("tool_calls_total", "other", "refused") == 1
    assert site.chat({"error": {"status": 401}})[-1].name == "error"
    assert grown.of("upstream_errors_total", "auth") == 1
    assert grown.of("turns_total", "error") == 1


def test_open_streams(site):
    key = ("open_streams", "notifications")
    assert samples(site).get(key) == 0
    stream = Stream(*site.open("GET", "/notifications", user="ada"))
    assert next(iter(stream)).name == "ready"
    assert samples(site)[key] == 1
    stream.close()
    wait_until("it is seen to be closed", lambda: samples(site)[key] == 0)


def test_jobs(site):
    grown = Growth(site)
    made = site.post("/conversations", {"workspaceId": "lab"}, user="ada").json
    path = f"/conversations/{made['conversationId']}"
    assert site.call("DELETE", path, user="ada").status == 204
    wait_until("the job", lambda: grown.of("jobs_total", "done") == 1)
    site.sql("INSERT INTO job (kind, subject, tenant_id, due_us, created_us)"
             " VALUES ('conversation-purge', 'x', 'default', 1, 1)")
    site.command("work")	# counts, too
    assert grown.of("jobs_total", "failed") == 1


def test_any_process_tells_the_sums_of_all(site):
    grown = Growth(site)
    with Twin(site, config=ROLES) as twin:
        assert twin.chat("Hello.")[-1].name == "done"
        assert site.chat("Hello.")[-1].name == "done"
        stream = Stream(*twin.open("GET", "/notifications", user="ada"))
        assert next(iter(stream)).name == "ready"
        samples(twin)
        assert grown.of("turns_total", "done") == 2
        assert grown.of("open_streams", "notifications") == 1
        assert samples(twin)["turns_total", "done"] == \
            samples(site)["turns_total", "done"]
        assert twin.chat("Hello.")[-1].name == "done"
        stream.close()
        # What it has not added yet, it adds when it ends.
        twin.stop("responder", sig=signal.SIGTERM)
    assert grown.of("turns_total", "done") == 3
    assert grown.of("open_streams", "notifications") == 0


def test_a_process_that_only_finishes_turns_counts_on(make_lab):
    """Its successor tells what it had counted, though its last turn still runs."""
    lab = make_lab(config=ROLES)
    grown = Growth(lab)
    assert lab.chat("Hello.")[-1].name == "done"
    stream = lab.stream("/chat/lab/stream", {"content": "!script " + json.dumps(
        {"tokens": 20000, "rate": 50})}, user="ada")
    events = iter(stream)
    next(e for e in events if e.name == "token")
    old = lab.processes.pop("responder")
    lab.start_responder()
    try:
        wait_until("its counts", lambda: grown.of("turns_total", "done") == 1)
        assert old.poll() is None and next(events).name == "token"
    finally:
        stream.close()
        old.kill()	# it would stream to the end
        old.wait()


def test_rows_of_other_versions_are_left_alone(site):
    site.sql("INSERT INTO metric (name, cell, value) VALUES ('of-old', '', 5),"
             " ('turns', 'outcome=\"of-new\"', 7)")
    before = scrape(site).body
    assert b"of-old" not in before and b"of-new" not in before
    assert json.loads(site.sql("SELECT JSON_ARRAYAGG(value) FROM metric"
                               " WHERE value IN (5, 7)")[0][0])
