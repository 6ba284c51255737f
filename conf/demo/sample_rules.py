# SPDX-License-Identifier: MIT
"""Texts of the made-up company Brightwater Instruments: its handbook, policies,
guides, rates, minutes and mails. sample_handbook.py makes files of them."""

# A page each: (heading, paragraphs).
HANDBOOK = [
    ("Welcome to Brightwater", [
        "Brightwater Instruments makes flow meters. Some 400 people work in Leeds, Hamburg, "
        "Porto and Utrecht. This handbook says what holds at all four sites.",
        "Where the law of a country gives you more than this handbook, the law counts. Human "
        "Resources answers questions at hr@brightwater.example."]),
    ("Working time", [
        "Full-time staff work 37.5 hours a week. Core time is from 10:00 to 15:00; outside of "
        "it you choose your hours between 07:00 and 19:00.",
        "Overtime is agreed with your manager in advance. Each hour is taken as time off within "
        "three months; it is not paid out."]),
    ("Annual leave", [
        "Full-time staff have 28 days of annual leave a year, besides public holidays. Part-time "
        "staff have a share of that.",
        "Ask for leave in the absence tool at least two weeks ahead. Your manager answers within "
        "three working days."]),
    ("Carrying over leave", [
        "Up to five days of annual leave carry over into the next year. They must be taken by "
        "31 March; after that they lapse.",
        "Leave that you could not take because of illness or parental leave carries over in "
        "full, for up to 15 months."]),
    ("Illness", [
        "Tell your manager before 09:30 on the first day that you are ill. From the fourth day "
        "on, send a medical certificate to Human Resources.",
        "Sick pay is your full salary for six weeks in a year."]),
    ("Parental leave", [
        "Parents take up to 16 weeks of parental leave on full pay within the first year. Tell "
        "Human Resources eight weeks before it begins.",
        "You return to your own job, or to one of the same grade."]),
    ("Working from home", [
        "You may work from home up to three days a week, if your job allows it and your manager "
        "agrees. Production and goods-in work on site.",
        "The company pays 300 euros once for a desk or chair at home. Working from abroad is "
        "possible for 20 days a year within the European Union."]),
    ("Pay and pension", [
        "Salaries are paid on the 25th of each month. If that is a weekend, they are paid on the "
        "Friday before.",
        "The company pays 6 percent of your salary into the pension plan, and up to 3 percent "
        "more if you pay the same."]),
    ("Training", [
        "Everyone has five days and 1,200 euros for training each year. Courses are booked in "
        "the learning portal after your manager agrees.",
        "If a course costs more than 3,000 euros and you leave within a year, you pay back half."]),
    ("Probation and notice", [
        "The first six months are a probation period with two weeks of notice. After that the "
        "notice period is three months for both sides.",
        "On your last day, return your laptop, badge and keys to the service desk."]),
    ("Conduct", [
        "We treat each other with respect. Harassment and discrimination lead to dismissal.",
        "Gifts worth more than 50 euros are declined, or handed to Compliance. Report concerns "
        "to the ombudsman, Greta Lindqvist, in confidence."]),
    ("Health and safety", [
        "Each site has first-aiders; their names are beside the lifts. Report every accident on "
        "the same day.",
        "Fire drills take place twice a year. The assembly point in Leeds is the north car "
        "park, in Hamburg the yard, in Porto the square, in Utrecht the cycle shed."]),
]

# (title, [(heading, paragraphs)])
POLICIES = [
    ("Travel policy", [
        ("Trains and flights", [
            "Trips below six hours are made by train, in second class. Flights are booked in "
            "economy class at least 14 days ahead.",
            "Business class is allowed on flights of more than nine hours."]),
        ("Hotels", ["A hotel may cost up to 140 euros a night, in London and Paris up to 190 "
                    "euros. Breakfast is booked with the room."])]),
    ("Expenses policy", [
        ("Claiming", ["Claim expenses within 60 days in the finance portal, with a receipt for "
                      "everything above 10 euros."]),
        ("Meals", ["Meals on trips are paid up to 45 euros a day. Alcohol is not paid."]),
        ("Private car", ["A trip with your own car is paid at 0.42 euros a kilometre."])]),
    ("Password policy", [
        ("Length", ["Passwords have at least 14 characters. They are changed only when they may "
                    "have become known."]),
        ("Second factor", ["Every account uses a second factor. The service desk lends security "
                           "keys."])]),
    ("Data protection policy", [
        ("Personal data", ["Collect only what you need. Personal data of applicants are deleted "
                           "after six months."]),
        ("Incidents", ["Report a loss of personal data to the data protection officer within "
                       "24 hours; she tells the authority within 72 hours."])]),
    ("Purchasing policy", [
        ("Limits", ["Team leaders sign orders up to 2,000 euros, department heads up to 25,000 "
                    "euros. Anything above needs the board."]),
        ("Offers", ["Three offers are needed above 5,000 euros."])]),
    ("Equipment policy", [
        ("Laptops", ["Laptops are replaced every four years. You may buy your old one for 100 "
                     "euros."]),
        ("Phones", ["Staff on call and in sales get a mobile phone. Private use is allowed "
                    "within the country."])]),
    ("Visitor policy", [
        ("Reception", ["Visitors sign in at reception, wear a badge and are accompanied. "
                       "Register groups of more than five people two days ahead."])]),
    ("Environment policy", [
        ("Goals", ["We cut the energy used for each meter by 30 percent by 2030. Company cars "
                   "are electric from 2027 on."])]),
    ("Records policy", [
        ("Keeping", ["Contracts and invoices are kept for ten years, calibration records for 15 "
                     "years, minutes for five years."])]),
    ("Recruiting policy", [
        ("Referrals", ["Staff who recommend somebody we hire get 1,500 euros after the "
                       "probation period."]),
        ("Interviews", ["Every interview has two interviewers and the same set of questions."])]),
]

