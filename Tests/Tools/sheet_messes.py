"""What else people do to a sheet of known truth: words for cells that are empty, doses that are not known, marks, remarks,
totals, questions as headers, sessions of other names, other units, letters that were lost, clocks that are changed.

`messed(sheet, rng)` changes a made-up sheet in one of these ways and says in which; what the sheet means is changed with it.
A sheet that cannot be right any more, as one whose dose is not known, has `must_refuse`.
"""

import datetime as dt

import made_up_sheets as made

WORDS = ["NA", "-", "n/a", "NULL", ".", "–", "k.A.", "#N/A"]
SESSIONS = ["Week", "Arm", "Block", "Run", "Episode", "Condition", "Treatment", "Phase", "Bedingung", "Týden"]
DISCARDED = ["verworfen", "discarded", "haemolysed", "hämolytisch", "invalid", "vyřazeno", "hémolysé", "bad", "outlier"]
FLAGS = [("Outlier", "1", ""), ("Valid", "no", "yes"), ("Use", "N", "Y"), ("Flag", "x", ""), ("OK?", "n", "y"), ("Ausreißer", "ja", ""), ("Platné", "ne", "ano")]
QUESTIONS = {"subject": "What is your participant ID?", "age": "How old are you?", "sex": "What is your sex?"}


class Rows:
    """The rows of a table with the positions of what is known of them."""

    def __init__(self, sheet):
        self.sheet = sheet
        self.table = sheet.tables[-1]
        rows = self.table.rows
        self.top = next(i for i, row in enumerate(rows) if sum(bool(sheet.shown(c)) for c in row) > 2)
        self.header = rows[self.top]
        ids = {p.id for p in sheet.people}
        self.data = [row for row in rows[self.top + 1 :] if any(sheet.shown(c) in ids for c in row)]
        self.ids = ids
        self.subject = next((i for i in range(len(self.header)) if self.data and all(sheet.shown(r[i]) in ids for r in self.data if i < len(r))), None)

    def title(self, index):
        return " ".join(self.sheet.shown(self.header[index]).split())

    def column(self, *targets):
        """The position of the column that means one of these."""
        for index in range(len(self.header)):
            if set(self.sheet.answers.get(self.title(index).lower(), ())) & set(targets):
                return index
        return None

    def words(self, *words):
        for index in range(len(self.header)):
            if any(self.title(index).lower().startswith(word) for word in words):
                return index
        return None

    def filled(self, row, index):
        return index is not None and index < len(row) and self.sheet.shown(row[index]).strip() not in ("", "NA", "-", ".")

    @property
    def reading(self):
        names = [w.lower() for words in made.WORDS.values() for words in ([words] if isinstance(words, list) else words.values()) for w in words]
        known = self.column(*made.BLOOD)
        if known is not None:
            return known
        blood = [w.lower() for kind in ("blood", "breath", "serum") for words in made.WORDS[kind].values() for w in words]
        return self.words(*blood) if names else None

    @property
    def dose(self):
        return self.words("ethanol (", "dose (g", "alcohol (g", "alkohol (g", "pure alcohol", "ethanol dose", "alcohol dose", "alkoholmenge", "ethanol [", "dose [", "alcohol [")


def one_reading(rows, rng):
    """A row with a reading of somebody with one evening, and that reading; None if it cannot be told."""
    sheet, index = rows.sheet, rows.reading
    if index is None or rows.subject is None:
        return None
    person = rng.choice(sheet.people)
    if len(person.evenings) != 1:
        return None
    own = [row for row in rows.data if sheet.shown(row[rows.subject]) == person.id and rows.filled(row, index)]
    readings = [r for r in person.evenings[0].readings if not r.is_missing]
    if len(own) != len(readings) or len(readings) < 4:
        return None
    place = rng.randrange(1, len(own))
    return own[place], readings[place]


