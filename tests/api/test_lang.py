# SPDX-License-Identifier: MIT
"""The language of what people read (docs/translating.md), tried with the pseudo-locale
ar-XB, which has no Latin letters; what programs and models read stays English."""

import contextlib
import json
import re

import pytest

from plain_browser import Browser

LATIN = re.compile(r"[A-Za-z]{2}")


def asked(lab, path, language="ar-XB", **more):
    return lab.get(path, user="ada", headers={"Accept-Language": language}, **more)


@pytest.mark.parametrize("language, translated", [
    ("ar-XB", True), ("ar-XB,en;q=0.5", True), ("en,ar-XB;q=0.5", False), ("ar", False),
    ("", False), ("*", False), (",;,;q=1,ar-XB;q=1.0000,", True), ("ar-XB" * 20, False),
    ("x" * 3000, False), ("ar-XB;q=0", False), ("en-US@posix, ar-XB", False)])
def test_an_error_is_told_in_the_language(lab, language, translated):
    reply = asked(lab, "/conversations/00000000-0000-4000-8000-000000000000", language)
    assert reply.status == 404 and reply.json["code"] == "not_found"
    assert reply.json["title"] == "Not Found"
    assert bool(LATIN.search(reply.json["detail"])) != translated, reply.json


def test_values_stay_in_a_translated_error(lab):
    path = "/settings?level=team&group=" + 200 * "g"
    plain, other = asked(lab, path, "en").json, asked(lab, path).json
    numbers = [re.findall(r"\d+", one["detail"]) for one in (plain, other)]
    assert numbers[0] == numbers[1] == ["190"] and other["field"] == plain["field"]
    assert plain["detail"] != other["detail"]


def test_forms_settings_and_limits(lab):
    for form in asked(lab, "/forms").json["items"]:
        for field in form["fields"]:
            if "." in field["key"]:		# of YAML
                continue
            assert not LATIN.search(field["label"]), field
            assert not LATIN.search(re.sub(r"\{\{\w+\}\}", "", field["help"] or "")), field
    for one in asked(lab, "/settings").json["items"]:
        assert not LATIN.search(one["label"] + one["help"]), one
    for one in asked(lab, "/me/limits").json["items"]:
        assert not LATIN.search(one["label"]), one
    assert asked(lab, "/forms", "en").json == lab.get("/forms", user="ada").json


def test_the_setting_is_stronger_than_the_browser(lab):
    def change(language):
        return lab.call("PATCH", "/settings", {"language": language}, user="eve",
                        headers={"If-Match": "*"})
    arabic = Browser(lab, "eve", headers={"Accept-Language": "ar-XB"})
    assert change("en").status == 200
    page = arabic.get("plain/")
    assert '<html lang="en" dir="ltr">' in page.text
    assert change(None).status == 200
    page = arabic.get("plain/")
    assert '<html lang="ar-XB" dir="rtl">' in page.text and "Conversations" not in page.text
    for wrong in ("xx", "ar-XB", "en; drop", 7, "", "e" * 5000):
        assert change(wrong).status == 422, wrong


def test_a_model_reads_english(lab):
    """What a tool that fails says goes to the model, too, and is stored."""
    call = {"tool_calls": [{"name": "query_data", "args": {"dataset": "none"}}],
            "then": {"text": "Done."}}
    connection, response = lab.open(
        "POST", "/chat/lab/stream", {"content": "!script " + json.dumps(call)}, user="ada",
        headers={"Accept-Language": "ar-XB"})
    with contextlib.closing(connection):
        text = response.read().decode()
    assert response.status == 200 and "Done." in text
    assert not re.search("[\u0600-\u06ff]", text), text
