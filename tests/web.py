# SPDX-License-Identifier: MIT
"""Web servers in front of a Lab, each with the sample configuration of conf/.

A Site is one running web server. Its configuration is a small main file, made
here, that includes the sample with the admin's four substitutions: the path
(/intranet/chat), the socket, the directories of the installation, the password
file. So what admins paste is what is tested.
"""

import base64
import grp
import gzip
import itertools
import os
import pathlib
import pwd
import re
import shutil
import signal
import socket
import subprocess

from lab import EXTRACT, EXTRACT_FILE, RESPONDER, ROOT, Lab, free_port, program

CONF = ROOT / "conf"
MODULES = pathlib.Path("/usr/lib/apache2/modules")
USER, PASSWORD = "ada", "Lovelace 1815"
AS_ROOT = os.geteuid() == 0
# The account that web servers have on Debian, where we may choose.
ACCOUNT = "www-data"
numbers = itertools.count(1)

INDEX = "<!doctype html>\n<title>Chat</title>\n<p>\u2713</p>\n"
SCRIPT = "export const answer = 42\n"
SHEET = "body { margin: 0 }\n"
ICON = '<svg xmlns="http://www.w3.org/2000/svg"/>\n'


def htpasswd():
    """In the one format that all of the servers read."""
    out = subprocess.run(["openssl", "passwd", "-apr1", PASSWORD],
                         capture_output=True, text=True, check=True)
    return f"{USER}:{out.stdout}"


def basic(user=USER, password=PASSWORD):
    text = base64.b64encode(f"{user}:{password}".encode()).decode()
    return {"Authorization": f"Basic {text}"}


class Deployment(Lab):
    """What all sites share: database, model, configuration, one responder."""

    # What is not a script, titles for example, takes its time.
    model_options = "--talk-first", "1500"

    def __init__(self, **kw):
        super().__init__(web=False, **kw)
        self.made_ready = False

    def default_config(self):
        config = super().default_config()
        del config["server"]	# the samples' web servers are not configured
        config["identity"] = {"chain": [
            {"kind": "api_token"},
            {"kind": "remote_user", "groups_param": "REMOTE_GROUPS"}]}
        config["roles"]["admin"] = {"groups": ["it"], "permissions": ["*"]}
        return config

    def make_ready(self):
        """An installation as `make install` lays it out, and who may read it."""
        if self.made_ready:
            return
        self.made_ready = True
        share = self.dir / "share"
        for path, text in (("www/index.html", INDEX), ("www/app.js", SCRIPT),
                           ("www/js/deep.mjs", SCRIPT), ("www/favicon.svg", ICON),
                           ("www/page/a-1.js", SCRIPT), ("www/page/a-1.js.br", "br"),
                           ("www/page/a-1.css", SHEET), ("www/page/a-1.css.br", "br")):
            (share / path).parent.mkdir(parents=True, exist_ok=True)
            (share / path).write_text(text)
        for name, text in ("a-1.js", SCRIPT), ("a-1.css", SHEET):
            (share / f"www/page/{name}.gz").write_bytes(gzip.compress(text.encode()))
        libexec = self.dir / "libexec"
        libexec.mkdir()
        shutil.copy(RESPONDER, libexec / "lamplighter.fcgi")
        for reader in (EXTRACT, EXTRACT_FILE):
            shutil.copy(reader, libexec / reader.name)
        shutil.copytree(ROOT / "sql", share / "sql")
        etc = self.dir / "lamplighter"
        etc.mkdir()
        (etc / "htpasswd").write_text(htpasswd())
        self.share_tree()
        if AS_ROOT:
            # Processes of the web server's account use the same database.
            os.chmod(os.environ["LAMPLIGHTER_TEST_DB_DIR"], 0o711)

    def share_tree(self):
        """Readable for the web server's account, whatever our umask is."""
        os.chmod(self.dir, 0o755)
        for path in self.dir.rglob("*"):
            if path.is_dir():
                path.chmod(0o755)
            elif path.name in (RESPONDER.name, EXTRACT.name, EXTRACT_FILE.name):
                path.chmod(0o755)
            elif path.is_file() and path.suffix != ".log":
                path.chmod(0o644)

    def start_responder(self, env=None):
        super().start_responder(env)
        self.make_ready()
        if AS_ROOT:		# as Group= does in the service file
            os.chown(self.responder_socket, -1, grp.getgrnam(ACCOUNT).gr_gid)


