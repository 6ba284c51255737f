# SPDX-License-Identifier: MIT
"""A browser without JavaScript that sends the forms of pages."""

import urllib.parse

import plain_browser


class Page(plain_browser.Page):
    """With what its selects have chosen."""

    def handle_starttag(self, tag, attributes):
        super().handle_starttag(tag, attributes)
        found = dict(attributes)
        if tag == "select":
            self.named = found["name"]
            self.forms[-1]["fields"][self.named] = None
        elif tag == "option" and ("selected" in found or
                                  self.forms[-1]["fields"][self.named] is None):
            self.forms[-1]["fields"][self.named] = found["value"]


class Browser(plain_browser.Browser):
    def get(self, path):
        return Page(self.call("GET", path), path)

    def open(self, path):
        return self.get("plain" + path)

    def send(self, page, form, **values):
        """Sends a form of a page; what it leads to."""
        path = urllib.parse.urljoin("/" + page.url, form["action"])[1:]
        reply = self.post(path, {**form["fields"], **values})
        return self.get(self.follow(reply, path).split("?")[0]) if reply.status == 303 \
            else Page(reply, path)


def form_to(page, end):
    """The first form whose address ends so."""
    return next(f for f in page.forms if f["action"].endswith(end))
