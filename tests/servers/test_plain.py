# SPDX-License-Identifier: MIT
"""Plain pages through every web server, as the samples set it up."""

import json
import re
import time
import urllib.parse

import pytest

from web import KINDS

FORM = {"Content-Type": "application/x-www-form-urlencoded",
        "Sec-Fetch-Site": "same-origin"}


@pytest.mark.parametrize("kind", KINDS)
def test_a_conversation_streams(make_site, kind):
    """The redirect arrives as it was sent, the answer as it is made."""
    site = make_site(kind, "/intranet/ai chat")
    base = urllib.parse.quote(site.base)
    answer = site.call("GET", f"/{base}/plain/new")
    assert answer.status == 200, answer
    assert answer.headers["Content-Type"] == "text/html; charset=utf-8"
    assert "default-src 'none'" in answer.headers["Content-Security-Policy"]
    body = urllib.parse.urlencode({
        "agent": "lab/" + re.search(r'value="lab/([a-z]+)"', answer.body.decode())[1],
        "content": "!script " + json.dumps({
            "first_byte_ms": 1500, "text": "word " * 30, "rate": 15})})
    answer = site.call("POST", f"/{base}/plain/new", body, headers=FORM)
    assert answer.status == 303 and answer.body == b"", answer
    turn = urllib.parse.urljoin(f"{base}/plain/new", answer.headers["Location"])
    connection, response = site.open("GET", "/" + turn)
    assert response.status == 200
    text, seen = b"", []
    while part := response.read1(65536):
        text += part
        seen.append((time.monotonic(),
                     text.partition(b'class="answer"')[2].count(b"word")))
    connection.close()
    assert seen[-1][1] == 30 and text.rstrip().endswith(b"</html>")
    first = next(at for at, words in seen if words)
    half = next(at for at, words in seen if words >= 15)
    assert half - first > 0.4 and seen[-1][0] - half > 0.4, seen
    answer = site.call("GET", "/" + turn)
    assert answer.status == 303
    there = urllib.parse.urljoin(turn, answer.headers["Location"]).split("#")[0]
    assert b"word word" in site.call("GET", "/" + there).body


@pytest.mark.parametrize("kind", KINDS)
def test_sign_in_is_the_servers(make_site, kind):
    site = make_site(kind)
    assert site.call("GET", "//chat/plain/", user=None).status == 401
    assert site.call("GET", "//chat/plain/").status == 200
