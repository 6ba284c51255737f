# SPDX-License-Identifier: MIT
"""A service of vectors and ranks (tests/peers/vectors.py), as tests bind it."""

import sys
import uuid

import pytest

from lab import ROOT

sys.path.insert(0, str(ROOT / "tests/peers"))

from vectors import DIMENSION, Peer, vector  # noqa: E402, F401

ADMIN = {"user": "root", "groups": ["it"]}


def service_of(lab, url, capabilities=("embed",), provider="openai_compatible",
               model="tiny", **fields):
    answer = lab.post("/llm-services", {
        "name": "Vectors", "provider": provider, "model": model,
        "url": url, "capabilities": list(capabilities), "apiKey": "sk-embed",
        **fields}, **ADMIN)
    assert answer.status == 201, answer
    return answer.json["llmServiceId"]


@pytest.fixture(scope="module")
def peer():
    peer = Peer()
    yield peer
    peer.close()


@pytest.fixture
def who(peer):
    peer.reset()
    return "u" + uuid.uuid4().hex[:12]