def words_for_blanks(sheet, rng):
    rows, word = Rows(sheet), rng.choice(WORDS)
    for row in rows.data:
        for index in range(len(row)):
            if index != rows.subject and sheet.shown(row[index]) == "":
                row[index] = word
    return f"every empty cell is {word}"


def unknown_dose(sheet, rng):
    rows = Rows(sheet)
    own = [r for r in rows.data if rows.filled(r, rows.dose) and not rows.filled(r, rows.reading)]
    if rows.dose is None or not own or len(own) == len(rows.data):
        return None
    rng.choice(own)[rows.dose] = rng.choice(WORDS)
    sheet.must_refuse = True
    return "a dose is not known"


def added(rows, title, cell):
    rows.header.append(title)
    width = len(rows.header)
    for row in rows.data:
        row += [None] * (width - 1 - len(row)) + [cell(row)]


def without_one_reading(sheet, rng, choose, answers):
    """Has a column mark a reading, which is then none: its title, the mark, and what stands beside the others."""
    rows = Rows(sheet)
    found = one_reading(rows, rng)
    if not found:
        return None
    row, reading = found
    title, mark, other = choose()
    added(rows, title, lambda r: mark if r is row else other)
    reading.is_missing = True
    sheet.answers[title.lower()] = answers
    return f"{title}: {mark} beside a reading"


def flag(sheet, rng):
    return without_one_reading(sheet, rng, lambda: rng.choice(FLAGS), {"exclude", "include"})


def discarded(sheet, rng):
    titles = ["Comment", "Bemerkung", "Poznámka", "Remarque", "Notes", "Quality"]
    return without_one_reading(
        sheet, rng, lambda: (rng.choice(titles), rng.choice(DISCARDED), None), {"exclude_remark"}
    )


def remark(sheet, rng):
    rows = Rows(sheet)
    found = one_reading(rows, rng)
    if not found:
        return None
    added(rows, rng.choice(["Comment", "Bemerkung", "Poznámka"]), lambda r: "tired" if r is found[0] else None)
    return "a remark"


def total(sheet, rng):
    rows = Rows(sheet)
    if rows.subject is None:
        return None
    row = [None] * len(rows.header)
    row[rows.subject] = rng.choice(["Total", "Summe", "Subtotal", "Celkem", "Zwischensumme"])
    if rows.dose is not None:
        row[rows.dose] = 99
    rows.table.rows.append(row)
    return "a total"


