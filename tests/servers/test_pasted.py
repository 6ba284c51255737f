"""The lines of README and docs/deploy-*.md, pasted as they stand there."""

import json
import subprocess
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


def test_the_file_env_is_one_for_shells(tmp_path):
    """docs/install.md, step 3: what is between making the file and reading it."""
    text = (ROOT / "docs/install.md").read_text()
    begin = text.index("install -m 600 /dev/null env")
    end = text.index("set -a; . ./env; set +a\n", begin)
    again = "set -a; . /etc/lamplighter/env; set +a\n"
    assert again in text[end:]
    subprocess.run(["sh", "-eu", "-c", text[begin:end]], cwd=tmp_path, check=True)
    out = subprocess.run(
        ["sh", "-eu", "-c", again.replace("/etc/lamplighter/", "./") +
         'printf %s "$LAMPLIGHTER_DB_PASSWORD"; env'], cwd=tmp_path, check=True,
        capture_output=True, text=True)
    assert out.stderr == ""
    assert out.stdout.startswith("a long random password")
    assert "OPENAI_API_KEY=sk-" in out.stdout
