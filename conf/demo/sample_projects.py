#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Make three projects of the demo's company, with their documents in a tree, tasks,
goals, milestones, risks and links, dated from today on. A project that is there
already, by its name, stays as it is. Run by ./lamp up.

usage: sample_projects.py URL        (of the chat, such as http://127.0.0.1:8080/chat)
"""
import datetime as dt
import json
import sys
import urllib.error
import urllib.parse
import urllib.request

# Of each: its fields, and what is in it: (kind, ref, fields). `days` before a date
# count from today; `under` and links name refs.
PROJECTS = [
    ({"name": "Pilot: flow meters at the waterworks", "typeKey": "product",
      "stateKey": "active", "startDays": -40, "dueDays": 75,
      "description": "Twelve FM-300 meters run for a quarter at the waterworks of Utrecht. "
      "At the end the customer decides on 240 of them."},
     [("documents", "context", {"title": "Context", "typeKey": "context", "stateKey": "ready",
       "content": "# Purpose\n\nShow that the FM-300 holds 0.5 % at low flow, in a plant that "
       "people drink from.\n\n# Limits\n\n- No work on the mains between 6 and 9 h.\n- The "
       "plant's own readings stay with the customer.\n\n# Who decides\n\nThe head of operations "
       "of the waterworks, on the day of the final review."}),
      ("documents", "plan", {"title": "Installation plan", "typeKey": "spec",
       "stateKey": "ready", "under": "context", "content": "# Installation plan\n\nFour "
       "meters a week, from the east hall on. Each is read against the old one for 48 hours "
       "before that is taken out."}),
      ("documents", "readings", {"title": "Readings of the first month", "typeKey": "report",
       "stateKey": "review", "under": "context", "content": "# First month\n\n| hall | "
       "meters | worst deviation |\n|---|---|---|\n| east | 4 | 0.3 % |\n| west | 4 | 0.8 % "
       "|\n\nThe west hall is beyond the limit below 2 l/s."}),
      ("documents", "minutes", {"title": "Minutes of the kick-off", "typeKey": "minutes",
       "stateKey": "ready", "content": "# Kick-off\n\n- The customer wants readings as CSV, "
       "once a day.\n- Samira answers for the site, Tomasz for the firmware."}),
      ("tasks", "firmware", {"title": "Firmware 2.4 for low flow", "stateKey": "in_progress",
       "priority": "high", "typeKey": "build", "dueDays": 12,
       "description": "Average over 8 instead of 2 pulses below 2 l/s."}),
      ("tasks", "west", {"title": "Read the west hall again", "stateKey": "blocked",
       "priority": "high", "dueDays": 20}),
      ("tasks", "csv", {"title": "Daily CSV to the customer", "stateKey": "todo",
       "priority": "medium", "dueDays": 9}),
      ("tasks", "east", {"title": "Install the east hall", "stateKey": "done"}),
      ("tasks", "last", {"title": "Install the pump house", "stateKey": "todo",
       "priority": "medium", "dueDays": 33}),
      ("risks", "permit", {"title": "The permit for the pump house comes late",
       "likelihood": "medium", "impact": "high", "mitigation": "Ask for the west bay "
       "as a substitute by the end of the month."}),
      ("goals", "half", {"title": "At most 0.5 % at 1 to 40 l/s", "typeKey": "metric",
       "stateKey": "active", "targetDays": 60}),
      ("milestones", "review", {"title": "Final review with the customer",
       "typeKey": "review", "dueDays": 70}),
      ("requirements", "curve", {"title": "A calibration curve for each meter",
       "priority": "must", "acceptance": "Seven points, signed, with the serial number."})],
     [("firmware", "west", "blocks"), ("permit", "last", "blocks"),
      ("west", "review", "blocks"), ("readings", "west", "documents"),
      ("firmware", "half", "supports"), ("curve", "review", "part_of")]),
    ({"name": "Second calibration bench", "typeKey": "operations", "stateKey": "planning",
      "startDays": 14, "dueDays": 160,
      "description": "A second bench in Hamburg, so that repairs do not wait for new "
      "meters any more."},
     [("documents", "context", {"title": "Context", "typeKey": "context",
       "content": "# Why\n\nRepairs waited 17 days for the bench last quarter.\n\n# Not in "
       "it\n\nAccreditation of the new bench: next year."}),
      ("documents", "offers", {"title": "Offers compared", "typeKey": "research",
       "stateKey": "draft", "under": "context", "content": "# Offers\n\nThree were asked, two "
       "have answered. The pump of the cheaper one stops at 30 l/s."}),
      ("tasks", "offer", {"title": "Get the third offer", "stateKey": "todo",
       "priority": "urgent", "dueDays": -2}),
      ("tasks", "floor", {"title": "Have the load of the floor checked", "stateKey": "todo",
       "priority": "high", "dueDays": 18}),
      ("tasks", "order", {"title": "Order the bench", "stateKey": "todo", "dueDays": 30}),
      ("risks", "budget", {"title": "The price rises before the order", "likelihood": "high",
       "impact": "medium"}),
      ("milestones", "running", {"title": "First meter calibrated", "typeKey": "delivery",
       "dueDays": 150})],
     [("offer", "order", "blocks"), ("floor", "order", "blocks"),
      ("offers", "offer", "documents")]),
    ({"name": "Handbook in four languages", "typeKey": "general", "stateKey": "active",
      "startDays": -10, "dueDays": 110,
      "description": "The company handbook in English, German, Portuguese and Dutch, with "
      "one owner for each chapter."},
     [("documents", "context", {"title": "Context", "typeKey": "context",
       "content": "# Purpose\n\nNobody should have to ask a colleague what a rule says.\n\n# "
       "How\n\nEnglish is the original. A translation names the version that it is of."}),
      ("documents", "words", {"title": "Words that stay English", "typeKey": "reference",
       "under": "context", "content": "# Words\n\n- service desk\n- flow meter (product names "
       "too)\n- badge"}),
      ("tasks", "owners", {"title": "An owner for each chapter", "stateKey": "in_progress",
       "dueDays": 6, "typeKey": "decision"}),
      ("tasks", "leave", {"title": "Translate the chapter on leave", "stateKey": "todo",
       "typeKey": "writing", "dueDays": 25}),
      ("goals", "half", {"title": "Half as many questions to HR", "typeKey": "outcome",
       "stateKey": "active", "targetDays": 180}),
      ("plans", "first", {"title": "First language: German", "typeKey": "phase",
       "stateKey": "active", "startDays": 0, "targetDays": 45})],
     [("owners", "leave", "blocks"), ("words", "leave", "documents")]),
]


def call(url, path, body=None):
    request = urllib.request.Request(
        url + "/api/v1" + path, None if body is None else json.dumps(body).encode(),
        {"Content-Type": "application/json"})
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(request, timeout=60) as answer:
        return json.load(answer)


def dated(fields, today, made):
    """The fields with days as dates, and what a document is under."""
    out = {}
    for key, value in fields.items():
        if key.endswith("Days"):
            out[key[:-4] + "Date"] = str(today + dt.timedelta(days=value))
        elif key == "under":
            out["parentId"] = made[value]
        else:
            out[key] = value
    return out


def make(url, today, fields, things, links):
    project = call(url, "/projects", dated(fields, today, {}))["id"]
    made = {}
    for kind, ref, inside in things:
        made[ref] = call(url, f"/projects/{project}/{kind}",
                         dated(inside, today, made))["id"]
    for from_, to, relation in links:
        call(url, f"/projects/{project}/edges", {
            "fromId": made[from_], "toId": made[to], "relation": relation})


def main():
    url, today = sys.argv[1].rstrip("/"), dt.date.today()
    try:
        for project in PROJECTS:
            query = urllib.parse.urlencode({"q": project[0]["name"]})
            if not call(url, "/projects?" + query)["items"]:
                make(url, today, *project)
    except urllib.error.HTTPError as e:
        sys.exit(f"{e}: {e.read(2000).decode(errors='replace')}")
    print(len(PROJECTS))


if __name__ == "__main__":
    main()
