#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Write a small wiki of the demo's company as SQL: the tables that MediaWiki would have
it in, as far as a knowledge base reads them. Read by the mariadb command in ./lamp up.

usage: sample_wiki.py
"""

SCHEMA = """
SET NAMES utf8mb4;
DROP TABLE IF EXISTS page, revision, slots, slot_roles, content, text;
CREATE TABLE page (page_id INT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY, page_namespace INT NOT NULL,
 page_title VARBINARY(255) NOT NULL, page_is_redirect TINYINT UNSIGNED NOT NULL DEFAULT 0,
 page_is_new TINYINT UNSIGNED NOT NULL DEFAULT 0, page_random DOUBLE UNSIGNED NOT NULL DEFAULT 0,
 page_touched BINARY(14) NOT NULL, page_latest INT UNSIGNED NOT NULL, page_len INT UNSIGNED NOT NULL,
 UNIQUE KEY page_name_title (page_namespace, page_title));
CREATE TABLE revision (rev_id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY, rev_page INT UNSIGNED NOT NULL,
 rev_actor BIGINT UNSIGNED NOT NULL DEFAULT 0, rev_timestamp BINARY(14) NOT NULL,
 rev_deleted TINYINT UNSIGNED NOT NULL DEFAULT 0, rev_len INT UNSIGNED NULL,
 KEY rev_page_timestamp (rev_page, rev_timestamp));
CREATE TABLE slots (slot_revision_id BIGINT UNSIGNED NOT NULL, slot_role_id SMALLINT UNSIGNED NOT NULL,
 slot_content_id BIGINT UNSIGNED NOT NULL, slot_origin BIGINT UNSIGNED NOT NULL,
 PRIMARY KEY (slot_revision_id, slot_role_id));
CREATE TABLE slot_roles (role_id SMALLINT NOT NULL AUTO_INCREMENT PRIMARY KEY, role_name VARBINARY(64) NOT NULL);
CREATE TABLE content (content_id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY,
 content_size INT UNSIGNED NOT NULL, content_sha1 VARBINARY(32) NOT NULL DEFAULT '',
 content_model SMALLINT UNSIGNED NOT NULL DEFAULT 1, content_address VARBINARY(255) NOT NULL);
CREATE TABLE text (old_id INT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY, old_text MEDIUMBLOB NOT NULL,
 old_flags TINYBLOB NOT NULL);
INSERT INTO slot_roles VALUES (1, 'main');
"""

ARTICLES = [
    ("VPN", "The network of the company is reached from outside with the VPN client '''Harbour'''.\n"
     "== Setting it up ==\nInstall Harbour from the software shelf, and sign in with your login "
     "and the code of your [[Security key|key]].\n== If it does not connect ==\nTurn the client "
     "off and on again. In hotels, choose the profile ''Narrow'': it uses port 443 only."),
    ("Printers", "Every floor has one printer; the queue is called ''follow-me''.\n"
     "== Releasing a job ==\nHold your badge to the reader. Jobs that nobody releases are deleted "
     "after 12 hours.\n== Toner ==\nToner is in the cupboard beside the printer. Take the last "
     "one? Tell the [[Service desk]]."),
    ("Security key", "Staff sign in with a security key besides their password.\n"
     "== Lost keys ==\nCall the [[Service desk]] at once: it blocks the key and hands out a "
     "loan key, which works for three days."),
    ("Service desk", "The service desk answers from 07:30 to 18:00.\n== Priorities ==\n"
     "Urgent tickets are answered within 30 minutes, all others within four working hours."),
    ("Calibration bench", "Flow meters are calibrated on the bench in hall 2.\n== Order of steps "
     "==\nWarm the bench up for 40 minutes, run the reference meter DN50, and then the batch. "
     "A deviation of more than 0.2 percent is reported as a finding.\n=== Water ===\n"
     "The water of the bench is changed on the first Monday of a month."),
    ("Coffee machines", "The machines are cleaned on Fridays at 15:00. Beans are ordered by "
     "reception; the blend is called ''Brightwater dark''."),
    ("Meeting room screens", "Screens take HDMI and USB-C. If a screen stays dark, press "
     "''Source'' for three seconds. [[Video calls]] use the camera of the room by themselves."),
    ("Video calls", "Calls with more than 50 people are booked as a webinar, two days ahead, "
     "at the [[Service desk]]."),
]
REDIRECTS = [("Helpdesk", "Service desk"), ("Remote access", "VPN")]


def quoted(text):
    return "'" + text.replace("\\", "\\\\").replace("'", "''") + "'"


def article(number, title, text, redirect=0):
    when = f"202609{number:02}120000"
    title = title.replace(" ", "_")
    return (f"INSERT INTO text VALUES ({number}, {quoted(text)}, 'utf-8');\n"
            f"INSERT INTO content VALUES ({number}, {len(text)}, '', 1, 'tt:{number}');\n"
            f"INSERT INTO slots VALUES ({number}, 1, {number}, {number});\n"
            f"INSERT INTO revision VALUES ({number}, {number}, 1, '{when}', 0, {len(text)});\n"
            f"INSERT INTO page VALUES ({number}, 0, {quoted(title)}, {redirect}, 1, 0, '{when}',"
            f" {number}, {len(text)});\n")


def main():
    print(SCHEMA)
    print("SET autocommit = 0;")
    for number, (title, text) in enumerate(ARTICLES, 1):
        print(article(number, title, text), end="")
    for number, (title, to) in enumerate(REDIRECTS, len(ARTICLES) + 1):
        print(article(number, title, f"#REDIRECT [[{to}]]", 1), end="")
    print("COMMIT;")


if __name__ == "__main__":
    main()
