# SPDX-License-Identifier: MIT
"""Answers against docs/openapi.yaml."""

import pathlib

import jsonschema
import yaml

SPEC = yaml.load((pathlib.Path(__file__).parents[2] / "docs" /
                  "openapi.yaml").read_text(), Loader=yaml.CSafeLoader)


def deref(node):
    while "$ref" in node:
        target = SPEC
        for part in node["$ref"].removeprefix("#/").split("/"):
            target = target[part]
        node = target
    return node


def check(path, method, answer):
    """The answer has a declared status, type and shape."""
    responses = SPEC["paths"][path][method.lower()]["responses"]
    declared = responses.get(str(answer.status), responses.get("default"))
    assert declared, f"{method} {path}: {answer.status} is not declared"
    content = deref(declared).get("content")
    if not content:
        assert answer.body == b""
        return
    kind = answer.headers["Content-Type"].split(";")[0]
    if "*/*" in content:        # a file, as it was uploaded
        return
    assert kind in content, f"{method} {path}: {kind} is not declared"
    if kind == "text/html":
        assert answer.body.startswith(b"<!doctype html>")
        return
    schema = {**content[kind]["schema"], "components": SPEC["components"]}
    jsonschema.Draft202012Validator(schema).validate(
        answer.json if kind.endswith("json") else answer.body.decode())
