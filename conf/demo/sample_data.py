#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Write the demo's intranet as SQL: always the same company for the same day,
with dates counted back from now, so that questions about this week have
answers. Read by the mariadb command in ./lamp up.

usage: sample_data.py [--now YYYY-MM-DDTHH:MM]     (UTC)
"""
import argparse
import datetime as dt
import random
import unicodedata

from sample_tickets import APPS, LINES, NOTES, PINGS, THANKS, TROUBLES
from sample_words import (DEPARTMENTS, FIRST, LAST, MEETINGS, MODELS, ROOMS,
                          SITES)

SCHEMA = """
SET NAMES utf8mb4;
SET foreign_key_checks = 0;
DROP TABLE IF EXISTS site, department, person, room, booking, asset, ticket, ticket_comment, absence;
SET foreign_key_checks = 1;
CREATE TABLE site (id TINYINT UNSIGNED PRIMARY KEY, name VARCHAR(40) NOT NULL, country VARCHAR(40) NOT NULL,
 address VARCHAR(120) NOT NULL);
CREATE TABLE department (id SMALLINT UNSIGNED PRIMARY KEY, name VARCHAR(60) NOT NULL, code VARCHAR(10) NOT NULL,
 budget_eur DECIMAL(12,2) NOT NULL COMMENT 'a year', head_id INT UNSIGNED NULL);
CREATE TABLE person (id INT UNSIGNED PRIMARY KEY, login VARCHAR(60) NOT NULL UNIQUE, name VARCHAR(80) NOT NULL,
 email VARCHAR(120) NOT NULL, phone VARCHAR(30) NOT NULL, job_title VARCHAR(60) NOT NULL,
 department_id SMALLINT UNSIGNED NOT NULL, site_id TINYINT UNSIGNED NOT NULL, manager_id INT UNSIGNED NULL,
 hired_on DATE NOT NULL, weekly_hours DECIMAL(4,1) NOT NULL, salary_eur DECIMAL(10,2) NOT NULL COMMENT 'a year',
 KEY (department_id), KEY (name), FOREIGN KEY (department_id) REFERENCES department (id),
 FOREIGN KEY (site_id) REFERENCES site (id));
CREATE TABLE room (id SMALLINT UNSIGNED PRIMARY KEY, name VARCHAR(40) NOT NULL, site_id TINYINT UNSIGNED NOT NULL,
 floor TINYINT NOT NULL, kind VARCHAR(12) NOT NULL, seats SMALLINT NOT NULL, has_screen TINYINT NOT NULL,
 has_camera TINYINT NOT NULL, FOREIGN KEY (site_id) REFERENCES site (id));
CREATE TABLE booking (id INT UNSIGNED PRIMARY KEY, room_id SMALLINT UNSIGNED NOT NULL, organiser_id INT UNSIGNED NOT NULL,
 title VARCHAR(80) NOT NULL, starts_at DATETIME NOT NULL COMMENT 'UTC', ends_at DATETIME NOT NULL,
 attendees SMALLINT NOT NULL, KEY (starts_at), FOREIGN KEY (room_id) REFERENCES room (id),
 FOREIGN KEY (organiser_id) REFERENCES person (id));
CREATE TABLE asset (id INT UNSIGNED PRIMARY KEY, tag VARCHAR(16) NOT NULL UNIQUE, kind VARCHAR(16) NOT NULL,
 manufacturer VARCHAR(40) NOT NULL, model VARCHAR(60) NOT NULL, serial VARCHAR(24) NOT NULL, status VARCHAR(12) NOT NULL,
 person_id INT UNSIGNED NULL, site_id TINYINT UNSIGNED NOT NULL, bought_on DATE NOT NULL, warranty_until DATE NOT NULL,
 price_eur DECIMAL(10,2) NOT NULL, KEY (kind), FOREIGN KEY (person_id) REFERENCES person (id),
 FOREIGN KEY (site_id) REFERENCES site (id));
