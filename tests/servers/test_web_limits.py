# SPDX-License-Identifier: MIT
"""How many open answers are counted on follows the web server that is there."""

import re
import resource

import pytest

from web import Deployment


def workers(site):
    got = site.post("/doctor", {"measured": {}})
    assert got.status == 200, got
    [places] = [item for item in got.json["items"] if item["check"] == "places"]
    return int(re.search(r", of (\d+) requests at the same time", places["text"])[1])


ROLES = {"all": {"groups": ["*"], "permissions": ["AIChat.*", "AI.*"]}}


@pytest.fixture(scope="module")
def mine():
    with Deployment(config={"roles": ROLES}) as own:
        yield own


@pytest.mark.parametrize("files, expected", [(600, 200), (6000, 2000), (60000, 2730)])
def test_lighttpd_by_its_files(make_site, mine, files, expected):
    if files > resource.getrlimit(resource.RLIMIT_NOFILE)[1]:
        files = 20000
    site = make_site("lighttpd", deployment=mine,
                     edit=lambda text: f"server.max-fds = {files}\n" + text)
    assert workers(site) == expected


def test_others_by_their_stock(make_site, mine):
    assert workers(make_site("apache-proxy", deployment=mine)) == 150


def test_what_is_set_counts(make_site):
    with Deployment(config={"server": {"workers": 99}, "roles": ROLES}) as own:
        assert workers(make_site("lighttpd", deployment=own)) == 99