def comment(sheet, rng):
    rows = Rows(sheet)
    if len(rows.data) < 4 or len(rows.header) < 3:
        return None
    place = rows.table.rows.index(rows.data[len(rows.data) // 2])
    rows.table.rows.insert(place, [rng.choice(["# device changed", "* break of half an hour", "the group had a light meal here"])] + [None] * (len(rows.header) - 1))
    return "a comment"


def header_again(sheet, rng):
    rows = Rows(sheet)
    place = rows.table.rows.index(rows.data[len(rows.data) // 2])
    rows.table.rows.insert(place, list(rows.header))
    return "the header again"


def session(sheet, rng):
    rows = Rows(sheet)
    index = next((i for i in range(len(rows.header)) if rows.title(i) in [w for words in made.WORDS["occasion"].values() for w in words]), None) if "occasion" in made.WORDS else None
    if index is None:
        return None
    title = rng.choice(SESSIONS)
    for table in sheet.tables:
        for row in table.rows[: rows.top + 1]:
            for place, cell in enumerate(row):
                if sheet.shown(cell) == sheet.shown(rows.header[index]):
                    row[place] = title
    sheet.answers[title.lower()] = {"occasion"}
    return "session " + title


def questions(sheet, rng):
    rows = Rows(sheet)
    if rows.subject is None or len(sheet.tables) > 1:
        return None
    rows.header[rows.subject] = QUESTIONS["subject"]
    age = rows.words("age", "alter", "věk", "âge", "edad", "ålder")
    if age is not None:
        rows.header[age] = QUESTIONS["age"]
    return "questions"


def lost_letters(sheet, rng):
    rows = Rows(sheet)
    changed = False
    for index in range(len(rows.header)):
        title = sheet.shown(rows.header[index])
        if any(ord(c) > 127 and c.isalpha() for c in title):
            try:
                other = rng.choice([title.encode("cp1250").decode("cp1252"), title.encode("utf-8").decode("cp1252")])
            except UnicodeError:
                continue
            sheet.answers[" ".join(other.split()).lower()] = sheet.answers.get(rows.title(index).lower(), set())
            rows.header[index] = other
            changed = changed or other != title
    sheet.encoding = "utf-8"
    return "lost letters" if changed else None


def floating_ids(sheet, rng):
    rows = Rows(sheet)
    if rows.subject is None or not all(p.id.isdigit() and not p.id.startswith("0") for p in sheet.people):
        return None
    for row in rows.data:
        row[rows.subject] = sheet.shown(row[rows.subject]) + ".0"
    return "ids with a point"


def marked(sheet, rng):
    rows = Rows(sheet)
    found = one_reading(rows, rng)
    if not found:
        return None
    found[0][rows.reading] = sheet.shown(found[0][rows.reading]) + "*"
    return "a mark behind a reading"


def one_evening_each(sheet):
    return all(len(person.evenings) == 1 for person in sheet.people)


def changed_clocks(sheet, rng):
    """Moves the evening of everybody to the night in which the clocks of Berlin are set back, and writes what they show."""
    forms = ["%Y-%m-%d %H:%M", "%d.%m.%Y %H:%M", "%d-%b-%Y %H:%M"]
    has_birth = any(word in [c for row in table.rows for c in map(sheet.shown, row)] for table in sheet.tables for words in made.WORDS["birth"].values() for word in words)
    if has_birth or not one_evening_each(sheet) or any(isinstance(c, made.Moment) and not isinstance(c.value, dt.datetime) for t in sheet.tables for r in t.rows for c in r):
        return None
    dates = {p.evenings[0].start.date() for p in sheet.people}
    # Whose evening a moment is of has to be certain.
    if any(0 < abs((first - second).days) < 2 for first in dates for second in dates):
        return None
    changed = []
    for table in sheet.tables:
        for row in table.rows:
            for place, cell in enumerate(row):
                if isinstance(cell, made.Moment):
                    form = next((f for f in forms if cell.value.strftime(f) == cell.text), None)
                    if form is None:
                        return None
                    date = next((d for d in dates if 0 <= (cell.value.date() - d).days < 2), None)
                    if date is None:
                        return None
                    when = cell.value + (dt.date(2024, 10, 26) - date)
                    is_winter = when >= dt.datetime(2024, 10, 27, 3)
                    changed.append((row, place, when - dt.timedelta(hours=is_winter), form, is_winter))
    if not any(is_winter for *_, is_winter in changed):
        return None
    for row, place, when, form, _ in changed:
        row[place] = made.Moment(when, when.strftime(form))
    return "clocks are changed"


def hours_after(sheet, rng):
    rows = Rows(sheet)
    index = rows.column("time_h")
    if index is None or len(sheet.tables) > 1 or not one_evening_each(sheet):
        return None
    if any([d.time for d in p.evenings[0].drinks] != [0] for p in sheet.people):
        return None
    title = rng.choice(["Hours after", "Hours after dose", "TAD (h)", "Hours post dose"])
    rows.header[index] = title
    sheet.answers[title.lower()] = {"time_h"}
    return title


# What can be done to few sheets is tried first.
RARE = [changed_clocks, hours_after]
KINDS = [words_for_blanks, unknown_dose, flag, discarded, remark, total, comment, header_again, session, questions, lost_letters, floating_ids, marked]


def messed(sheet, rng):
    """Does one of these things to a sheet, and says what; None if none can be done."""
    for kind in RARE + rng.sample(KINDS, len(KINDS)):
        try:
            done = kind(sheet, rng)
        except (StopIteration, IndexError):
            done = None
        if done:
            sheet.features.append("mess " + kind.__name__)
            return done
    return None