class Site(Lab):
    """One web server in front of a Deployment; speak to it as to a Lab."""

    kind = sample = None
    spawns = False		# whether the server starts the responder itself

    def __init__(self, deployment, base="/chat", sign_in=True, edit=str,
                 text=None):
        self.deployment = deployment
        self.text = text	# in the place of the sample's
        self.edit = edit	# the sample's text once more, as an admin would
        self.base = base
        self.sign_in = sign_in
        self.port = free_port()
        self.database = deployment.database
        self.config_file = deployment.config_file
        self.processes = {}
        self.dir = deployment.dir / f"{self.kind}-{next(numbers)}"

    def __enter__(self):
        self.dir.mkdir()
        (self.dir / "tmp").mkdir()
        if AS_ROOT:
            for path in (self.dir, self.dir / "tmp"):
                os.chown(path, pwd.getpwnam(ACCOUNT).pw_uid, -1)
                path.chmod(0o755)
        try:
            self.prepare()
            self.start_web()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        if "web" in self.processes:
            self.stop("web")

    # -- the sample -----------------------------------------------------------

    def read_sample(self):
        d = self.deployment
        text = self.text or (CONF / self.sample).read_text()
        if not self.sign_in and not self.text:
            text, n = re.subn(r"(?ms)^\s*# Sign-in.*?^\s*# End of sign-in\.\n",
                              self.without_sign_in, text)
            assert n, "the sample says where sign-in begins and ends"
        for old, new in (("/intranet/chat", self.base.rstrip("/")),
                         ("/run/lamplighter/fcgi.sock", d.responder_socket),
                         ("/run/lighttpd", str(self.dir)),
                         ("@pkgdatadir@", str(d.dir / "share")),
                         ("@pkglibexecdir@", str(d.dir / "libexec")),
                         ("@sysconfdir@/lamplighter/lamplighter.yaml",
                          str(d.config_file)),
                         ("/home/alice/lamplighter/lamplighter.yaml",
                          str(d.config_file)),
                         ("/home/alice", str(d.dir)),
                         ("/usr/share/lamplighter", str(d.dir / "share")),
                         ("@sysconfdir@", str(d.dir))):
            text = text.replace(old, new)
        assert not re.search(r"@[a-z]+@", text)
        return self.edit(text)

    without_sign_in = ""

    def write(self, name, text):
        path = self.dir / name
        path.write_text(text)
        path.chmod(0o644)
        return path

    def prepare(self):
        self.write("site.conf", self.read_sample())

    # -- the process ------------------------------------------------------------

    @property
    def web_env(self):
        return {"LAMPLIGHTER_SQL_DIR": str(self.deployment.dir / "share/sql")}

    def signal(self, sig):
        self.processes["web"].send_signal(signal.Signals[sig])

    def open(self, method, path, body=None, headers=None, user=USER, **kw):
        """As of a Lab, but people sign in by password; user=None: nobody."""
        headers = {**(basic(user) if user else {}), **(headers or {})}
        return super().open(method, path, body, headers, **kw)

    def raw(self, target, method="GET", headers=None, user=USER):
        """The status and body for a request target that no client would send."""
        lines = [f"{method} {target} HTTP/1.1", f"Host: 127.0.0.1:{self.port}",
                 "Connection: close"]
        for name, value in {**(basic(user) if user else {}),
                            **(headers or {})}.items():
            lines.append(f"{name}: {value}")
        with socket.create_connection(("127.0.0.1", self.port), 30) as s:
            s.sendall(("\r\n".join(lines) + "\r\n\r\n").encode())
            answer = b""
            while part := s.recv(65536):
                answer += part
        head, _, body = answer.partition(b"\r\n\r\n")
        return int(head.split()[1]), body

    def responders(self):
        """Processes of the responder that this web server started."""
        mine = descendants(self.processes["web"].pid)
        return [pid for pid, exe in programs() if exe.name.startswith(
            "lamplighter.") and (pid in mine or self.dir in exe.parents)]


def programs():
    """All processes that we may look at: pid and executable."""
    for path in pathlib.Path("/proc").glob("[0-9]*/exe"):
        try:
            yield int(path.parent.name), path.readlink()
        except OSError:
            pass


def descendants(pid):
    children = {}
    for path in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            text = path.read_text()
        except OSError:
            continue
        parent = int(text.rpartition(")")[2].split()[1])
        children.setdefault(parent, []).append(int(path.parent.name))
    found, todo = [], [pid]
    while todo:
        below = children.get(todo.pop(), [])
        found += below
        todo += below
    return found


class Lighttpd(Site):
    kind, sample = "lighttpd", "lighttpd.conf.in"
    stop_signal, gentle_signal, reload_signal = "SIGTERM", "SIGINT", "SIGUSR1"

    def configure_web(self):
        account = f'server.username = "{ACCOUNT}"\n' \
            f'server.groupname = "{ACCOUNT}"\n' if AS_ROOT else ""
        self.write("lighttpd.conf", f'''
server.port = {self.port}
server.bind = "127.0.0.1"
server.document-root = "{self.dir}/tmp"
server.upload-dirs = ("{self.dir}/tmp")
server.modules = ("mod_accesslog")
{account}include "site.conf"
''')


class LighttpdSpawn(Lighttpd):
    kind, sample, spawns = "lighttpd-spawn", "lighttpd-spawn.conf.in", True


