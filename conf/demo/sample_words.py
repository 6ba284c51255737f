# SPDX-License-Identifier: MIT
"""Word lists of the sample data: the people, devices and troubles of a made-up
company of some 400 people, Brightwater Instruments, makers of flow meters."""

FIRST = """
Adaeze Ahmed Aisha Alejandra Aleksander Alice Amina Ana Anders Andrea Anke Antoine
Arjun Astrid Ayşe Beatriz Benjamin Birgit Bram Camille Carlos Catarina Chiara Chloe
Christoph Claire Daan Daniel David Deepa Diana Diego Dmitri Duarte Elena Elif Elise
Emeka Emily Emma Erik Esra Fatima Femke Fernando Finn Francesca Frank Gabriela
George Giulia Grace Greta Hanna Hannah Hassan Heike Helena Henrik Hugo Ibrahim Ines
Ingrid Irina Isabel Ivan Jack James Jan Jasmin Jens Joana João Johanna Jonas Jorge
Joris José Julia Kamal Karen Karim Karin Katarzyna Keiko Kenji Kwame Lars Laura Leila
Lena Liam Lieke Linda Lucas Łukasz Luís Maarten Magdalena Mai Malik Marek Maria Marieke
Marta Martin Mateus Matthias Mehmet Mei Mia Michael Miguel Minh Mira Mohamed Monika
Nadia Naomi Natalia Neha Nils Noor Nuno Oliver Olga Omar Oskar Patricia Paul Pedro
Petra Pieter Priya Rafael Rahul Rebecca Ricardo Rita Robert Rosa Rui Ruth Samira
Samuel Sandra Sanne Sara Sebastian Selin Silvia Simon Sofia Sophie Stefan Sunita
Susanne Svenja Tariq Teresa Thijs Thomas Tiago Tobias Tom Tomasz Uwe Vera Victoria
Viktor Wei Wiebke William Xavier Yara Yasmin Yuki Yusuf Zanele Zoë Zuzanna
""".split()

LAST = """
Abbas Adeyemi Ahmadi Albrecht Almeida Alvarez Andersson Antunes Bakker Banerjee
Barbosa Bauer Becker Bennett Bergström Bianchi Boateng Bosman Brandt Brown Carvalho
Chen Clarke Cohen Conti Coelho Costa Cruz Das Davies de Boer de Jong Demir Dias Dijkstra
Doğan Dubois Edwards Eriksen Esposito Evans Farah Fernandes Ferreira Fischer Fonseca
Foster Friedrich Garcia Gomes Gonçalves Graham Green Gupta Haddad Hall Hansen Harris
Hartmann Hassan Hendriks Herrera Hoffmann Holm Hughes Hussain Ivanov Iyer Jackson Jansen
Jensen Johansson Jones Kamara Kaya Keller Khan Kim Klein Koch Kovács Kowalski Krause
Krüger Kumar Larsen Laurent Lee Lehmann Lewandowska Li Lindqvist Lopes Lopez Magalhães
Marques Martins Mbeki Meijer Mendes Mensah Meyer Molina Moreau Morgan Mulder Müller
Murphy Nair Nakamura Nguyen Nielsen Novak Nowak Nunes Nwosu O'Brien Oliveira Olsen
Osei Öztürk Papadopoulos Park Patel Pavlov Pereira Petersen Petrov Pham Pinto Popescu
Prins Rahman Ramirez Reddy Reis Reuter Ribeiro Richter Roberts Rocha Rodrigues Rossi
Roth Sahin Santos Sato Schäfer Schmidt Schneider Scholz Schröder Schulz Shah Sharma
Silva Simões Singh Smit Smith Sørensen Sousa Suzuki Tanaka Taylor Teixeira Thompson
Tran Turner van Dijk van Leeuwen Vasquez Verhoeven Virtanen Visser Vogel Wagner Walker
Wang Watson Weber Werner White Wilson Winkler Wójcik Wolff Wood Wright Yamamoto Yılmaz
Young Zhang Ziegler Zimmermann
""".replace("de Boer", "de_Boer").replace("de Jong", "de_Jong") \
   .replace("van Dijk", "van_Dijk").replace("van Leeuwen", "van_Leeuwen").split()
LAST = [name.replace("_", " ") for name in LAST]

