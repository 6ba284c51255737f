# SPDX-License-Identifier: MIT
"""The lines of README and docs/deploy-*.md, pasted as they stand there."""

import json
import os
import pathlib
import pwd
import re
import shutil
import subprocess
import time

import pytest
import yaml

from lab import BUILD, ROOT
from pages import block
from web import ACCOUNT, AS_ROOT, CONF, PASSWORD, ApacheCgi

PASTED = [("README.md", "lighttpd", "server.modules"),
          ("README.md", "apache-proxy", "Alias"),
          ("docs/deploy-lighttpd.md", "lighttpd", "server.modules"),
          ("docs/deploy-apache.md", "apache-proxy", "Alias"),
          ("docs/deploy-nginx.md", "nginx", "location ~")]


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


SHARED = "docs/deploy-shared-hosting.md"


def fenced(page, language):
    return re.findall(rf"^```{language}\n(.*?)^```$", (ROOT / page).read_text(),
                      re.M | re.S)


class SharedHost(ApacheCgi):
    """The account alice, where somebody follows the page; Apache runs programs as
    their owner and allows what the page names."""

    def __init__(self, deployment):
        super().__init__(deployment, "/intranet/chat")
        self.home = self.dir / "alice"
        [allowed] = re.findall(r"at least `([\w ]+)`", (ROOT / SHARED).read_text())
        self.site = f'''ScriptSock "{{dir}}/tmp/cgid.sock"
<Directory "{self.home}/public_html">
 AllowOverride {allowed}
 Require all granted
</Directory>
DocumentRoot "{self.home}/public_html"'''

    @property
    def web_env(self):
        return {}

    def sh(self, text, check=True):
        account = {"user": ACCOUNT, "group": ACCOUNT, "extra_groups": []} if AS_ROOT \
            else {}
        return subprocess.run(
            ["sh", "-eu", "-c", text], check=check, capture_output=True, text=True,
            cwd=self.home, env={"HOME": str(self.home), "PATH": os.environ["PATH"],
                                "SECRET": self.secret}, **account)

    def unpack(self):
        """What was built elsewhere, in /path/to."""
        stage = self.dir / "path"
        shutil.copytree(self.deployment.dir / "share/www", stage / "www")
        shutil.copytree(ROOT / "sql", stage / "sql")
        for name in ("lamplighter.fcgi", "lamplighter", "lamplighter-extract",
                     "lamplighter-extract-file"):
            shutil.copy(BUILD / name, stage)
        for name in ("htaccess", "lamplighter.cgi", "workspaces.d/help.yaml"):
            text = (CONF / f"{name}.in").read_text()
            (stage / f"{pathlib.Path(name).name}.sample").write_text(
                text.replace("/home/alice", str(self.home)))
        for path in (stage, *stage.rglob("*")):
            path.chmod(0o755 if path.is_dir() or path.parent == stage else 0o644)
        return stage

    def prepare(self):
        stage = self.unpack()
        copies, secrets, _, _, _ = fenced(SHARED, "sh")
        real = yaml.safe_load(self.deployment.config_file.read_text())
        self.secret = real["database"]["password"]
        self.home.mkdir()
        if AS_ROOT:
            account = pwd.getpwnam(ACCOUNT)
            os.chown(self.home, account.pw_uid, account.pw_gid)
        self.sh(copies.replace("/path/to", str(stage))
                .replace("alice:", "ada:").replace("-apr1", f"-apr1 '{PASSWORD}'"))
        self.sh(re.sub(r"\bcat >", 'printf %s "$SECRET" >', secrets))
        [text] = fenced(SHARED, "yaml")
        mine = yaml.safe_load(text.replace("/home/alice", str(self.home)))
        for key in ("socket", "name", "user"):
            mine["database"][key] = real["database"][key]
        mine["llm_services"]["main"] |= {
            key: value for key, value in next(iter(real["llm_services"].values())).items()
            if key != "api_key"}
        path = self.home / "lamplighter/lamplighter.yaml"
        path.write_text(yaml.safe_dump(mine))
        path.chmod(0o600)
        if AS_ROOT:
            os.chown(path, account.pw_uid, account.pw_gid)


@pytest.fixture
def shared_host(deployment):
    deployment.make_ready()
    with SharedHost(deployment) as site:
        yield site


def test_shared_hosting_as_it_is_written(shared_host):
    """docs/deploy-shared-hosting.md, step by step."""
    site = shared_host
    _, _, migrate, doctor, crontab = fenced(SHARED, "sh")
    assert site.sh(migrate).returncode == 0
    assert site.call("GET", "//intranet/chat/").status == 200
    assert site.get("/me").json["name"] == "ada"
    said = site.sh(doctor.replace("https://example.org",
                                  f"http://127.0.0.1:{site.port}"), check=False)
    # The stand-in model has no list of models; everything else is fine.
    wrong = [line for line in said.stdout.splitlines()
             if re.match("(WARNING|PROBLEM) ", line)]
    assert len(wrong) == 1 and "provider main" in wrong[0], said.stdout + said.stderr
    site.sh(crontab.replace("*/5 * * * * ", ""))