class Apache(Site):
    stop_signal, gentle_signal, reload_signal = ("SIGTERM", "SIGWINCH",
                                                 "SIGUSR1")
    modules = ()
    mpm = "event"
    site = 'Include "{dir}/site.conf"'

    def configure_web(self):
        self.write("mime.types", "text/html html\ntext/css css\n")
        load = "\n".join(
            f"LoadModule {m}_module {MODULES}/mod_{m}.so" for m in (
                f"mpm_{self.mpm}", "authz_core", "authz_user", "authn_core",
                "authn_file", "auth_basic", "alias", "mime", "dir", "headers",
                "env", "setenvif", "filter", "deflate", "rewrite", *self.modules))
        account = f"User {ACCOUNT}\nGroup {ACCOUNT}\n" if AS_ROOT else ""
        self.write("apache.conf", f'''
ServerName 127.0.0.1
ServerRoot "{self.dir}"
DefaultRuntimeDir "{self.dir}"
PidFile "{self.dir}/apache.pid"
ErrorLog /dev/stderr
Listen 127.0.0.1:{self.port}
{load}
{account}Timeout 60
TypesConfig "{self.dir}/mime.types"
AddOutputFilterByType DEFLATE text/html text/plain text/css text/javascript application/json
DocumentRoot "{self.dir}/tmp"
<Directory />
 AllowOverride None
 Require all denied
</Directory>
<Directory "{self.dir}/tmp">
 Require all granted
</Directory>
{self.site.format(dir=self.dir)}
''')

    def web_argv(self):
        # The prefork MPM ends its whole process group, in which we are.
        return [program("setsid"), program("apache2"), "-D", "FOREGROUND", "-f",
                self.dir / "apache.conf"]


class ApacheProxy(Apache):
    kind, sample = "apache-proxy", "apache-proxy.conf.in"
    modules = "proxy", "proxy_fcgi"


class ApacheFcgid(Apache):
    kind, sample, spawns = "apache-fcgid", "apache-fcgid.conf.in", True
    modules = ("fcgid",)
    site = ('FcgidIPCDir "{dir}/tmp"\nFcgidProcessTableFile "{dir}/tmp/shm"\n'
            'Include "{dir}/site.conf"')


class ApacheCgi(Apache):
    """Shared hosting: the host allows CGI and .htaccess, that is all."""

    kind, sample, spawns = "apache-cgi", "htaccess.in", True
    modules = ("cgid",)
    # As docs/deploy-shared-hosting.md names it.
    site = '''ScriptSock "{dir}/tmp/cgid.sock"
<Directory "{dir}/tmp/site">
 AllowOverride Options AuthConfig FileInfo Indexes
 Require all granted
</Directory>
DocumentRoot "{dir}/tmp/site"'''

    def read_script(self):
        d = self.deployment
        text = (CONF / "lamplighter.cgi.in").read_text()
        for old, new in (
                ("/intranet/chat", self.base.rstrip("/")),
                ("/home/alice/lamplighter/lamplighter.yaml", d.config_file),
                ("/home/alice/lamplighter/sql", d.dir / "share/sql"),
                ("/home/alice/lamplighter/lamplighter.fcgi",
                 self.dir / "tmp/libexec/lamplighter.fcgi")):
            assert old in text
            text = text.replace(old, str(new))
        return self.edit(text)

    def prepare(self):
        d = self.deployment
        super().prepare()
        home = self.dir / "tmp/site" / self.base.strip("/")
        shutil.copytree(d.dir / "share/www", home)
        # Its own copy: it leaves the web server, and is found by its path.
        shutil.copytree(d.dir / "libexec", self.dir / "tmp/libexec")
        (home / "lamplighter.cgi").write_text(self.read_script())
        (home / ".htaccess").write_text((self.dir / "site.conf").read_text())
        for path in [self.dir / "tmp/site", *(self.dir / "tmp/site").rglob("*")]:
            path.chmod(0o755 if path.is_dir() or path.suffix == ".cgi"
                       or path.name in (EXTRACT.name, EXTRACT_FILE.name)
                       else 0o644)


class Nginx(Site):
    kind, sample = "nginx", "nginx.conf.in"
    stop_signal, gentle_signal, reload_signal = "SIGTERM", "SIGQUIT", "SIGHUP"
    # The worst that admins do without sign-in: pass what the client says.
    without_sign_in = "fastcgi_param REMOTE_USER $remote_user;\n"

    def __init__(self, *args, beside="", **kw):
        super().__init__(*args, **kw)
        self.beside = beside	# the server block

    def prepare(self):
        text = self.read_sample()
        if not self.sign_in:	# the page has no use for it
            text = text.replace(self.without_sign_in, "", 1)
        self.write("site.conf", text)

    def configure_web(self):
        account = f"user {ACCOUNT};" if AS_ROOT else ""
        temp = "\n".join(f" {name}_temp_path {self.dir}/tmp/{name};" for name in
                         ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        self.write("nginx.conf", f'''
{account}
daemon off;
pid {self.dir}/nginx.pid;
error_log stderr;
events {{ worker_connections 1024; }}
http {{
 access_log off;
 gzip on;
{temp}
{self.beside} server {{
  listen 127.0.0.1:{self.port};
  include {self.dir}/site.conf;
 }}
}}
''')

    def web_argv(self):
        return [program("nginx"), "-e", "stderr", "-p", self.dir, "-c",
                self.dir / "nginx.conf"]


KINDS = {c.kind: c for c in (Lighttpd, LighttpdSpawn, ApacheProxy, ApacheFcgid,
                             ApacheCgi, Nginx)}
