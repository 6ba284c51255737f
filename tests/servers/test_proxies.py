# SPDX-License-Identifier: MIT
"""docs/reverse-proxy.md and nginx's auth_request, pasted as they stand there."""

import contextlib
import http.server
import subprocess
import threading

import pytest
import yaml

from lab import ROOT
from pages import block
from report import doctor, the
from web import Apache, Deployment, Lighttpd, Nginx

PAGE = "docs/reverse-proxy.md"
BASE = "/intranet/chat"
SECRET = "one-of-the-proxy-and-the-responder"


class ApacheFront(Apache):
    kind, modules = "apache-front", ("proxy", "proxy_http")


class LighttpdFront(Lighttpd):
    kind = "lighttpd-front"

    def read_sample(self):
        return 'server.modules += ("mod_proxy")\n' + super().read_sample()


class NginxFront(Nginx):
    kind = "nginx-front"


# What is in front, what its lines begin with, its name, and what is behind it.
FRONTS = [(NginxFront, 'location "/intranet', "nginx", "apache-proxy"),
          (ApacheFront, "ProxyPreserveHost", "Apache", "nginx"),
          (LighttpdFront, '$HTTP["url"]', "lighttpd", "apache-proxy")]


def lines(begins, site):
    text = block(PAGE, begins)
    assert "10.0.0.5" in text
    for old, new in (('"10.0.0.5", "port" => 80', f'"127.0.0.1", "port" => {site.port}'),
                     ("10.0.0.5:80/", f"127.0.0.1:{site.port}/"),
                     ("10.0.0.5:80", f"127.0.0.1:{site.port}"),
                     ("10.0.0.5/", f"127.0.0.1:{site.port}/")):
        text = text.replace(old, new)
    assert "10.0.0.5" not in text
    return text


@pytest.mark.parametrize("front,begins,name,behind", FRONTS,
                         ids=[f[0].kind for f in FRONTS])
def test_a_proxy_as_it_is_written(make_site, deployment, front, begins, name, behind):
    site = make_site(behind, BASE)
    with front(deployment, BASE, text=lines(begins, site)) as outermost:
        report, found = doctor(outermost)
    assert name in report["front"], report
    for check in ("reach", "page", "token", "identity", "spoof", "origin", "methods",
                  "stream", "quiet", "compression", "body"):
        assert the(found, check)["result"] == "ok", found[check]
    assert not [f for f in report["items"] if f["result"] == "problem"]


class ApacheTls(ApacheFront):
    """In front, with HTTP/2 and Brotli, and without the lines of our page."""

    kind, modules = "apache-tls", ("proxy", "proxy_http", "http2", "ssl", "brotli")
    site = """SSLEngine on
SSLCertificateFile "{dir}/cert.pem"
SSLCertificateKeyFile "{dir}/key.pem"
Protocols h2 http/1.1
SetOutputFilter BROTLI_COMPRESS
CustomLog "{dir}/tmp/access.log" "%H %U %{{Content-Encoding}}o"
Include "{dir}/site.conf\""""

    def configure_web(self):
        subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days",
                        "2", "-keyout", self.dir / "key.pem", "-out", self.dir / "cert.pem",
                        "-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"],
                       check=True, capture_output=True)
        super().configure_web()


def test_http2_and_brotli(make_site, deployment, monkeypatch):
    """What a browser asks for was measured over the connection that was there, which is
    one of HTTP/1.1."""
    site = make_site("apache-proxy", BASE)
    text = f'ProxyPass "/" "http://127.0.0.1:{site.port}/"\nProxyPreserveHost On\n'
    with ApacheTls(deployment, BASE, text=text) as outermost:
        monkeypatch.setenv("SSL_CERT_FILE", str(outermost.dir / "cert.pem"))
        report, found = doctor(outermost, url=outermost.url.replace("http:", "https:"))
        log = (outermost.dir / "tmp/access.log").read_text()
    assert [(f["subject"], f["result"]) for f in found["origin"]] == [
        ("HTTP/1.1", "ok"), ("HTTP/2", "ok")]
    assert f"HTTP/2.0 {BASE}/api/v1/doctor/probe br" in log, log
    assert f"HTTP/1.1 {BASE}/api/v1/doctor/probe -" in log
    compression = the(found, "compression")
    assert compression["result"] == "warning" and "(br)" in compression["text"]
    assert compression["advice"].startswith("# Apache, in front:\nSetEnv no-brotli 1")
    assert not [f for f in report["items"] if f["result"] == "problem"]


