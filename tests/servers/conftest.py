# SPDX-License-Identifier: MIT
"""Fixtures of the server matrix: one deployment, many web servers before it.

Run under tests/unit/with-mariadb (./lamp test servers does).
"""

import pathlib
import sys
import threading
import time

import pytest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE)]

from lab import wait_until  # noqa: E402
from web import KINDS, Deployment  # noqa: E402

TICKETS = """
CREATE TABLE ticket (id INT PRIMARY KEY, title VARCHAR(80) NOT NULL);
INSERT INTO ticket SELECT seq, CONCAT('Ticket ', seq) FROM seq_1_to_40;
"""
WORKSPACES = {"lab": {
    "workspace": "lab", "name": "Lab", "title_by_model": False,
    "datasets": {"tickets": {"database": "lab", "table": "ticket"}}},
    "titled": {"workspace": "titled", "name": "Titled"}}
QUIET_MS = 42000


def pytest_collection_modifyitems(items):
    """What takes long goes on beside everything else and is looked at last."""
    items.sort(key=lambda item: "quiet" in item.fixturenames)


@pytest.fixture(scope="session")
def deployment():
    with Deployment(workspaces=WORKSPACES) as deployment:
        deployment.sql(TICKETS)
        yield deployment


class Quiet(threading.Thread):
    """A turn whose model says nothing for a while, through a site of its own."""

    def __init__(self, site):
        super().__init__(daemon=True)
        self.site = site
        self.comments, self.events, self.trouble = [], [], None
        self.start()

    def run(self):
        try:
            stream = self.site.stream("/chat/lab/stream", {
                "content": '!script {"first_byte_ms": %d, "text": "at last"}'
                % QUIET_MS}, timeout_s=120)
            began = time.monotonic()
            self.comments = stream.comments
            self.events = stream.events()
            self.took_s = time.monotonic() - began
        except Exception as trouble:	# noqa: BLE001: the test shows it
            self.trouble = trouble


@pytest.fixture(scope="session", autouse=True)
def quiet_streams(request, deployment):
    """Begun before the first test, where one will ask for them."""
    if not any("quiet" in item.fixturenames for item in request.session.items):
        yield {}
        return
    streams = {kind: Quiet(cls(deployment, "/quiet").__enter__())
               for kind, cls in KINDS.items()}
    yield streams
    for stream in streams.values():
        stream.site.__exit__()


@pytest.fixture
def quiet(quiet_streams):
    """The quiet streams by kind; asking for them makes a test one of the last."""
    return quiet_streams


@pytest.fixture
def make_site(deployment):
    """Makes sites of one test's own; ends them with the test."""
    sites = []

    def make(kind, base="/chat", deployment=deployment, **kw):
        site = KINDS[kind](deployment, base, **kw)
        sites.append(site)
        return site.__enter__()

    yield make
    for site in sites:
        site.__exit__()


STATUS = {"1": "running", "2": "waiting", "3": "done", "4": "error",
          "5": "cancelled", "6": "interrupted"}


@pytest.fixture
def ended(deployment):
    """Waits for the end of a turn: its status, and the stored answer's text."""

    def wait(first, deadline_s=30):
        turn = "0x" + first["turnId"].replace("-", "")

        def look():
            [[status]] = deployment.sql(
                f"SELECT status FROM turn WHERE id = {turn}")
            return STATUS[status] not in ("running", "waiting") and status
        status = wait_until("the end of the turn", look, deadline_s)
        rows = deployment.sql("SELECT content FROM message WHERE turn_id ="
                              f" {turn} ORDER BY seq DESC LIMIT 1")
        return STATUS[status], rows[0][0]

    return wait
