# SPDX-License-Identifier: MIT
"""Pages that are open do not stop an Apache as Debian configures it."""

import contextlib
import socket
import time

import pytest

from lab import wait_until
from web import ApacheCgi, ApacheFcgid, ApacheProxy, Deployment, basic

PAGES = 400
# Debian's mpm_event.conf and mpm_prefork.conf.
MAX_REQUEST_WORKERS = 150
MPM = {
    "event": "StartServers 2\nMinSpareThreads 25\nMaxSpareThreads 75\nThreadLimit 64\n"
             "ThreadsPerChild 25\nMaxRequestWorkers 150\n",
    "prefork": "StartServers 5\nMinSpareServers 5\nMaxSpareServers 10\n"
               "MaxRequestWorkers 150\n",
}


def stock(cls, mpm):
    return type(cls.__name__, (cls,), {
        "kind": f"{cls.kind}-{mpm}", "mpm": mpm, "site": MPM[mpm] + cls.site})


class Page:
    """The stream of a visible page."""

    def __init__(self, site):
        self.site = site
        self.ask()

    def ask(self):
        site, self.seen = self.site, b""
        self.socket = socket.create_connection(("127.0.0.1", site.port), 60)
        lines = ["GET /chat/api/v1/notifications HTTP/1.1", f"Host: 127.0.0.1:{site.port}",
                 *(f"{name}: {value}" for name, value in basic().items())]
        self.socket.sendall(("\r\n".join(lines) + "\r\n\r\n").encode())
        self.socket.setblocking(False)

    def served(self):
        """Whether its position has come."""
        more = None
        with contextlib.suppress(BlockingIOError):
            more = self.socket.recv(65536)
            self.seen += more
        ready = b"event: ready" in self.seen
        # mod_fcgid says 503 where it cannot start a process in time: a page asks again.
        if more == b"" and not ready and self.site.spawns:
            assert self.seen.startswith(b"HTTP/1.1 503 "), self.seen
            self.socket.close()
            self.ask()
        return ready

    @property
    def stays(self):
        return b"Retry-After: " not in self.seen


@pytest.fixture(scope="module")
def crowd():
    """One user who may have what all may have."""
    with Deployment(config={"limits": {"user_share": 1}}) as deployment:
        yield deployment


@pytest.mark.parametrize("cls", [
    *(stock(cls, mpm) for cls in (ApacheProxy, ApacheFcgid) for mpm in MPM),
    stock(ApacheCgi, "event")], ids=lambda cls: cls.kind)
def test_the_site_answers_beside_400_open_pages(crowd, cls):
    with cls(crowd, "/chat") as site:
        pages = [Page(site) for _ in range(PAGES)]
        wait_until("each page is served", lambda: all([
            page.served() for page in pages]), 180)
        stay = [page for page in pages if page.stays]
        # A page that stays would keep a process of mod_fcgid or CGI: it asks again later.
        assert not stay if cls.spawns else 0 < len(stay) <= MAX_REQUEST_WORKERS // 4

        # A connection that waits for the next question keeps a process of prefork.
        assert all(b"Connection: close" in page.seen for page in pages if not page.stays)

        # As long as they are open.
        def quickly():
            began = time.monotonic()
            answers = [site.call("GET", "/" + site.base + "/app.js", timeout_s=60)
                       for _ in range(20)]
            assert {answer.status for answer in answers} == {200}
            return time.monotonic() - began < 10
        wait_until("the rest of the site", quickly, 60)
        events = site.stream("/chat/lab/stream", {"content": "x"}).events()
        assert events[-1].name == "done"
        for page in pages:
            page.socket.close()
