# SPDX-License-Identifier: MIT
"""A browser without JavaScript, for the plain pages: links, forms, redirects."""

import html.parser
import http.client
import json
import urllib.parse

from lab import wait_until

ANSWER = '<section class="answer">'
NOBODY = "0192f000-0000-7000-8000-000000000000"


def script(**kw):
    """What the model does; late enough for its page to be opened before."""
    return "!script " + json.dumps({"first_byte_ms": 1000, **kw})


def at_once(**kw):
    return "!script " + json.dumps(kw)


class Page(html.parser.HTMLParser):
    """A page: its links and forms, and whether its elements nest well."""

    VOID = {"meta", "link", "br", "hr", "input"}

    def __init__(self, answer, url=""):
        super().__init__()
        self.url, self.status, self.headers = url, answer.status, answer.headers
        self.text = answer.body.decode()
        self.links, self.forms, self.stack, self.named = [], [], [], ""
        self.feed(self.text)
        self.close()
        assert self.stack == [], self.stack

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if tag not in self.VOID:
            self.stack.append(tag)
        if tag == "a":
            self.links.append(attributes["href"])
        elif tag == "form":
            self.forms.append({"action": attributes["action"], "fields": {},
                               "method": attributes.get("method", "get")})
        elif tag == "input" and attributes.get("name") and \
                attributes.get("type") not in ("checkbox", "submit"):
            self.forms[-1]["fields"][attributes["name"]] = attributes.get("value", "")
        elif tag == "textarea":
            self.named = attributes["name"]
            self.forms[-1]["fields"][self.named] = ""
        elif tag == "script":
            raise AssertionError("a script")

    def handle_endtag(self, tag):
        assert self.stack and self.stack.pop() == tag, (tag, self.stack)

    def handle_data(self, data):
        if self.stack and self.stack[-1] == "textarea":
            self.forms[-1]["fields"][self.named] += data.removeprefix("\n")

    def form(self, action):
        found = [f for f in self.forms if action in f["action"]]
        assert found, (action, self.forms)
        return found[-1]


class Browser:
    """One that knows no JavaScript and, like text browsers, says little."""

    def __init__(self, lab, user="ada", headers=None, address="127.0.0.1"):
        self.lab, self.user, self.address = lab, user, address
        self.headers = {"Sec-Fetch-Site": None, **(headers or {})}

    def call(self, method, path, body=None, **headers):
        headers = {k: v for k, v in {**self.headers, **headers}.items() if v}
        connection, response = open_raw(self.lab, method, path, body, headers,
                                        self.user, self.address)
        with connection:
            return Reply(response)

    def get(self, path):
        return Page(self.call("GET", path), path)

    def post(self, path, fields, **headers):
        return self.call("POST", path, urllib.parse.urlencode(fields), **{
            "Content-Type": "application/x-www-form-urlencoded", **headers})

    def submit(self, page, action, **values):
        form = page.form(action)
        path = urllib.parse.urljoin("/" + page.url, form["action"])[1:]
        return self.post(path, {**form["fields"], **values})

    def follow(self, reply, path):
        assert reply.status == 303, reply
        assert reply.body == b""
        return urllib.parse.urljoin("/" + path, reply.headers["Location"])[1:]


class Reply:
    def __init__(self, response):
        self.status, self.headers = response.status, response.headers
        self.body = response.read()

    def __repr__(self):
        return f"<{self.status} {self.body[:400]!r}>"


def open_raw(lab, method, path, body, headers, user, address="127.0.0.1"):
    class Connection(http.client.HTTPConnection):
        def __enter__(self):
            return self

        def __exit__(self, *_):
            self.close()

    connection = Connection("127.0.0.1", lab.port, timeout=60, source_address=(address, 0))
    if user:
        headers = {**lab.identity(user), **headers}
    target = urllib.parse.quote(lab.base.rstrip("/")) + "/" + path
    connection.request(method, target, body and body.encode(), headers)
    return connection, connection.getresponse()


def start(browser, content, agent="lab/helper", **fields):
    """A new conversation; the path of its turn's page."""
    page = browser.get("plain/new")
    reply = browser.submit(page, "new", agent=agent, content=content, **fields)
    return browser.follow(reply, "plain/new")


def ended(browser, turn):
    """Waits for a turn's end; the path of its conversation."""
    reply = wait_until("the turn's end", lambda: (
        r := browser.call("GET", turn)).status == 303 and r)
    return browser.follow(reply, turn).split("#")[0]


def talk(browser, content, **kw):
    """A turn to its end; the page of the conversation, and its path."""
    path = ended(browser, start(browser, content, **kw))
    return browser.get(path), path
