# SPDX-License-Identifier: MIT
"""A page that several nodes need at once is read by one of them (lib/file/scan.h)."""

import contextlib
import pathlib
import sys

import pytest

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "api"))

from any_provider import Eyes  # noqa: E402
from conftest import at_once, three_labs  # noqa: E402
from lab import wait_until  # noqa: E402
from samples import picture, scan  # noqa: E402


@pytest.fixture(scope="module")
def eyes():
    with contextlib.closing(Eyes()) as made:
        made.let.set()
        yield made


@pytest.fixture(scope="module")
def seeing(cluster, tmp_path_factory, eyes):
    service = {"capabilities": ["chat", "tools", "vision"], "model": "eyes", "url": eyes.url,
               "api_key": "sk-ours"}
    with three_labs(cluster, tmp_path_factory, spread=False, services={"eyes": service},
                    config={"scans": {"tesseract": False, "llm_service": "eyes"}}) as labs:
        yield labs


@pytest.mark.parametrize("round", range(4))
@pytest.mark.parametrize("pages", [1, 3])
def test_nodes_pay_once_for_a_page(seeing, eyes, pages, round):
    """Two nodes may both take the lease: at the commit, one of them is refused."""
    words = [f"Page {i} of round {round}, {pages}" for i in range(pages)]
    data = picture(words[0]) if pages == 1 else scan(words)
    record = seeing[0].call("POST", "/attachments?name=a", data, user="ada", headers={
        "Content-Type": "application/octet-stream"}).json
    path = f"/attachments/{record['id']}"
    for lab in seeing:
        wait_until("it is there", lambda: lab.get(path, user="ada").status == 200)
    before = len(eyes.keys)
    ends = at_once(seeing, lambda lab: lab.chat("What is it?", user="ada",
                                                attachments=[record["id"]])[-1].name)
    assert ends == ["done"] * 3
    assert len(eyes.keys) == before + pages
    for lab in seeing:
        wait_until("it is read", lambda: lab.get(f"{path}/text", user="ada").body.count(
            b"This is eyes") == pages)