CREATE TABLE ticket (id INT UNSIGNED PRIMARY KEY, subject VARCHAR(120) NOT NULL, description TEXT NOT NULL,
 status VARCHAR(8) NOT NULL COMMENT 'open, waiting, closed', priority VARCHAR(8) NOT NULL, category VARCHAR(16) NOT NULL,
 requester_id INT UNSIGNED NOT NULL, assignee_id INT UNSIGNED NULL, asset_id INT UNSIGNED NULL,
 opened_at DATETIME NOT NULL COMMENT 'UTC', due_at DATETIME NOT NULL, closed_at DATETIME NULL,
 rating TINYINT NULL COMMENT '1 to 5', resolution TEXT NULL, KEY (status), KEY (opened_at),
 FOREIGN KEY (requester_id) REFERENCES person (id), FOREIGN KEY (assignee_id) REFERENCES person (id),
 FOREIGN KEY (asset_id) REFERENCES asset (id));
CREATE TABLE ticket_comment (id INT UNSIGNED PRIMARY KEY, ticket_id INT UNSIGNED NOT NULL, author_id INT UNSIGNED NOT NULL,
 written_at DATETIME NOT NULL COMMENT 'UTC', body TEXT NOT NULL, KEY (ticket_id),
 FOREIGN KEY (ticket_id) REFERENCES ticket (id), FOREIGN KEY (author_id) REFERENCES person (id));
CREATE TABLE absence (id INT UNSIGNED PRIMARY KEY, person_id INT UNSIGNED NOT NULL, kind VARCHAR(20) NOT NULL,
 first_day DATE NOT NULL, last_day DATE NOT NULL, state VARCHAR(10) NOT NULL, KEY (first_day),
 FOREIGN KEY (person_id) REFERENCES person (id));
