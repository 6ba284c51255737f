# SPDX-License-Identifier: MIT
"""A body that is shorter than announced, or announced oddly, is never stored."""

import re
import socket

import pytest

from lab import wait_until
from web import KINDS, PASSWORD, USER, basic

# What does not fit into 32 bits may look like a small number, or like none.
LONG = [str(2**31), str(2**32), str(2**32 + 5), str(2**63), str(2**64), str(2**64 + 5)]
ODD = ["-1", "-5", "+5", "5,5", "5 5", "0x5", "5a", ""]


def send(site, length, close):
    """The answer to five bytes that are announced like that."""
    return post(site, [f"Content-Length: {length}"], b"hello", close)


def post(site, fields, body, close=False):
    lines = ["POST /chat/api/v1/attachments?name=a.txt HTTP/1.1",
             f"Host: 127.0.0.1:{site.port}", "Connection: close",
             "Sec-Fetch-Site: same-origin", "Content-Type: text/plain",
             *fields, *(f"{name}: {value}" for name, value in basic(USER, PASSWORD).items())]
    with socket.create_connection(("127.0.0.1", site.port), 60) as peer:
        peer.sendall(("\r\n".join(lines) + "\r\n\r\n").encode() + body)
        if close:
            peer.shutdown(socket.SHUT_WR)
        got = b""
        try:
            while piece := peer.recv(65536):
                got += piece
        except ConnectionResetError:
            pass
    return got


def files(site):
    """All of them, once no upload runs any more: its client may have gone before."""
    rows = []

    def ended():
        # In one statement: an upload may begin between two.
        rows[:] = site.deployment.sql("SELECT HEX(id), state FROM attachment")
        return all(state == "ready" for _, state in rows)
    wait_until("the end of uploads", ended)
    return [row for row, _ in rows]


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_announced_must_come(make_site, kind):
    site = make_site(kind)
    before = files(site)
    for length in LONG:
        assert re.match(rb"HTTP/1\.1 (400|413) ", send(site, length, close=False)), length
    for length in ODD:
        assert re.match(rb"HTTP/1\.1 (400|411) ", send(site, length, close=False)), length
    # Who closes may get no answer; mod_fcgid says that it could not read the rest.
    assert re.match(rb"$|HTTP/1\.1 (400|500) ", send(site, 5000, close=True))
    assert files(site) == before


def test_what_apache_drops_is_refused(make_site):
    """A configuration with LimitRequestBody alone: mod_fcgid passes on an empty body."""
    site = make_site("apache-fcgid", edit=lambda text: re.sub(
        r'\s*<If "%\{HTTP:Content-Length\}.*?</If>', "", text, flags=re.S).replace(
            "LimitRequestBody 0", "LimitRequestBody 16777216"))
    before = files(site)
    for length in 17 << 20, 2**31, 2**32, 2**32 + 5:
        got = send(site, length, close=False)
        assert got.startswith(b"HTTP/1.1 422 ") and b"dropped them" in got, got
    assert files(site) == before


@pytest.mark.parametrize("kind", KINDS)
def test_what_comes_in_pieces_is_stored_whole_or_not(make_site, kind):
    """mod_fcgid took what it was allowed to, and the file was complete and ready."""
    site = make_site(kind)
    before = len(files(site))
    piece = b"100000\r\n" + b"x" * (1 << 20) + b"\r\n"
    got = post(site, ["Transfer-Encoding: chunked"], piece * 18 + b"0\r\n\r\n")
    assert re.match(rb"HTTP/1\.1 (201|413|500) ", got), got
    sizes = site.deployment.sql("SELECT size FROM attachment ORDER BY id")[before:]
    assert sizes == ([[str(18 << 20)]] if b" 201 " in got[:20] else [])
