"""The lines of README and docs/deploy-*.md, pasted as they stand there."""

import json
import time

import pytest

from lab import ROOT

PASTED = [("README.md", "lighttpd", "server.modules"),
          ("README.md", "apache-proxy", "Alias"),
          ("docs/deploy-lighttpd.md", "lighttpd", "server.modules"),
          ("docs/deploy-apache.md", "apache-proxy", "Alias"),
          ("docs/deploy-nginx.md", "nginx", "location")]


def block(page, begins):
    """The lines between two fences whose first begins so."""
    parts = (ROOT / page).read_text().split("```\n")
    [found] = [part for part in parts if part.startswith(begins)]
    return found


@pytest.mark.parametrize("page,kind,begins", PASTED,
                         ids=[f"{p}-{k}" for p, k, _ in PASTED])
def test_what_is_pasted_works(make_site, deployment, page, kind, begins):
    site = make_site(kind, text=block(page, begins), sign_in=False)
    assert site.call("GET", "//chat/app.js", user=None).status == \
        (404 if kind == "nginx" else 200)	# its page is in the sample
    assert site.get("/me", user=None).status == 401
    made = deployment.command("token", "create", "--user", "ada").stdout
    token = next(w for w in made.split() if w.startswith("lamp_"))
    stream = site.stream("/chat/lab/stream", {"content": "!script " + json.dumps(
        {"tokens": 30, "rate": 25})}, user=None,
        headers={"Authorization": f"Bearer {token}"})
    assert stream.status == 200
    times = [time.monotonic() for event in stream if event.name == "token"]
    stream.close()
    # They take 1.2 s. Held back, they come within a few ms.
    assert len(times) == 30 and times[-1] - times[0] > 0.6, times