SITES = [("Leeds", "United Kingdom", "Kirkstall Road 210"),
         ("Hamburg", "Germany", "Wendenstraße 388"),
         ("Porto", "Portugal", "Rua de Monte dos Burgos 470"),
         ("Utrecht", "Netherlands", "Kanaalweg 29")]

# name, code, head count, budget in euros, share of Leeds/Hamburg/Porto/Utrecht,
# head's title, titles with yearly salary from and to
DEPARTMENTS = [
    ("IT", "IT-100", 22, 2_350_000, (10, 6, 3, 3), "Head of IT",
     [("Service desk agent", 31, 40), ("System administrator", 46, 62),
      ("Network engineer", 50, 66), ("Application manager", 52, 70),
      ("Software developer", 52, 74)]),
    ("Human Resources", "HR-110", 14, 640_000, (6, 4, 2, 2), "HR director",
     [("HR adviser", 40, 54), ("Recruiter", 38, 52), ("Payroll officer", 36, 48),
      ("Training coordinator", 36, 46)]),
    ("Finance", "FI-120", 24, 910_000, (10, 7, 4, 3), "Finance director",
     [("Accountant", 40, 56), ("Accounts payable clerk", 31, 39),
      ("Controller", 56, 76), ("Credit controller", 34, 45)]),
    ("Sales", "SA-200", 52, 2_980_000, (16, 16, 8, 12), "Sales director",
     [("Account manager", 44, 68), ("Sales engineer", 46, 66),
      ("Inside sales representative", 34, 44), ("Sales support", 31, 40)]),
    ("Marketing", "MA-210", 16, 1_450_000, (6, 3, 2, 5), "Head of marketing",
     [("Marketing manager", 46, 60), ("Content editor", 36, 46),
      ("Graphic designer", 36, 48), ("Event coordinator", 34, 44)]),
    ("Customer Service", "CS-220", 38, 720_000, (10, 10, 12, 6), "Head of customer service",
     [("Support engineer", 38, 52), ("Customer service agent", 29, 38),
      ("Field service technician", 36, 50), ("Spare parts coordinator", 32, 42)]),
    ("Production", "PR-300", 112, 6_400_000, (20, 52, 40, 0), "Production director",
     [("Assembly operator", 28, 36), ("Machine operator", 30, 39),
      ("Calibration technician", 34, 46), ("Shift leader", 40, 52),
      ("Production planner", 40, 54), ("Maintenance technician", 36, 48)]),
    ("Research and Development", "RD-310", 46, 4_100_000, (18, 20, 0, 8), "Head of R&D",
     [("Firmware engineer", 54, 78), ("Mechanical engineer", 50, 72),
      ("Electronics engineer", 52, 76), ("Physicist", 56, 80),
      ("Test engineer", 46, 62)]),
    ("Quality", "QU-320", 22, 830_000, (6, 9, 7, 0), "Head of quality",
     [("Quality engineer", 46, 60), ("Quality inspector", 34, 44),
      ("Document controller", 32, 42)]),
    ("Logistics", "LO-330", 34, 1_900_000, (8, 14, 10, 2), "Logistics manager",
     [("Warehouse operator", 27, 34), ("Shipping clerk", 30, 38),
      ("Customs specialist", 40, 52), ("Transport planner", 36, 46)]),
    ("Purchasing", "PU-340", 18, 560_000, (4, 8, 4, 2), "Head of purchasing",
     [("Buyer", 40, 54), ("Strategic buyer", 50, 66), ("Purchasing assistant", 31, 39)]),
    ("Facilities", "FA-400", 16, 1_250_000, (5, 5, 4, 2), "Facilities manager",
     [("Caretaker", 28, 35), ("Facilities coordinator", 34, 44),
      ("Receptionist", 27, 34), ("Electrician", 34, 45)]),
    ("Legal", "LE-410", 6, 420_000, (3, 2, 0, 1), "General counsel",
     [("Legal counsel", 62, 88), ("Contract manager", 48, 62)]),
    ("Management", "MG-500", 6, 1_100_000, (4, 1, 0, 1), "Managing director",
     [("Executive assistant", 42, 54), ("Strategy manager", 70, 95)]),
]