def test_two_proxies_in_a_row(make_site, deployment):
    """nginx, Apache, and Apache that asks the responder: the one between is named,
    and has its lines, where it changes what it passes on."""
    site = make_site("apache-proxy", BASE)
    for host, result in ("On", "ok"), ("Off", "problem"):
        text = lines("ProxyPreserveHost", site).replace("Host On", f"Host {host}")
        with ApacheFront(deployment, BASE, text=text) as between, NginxFront(
                deployment, BASE, text=lines('location "/intranet', between)) as outermost:
            report, found = doctor(outermost)
        assert report["front"] == "nginx, Apache", report
        origin = the(found, "origin")
        assert origin["result"] == result
    assert "# Apache, in front too:\nProxyPreserveHost On\n" in origin["advice"]


@contextlib.contextmanager
def signs_in():
    """A single sign-on for auth_request: who has the cookie is ada."""
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            knows = self.headers.get("Cookie") == "sso=1"
            self.send_response(204 if knows else 401)
            if knows:
                self.send_header("X-User", "ada")
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        yield server.server_port
        server.shutdown()


def test_nginx_asks_a_single_sign_on(make_site):
    page = "docs/deploy-nginx.md"
    with signs_in() as port:
        text = block(page, "location ~").replace("{\n", "{\n auth_request /sso;\n" + block(
            page, "auth_request_set"), 1)
        site = make_site("nginx", text=text + f"location = /sso {{\n internal;\n"
                         f" proxy_pass http://127.0.0.1:{port};\n"
                         " proxy_pass_request_body off;\n"
                         ' proxy_set_header Content-Length "";\n}\n', sign_in=False)
        assert site.get("/me", user=None).status == 401
        assert site.get("/me", user="ada").status == 401
        known = {"Cookie": "sso=1", "X-User": "eve"}
        assert site.get("/me", user="eve", headers=known).json["name"] == "ada"
        events = site.stream("/chat/lab/stream", {"content": "hello"}, user=None, headers={
            **known, "Origin": f"http://127.0.0.1:{site.port}"}).events()
        assert events[-1].name == "done"


@pytest.fixture
def trusting(monkeypatch):
    """A deployment whose people the proxy signs in, by the lines of the page."""
    monkeypatch.setenv("PROXY_SECRET", SECRET)
    page = (ROOT / PAGE).read_text()
    [chain] = [part.split("```")[0] for part in page.split("```yaml\n")
               if part.startswith("identity:")]
    identity = yaml.safe_load(chain.replace("10.0.0.4", "127.0.0.1"))
    with Deployment(config=identity, workspaces={"lab": {
            "workspace": "lab", "name": "Lab", "title_by_model": False}}) as deployment:
        yield deployment


def test_the_proxy_signs_people_in(make_site, trusting):
    site = make_site("lighttpd", BASE, deployment=trusting, sign_in=False)
    headers = block(PAGE, "proxy_set_header X-Remote-User").replace("…", SECRET)
    text = lines('location "/intranet', site).replace(
        "{\n", "{\n set $signed_in ada;\n" + headers, 1)
    with NginxFront(trusting, BASE, text=text) as front:
        for said in {}, {"X-Remote-User": "eve", "X-Remote-Groups": "it",
                         "X-Lamplighter-Secret": "guessed"}:
            me = front.get("/me", user=None, headers=said).json
            assert (me["name"], me["groups"]) == ("ada", []), me
        events = front.stream("/chat/lab/stream", {"content": "hello"}, user=None, headers={
            "Origin": f"http://127.0.0.1:{front.port}"}).events()
        assert events[-1].name == "done"
    # Without the proxy nobody is believed.
    assert site.get("/me", user=None, headers={"X-Remote-User": "eve"}).status == 401
