# SPDX-License-Identifier: MIT
"""The stand-in model for tests: starts it, talks its three wire formats, and
answers its tool calls from rows in memory.
"""

import http.client
import json
import os
import pathlib
import signal
import socket
import struct
import subprocess
import zlib

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BUILD = pathlib.Path(os.environ.get("LAMPLIGHTER_BUILD", ROOT / "build"))
BINARY = BUILD / "fcgi-app" / "demo-llm" / "lamplighter-demo-llm"
PATHS = {"openai": "/v1/chat/completions", "anthropic": "/v1/messages",
         "ollama": "/api/chat"}


class Model:
    """One running lamplighter-demo-llm on a port of its own."""

    def __init__(self, *options):
        self.process = subprocess.Popen(
            [BINARY, "--port", "0", *options], stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        assert line.startswith("listening on 127.0.0.1:"), line
        self.port = int(line.rsplit(":", 1)[1])

    def stop(self):
        """Ends it; what a sanitizer had to say is a failure."""
        self.process.send_signal(signal.SIGTERM)
        _, err = self.process.communicate(timeout=30)
        assert self.process.returncode == 0 and not err, err

    def connect(self, timeout=30):
        return http.client.HTTPConnection("127.0.0.1", self.port,
                                          timeout=timeout)

    def get(self, path, method="GET"):
        c = self.connect()
        c.request(method, path)
        r = c.getresponse()
        body = r.read()
        c.close()
        return r.status, json.loads(body)

    def post(self, wire, body, headers=None, connection=None):
        """The response object, unread."""
        c = connection or self.connect()
        c.request("POST", PATHS[wire], json.dumps(body),
                  {"Content-Type": "application/json", **(headers or {})})
        return c.getresponse()

    def raw(self, data):
        """Everything the server answers to these bytes until it closes."""
        with socket.create_connection(("127.0.0.1", self.port), 30) as s:
            s.sendall(data)
            got = b""
            while part := s.recv(65536):
                got += part
            return got


def request(wire, messages, stream=True, **more):
    if isinstance(messages, str):
        messages = [{"role": "user", "content": messages}]
    body = {"model": "demo", "messages": messages, "stream": stream, **more}
    if wire == "anthropic":
        body.setdefault("max_tokens", 1000)
    return body


def scripted(wire, script, stream=True, **more):
    return request(wire, "!script " + json.dumps(script), stream, **more)


def png(width, height, pad=0):
    """A whole black image; pad: bytes of a private chunk."""
    def chunk(kind, data):
        return (struct.pack(">I", len(data)) + kind + data
                + struct.pack(">I", zlib.crc32(kind + data)))
    rows = zlib.compress((b"\0" + b"\0" * width) * height)
    return (b"\x89PNG\r\n\x1a\n"
            + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0))
            + (chunk(b"paDd", os.urandom(pad)) if pad else b"")
            + chunk(b"IDAT", rows) + chunk(b"IEND", b""))


def events(wire, data):
    """The events of a stream: (event name, JSON or text)."""
    if wire == "ollama":
        return [("", json.loads(x)) for x in data.decode().splitlines()]
    out = []
    for block in data.decode().split("\n\n"):
        if not block:
            continue
        name, payload = "", ""
        for line in block.split("\n"):
            if line.startswith("event: "):
                name = line[7:]
            elif line.startswith("data: "):
                payload = line[6:]
            else:
                raise AssertionError(f"not SSE: {line!r}")
        out.append((name, payload if payload == "[DONE]" else
                    json.loads(payload)))
    return out


class Outcome:
    """What a client makes of an answer, the same for each wire."""

    def __init__(self):
        self.text, self.reasoning, self.finish = "", "", None
        self.calls, self.usage, self.signature = [], None, None


def decode(wire, data, stream=True):
    o = Outcome()
    if not stream:
        return decode_whole(wire, json.loads(data), o)
    pieces = {}
    for name, e in events(wire, data):
        if e == "[DONE]":
            continue
        if wire == "openai":
            o.usage = e.get("usage") or o.usage
            for choice in e["choices"]:
                d = choice["delta"]
                o.text += d.get("content") or ""
                o.reasoning += d.get("reasoning_content") or ""
                o.finish = choice["finish_reason"] or o.finish
                for c in d.get("tool_calls", []):
                    p = pieces.setdefault(c["index"], {"args": ""})
                    p.update({k: c[k] for k in ("id",) if k in c})
                    f = c["function"]
                    p.update({k: f[k] for k in ("name",) if k in f})
                    p["args"] += f["arguments"]
        elif wire == "anthropic":
            if name == "content_block_start":
                b = e["content_block"]
                pieces[e["index"]] = {**b, "args": ""}
            elif name == "content_block_delta":
                d = e["delta"]
                o.text += d.get("text", "")
                o.reasoning += d.get("thinking", "")
                o.signature = d.get("signature", o.signature)
                pieces[e["index"]]["args"] += d.get("partial_json", "")
            elif name == "message_delta":
                o.finish = e["delta"]["stop_reason"]
                o.usage = e.get("usage")
        else:
            o.text += e["message"]["content"]
            o.reasoning += e["message"].get("thinking", "")
            o.calls += [(c["id"], c["function"]["name"],
                         c["function"]["arguments"])
                        for c in e["message"].get("tool_calls", [])]
            if e["done"]:
                o.finish, o.usage = e["done_reason"], e
    o.calls += [(p["id"], p["name"], json.loads(p["args"] or "{}"))
                for p in pieces.values() if "name" in p]
    return o