"""

PHONE = {"Leeds": "+44 113 496", "Hamburg": "+49 40 66969",
         "Porto": "+351 22 000", "Utrecht": "+31 30 200"}
DUE_HOURS = {"urgent": 8, "high": 24, "normal": 96, "low": 240}
# Whom the demo's web server takes every visitor for: conf/demo/lamplighter.yaml.
VISITOR = ("Amara", "Okafor", "Service desk leader", 54_000)


def quote(v):
    if v is None:
        return "NULL"
    if isinstance(v, dt.datetime):
        return v.strftime("'%Y-%m-%d %H:%M:%S'")
    if isinstance(v, dt.date):
        return v.strftime("'%Y-%m-%d'")
    if isinstance(v, (int, float)):
        return str(v)
    return "'" + v.replace("\\", "\\\\").replace("'", "''") + "'"


def insert(table, rows):
    """Print the rows (dicts of one shape) in statements of 500."""
    for i in range(0, len(rows), 500):
        part = rows[i:i + 500]
        values = ",\n".join(
            "(" + ",".join(quote(v) for v in row.values()) + ")" for row in part)
        print(f"INSERT INTO {table} ({','.join(part[0])}) VALUES\n{values};")


def office(at, rnd):
    """The time itself, or the next morning when nobody is at work then."""
    if at.hour >= 19 or at.hour < 6 or at.weekday() > 4:
        at += dt.timedelta(days=1 if at.hour >= 19 else 0)
        at += dt.timedelta(days={5: 2, 6: 1}.get(at.weekday(), 0))
        at = at.replace(hour=6, minute=30) + dt.timedelta(minutes=rnd.randrange(150))
    return at


def login_of(first, last):
    name = f"{first}.{last}".translate(str.maketrans(
        {"ł": "l", "Ł": "L", "ø": "o", "ß": "ss", "ı": "i", " ": None, "'": None}))
    plain = unicodedata.normalize("NFKD", name)
    return "".join(c for c in plain if not unicodedata.combining(c)).lower()


class Company:
    def __init__(self, now):
        self.now = now
        self.today = now.date()
        self.rnd = random.Random(20240229)
        self.names = set()
        self.people, self.assets, self.tickets = [], [], []
        self.comments, self.bookings, self.rooms, self.absences = [], [], [], []
        self.departments = [
            {"id": i, "name": d[0], "code": d[1], "budget_eur": d[3], "head_id": None}
            for i, d in enumerate(DEPARTMENTS, 1)]
        self.make_people()
        self.make_rooms()
        self.make_assets()
        self.make_tickets()
        self.make_absences()

    # -- people ---------------------------------------------------------
    def new_name(self):
        while True:
            first, last = self.rnd.choice(FIRST), self.rnd.choice(LAST)
            if login_of(first, last) not in self.names:
                self.names.add(login_of(first, last))
                return first, last

    def add_person(self, dept, site, title, salary, manager, name=None):
        first, last = name or self.new_name()
        login = login_of(first, last)
        years = min(self.rnd.expovariate(1 / 6), 32)
        person = {
            "id": len(self.people) + 1, "login": login, "name": f"{first} {last}",
            "email": f"{login}@brightwater.example",
            "phone": f"{PHONE[SITES[site - 1][0]]} {self.rnd.randrange(1000, 9999)}",
            "job_title": title, "department_id": dept, "site_id": site,
            "manager_id": manager,
            "hired_on": self.today - dt.timedelta(days=20 + int(years * 365)),
            "weekly_hours": self.rnd.choices(
                [40, 36, 32, 24, 20], [70, 8, 12, 6, 4])[0],
            "salary_eur": round(salary, -2)}
        self.people.append(person)
        return person

    def make_people(self):
        rnd = self.rnd
        top = None
        for dept in reversed(self.departments):     # the managing director first
            _, _, count, _, sites, head_title, titles = DEPARTMENTS[dept["id"] - 1]
            head = self.add_person(dept["id"], 1 + sites.index(max(sites)),
                                   head_title, rnd.randrange(86_000, 142_000), top)
            top = top or head["id"]
            dept["head_id"] = head["id"]
            boss = head["id"]
            if dept["name"] == "IT":
                boss = self.add_person(dept["id"], 1, VISITOR[2], VISITOR[3],
                                       head["id"], VISITOR[:2])["id"]
            for _ in range(count - 1 - (dept["name"] == "IT")):
                title, low, high = rnd.choice(titles)
                site = rnd.choices([1, 2, 3, 4], sites)[0]
                lead = boss if "Service desk" in title else head["id"]
                self.add_person(dept["id"], site, title,
                                rnd.uniform(low, high) * 1000, lead)

    def of_department(self, name):
        ids = [d["id"] for d in self.departments if d["name"] == name]
        return [p for p in self.people if p["department_id"] in ids]

    # -- rooms and devices ----------------------------------------------
    def make_rooms(self):
        rnd = self.rnd
        for s, (site, _, _) in enumerate(SITES, 1):
            for name, floor, kind, seats, screen, camera in ROOMS[site]:
                self.rooms.append({
                    "id": len(self.rooms) + 1, "name": name, "site_id": s,
                    "floor": floor, "kind": kind, "seats": seats,
                    "has_screen": screen, "has_camera": camera})
        for day in range(-21, 22):
            date = self.today + dt.timedelta(days=day)
            if date.weekday() > 4:
                continue
            for room in self.rooms:
                local = [p for p in self.people if p["site_id"] == room["site_id"]]
                quarter = 28 + rnd.randrange(8)                 # from 7:00 UTC
                while quarter < 64 and rnd.random() < 0.62:
                    length = rnd.choice([2, 4, 4, 6, 8])
                    start = dt.datetime.combine(date, dt.time()) + \
                        dt.timedelta(minutes=15 * quarter)
                    self.bookings.append({
                        "id": len(self.bookings) + 1, "room_id": room["id"],
                        "organiser_id": rnd.choice(local)["id"],
                        "title": rnd.choice(MEETINGS), "starts_at": start,
                        "ends_at": start + dt.timedelta(minutes=15 * length),
                        "attendees": rnd.randint(2, room["seats"])})
                    quarter += length + rnd.choice([0, 0, 2, 4, 8])

    def add_asset(self, kind, person, site):
        rnd = self.rnd
        maker, model, price, years, _ = rnd.choices(
            MODELS[kind], [m[4] for m in MODELS[kind]])[0]
        bought = self.today - dt.timedelta(days=rnd.randrange(10, 1900))
        number = len(self.assets) + 1
        asset = {
            "id": number, "tag": f"BW-{10_000 + number}", "kind": kind,
            "manufacturer": maker, "model": model,
            "serial": "".join(rnd.choices("ABCDEFGHJKLMNPRSTUVWXYZ0123456789", k=10)),
            "status": "in use", "person_id": person, "site_id": site,
            "bought_on": bought,
            "warranty_until": bought + dt.timedelta(days=365 * years + years // 4),
            "price_eur": round(price * rnd.uniform(0.92, 1.08), 2)}
        if person is None and kind in ("laptop", "phone", "monitor", "tablet"):
            asset["status"] = rnd.choice(["in stock", "in stock", "in repair", "retired"])
        elif rnd.random() < 0.02:
            asset["status"] = "in repair"
        self.assets.append(asset)

    def make_assets(self):
        rnd = self.rnd
        floor_jobs = {"Production", "Logistics"}
        names = {d["id"]: d["name"] for d in self.departments}
        for p in self.people:
            where = (p["id"], p["site_id"])
            if names[p["department_id"]] in floor_jobs and rnd.random() < 0.75:
                if rnd.random() < 0.3:
                    self.add_asset("tablet", *where)
                continue
            self.add_asset("laptop" if rnd.random() < 0.85 else "desktop", *where)
            for kind, chance in (("monitor", 0.8), ("dock", 0.5), ("phone", 0.55)):
                if rnd.random() < chance:
                    self.add_asset(kind, *where)
        shared = {"printer": 26, "scanner": 30, "projector": 8, "server": 18,
                  "switch": 34, "access point": 64, "laptop": 30, "phone": 22,
                  "monitor": 24, "tablet": 14}
        for kind, count in shared.items():
            for _ in range(count):
                self.add_asset(kind, None, rnd.choices([1, 2, 3, 4], [4, 5, 3, 2])[0])

    # -- tickets --------------------------------------------------------
    def opening_times(self, count):
        """Sorted times of two years: mostly office hours, more of late."""
        rnd = random.Random(count)
        times = [self.now - dt.timedelta(minutes=m) for m in (12, 47, 135, 260)]
        while len(times) < count:
            back = 730 * rnd.random() ** 1.25
            day = self.today - dt.timedelta(days=int(back))
            if day.weekday() > 4 and rnd.random() < 0.9:
                continue
            minute = int(min(max(rnd.gauss(11.2, 2.6), 5.5), 21) * 60)
            at = dt.datetime.combine(day, dt.time()) + dt.timedelta(
                minutes=minute, seconds=rnd.randrange(60))
            if at < self.now - dt.timedelta(minutes=5):
                times.append(at)
        return sorted(times)

    def make_tickets(self):
        desk = [p for p in self.of_department("IT")
                if p["job_title"].startswith(("Service desk", "System", "Network"))]
        care = [p for p in self.of_department("Facilities")
                if p["job_title"] in ("Caretaker", "Electrician", "Facilities coordinator")]
        share = {p["id"]: self.rnd.uniform(0.5, 2) for p in desk + care}
        by_person = {}
        for a in self.assets:
            by_person.setdefault((a["person_id"], a["kind"]), a)
        places = {s: [r for r in self.rooms if r["site_id"] == s] for s in (1, 2, 3, 4)}
        weights = [t[0] for t in TROUBLES]
        for number, at in enumerate(self.opening_times(3200), 20_001):
            rnd = random.Random(number)     # so that none depends on the others
            _, category, kind, subjects, text, talk, fixes = rnd.choices(TROUBLES, weights)[0]
            who = rnd.choice(self.people)
            slots = {"app": rnd.choice(APPS), "line": rnd.choice(LINES),
                     "room": rnd.choice(places[who["site_id"]])["name"],
                     "floor": rnd.randrange(1, 5), "colleague": rnd.choice(self.people)["name"]}
            team = care if category == "building" else desk
            near = [p for p in team if p["site_id"] == who["site_id"]] or team
            agent = rnd.choices(near, [share[p["id"]] for p in near])[0]
            priority = rnd.choices(["low", "normal", "high", "urgent"], [18, 62, 16, 4])[0]
            if category in ("production", "security"):
                priority = rnd.choice(["normal", "high", "high", "urgent"])
            took = rnd.lognormvariate(2.7, 1.5) * DUE_HOURS[priority] / 70
            closed = office(at + dt.timedelta(hours=min(max(took, 0.2), 1100)), rnd)
            stuck = self.now - at < dt.timedelta(days=50) and rnd.random() < 0.3
            status = "closed"       # nearly always, but a queue is never empty
            if stuck or closed > self.now - dt.timedelta(minutes=2):
                status, closed = rnd.choices(["open", "waiting"], [72, 28])[0], None
            fresh = self.now - at < dt.timedelta(hours=20)
            asset = by_person.get((who["id"], kind)) if kind else None
            subject = rnd.choice(subjects).format(**slots)
            ticket = {
                "id": number, "subject": subject[0].upper() + subject[1:],
                "description": text.format(**slots), "status": status,
                "priority": priority, "category": category, "requester_id": who["id"],
                "assignee_id": None if status == "open" and (fresh or rnd.random() < 0.15)
                else agent["id"],
                "asset_id": asset["id"] if asset else None, "opened_at": at,
                "due_at": at + dt.timedelta(hours=DUE_HOURS[priority]),
                "closed_at": closed,
                "rating": rnd.choices([1, 2, 3, 4, 5], [3, 5, 12, 34, 46])[0]
                if closed and rnd.random() < 0.35 else None,
                "resolution": rnd.choice(fixes) if closed else None}
            self.tickets.append(ticket)
            self.make_comments(ticket, agent, talk, rnd)

    def make_comments(self, ticket, agent, talk, rnd):
        said = []
        if ticket["assignee_id"] is None:
            return
        if talk and rnd.random() < 0.8:
            said = [(agent["id"], talk[0]), (ticket["requester_id"], talk[1])]
            if ticket["status"] == "waiting":
                said.pop()
        if rnd.random() < 0.45:
            said.append((agent["id"], rnd.choice(NOTES)))
        if rnd.random() < 0.2:
            said.append((ticket["requester_id"], rnd.choice(PINGS)))
        if ticket["closed_at"]:
            said.append((agent["id"], ticket["resolution"]))
        end = ticket["closed_at"] or self.now
        span = (end - ticket["opened_at"]).total_seconds()
        at = ticket["opened_at"]
        for i, (author, body) in enumerate(said, 1):
            later = ticket["opened_at"] + dt.timedelta(
                seconds=span * (i - rnd.uniform(0.1, 0.6)) / len(said))
            at = min(end, max(at, office(later, rnd)))
            self.comments.append({"id": 0, "ticket_id": ticket["id"],
                                  "author_id": author, "written_at": at, "body": body})
        if ticket["closed_at"] and rnd.random() < 0.3:
            at = office(end + dt.timedelta(minutes=rnd.randrange(5, 900)), rnd)
            if at < self.now:
                self.comments.append({"id": 0, "ticket_id": ticket["id"],
                                      "author_id": ticket["requester_id"],
                                      "written_at": at, "body": rnd.choice(THANKS)})

    # -- absences -------------------------------------------------------
    def make_absences(self):
        rnd = self.rnd
        monday = self.today - dt.timedelta(days=self.today.weekday())
        for p in self.people:
            for _ in range(rnd.randint(1, 4)):
                kind = rnd.choices(["annual leave", "training", "business trip",
                                    "parental leave", "working elsewhere"],
                                   [55, 14, 18, 2, 11])[0]
                days = {"annual leave": rnd.choice([1, 3, 5, 5, 10, 14]),
                        "parental leave": 120}.get(kind, rnd.randint(1, 4))
                self.add_absence(p, kind, self.today + dt.timedelta(
                    days=rnd.randrange(-150, 120)), days)
        for i, p in enumerate(self.of_department("IT")[2::6]):
            self.add_absence(p, ["annual leave", "training"][i % 2],
                             monday + dt.timedelta(days=i), 4 - i % 3)

    def add_absence(self, person, kind, first, days):
        ahead = (first - self.today).days
        self.absences.append({
            "id": len(self.absences) + 1, "person_id": person["id"], "kind": kind,
            "first_day": first, "last_day": first + dt.timedelta(days=days - 1),
            "state": "requested" if ahead > 20 and self.rnd.random() < 0.4 else "approved"})

    def write(self):
        self.comments.sort(key=lambda c: c["written_at"])
        for i, c in enumerate(self.comments, 1):
            c["id"] = i
        print(SCHEMA)
        print("SET autocommit = 0;")
        insert("site", [{"id": i, "name": s[0], "country": s[1], "address": s[2]}
                        for i, s in enumerate(SITES, 1)])
        for table, rows in (
                ("department", self.departments), ("person", self.people),
                ("room", self.rooms), ("booking", self.bookings),
                ("asset", self.assets), ("ticket", self.tickets),
                ("ticket_comment", self.comments), ("absence", self.absences)):
            insert(table, rows)
        print("COMMIT;")


def main():
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("--now", type=dt.datetime.fromisoformat)
    now = p.parse_args().now or dt.datetime.now(dt.timezone.utc).replace(tzinfo=None)
    Company(now.replace(second=0, microsecond=0)).write()


if __name__ == "__main__":
    main()
