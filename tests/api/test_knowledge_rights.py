# SPDX-License-Identifier: MIT
"""What is hidden from a user changes nothing that the user is answered: neither hits and
their scores, nor lists, notices and errors."""

import json
import re
import uuid

import pytest

from embedders import ADMIN, peer, service_of, who  # noqa: F401: fixtures
from knowledge import base_of, embedded, found, settled

BOARD = ["g1", "g2"]


def seen(lab, base, user, groups, document):
    """All that a user can ask about a base, as bytes; times of the answers left out."""
    searches = [lab.post(f"{base}/search", {"query": query, "mode": mode}, user=user,
                         groups=groups)
                for query in ("salary leave", "zebra", '"the salary"', "secretword")
                for mode in ("words", "vectors", "fused")]
    reads = [lab.get(path, user=user, groups=groups) for path in (
        base, "/knowledge-bases", f"{base}/documents", f"{base}/documents?pageSize=1",
        f"{base}/progress")]
    reads += [lab.get(f"{base}/documents/{document}{end}", user=user, groups=groups)
              for end in ("", "/text", "/content", "/text?chunk=1")]
    reads += [lab.call("DELETE", f"{base}/documents/{document}", user=user, groups=groups),
              lab.post(f"{base}/documents/{document}/retry", {}, user=user, groups=groups),
              lab.post(f"{base}/search", {"query": "salary", "documentIds": [document]},
                       user=user, groups=groups)]
    return [(a.status, re.sub(rb'"requestId":"[^"]*"', b"", a.body)) for a in searches + reads]


@pytest.mark.parametrize("vectors", [False, True])
def test_what_is_hidden_changes_no_answer(lab, who, peer, vectors):
    more = {"embeddingServiceId": service_of(lab, peer.url + "/v1")} if vectors else {}
    base = base_of(lab, who, groups=ADMIN["groups"], **more)
    for group in BOARD:
        assert lab.post(f"{base}/shares", {"group": group}, user=who,
                        groups=BOARD).status == 201
    for n in range(12):
        assert lab.post(f"{base}/documents", {
            "title": f"Rule {n}", "text": f"The salary of leave number {n}. " + "word " * n,
            "groups": ["g1"] if n % 2 else []}, user=who, groups=BOARD).status == 201
    ready = embedded if vectors else settled
    ready(lab, base, who)
    other = "v" + uuid.uuid4().hex[:12]
    unknown = str(uuid.uuid4())
    before = seen(lab, base, other, ["g1"], unknown)
    assert json.loads(before[0][1])["items"], before[0]
    hidden = [lab.post(f"{base}/documents", {
        "title": "secretword zebra", "text": "salary leave zebra secretword. " * (n + 1),
        "groups": ["g2"], "externalId": f"h{n}"}, user=who, groups=BOARD).json["id"]
        for n in range(20)]
    ready(lab, base, who)
    assert len(found(lab, base, "secretword", "w" + who, groups=["g2"])) == 10
    after = seen(lab, base, other, ["g1"], hidden[0])
    for i, (was, now) in enumerate(zip(before, after)):
        assert was[0] == now[0] and was[1].replace(unknown.encode(), b"ID") == \
            now[1].replace(hidden[0].encode(), b"ID"), (i, was, now)