def decode_whole(wire, v, o):
    if wire == "openai":
        choice = v["choices"][0]
        m = choice["message"]
        o.text, o.finish = m["content"] or "", choice["finish_reason"]
        o.reasoning, o.usage = m.get("reasoning_content", ""), v.get("usage")
        o.calls = [(c["id"], c["function"]["name"],
                    json.loads(c["function"]["arguments"]))
                   for c in m.get("tool_calls", [])]
    elif wire == "anthropic":
        o.finish, o.usage = v["stop_reason"], v.get("usage")
        for b in v["content"]:
            o.text += b.get("text", "")
            o.reasoning += b.get("thinking", "")
            o.signature = b.get("signature", o.signature)
            if b["type"] == "tool_use":
                o.calls.append((b["id"], b["name"], b["input"]))
    else:
        m = v["message"]
        o.text, o.finish, o.usage = m["content"], v["done_reason"], v
        o.reasoning = m.get("thinking", "")
        o.calls = [(c["id"], c["function"]["name"], c["function"]["arguments"])
                   for c in m.get("tool_calls", [])]
    return o


def replay(wire, outcome, results):
    """The messages that answer the calls of an outcome with these texts."""
    calls = outcome.calls
    if wire == "openai":
        return [{"role": "assistant", "content": outcome.text or None,
                 "tool_calls": [{"id": i, "type": "function", "function":
                                 {"name": n, "arguments": json.dumps(a)}}
                                for i, n, a in calls]}] + \
               [{"role": "tool", "tool_call_id": c[0], "content": r}
                for c, r in zip(calls, results)]
    if wire == "anthropic":
        thinking = [{"type": "thinking", "thinking": outcome.reasoning,
                     "signature": outcome.signature}] \
            if outcome.reasoning else []
        return [{"role": "assistant", "content": thinking + (
                    [{"type": "text", "text": outcome.text}]
                    if outcome.text else []) + [
                    {"type": "tool_use", "id": i, "name": n, "input": a}
                    for i, n, a in calls]},
                {"role": "user", "content": [
                    {"type": "tool_result", "tool_use_id": c[0], "content": r}
                    for c, r in zip(calls, results)]}]
    return [{"role": "assistant", "content": outcome.text, "tool_calls": [
                {"function": {"name": n, "arguments": a}}
                for _, n, a in calls]}] + \
           [{"role": "tool", "tool_name": c[1], "content": r}
            for c, r in zip(calls, results)]


def tool(wire, name, description="", schema=None):
    schema = schema or {"type": "object", "properties": {}}
    if wire == "anthropic":
        return {"name": name, "description": description,
                "input_schema": schema}
    return {"type": "function", "function": {
        "name": name, "description": description, "parameters": schema}}


class Data:
    """Datasets in memory that answer list_datasets and query_data.

    Decimals are text in the answers, as they are in those of the real tool.
    """

    OPS = {
        "eq": lambda a, b: a == b, "ne": lambda a, b: a != b,
        "lt": lambda a, b: a is not None and a < b,
        "le": lambda a, b: a is not None and a <= b,
        "gt": lambda a, b: a is not None and a > b,
        "ge": lambda a, b: a is not None and a >= b,
        "in": lambda a, b: a in b,
        "contains": lambda a, b: b.lower() in (a or "").lower(),
        "is_null": lambda a, b: a is None,
        "not_null": lambda a, b: a is not None,
    }

    def __init__(self, datasets):
        self.datasets = datasets  # name: (description, columns, rows)

    def run(self, name, args):
        if name == "list_datasets":
            return json.dumps({"datasets": [
                {"name": n, "description": d, "columns": c}
                for n, (d, c, _) in self.datasets.items()]})
        assert name == "query_data"
        return json.dumps(self.query(**args))

    def query(self, dataset, select=None, filters=(), group_by=(),
              aggregates=(), sort=(), limit=100):
        _, columns, rows = self.datasets[dataset]
        names = [c["name"] for c in columns]
        types = {c["name"]: c["type"] for c in columns}
        table = [{n: float(v) if v and types[n] == "decimal" else v
                  for n, v in zip(names, r)} for r in rows]
        for f in filters:
            table = [r for r in table
                     if self.OPS[f["op"]](r[f["column"]], f.get("value"))]
        if aggregates:
            groups = {}
            for r in table:
                groups.setdefault(tuple(r[g] for g in group_by), []).append(r)
            if not group_by:
                groups.setdefault((), [])
            out = [g + tuple(self.aggregate(a, m) for a in aggregates)
                   for g, m in groups.items()]
            head = list(group_by) + [a["as"] for a in aggregates]
            table = [dict(zip(head, r)) for r in out]
        else:
            head = select or names
        for s in reversed(sort):
            down = s.get("direction") == "desc"  # null is the smallest
            table.sort(key=lambda r: ((v := r[s["column"]]) is not None, v),
                       reverse=down)
        return {"dataset": dataset,
                "columns": [{"name": n, "type": types.get(n, "integer")}
                            for n in head],
                "rows": [[f"{r[n]:.2f}" if isinstance(r[n], float) else r[n]
                          for n in head] for r in table[:limit]],
                "rowCount": len(table[:limit]), "totalCount": len(table),
                "truncated": len(table) > limit}

    @staticmethod
    def aggregate(a, rows):
        if a["fn"] == "count":
            return len(rows)
        v = [float(r[a["column"]]) for r in rows if r[a["column"]] is not None]
        if not v:
            return None
        return {"sum": sum(v), "avg": sum(v) / len(v), "min": min(v),
                "max": max(v)}[a["fn"]]