GUIDES = [
    ("Setting up VPN", [
        ("Before you begin", ["You need a company laptop and a security key."]),
        ("Steps", ["Open Brightwater Connect, choose the site next to you and touch your key. "
                   "The VPN ends after 12 hours."])]),
    ("Printing", [
        ("Release", ["Print to the queue FollowMe and hold your badge to any printer. Jobs are "
                     "deleted after 24 hours."])]),
    ("Booking rooms", [
        ("Rules", ["Rooms are booked in the intranet for at most four hours. A room that nobody "
                   "enters within 15 minutes is released."])]),
    ("Calibrating meters", [
        ("Interval", ["Reference meters are calibrated every 12 months, test benches every six "
                      "months."]),
        ("Tolerance", ["A meter passes if the error is below 0.5 percent at all five flow "
                       "rates."])]),
    ("First day", [
        ("Arrival", ["Come to reception at 09:00. Your buddy shows you the site and has lunch "
                     "with you."]),
        ("Accounts", ["The service desk hands out laptop, badge and security key by 11:00."])]),
    ("Returning goods", [
        ("Deadline", ["Customers return meters within 30 days. Repairs take ten working days."])]),
    ("Asking the service desk", [
        ("Hours", ["The service desk answers from 07:30 to 18:00 on working days. Urgent tickets "
                   "get an answer within one hour."])]),
    ("Parking and bikes", [
        ("Places", ["Parking in Leeds is free with a permit from reception. Bikes can be leased "
                    "for 36 months."])]),
]


def minutes(month, day, decided, open_points):
    return (f"Minutes of the works meeting {month} 2026", [
        ("Present", [f"Board and works council, {day} {month} 2026, Leeds and by video."]),
        ("Decisions", decided), ("Open points", open_points)])


MINUTES = [
    minutes("January", 15, ["The canteen in Hamburg opens at 11:30 from February on."],
            ["Lighting of the cycle shed in Utrecht."]),
    minutes("February", 12, ["The budget for tools of the Porto site rises to 80,000 euros."],
            ["Noise in hall 2."]),
    minutes("March", 12, ["Hall 2 gets acoustic panels in May, for 12,400 euros."],
            ["Shift swaps at short notice."]),
    minutes("April", 16, ["Shift swaps need the agreement of one manager only."],
            ["Summer closing of Porto."]),
    minutes("May", 14, ["Porto closes from 10 to 21 August."], ["Water dispensers."]),
    minutes("June", 11, ["Each floor gets a water dispenser."], ["Parking permits."]),
    minutes("July", 16, ["Parking permits are given by distance from home."],
            ["Company party."]),
    minutes("August", 13, ["The company party takes place on 18 September in Utrecht."],
            ["New badge readers."]),
    minutes("September", 10, ["New badge readers are installed in Leeds in October."],
            ["Heating in winter."]),
    minutes("October", 15, ["Offices are heated to 20 degrees; production halls to 17 degrees."],
            ["Closing between the years."]),
]

RATES = [
    ("Daily allowances", [("country", "full day in euros", "half day in euros"),
                          ("United Kingdom", "45", "30"), ("Germany", "28", "14"),
                          ("Portugal", "32", "21"), ("Netherlands", "47", "32"),
                          ("France", "53", "36"), ("Spain", "34", "23")]),
    ("Emergency numbers", [("site", "emergency", "security desk", "first aid"),
                           ("Leeds", "999", "5010", "5011"), ("Hamburg", "112", "6010", "6011"),
                           ("Porto", "112", "7010", "7011"),
                           ("Utrecht", "112", "8010", "8011")]),
]

MAILS = [
    ("Closing between the years", "Human Resources <hr@brightwater.example>",
     "Mon, 02 Nov 2026 09:00:00 +0000",
     "All sites are closed from 24 December to 1 January. Two days of it are taken from "
     "your annual leave; the others are given by the company.\n"),
    ("New travel portal", "Travel desk <travel@brightwater.example>",
     "Tue, 06 Oct 2026 09:00:00 +0000",
     "From 1 November on, trips are booked in the new travel portal only. The travel desk "
     "helps on extension 5300.\n"),
    ("Flu vaccination", "Health and safety <safety@brightwater.example>",
     "Thu, 08 Oct 2026 09:00:00 +0000",
     "The company doctor vaccinates against flu on 20 October in Leeds and on 22 October in "
     "Hamburg. No appointment is needed.\n"),
]