# kind: manufacturer, model, price, years of warranty, weight
MODELS = {
    "laptop": [("Lenovo", "ThinkPad T14 Gen 4", 1389, 3, 6), ("Lenovo", "ThinkPad L15 Gen 3", 1049, 3, 4),
               ("Dell", "Latitude 5440", 1265, 3, 5), ("Dell", "Precision 3581", 2140, 3, 2),
               ("HP", "EliteBook 840 G9", 1420, 3, 3), ("Apple", "MacBook Pro 14 M3", 2299, 1, 1)],
    "desktop": [("Dell", "OptiPlex 7010", 879, 3, 4), ("HP", "Elite Mini 800 G9", 940, 3, 3),
                ("Lenovo", "ThinkCentre M70q", 789, 3, 3)],
    "monitor": [("Dell", "P2423D", 289, 3, 5), ("Eizo", "FlexScan EV2781", 689, 5, 2),
                ("Iiyama", "ProLite XUB2792QSU", 245, 3, 4), ("LG", "34WN80C-B", 469, 2, 1)],
    "dock": [("Lenovo", "ThinkPad USB-C Dock Gen 2", 189, 2, 3), ("Dell", "WD19S", 199, 2, 3)],
    "phone": [("Apple", "iPhone 14", 749, 1, 3), ("Samsung", "Galaxy A54", 389, 2, 5),
              ("Fairphone", "Fairphone 5", 699, 5, 1), ("Yealink", "SIP-T46U", 148, 2, 2)],
    "tablet": [("Samsung", "Galaxy Tab Active4 Pro", 619, 3, 3), ("Apple", "iPad 10th generation", 529, 1, 1)],
    "printer": [("Kyocera", "ECOSYS M3645idn", 899, 2, 3), ("Brother", "MFC-L6910DN", 799, 3, 3),
                ("Zebra", "ZT411", 1590, 2, 2), ("Ricoh", "IM C3000", 4350, 2, 1)],
    "scanner": [("Fujitsu", "fi-8170", 829, 2, 1), ("Zebra", "DS3678", 985, 3, 3)],
    "projector": [("Epson", "EB-L265F", 1390, 3, 1), ("BenQ", "MH733", 749, 3, 1)],
    "server": [("Dell", "PowerEdge R650", 7900, 5, 2), ("HPE", "ProLiant DL380 Gen10", 8450, 5, 2)],
    "switch": [("Cisco", "Catalyst 9200L-48P", 3950, 5, 2), ("HPE", "Aruba 2930F-48G", 2290, 5, 2)],
    "access point": [("Ubiquiti", "UniFi U6 Pro", 165, 2, 3), ("HPE", "Aruba AP-515", 690, 5, 2)],
}

ROOMS = {  # site: (name, floor, kind, seats, screen, camera)
    "Leeds": [("Aire", 1, "meeting", 8, 1, 1), ("Calder", 1, "meeting", 6, 1, 0), ("Wharfe", 2, "meeting", 12, 1, 1),
              ("Nidd", 2, "meeting", 4, 0, 0), ("Swale", 3, "meeting", 16, 1, 1), ("Humber", 0, "training", 24, 1, 1),
              ("Flow lab 1", 0, "lab", 6, 0, 0)],
    "Hamburg": [("Alster", 2, "meeting", 10, 1, 1), ("Bille", 2, "meeting", 6, 1, 0), ("Elbe", 4, "meeting", 18, 1, 1),
                ("Fleet", 3, "meeting", 4, 1, 0), ("Wandse", 3, "meeting", 8, 1, 1), ("Speicher", 0, "training", 28, 1, 1),
                ("Prüfstand 2", 0, "lab", 8, 0, 0), ("Werkstatt Nord", 0, "workshop", 10, 0, 0)],
    "Porto": [("Douro", 1, "meeting", 10, 1, 1), ("Leça", 1, "meeting", 6, 1, 1), ("Minho", 2, "meeting", 8, 1, 0),
              ("Ribeira", 0, "training", 20, 1, 1), ("Oficina", 0, "workshop", 12, 0, 0)],
    "Utrecht": [("Vecht", 1, "meeting", 8, 1, 1), ("Dom", 2, "meeting", 12, 1, 1), ("Singel", 2, "meeting", 4, 1, 0)],
}

MEETINGS = ["Weekly planning", "Sprint review", "Supplier review", "Interview", "Budget round", "Project FM-400 status",
            "Safety committee", "Customer visit", "Calibration audit", "Works council", "Release planning",
            "Onboarding day", "Team retrospective", "Price list 2nd half", "Complaint review", "Design review FM-400",
            "Tender preparation", "Department meeting", "ERP key users", "One-to-one", "Trade fair preparation"]
