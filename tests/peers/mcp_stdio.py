#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""An MCP server over stdio that does odd things, one tool each.

    mcp_stdio.py session|modern

session: 2025-06-18 by initialize. modern: refuses initialize, and every request
that does not say 2026-07-28.
"""

import json
import sys

MODERN = sys.argv[1] == "modern"
TOOLS = ("ask", "batch", "chatter", "hang", "change", "cancelled")
tools, cancelled = list(TOOLS), []


def say(message):
    print(json.dumps(message), flush=True)


def text(said):
    return {"content": [{"type": "text", "text": said}]}


def heard():
    line = sys.stdin.readline()
    if not line:
        sys.exit()
    return json.loads(line)


def call(name, id):
    if name == "ask":                # requests of ours before the answer
        say({"jsonrpc": "2.0", "id": "p", "method": "ping"})
        say({"jsonrpc": "2.0", "id": 7, "method": "sampling/createMessage",
             "params": {}})
        pong, refused = heard(), heard()
        return text(json.dumps([pong["id"], pong["result"], refused["id"],
                                refused["error"]["code"]]))
    if name == "batch":              # 2025-03-26 knew those
        say([{"jsonrpc": "2.0", "method": "notifications/message"},
             {"jsonrpc": "2.0", "id": id, "result": text("in a batch")}])
        return None
    if name == "chatter":            # somebody's print, and others' answers
        print("Starting …\n[1, 2\n{\"jsonrpc\": \n\n")
        say({"jsonrpc": "2.0", "id": id + 1000, "result": text("forged")})
        say({"jsonrpc": "2.0", "id": str(id), "result": text("in words")})
        return None
    if name == "change":
        tools.append("late")
        say({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"})
        return text("changed")
    if name == "cancelled":
        return text(json.dumps(cancelled))
    return None if name == "hang" else text(name)


def answer(m):
    params = m.get("params", {})
    version = params.get("_meta", {}).get(
        "io.modelcontextprotocol/protocolVersion")
    if MODERN and version != "2026-07-28":
        return {"error": {"code": -32022, "message": "Which version?", "data": {
            "supported": ["2026-07-28"]}}}
    if m["method"] == "initialize":
        return {"result": {"protocolVersion": "2025-06-18", "capabilities": {},
                           "serverInfo": {"name": "odd", "version": "1"}}}
    if m["method"] == "tools/list":
        return {"result": {"tools": [
            {"name": n, "inputSchema": {"type": "object"}} for n in tools]}}
    result = call(params["name"], m["id"])
    return None if result is None else {"result": result}


while True:
    message = heard()
    if message.get("method") == "notifications/cancelled":
        cancelled.append(message["params"]["requestId"])
    if "id" not in message:
        continue
    said = answer(message)
    if said is not None:
        say({"jsonrpc": "2.0", "id": message["id"], **said})
