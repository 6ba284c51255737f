#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Opens a help desk ticket in the sample data: a tool of kind `command`. What
the model said comes as JSON on stdin, who asks in LAMPLIGHTER_USER; the answer
is JSON, and an exit code other than 0 tells the model what to do better.
"""

import json
import os
import subprocess
import sys

HOURS = {"urgent": 8, "high": 24, "normal": 96, "low": 240}


def text(value):
    """A text as SQL: no character of it can end the literal."""
    return f"CONVERT(X'{value.encode().hex()}' USING utf8mb4)"


def main():
    args = json.load(sys.stdin)
    priority = args.get("priority", "normal")
    login = text(os.environ["LAMPLIGHTER_USER"])
    sql = f"""
        INSERT INTO ticket (id, subject, description, status, priority,
            category, requester_id, opened_at, due_at)
        SELECT (SELECT MAX(id) + 1 FROM ticket), {text(args["subject"])},
            {text(args.get("description", args["subject"]))}, 'open',
            {text(priority)}, {text(args.get("category", "hardware"))}, id,
            UTC_TIMESTAMP(), UTC_TIMESTAMP() + INTERVAL {HOURS[priority]} HOUR
        FROM person WHERE login = {login} COLLATE utf8mb4_unicode_520_ci
        RETURNING id;"""
    done = subprocess.run(
        ["mariadb", f"--defaults-file={sys.argv[1]}", "-N", "-B"],
        input=sql, capture_output=True, text=True)
    if done.returncode:
        print("The ticket could not be stored. Say so; do not try again.")
        sys.exit(done.stderr)
    if not done.stdout.strip():
        print("This user is not in the staff directory, so no ticket can be "
              "opened for them.")
        sys.exit(1)
    print(json.dumps({"ticket": int(done.stdout), "subject": args["subject"],
                      "priority": priority, "status": "open"}))


main()
