# SPDX-License-Identifier: MIT
"""Firefox as a screen reader of Linux has it: through AT-SPI, the platform's interface.

    dbus-run-session -- /usr/bin/python3 atspi.py FIREFOX PROFILE URL

with DISPLAY of an X server. Reads commands as lines of JSON and answers each with one on its
descriptor 3 (what D-Bus starts has the others, too):

    {"do": "tree"}                     all of the page: {"nodes": [{"role", "name", ...}]}
    {"do": "await", "role", "name", "state"}  waits until such a node is there, and shown; the node
    {"do": "press", "role", "name"}    its action, as a screen reader presses it
    {"do": "focus", "role", "name"}    gives it the focus
    {"do": "write", "role", "name", "text"}  types into an empty field
    {"do": "table", "name"}            the cells of a table, by the interface for tables
    {"do": "said", "until": TEXT}      what live regions were given since it was asked last,
                                       at least until TEXT is among it

Names are of the tree of AT-SPI; a role is ARIA's where the element has one (xml-roles).
"""
import json
import os
import subprocess
import sys
import time

import gi
gi.require_version("Atspi", "2.0")
from gi.repository import Atspi, GLib  # noqa: E402

PATIENCE_S = 120
LOOK_MS = 20    # not every change comes as an event
# what versions of AT-SPI call differently
ROLES = {"push-button": "button", "table-column-header": "column-header"}
STATES = ("FOCUSED", "MODAL", "SHOWING", "MULTI_LINE", "EXPANDED", "BUSY", "PRESSED")


class Gone(Exception):
    pass


def states_of(node):
    found = node.get_state_set()
    return [name.lower() for name in STATES if found.contains(getattr(Atspi.StateType, name))]


def role_of(node):
    nick = node.get_role().value_nick
    return ROLES.get(nick, nick)


def text_of(node):
    """The characters of a node, with those of what is embedded in it."""
    if "Text" not in node.get_interfaces():
        return node.get_name() or ""
    own = Atspi.Text.get_text(node, 0, -1)
    parts = own.split("\ufffc")
    inner = [text_of(node.get_child_at_index(i)) for i in range(len(parts) - 1)]
    return "".join(a + b for a, b in zip(parts, inner + [""]))


def described(node):
    attributes = node.get_attributes() or {}
    found = {"role": attributes.get("xml-roles", "").split(" ")[0] or role_of(node),
             "kind": role_of(node), "name": node.get_name() or "", "states": states_of(node)}
    for key in ("level", "live", "container-live"):
        if key in attributes:
            found[key] = attributes[key]
    return found


def walk(node):
    """A node and what is below it, as far as it can be read: pages change meanwhile."""
    try:
        node.clear_cache()
        yield node
        for i in range(node.get_child_count()):
            child = node.get_child_at_index(i)
            if child:
                yield from walk(child)
    except GLib.Error:
        return


class Reader:
    def __init__(self, firefox, profile, url):
        self.said = []
        self.listener = Atspi.EventListener.new(self.on_event)
        self.listener.register("object:text-changed:insert")
        self.firefox = subprocess.Popen([firefox, "--profile", profile, "--no-remote", "--new-instance",
                                         "--width", "1280", "--height", "800", url],
                                        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL)

    def on_event(self, event):
        """What a screen reader says of a live region: the text that comes into it."""
        try:
            attributes = event.source.get_attributes() or {}
            if attributes.get("container-live", "off") == "off":
                return
            text = str(event.any_data).replace("\ufffc", "").strip()
            if text:
                self.said.append({"text": text, "live": attributes["container-live"]})
        except GLib.Error:
            pass

    def settle(self):
        context = GLib.MainContext.default()
        while context.pending():
            context.iteration(False)

    def next_event(self):
        """Until the page tells of a change, or until it is time to look at it again."""
        GLib.timeout_add(LOOK_MS, lambda: GLib.SOURCE_REMOVE)
        GLib.MainContext.default().iteration(True)

    def until(self, look, what):
        end = time.monotonic() + PATIENCE_S
        while time.monotonic() < end:
            if self.firefox.poll() is not None:
                raise Gone(f"Firefox has ended with {self.firefox.returncode}")
            self.settle()
            try:
                found = look()
            except (GLib.Error, AttributeError, TypeError):
                found = None    # the page has changed meanwhile
            if found:
                return found
            self.next_event()
        raise Gone(f"waited for {what}; there is " + json.dumps(self.tree({})["nodes"])[:4000])

    def document(self):
        desktop = Atspi.get_desktop(0)
        desktop.clear_cache()
        for i in range(desktop.get_child_count()):
            app = desktop.get_child_at_index(i)
            if app and app.get_process_id() == self.firefox.pid:
                for node in walk(app):
                    if role_of(node) == "document-web" and "showing" in states_of(node):
                        return node
        return None

    def nodes(self):
        page = self.document()
        return walk(page) if page else ()

    def find(self, command):
        for node in self.nodes():
            one = described(node)
            if all(one[key] == command[key] for key in ("role", "name") if key in command) and \
                    {"showing", command.get("state", "showing")} <= set(one["states"]):
                return node
        return None

    def wait_for(self, command):
        return self.until(lambda: self.find(command), json.dumps(command))

    def tree(self, _):
        return {"nodes": [described(node) for node in self.nodes()]}

    def press(self, command):
        node = self.wait_for(command)
        Atspi.Action.do_action(node, 0)
        return {}

    def focus(self, command):
        Atspi.Component.grab_focus(self.wait_for(command))
        return {}

    def write(self, command):
        """Types into a field, by the keyboard of the display."""
        field = self.wait_for({"role": command["role"], "name": command["name"]})
        Atspi.Component.grab_focus(field)
        self.until(lambda: "focused" in states_of(field), "the focus")
        Atspi.generate_keyboard_event(0, command["text"], Atspi.KeySynthType.STRING)
        self.until(lambda: text_of(field) == command["text"], f"what was typed, not {text_of(field)!r}")
        return {}

    def table(self, command):
        def cells():
            node = self.find({"role": "table", **command})
            if not node or "Table" not in node.get_interfaces():
                return None
            rows, columns = Atspi.Table.get_n_rows(node), Atspi.Table.get_n_columns(node)
            return [[[role_of(cell), text_of(cell)] for cell in
                     (Atspi.Table.get_accessible_at(node, row, column) for column in range(columns))]
                    for row in range(rows)]
        return {"rows": self.until(cells, "a table")}

    def heard(self, command):
        until = command.get("until")
        if until:
            self.until(lambda: any(until in one["text"] for one in self.said), f"the words {until}")
        self.settle()
        said, self.said = self.said, []
        return {"said": said}

    def do(self, command):
        what = command.pop("do")
        if what == "await":
            return {"node": described(self.wait_for(command))}
        return {"tree": self.tree, "press": self.press, "focus": self.focus, "write": self.write,
                "table": self.table, "said": self.heard}[what](command)


def main():
    answers = os.fdopen(3, "w")
    Atspi.init()
    reader = Reader(*sys.argv[1:4])
    try:
        for line in iter(sys.stdin.readline, ""):
            try:
                answer = reader.do(json.loads(line))
            except Exception as error:  # noqa: BLE001: the test tells of it
                answer = {"error": f"{type(error).__name__}: {error}"}
            print(json.dumps(answer), file=answers, flush=True)
    finally:
        reader.firefox.terminate()
        reader.firefox.wait()


main()
