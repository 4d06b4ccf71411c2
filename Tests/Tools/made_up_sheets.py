"""Made-up sheets of drinks and readings, as laboratories and people write them, with what they mean.

`made_up(seed)` draws people, what they drank and what was measured, and then how somebody wrote it down: language,
file, columns, units, times, drinks, limits, and what stands around the table. What a sheet means follows from the
numbers as they are written, not from the model, so a right reading agrees to the last digit.
"""

import csv
import datetime as dt
import io
import math
import pathlib
import random
from dataclasses import dataclass, field

# g of ethanol per kg of whole blood, of one of each unit: blood has 1.055 kg/L, serum 1.16 times as much as blood,
# breath a 2100th.
BLOOD = {
    "bac_g_per_kg": 1.0,
    "bac_g_per_l": 1 / 1.055,
    "bac_mg_per_l": 0.001 / 1.055,
    "bac_mg_per_100ml": 0.01 / 1.055,
    "bac_g_per_100ml": 10 / 1.055,
    "bac_mmol_per_l": 0.0460684 / 1.055,
    "serum_g_per_l": 1 / 1.16 / 1.055,
    "serum_mg_per_l": 0.001 / 1.16 / 1.055,
    "serum_mg_per_100ml": 0.01 / 1.16 / 1.055,
    "serum_mmol_per_l": 0.0460684 / 1.16 / 1.055,
    "brac_mg_per_l": 2.1 / 1.055,
    "brac_ug_per_l": 0.0021 / 1.055,
    "brac_ug_per_100ml": 0.021 / 1.055,
    "brac_g_per_210l": 10 / 1.055,
}
# Digits behind the point that instruments show.
DIGITS = {
    "bac_g_per_kg": 2, "bac_g_per_l": 2, "bac_mg_per_l": 0, "bac_mg_per_100ml": 0, "bac_g_per_100ml": 3,
    "bac_mmol_per_l": 1, "serum_g_per_l": 2, "serum_mg_per_l": 0, "serum_mg_per_100ml": 0, "serum_mmol_per_l": 1,
    "brac_mg_per_l": 2, "brac_ug_per_l": 0, "brac_ug_per_100ml": 0, "brac_g_per_210l": 3,
}  # fmt: skip
UNITS = {
    "bac_g_per_kg": ["g/kg", "‰", "promille", "g/kg", "mg/g"],
    "bac_g_per_l": ["g/L", "g/l", "mg/mL", "g/L"],
    "bac_mg_per_l": ["mg/L"],
    "bac_mg_per_100ml": ["mg/100ml", "mg/100 mL", "mg/dL", "mg/dl", "mg%"],
    "bac_g_per_100ml": ["%", "g/100ml", "g/dL", "g%", "g/100 mL"],
    "bac_mmol_per_l": ["mmol/L", "mmol/l"],
    "serum_g_per_l": ["g/L", "g/l"],
    "serum_mg_per_l": ["mg/L"],
    "serum_mg_per_100ml": ["mg/dL", "mg/dl", "mg/100 ml", "mg/100 mL"],
    "serum_mmol_per_l": ["mmol/L", "mmol/l"],
    "brac_mg_per_l": ["mg/L", "mg/l", "mg/L"],
    "brac_ug_per_l": ["µg/L", "ug/l"],
    "brac_ug_per_100ml": ["µg/100ml", "µg/100 mL", "ug/100ml", "µg%"],
    "brac_g_per_210l": ["g/210L", "g/210 L", "g/210 l"],
}
WORDS = {
    "blood": {
        "en": ["BAC", "Blood alcohol", "Blood ethanol", "Blood alcohol concentration", "BAC"],
        "de": ["BAK", "Blutalkohol", "Blutalkoholkonzentration"],
        "cs": ["Alkohol v krvi", "BAC", "Hladina alkoholu v krvi"],
        "fr": ["Alcoolémie", "Taux d'alcoolémie", "BAC"],
        "es": ["Alcoholemia", "Alcohol en sangre", "BAC"],
        "sv": ["Blodalkohol", "BAC"],
    },
    "breath": {
        "en": ["BrAC", "Breath alcohol", "Breath alcohol concentration", "BrAC"],
        "de": ["AAK", "Atemalkohol", "Atemalkoholkonzentration"],
        "cs": ["Alkohol v dechu", "Dechový alkohol", "BrAC"],
        "fr": ["Alcool dans l'air expiré", "BrAC"],
        "es": ["Alcohol en aire espirado", "BrAC"],
        "sv": ["Utandningsalkohol", "BrAC"],
    },
    "serum": {
        "en": ["Serum alcohol", "Serum ethanol", "Serum", "Plasma ethanol"],
        "de": ["Serum", "Serumalkohol", "Serum-Ethanol"],
        "cs": ["Sérum", "Alkohol v séru"],
        "fr": ["Sérum", "Alcool sérique"],
        "es": ["Serum", "Alcohol en suero"],
        "sv": ["Serum", "Serumalkohol"],
    },
    "neutral": {
        "en": ["Result", "Ethanol", "Alcohol", "Concentration", "Ethanol concentration"],
        "de": ["Messwert", "Ethanol", "Alkohol", "Ergebnis"],
        "cs": ["Výsledek", "Alkohol", "Hodnota"],
        "fr": ["Résultat", "Éthanol", "Valeur"],
        "es": ["Resultado", "Etanol", "Valor"],
        "sv": ["Resultat", "Etanol", "Värde"],
    },
    "subject": {
        "en": ["Participant", "Subject", "ID", "Subject ID", "Volunteer", "Name", "Participant ID", "Patient", "Person"],
        "de": ["Proband", "Versuchsperson", "Teilnehmer", "Name", "Probanden-Nr.", "VP"],
        "cs": ["Účastník", "Jméno", "Osoba", "Kód"],
        "fr": ["Sujet", "Participant", "Nom", "Volontaire"],
        "es": ["Sujeto", "Participante", "Nombre", "Voluntario"],
        "sv": ["Försöksperson", "Deltagare", "Namn"],
    },
    "sex": {
        "en": ["Sex", "Gender", "sex", "M/F"], "de": ["Geschlecht"], "cs": ["Pohlaví"], "fr": ["Sexe"], "es": ["Sexo"],
        "sv": ["Kön"],
    },
    "age": {"en": ["Age", "age"], "de": ["Alter"], "cs": ["Věk"], "fr": ["Âge"], "es": ["Edad"], "sv": ["Ålder"]},
    "birth": {
        "en": ["Date of birth", "DOB"], "de": ["Geburtsdatum"], "cs": ["Datum narození"], "fr": ["Date de naissance"],
        "es": ["Fecha de nacimiento"], "sv": ["Födelsedatum"],
    },
    "height": {
        "en": ["Height", "Body height"], "de": ["Größe", "Körpergröße"], "cs": ["Výška"], "fr": ["Taille"],
        "es": ["Altura", "Talla"], "sv": ["Längd"],
    },
    "weight": {
        "en": ["Weight", "Body weight", "Body mass", "Mass"], "de": ["Gewicht", "Körpergewicht"], "cs": ["Hmotnost", "Váha"],
        "fr": ["Poids"], "es": ["Peso"], "sv": ["Vikt"],
    },
    "date": {"en": ["Date", "Test date"], "de": ["Datum"], "cs": ["Datum"], "fr": ["Date"], "es": ["Fecha"], "sv": ["Datum"]},
    "datetime": {
        "en": ["Date/time", "DateTime", "Date and time", "Collected"], "de": ["Datum/Uhrzeit", "Zeitpunkt"],
        "cs": ["Datum a čas"], "fr": ["Date et heure"], "es": ["Fecha y hora"], "sv": ["Datum och tid"],
    },
    "time": {
        "en": ["Time", "Time", "Elapsed time", "Time after dose"], "de": ["Zeit"], "cs": ["Čas"], "fr": ["Temps"],
        "es": ["Tiempo"], "sv": ["Tid"],
    },
    "clock": {
        "en": ["Time", "Clock time", "Time of day"], "de": ["Uhrzeit", "Zeit"], "cs": ["Čas"], "fr": ["Heure"], "es": ["Hora"],
        "sv": ["Klockslag", "Tid"],
    },
    "sample time": {
        "en": ["Sample time", "Test time", "Reading time", "Time of sample"], "de": ["Messzeit", "Zeitpunkt Messung", "Blutentnahme"],
        "cs": ["Čas měření", "Čas odběru"], "fr": ["Heure du prélèvement", "Heure de mesure"],
        "es": ["Hora de la muestra", "Hora de medición"], "sv": ["Provtid", "Mättid"],
    },
    "drink time": {
        "en": ["Drink time", "Time of drink", "Dose time", "Drinking start", "Start of drinking", "Dose given"],
        "de": ["Trinkbeginn", "Trinkzeit"], "cs": ["Čas pití", "Začátek pití"], "fr": ["Heure de la boisson", "Début"],
        "es": ["Hora de la bebida", "Inicio"], "sv": ["Dricktid", "Start"],
    },
    "drink end": {
        "en": ["Drinking end", "End of drinking", "Stop time", "Finished", "Drink end"], "de": ["Trinkende"],
        "cs": ["Konec pití", "Konec"], "fr": ["Fin"], "es": ["Fin"], "sv": ["Slut"],
    },
    "duration": {
        "en": ["Duration", "Drinking duration"], "de": ["Trinkdauer", "Dauer"], "cs": ["Doba pití"], "fr": ["Durée"],
        "es": ["Duración"], "sv": ["Varaktighet"],
    },
    "ethanol": {
        "en": ["Ethanol", "Dose", "Alcohol dose", "Ethanol dose", "Pure alcohol", "Alcohol"], "de": ["Alkoholmenge", "Ethanol", "Dosis"],
        "cs": ["Dávka alkoholu", "Čistý alkohol", "Etanol"], "fr": ["Éthanol", "Alcool pur", "Dose"],
        "es": ["Etanol", "Dosis", "Alcohol puro"], "sv": ["Etanol", "Alkoholmängd", "Dos"],
    },
    "volume": {
        "en": ["Volume", "Drink volume", "Amount"], "de": ["Menge", "Volumen", "Trinkmenge"], "cs": ["Objem", "Množství"],
        "fr": ["Volume", "Quantité"], "es": ["Volumen", "Cantidad"], "sv": ["Volym", "Mängd"],
    },
    "abv": {
        "en": ["ABV", "Strength", "Alcohol content", "ABV"], "de": ["Alkoholgehalt", "Vol%"], "cs": ["Obsah alkoholu"],
        "fr": ["Degré d'alcool", "ABV"], "es": ["Graduación", "ABV"], "sv": ["Alkoholhalt", "ABV"],
    },
    "drink": {
        "en": ["Drink", "Beverage"], "de": ["Getränk"], "cs": ["Nápoj"], "fr": ["Boisson"], "es": ["Bebida"], "sv": ["Dryck"],
    },
    "count": {
        "en": ["Quantity", "Number of drinks", "Count", "Servings"], "de": ["Anzahl", "Stück"], "cs": ["Počet"], "fr": ["Nombre", "Quantité"],
        "es": ["Cantidad", "Número"], "sv": ["Antal"],
    },
    "lod": {
        "en": ["LOD", "Detection limit", "LLOQ", "Limit of detection"], "de": ["Nachweisgrenze", "LOD"], "cs": ["Mez detekce", "LOD"],
        "fr": ["LOD"], "es": ["LOD"], "sv": ["LOD"],
    },
    "occasion": {
        "en": ["Session", "Occasion", "Visit", "Day"], "de": ["Sitzung", "Termin", "Abend"], "cs": ["Sezení", "Večer"],
        "fr": ["Séance"], "es": ["Sesión"], "sv": ["Tillfälle"],
    },
    "matrix": {
        "en": ["Matrix", "Specimen", "Sample type"], "de": ["Matrix", "Material", "Probenart"], "cs": ["Materiál", "Matrice"],
        "fr": ["Matrice"], "es": ["Matriz", "Muestra"], "sv": ["Matris"],
    },
    "unit": {"en": ["Unit", "Units"], "de": ["Einheit"], "cs": ["Jednotka"], "fr": ["Unité"], "es": ["Unidad"], "sv": ["Enhet"]},
    "running": {
        "en": ["No.", "Number", "#", "Sample no.", "Sample", "Row", "Reading no.", "n"], "de": ["Nr.", "Lfd. Nr.", "Probe", "Nummer"],
        "cs": ["Číslo", "Č.", "Pořadí"], "fr": ["N°", "Numéro"], "es": ["N.º", "Número"], "sv": ["Nr", "Löpnummer"],
    },
    "stamp": {
        "en": ["Timestamp", "Submitted", "Submission time"], "de": ["Zeitstempel"], "cs": ["Časové razítko"], "fr": ["Horodateur"],
        "es": ["Marca temporal"], "sv": ["Tidsstämpel"],
    },
}  # fmt: skip
MATRICES = {
    "blood": {"en": ["Whole blood", "Blood", "WB"], "de": ["Vollblut", "Blut"], "cs": ["Krev"], "fr": ["Sang"], "es": ["Sangre"], "sv": ["Blod"]},
    "serum": {"en": ["Serum", "Plasma", "SER"], "de": ["Serum"], "cs": ["Sérum"], "fr": ["Sérum"], "es": ["Suero"], "sv": ["Serum"]},
    "breath": {"en": ["Breath"], "de": ["Atem", "Atemluft"], "cs": ["Dech"], "fr": ["Air expiré"], "es": ["Aliento"], "sv": ["Utandning"]},
}  # fmt: skip
SEXES = {
    "en": [("male", "female"), ("M", "F"), ("m", "f"), ("Male", "Female"), ("M", "F"), ("man", "woman")],
    "de": [("m", "w"), ("männlich", "weiblich"), ("M", "W"), ("Mann", "Frau")],
    "cs": [("muž", "žena"), ("M", "Ž"), ("m", "ž")],
    "fr": [("H", "F"), ("homme", "femme"), ("M", "F")],
    "es": [("H", "M"), ("hombre", "mujer"), ("varón", "mujer")],
    "sv": [("man", "kvinna"), ("M", "K")],
}
NAMES = {
    True: ["Ben", "Jack", "Jürgen", "Tomáš", "Luc", "Åke", "Pavel", "Max", "Paul", "José", "Erik", "Tom"],
    False: ["Anna", "Cleo", "Jill", "Zoë", "Kateřina", "Inés", "Eva", "Mia", "Chloé", "Sofía", "Karin", "Lea"],
}
DRINKS = [
    ("lager", 500, 5), ("lager", 330, 5), ("red wine", 200, 13), ("white wine", 200, 12), ("vodka", 40, 40), ("gin", 40, 40),
    ("pilsner", 500, 4.8), ("cider", 500, 4.5), ("whisky", 40, 40),
]  # fmt: skip
MALES = ["male", "M"]


@dataclass(frozen=True)
class Number:
    """A number as it is written, with a point."""

    text: str

    @property
    def value(self):
        return float(self.text)


@dataclass(frozen=True)
class Moment:
    """A date or a time: as a workbook stores it, and as text."""

    value: object
    text: str


@dataclass
class Drink:
    time: float
    grams: float
    duration: float = 0.0
    volume: float = 0.0
    abv: float = 0.0
    count: int = 1
    name: str = ""
    per_kg: float = 0.0


@dataclass
class Reading:
    """A reading as it is written: in a unit, or below a limit, or missing."""

    time: float
    unit: str
    number: str = ""
    below: str = ""
    is_missing: bool = False
    matrix: str = ""

    def truth(self, limit=None):
        """Time, g/kg in blood or nil below the limit, and the limit."""
        factor = BLOOD[self.unit]
        if self.below:
            return self.time, None, float(self.below) * factor
        value = float(self.number) * factor
        if limit is not None and value < limit * 0.9999:
            return self.time, None, limit
        return self.time, value, limit


@dataclass
class Evening:
    start: dt.datetime
    drinks: list
    readings: list = field(default_factory=list)
    name: str = ""


@dataclass
class Person:
    id: str
    is_male: bool
    age: int
    birth: dt.date
    height: float
    weight: float
    ka: float
    beta: float
    r: float
    evenings: list = field(default_factory=list)
    shown: dict = field(default_factory=dict)


@dataclass
class Table:
    name: str
    rows: list
    hidden: list = field(default_factory=list)


@dataclass
class Sheet:
    seed: int
    tables: list
    form: str
    people: list
    features: list
    ambiguous: list
    answers: dict
    separator: str = ","
    comma: bool = False
    encoding: str = "utf-8"
    texts: bool = False
    line_end: str = "\n"
    known: set = field(default_factory=set)
    limit: float = None

    def write(self, folder):
        """Writes the sheet into a folder and says where."""
        folder = pathlib.Path(folder)
        if self.form == "xlsx":
            path = folder / "night.xlsx"
            self.write_workbook(path)
            return path
        if self.form == "folder":
            path = folder / "study"
            path.mkdir()
            for table in self.tables:
                (path / table.name).write_bytes(self.csv(table))
            return path
        path = folder / "night.csv"
        path.write_bytes(self.csv(self.tables[0]))
        return path

    def csv(self, table):
        out = io.StringIO()
        writer = csv.writer(out, delimiter=self.separator, lineterminator=self.line_end)
        for row in table.rows:
            writer.writerow([self.shown(cell) for cell in row])
        return out.getvalue().encode(self.encoding, errors="replace")

    def shown(self, cell):
        if cell is None:
            return ""
        if isinstance(cell, Number):
            return cell.text.replace(".", ",") if self.comma else cell.text
        return cell.text if isinstance(cell, Moment) else str(cell)

    def write_workbook(self, path):
        import openpyxl

        book = openpyxl.Workbook()
        book.remove(book.active)
        for table in self.tables:
            sheet = book.create_sheet(table.name)
            for row in table.rows:
                sheet.append([self.stored(cell) for cell in row])
            for row in table.hidden:
                sheet.row_dimensions[row].hidden = True
        book.save(path)

    def stored(self, cell):
        if self.texts:
            return self.shown(cell) or None
        if isinstance(cell, Number):
            return int(cell.text) if cell.text.lstrip("-").isdigit() else cell.value
        return cell.value if isinstance(cell, Moment) else cell


def curve(person, drinks):
    """g/kg by minute, from 60 min before the first drink."""
    gut = blood = 0.0
    kept = math.exp(-person.ka / 60)
    values = {}
    for minute in range(-60, 1500):
        for drink in drinks:
            dose = drink.grams / (person.r * person.weight)
            if drink.duration and drink.time <= minute < drink.time + drink.duration:
                gut += dose / drink.duration
            elif not drink.duration and minute == round(drink.time):
                gut += dose
        values[minute] = blood
        blood = max(0.0, blood + gut * (1 - kept) - person.beta / 60)
        gut *= kept
    return values


class Maker:
    def __init__(self, seed):
        self.seed = seed
        self.rng = random.Random(seed)
        self.features = []
        self.ambiguous = []
        self.answers = {}

    # MARK: Chances

    def chance(self, p):
        return self.rng.random() < p

    def pick(self, weights):
        return self.rng.choices(list(weights), list(weights.values()))[0]

    def word(self, key, **kw):
        words = WORDS[key]
        language = self.language if self.chance(0.93) else "en"
        return self.rng.choice(words[language])

    def note(self, *features):
        self.features += [f for f in features if f not in self.features]

    def doubt(self, what):
        if what not in self.ambiguous:
            self.ambiguous.append(what)
        self.note("?" + what)

    def answer(self, header, *targets):
        self.answers.setdefault(" ".join(header.split()).lower(), set()).update(targets)

    # MARK: The sheet

    def make(self):
        self.language = self.pick({"en": 50, "de": 18, "cs": 10, "fr": 8, "es": 8, "sv": 6})
        self.note("language " + self.language)
        self.choose_readings()
        self.choose_times()
        self.choose_layout()
        self.choose_doses()
        self.make_people()
        self.style = self.pick({"({})": 50, "[{}]": 14, ", {}": 7, " {}": 12, "_{}": 3, " in {}": 3, "row": 6, "cells": 5})
        self.note("unit style " + self.style)
        self.choose_person_columns()
        tables = self.layout_tables()
        return self.finish(tables)

    def choose_readings(self):
        matrix = self.pick({"blood": 52, "breath": 36, "serum": 12})
        units = {
            "blood": {"bac_g_per_kg": 30, "bac_g_per_l": 22, "bac_mg_per_100ml": 26, "bac_g_per_100ml": 16, "bac_mmol_per_l": 4, "bac_mg_per_l": 2},
            "breath": {"brac_mg_per_l": 52, "brac_ug_per_l": 6, "brac_ug_per_100ml": 22, "brac_g_per_210l": 20},
            "serum": {"serum_g_per_l": 35, "serum_mg_per_100ml": 45, "serum_mmol_per_l": 15, "serum_mg_per_l": 5},
        }  # fmt: skip
        self.matrix, self.unit = matrix, self.pick(units[matrix])
        self.unit_text = self.rng.choice(UNITS[self.unit])
        self.naming = self.pick({"word": 78, "matrix column": 9, "unit column": 5, "both columns": 5, "none": 2})
        if self.naming in ("matrix column", "both columns"):
            self.mixed = self.chance(0.2) and self.unit in ("serum_g_per_l", "bac_g_per_l", "serum_mg_per_100ml", "bac_mg_per_100ml")
        else:
            self.mixed = False
        self.note("matrix " + matrix, "unit " + self.unit, "unit text " + self.unit_text, "naming " + self.naming)
        if self.mixed:
            self.note("matrices mixed")
        if self.naming == "none":
            self.doubt("no unit")

    def choose_times(self):
        self.timing = self.pick(
            {"min": 32, "h": 12, "h:mm": 4, "clock": 16, "ampm": 5, "date+clock": 14, "datetime": 12, "stamp": 4}
        )
        self.has_dates = self.timing in ("date+clock", "datetime")
        self.is_clock = self.timing in ("clock", "ampm", "date+clock", "datetime", "stamp")
        self.date_style = self.pick({"iso": 40, "dmy.": 25, "dmy/": 12, "mdy/": 15, "text": 8})
        if self.language != "en" and self.date_style in ("mdy/", "text"):
            self.date_style = "dmy."
        self.several = self.chance(0.12) and self.timing not in ("clock", "ampm", "stamp")
        self.note("timing " + self.timing)
        if self.has_dates:
            self.note("dates " + self.date_style)

    def choose_layout(self):
        self.layout = self.pick({"long": 55, "wide": 20, "three": 15, "people+long": 10})
        if self.several and self.layout == "wide" and not self.has_dates:
            self.several = False
        if self.layout == "wide":
            self.several = False
            self.mixed = False
            if self.naming in ("unit column", "both columns"):
                self.naming = "word"
            if self.timing in ("date+clock", "datetime", "stamp"):
                self.timing = self.rng.choice(["min", "h", "clock"])
                self.has_dates, self.is_clock = False, self.timing == "clock"
        if self.several:
            self.note("several evenings")
        form = {"long": {"csv": 68, "xlsx": 32}, "wide": {"csv": 65, "xlsx": 35}, "three": {"folder": 55, "xlsx": 45}, "people+long": {"xlsx": 100}}
        self.form = self.pick(form[self.layout])
        self.note("layout " + self.layout, "form " + self.form)

    def choose_doses(self):
        self.dose_style = self.pick({"g": 40, "g/kg": 12, "volume+abv": 20, "name+volume": 9, "count": 7, "text": 4, "two columns": 5, "mg": 1, "drink in header": 1, "standard drinks": 1})
        many = {"long": ["row"], "three": ["row"], "people+long": ["row"], "wide": []}[self.layout]
        self.many = bool(many) and self.chance(0.3) and self.dose_style not in ("two columns",)
        self.dose_mode = "row" if self.many else self.pick({"row": 30, "baseline": 26, "filled": 34, "first": 10})
        if self.layout == "wide":
            self.dose_mode = "person"
        if self.layout == "people+long":
            self.dose_mode = "person" if not self.many and self.chance(0.5) else self.dose_mode
        if self.layout == "three":
            self.dose_mode = "person" if not self.many and self.chance(0.15) else "row"
        # In what column the time of drinking stands, where it is not that of the row.
        self.drink_clock = self.dose_mode in ("filled", "first", "person") and (self.is_clock or self.chance(0.15))
        self.lasting = self.pick({"": 72, "duration": 12, "end": 16})
        if self.lasting == "end" and not (self.drink_clock or (self.dose_mode == "row" and self.layout == "three")):
            self.lasting = "duration"
        if self.lasting == "end" and self.timing == "h:mm":
            self.lasting = ""
        self.placebo = self.chance(0.06) and self.dose_style in ("g", "g/kg", "volume+abv")
        self.note("dose " + self.dose_style, "dose in " + self.dose_mode)
        if self.lasting:
            self.note("drinking " + self.lasting)
        if self.placebo:
            self.note("placebo")
        if self.many:
            self.note("many drinks")

    def make_people(self):
        n = self.pick({1: 4, 2: 10, 3: 20, 4: 20, 5: 15, 6: 12, 8: 12, 12: 7})
        one_sex = self.pick({None: 85, True: 9, False: 6})
        self.one_sex = one_sex
        if one_sex is not None:
            self.note("one sex")
        style = self.pick({"number": 35, "P01": 25, "name": 22, "S-": 10, "zeros": 8})
        self.note("ids " + style)
        names = {True: list(NAMES[True]), False: list(NAMES[False])}
        if not self.can_encode_all():
            names = {key: [x for x in value if x.isascii()] * 3 for key, value in names.items()}
        if self.timing in ("min", "h", "h:mm"):
            start = dt.datetime(2025, 3, 4, 0, 0)
        start = dt.datetime(2025, self.rng.randint(1, 12), self.rng.randint(1, 28), self.rng.choice([9, 17, 18, 19, 20, 21, 22]), 0)
        if self.is_clock and start.hour >= 17:
            self.note("past midnight")
        steps = self.rng.choice([[15, 30, 45, 60, 90, 120, 180, 240, 300, 360], [30, 60, 90, 120, 150, 180, 240, 300], [20, 40, 60, 120, 180, 240, 330, 420], [10, 20, 30, 45, 60, 75, 90, 120, 150, 180, 210, 240, 300]])  # fmt: skip
        self.steps = steps
        self.baseline_reading = self.pick({"zero": 45, "none": 35, "empty": 10, "below": 10}) if self.layout != "wide" or self.chance(0.5) else "none"
        self.below_style = self.pick({"": 62, "<x": 16, "lod column": 10, "<LOD+column": 7, "ND+column": 3, "lod other unit": 2})
        if self.layout == "wide" and "column" in self.below_style:
            self.below_style = "<x"
        if self.mixed or self.naming == "none":
            self.below_style = ""
        if self.below_style:
            self.note("below " + self.below_style)
        if self.baseline_reading == "below" and self.below_style in ("", "lod column", "lod other unit"):
            self.baseline_reading = "zero"
        digits = DIGITS[self.unit]
        factor = BLOOD[self.unit]
        self.limit_text = f"{max(0.05 / factor, 10.0**-digits):.{digits}f}"
        self.people = []
        for k in range(n):
            is_male = one_sex if one_sex is not None else (k % 2 == 0 if self.chance(0.8) else self.chance(0.5))
            if style == "name":
                pool = names[is_male] or ["X"]
                identity = pool.pop(self.rng.randrange(len(pool)))
                if any(p.id == identity for p in self.people):
                    identity += str(k)
            else:
                identity = {"number": f"{k + 1}", "P01": f"P{k + 1:02d}", "S-": f"S-{k + 11}", "zeros": f"{k + 1:03d}"}[style]
            age = self.rng.randint(19, 62)
            height = self.rng.gauss(180 if is_male else 167, 6)
            weight = self.rng.gauss(82 if is_male else 65, 9)
            weight = min(118, max(47, weight))
            birth = start.date().replace(year=start.year - age) - dt.timedelta(days=self.rng.randint(2, 300))
            person = Person(identity, is_male, age, birth, height, round(weight, 1), self.rng.uniform(2, 7), min(0.24, max(0.11, self.rng.gauss(0.16, 0.02))), self.rng.gauss(0.7 if is_male else 0.6, 0.05))
            self.people.append(person)
        if one_sex is None and len({p.is_male for p in self.people}) == 1:
            self.one_sex = self.people[0].is_male
            self.note("one sex")
        self.base = start
        same_dose = self.chance(0.4)
        shared = self.rng.uniform(0.45, 0.85)
        for index, person in enumerate(self.people):
            for night in range(2 if self.several else 1):
                begin = start + dt.timedelta(days=7 * night + (index // 4 if self.has_dates and self.chance(0.5) else 0), minutes=5 * self.rng.randint(0, 5) if self.is_clock else 0)
                evening = Evening(begin, [], name=str(night + 1))
                self.pour(person, evening, shared if same_dose else self.rng.uniform(0.4, 0.9), index)
                self.measure(person, evening)
                person.evenings.append(evening)

    def can_encode_all(self):
        return True

    def pour(self, person, evening, per_kg, index):
        """What is drunk on an evening."""
        count = self.rng.choice([2, 2, 3, 4]) if self.many else 2 if self.dose_style == "two columns" else 1
        total = per_kg * person.weight
        if self.placebo and index == len(self.people) - 1 and index > 0:
            total = 0.0
        time = 0.0
        kind = self.rng.choice([(5, "beer"), (12.5, "wine"), (40, "spirit"), (4.8, "beer"), (13, "wine")])
        for k in range(count):
            drink = Drink(time, 0)
            part = total / count
            if self.lasting:
                drink.duration = self.rng.choice([10, 15, 20, 30])
            style = self.dose_style
            if style == "two columns":
                style = self.two_style
            if style == "g":
                drink.grams = round(part, 1) if self.chance(0.8) else round(part)
            elif style == "mg":
                drink.grams = round(part, 1)
            elif style == "g/kg":
                drink.per_kg = round(part / person.weight, 2)
                drink.grams = drink.per_kg * person.weight
            elif style == "standard drinks":
                drink.count = max(1, round(part / 10))
                drink.grams = 10.0 * drink.count
            elif style in ("name+volume", "text", "drink in header"):
                name, volume, abv = self.rng.choice(DRINKS)
                if style == "drink in header":
                    name, volume, abv = "vodka", 40, 40
                one = volume * abv / 100 * 0.789
                drink.count = max(1, round(part / one))
                drink.name, drink.abv = name, abv
                drink.volume = volume * drink.count if style != "text" else volume
                drink.grams = one * drink.count
            elif style == "count":
                volume, abv = self.rng.choice([(500, 5), (330, 5), (200, 12.5), (40, 40), (150, 13)])
                one = volume * abv / 100 * 0.789
                drink.volume, drink.abv, drink.count = volume, abv, max(1, round(part / one))
                drink.grams = one * drink.count
            else:
                drink.abv = kind[0]
                drink.volume = round(part / 0.789 / kind[0] * 100 / 10) * 10
                drink.grams = drink.volume * drink.abv / 100 * 0.789
            evening.drinks.append(drink)
            if self.many:
                time += drink.duration + self.rng.choice([20, 30, 40, 45])
        if self.dose_style == "two columns" and self.two_times:
            evening.drinks[1].time = 30.0

    two_style = "g"
    two_times = False

    def measure(self, person, evening):
        values = curve(person, evening.drinks)
        last = evening.drinks[-1].time + evening.drinks[-1].duration
        after = [t + (round(last / 10) * 10 if self.layout != "wide" else 0) for t in self.steps]
        if self.layout == "wide":
            after = [t for t in after if t >= last]
        factor, digits = BLOOD[self.unit], DIGITS[self.unit]
        limit = float(self.limit_text)
        readings = []
        if self.baseline_reading != "none" or self.dose_mode == "baseline":
            when = 0.0 if self.dose_mode in ("baseline",) or self.layout == "wide" or self.chance(0.5) else -10.0
            reading = Reading(when, self.unit, f"{0:.{digits}f}")
            if self.baseline_reading in ("empty", "none"):
                reading = Reading(when, self.unit, is_missing=True)
            elif self.baseline_reading == "below":
                reading = Reading(when, self.unit, below=self.limit_text)
            readings.append(reading)
        for t in after:
            # People are late by a minute or two.
            t += 0 if self.layout == "wide" or self.chance(0.6) else self.rng.randint(0, 4)
            true = max(0.0, values[min(1400, round(t))] * (1 + self.rng.gauss(0, 0.02)) + self.rng.gauss(0, 0.004))
            if values[min(1400, round(t))] == 0:
                true = 0.0
            if self.timing == "h":
                t = round(t / 60, 2) * 60
            value = true / factor
            matrix = self.matrix
            unit = self.unit
            if self.mixed and self.chance(0.4):
                matrix = "blood" if self.matrix == "serum" else "serum"
                unit = unit.replace("serum", "bac") if "serum" in unit else unit.replace("bac", "serum")
                value = true / BLOOD[unit]
            if self.chance(0.02):
                readings.append(Reading(t, unit, is_missing=True, matrix=matrix))
                continue
            reading = Reading(t, unit, f"{value:.{digits}f}", matrix=matrix)
            if value < limit and self.below_style in ("<x", "<LOD+column", "ND+column"):
                reading = Reading(t, unit, below=self.limit_text, matrix=matrix)
            readings.append(reading)
            if value >= limit and self.layout != "wide" and self.chance(self.repeats):
                again = f"{value * (1 + self.rng.gauss(0, 0.01)):.{digits}f}"
                readings.append(Reading(t, unit, again, matrix=matrix))
                self.note("repeated samples")
        evening.readings = readings

    @property
    def repeats(self):
        if not hasattr(self, "_repeats"):
            self._repeats = 0.15 if self.chance(0.06) else 0.0
        return self._repeats

    # MARK: Headers

    def header(self, word, unit, style=None):
        style = style or self.style
        if style in ("row", "cells") or not unit:
            return word
        if style == ", {}" and "," in word:
            style = "({})"
        if style == " in {}" and unit in ("%", "‰"):
            style = " {}"
        text = style.format(unit)
        if style[0] in "([":
            return f"{word} {text}"
        return word + text

    def cell(self, number, unit, style=None):
        """A number with its unit behind it where cells carry units."""
        if (style or self.style) == "cells" and unit:
            text = number.text.replace(".", ",") if self.decimal_comma else number.text
            return f"{text} {unit}" if unit not in ("%",) or self.chance(0.5) else f"{text}{unit}"
        return number

    decimal_comma = False

    # MARK: People

    def choose_person_columns(self):
        """Columns of a person: header, unit row, and what stands there."""
        if self.form == "xlsx":
            self.texts = self.chance(0.12)
            self.decimal_comma = self.texts and self.language != "en" and self.chance(0.7)
            if self.texts:
                self.note("workbook of texts")
        else:
            self.texts = False
            self.decimal_comma = self.language != "en" and self.chance(0.65)
        if self.decimal_comma:
            self.note("decimal comma")
        columns = []
        word = self.word("subject")
        self.subject_header = word
        self.answer(word, "subject")
        columns.append((word, "", lambda p: self.identity(p)))
        if self.chance(0.9):
            columns.append(self.sex_column())
        kind = self.pick({"age": 80, "birth": 10, "": 10})
        if kind == "birth" and self.has_dates:
            word = self.word("birth")
            order = self.date_target("birth_date")
            self.answer(word, "birth_date", order)
            self.ages_by_birth = True
            self.note("birth dates")
            columns.append((word, "", lambda p: self.day(p.birth)))
        elif kind:
            self.ages_by_birth = False
            word = self.word("age")
            self.answer(word, "age_y")
            unit = self.pick({"": 55, "y": 45})
            unit = unit and {"en": "years", "de": "Jahre", "cs": "let", "fr": "ans", "es": "años", "sv": "år"}[self.language]
            columns.append((self.header(word, unit), unit, lambda p: self.cell(Number(str(p.age)), unit)))
            self.answer(columns[-1][0], "age_y")
        else:
            self.ages_by_birth = None
        if self.chance(0.88):
            columns.append(self.height_column())
        else:
            for p in self.people:
                p.height = None
        columns.append(self.weight_column())
        head, rest = columns[:1], columns[1:]
        if self.chance(0.25):
            self.rng.shuffle(rest)
        self.person_columns = head + rest
        if self.chance(0.08) and head[0][0] not in ("Name", "Jméno", "Nom", "Nombre", "Namn"):
            # A name beside the ID.
            extra = {"en": "Name", "de": "Name", "cs": "Jméno", "fr": "Nom", "es": "Nombre", "sv": "Namn"}[self.language]
            self.person_columns.insert(1, (extra, "", lambda p: "Smith" if p.is_male else "Jones"))
            self.note("name beside id")

    def identity(self, person):
        return Number(person.id) if person.id.isdigit() and not person.id.startswith("0") else person.id

    def sex_column(self):
        word = self.word("sex")
        self.answer(word, "sex")
        style = self.pick({"words": 92, "12": 5, "01": 1.5, "10": 1.5})
        if style == "words":
            male, female = self.rng.choice(SEXES[self.language])
            if word == "M/F":
                male, female = "M", "F"
            if self.one_sex is not None and {male, female} <= {"M", "H", "F", "K", "W", "m", "w", "f"} and self.language in ("es", "fr"):
                self.doubt("one code of sex")
        else:
            male, female = {"12": ("1", "2"), "01": ("0", "1"), "10": ("1", "0")}[style]
            self.answers[word.lower()] = {{"12": "sex_1m2f", "01": "sex_0m1f", "10": "sex_0f1m"}[style]}
            if style == "12" and self.chance(0.15):
                male, female = "2", "1"
                self.answers[word.lower()] = {"sex_1f2m"}
                self.doubt("sex against ISO 5218")
                word = word + " (1=f, 2=m)"
                self.answers[word.lower()] = {"sex_1f2m", "sex"}
            elif style == "12" and self.chance(0.3):
                word = word + {"en": " (1=male, 2=female)", "de": " (1=m, 2=w)"}.get(self.language, " (1=M, 2=F)")
                self.answers[word.lower()] = {"sex_1m2f", "sex"}
            if style != "12" or self.one_sex is not None:
                self.doubt("codes of sex")
        self.note("sex " + style)
        self.answer(word, "sex")
        if style == "words":
            for name in ("sex_m", "sex_f", "sex_male", "sex_female"):
                pass
        return word, "", lambda p: Number(male if p.is_male else female) if male.isdigit() else (male if p.is_male else female)

    def height_column(self):
        word = self.word("height")
        style = self.pick({"cm": 62, "m": 12, "none cm": 8, "none m": 4, "in": 4, "ft'": 6, "ft in": 1, "5.11": 1, "cells cm": 2, "cells m": 2}) if self.language == "en" else self.pick({"cm": 70, "m": 14, "none cm": 8, "none m": 4, "cells cm": 2, "cells m": 2})  # fmt: skip
        self.note("height " + style)
        for p in self.people:
            inches = round(p.height / 2.54)
            if style in ("cm", "none cm", "cells cm"):
                p.height = float(round(p.height))
                p.shown["height"] = Number(f"{p.height:.0f}")
                if style == "cells cm":
                    p.shown["height"] = f"{p.height:.0f} cm"
            elif style in ("m", "none m", "cells m"):
                p.height = float(round(p.height))
                p.shown["height"] = Number(f"{p.height / 100:.2f}")
                if style == "cells m":
                    text = f"{p.height / 100:.2f} m"
                    p.shown["height"] = text.replace(".", ",") if self.decimal_comma else text
            elif style == "in":
                p.height, p.shown["height"] = inches * 2.54, Number(str(inches))
            elif style == "5.11":
                p.height, p.shown["height"] = inches * 2.54, Number(f"{inches // 12}.{inches % 12}")
            else:
                p.height = inches * 2.54
                form = "{}'{}\"" if style == "ft'" else "{} ft {} in"
                p.shown["height"] = form.format(inches // 12, inches % 12)
        target = {"cm": "height_cm", "m": "height_m", "none cm": "height_cm", "none m": "height_m", "in": "height_in", "5.11": "height_ft"}.get(style, "height_ft")
        if "cells" in style:
            target = "height_cm" if style == "cells cm" else "height_m"
        unit = {"cm": "cm", "m": "m", "in": "in", "5.11": "ft"}.get(style, "")
        if style == "5.11":
            self.doubt("5.11 ft")
            self.answer(self.header(word, "ft", "({})"), "height_ft_in", "height_ft.in")
            return self.header(word, "ft", "({})"), "", lambda p: p.shown["height"]
        header = self.header(word, unit)
        self.answer(header, target)
        return header, unit, lambda p: self.cell(p.shown["height"], unit) if isinstance(p.shown["height"], Number) else p.shown["height"]

    def weight_column(self):
        word = self.word("weight")
        style = self.pick({"kg": 78, "lb": 8, "none kg": 6, "none lb": 1, "st": 1, "cells kg": 3, "cells lb": 3}) if self.language == "en" else self.pick({"kg": 88, "none kg": 8, "cells kg": 4})
        self.note("weight " + style)
        for p in self.people:
            if style in ("kg", "none kg", "cells kg"):
                if self.chance(0.7):
                    p.weight = float(round(p.weight))
                p.shown["weight"] = Number(f"{p.weight:g}")
                if style == "cells kg":
                    p.shown["weight"] = f"{p.weight:g} kg".replace(".", "," if self.decimal_comma else ".")
            elif style == "st":
                stones = round(p.weight / 6.35029318, 1)
                p.weight, p.shown["weight"] = stones * 6.35029318, Number(f"{stones:.1f}")
            else:
                pounds = round(p.weight / 0.45359237)
                p.weight = pounds * 0.45359237
                p.shown["weight"] = Number(str(pounds)) if style != "cells lb" else f"{pounds}{self.rng.choice([' lbs', 'lb', ' lb'])}"
        if style == "none lb":
            self.doubt("weight without unit")
        self.repour()
        unit = {"kg": "kg", "lb": self.rng.choice(["lb", "lbs"]), "st": "st"}.get(style, "")
        target = {"lb": "weight_lb", "none lb": "weight_lb", "st": "weight_st", "cells lb": "weight_lb"}.get(style, "weight_kg")
        header = self.header(word, unit)
        self.answer(header, target)
        return header, unit, lambda p: self.cell(p.shown["weight"], unit) if isinstance(p.shown["weight"], Number) else p.shown["weight"]

    def repour(self):
        for p in self.people:
            for evening in p.evenings:
                for drink in evening.drinks:
                    if drink.per_kg:
                        drink.grams = drink.per_kg * p.weight

    # MARK: Times

    def day(self, day):
        text = {
            "iso": day.isoformat(), "dmy.": f"{day.day:02d}.{day.month:02d}.{day.year}", "dmy/": f"{day.day:02d}/{day.month:02d}/{day.year}",
            "mdy/": f"{day.month}/{day.day}/{day.year}", "text": day.strftime("%d-%b-%Y"),
        }[self.date_style]  # fmt: skip
        return Moment(dt.datetime(day.year, day.month, day.day) if self.dates_with_midnight else day, text)

    @property
    def dates_with_midnight(self):
        """Whether a workbook stores its dates with a time of day, as programs that export do."""
        if not hasattr(self, "_midnight"):
            self._midnight = self.chance(0.3)
        return self._midnight

    def date_target(self, name):
        return name + {"dmy/": "_dmy", "dmy.": "_dmy", "mdy/": "_mdy"}.get(self.date_style, "")

    def clock(self, when):
        if self.timing == "ampm":
            return Moment(when.time(), f"{when.hour % 12 or 12}:{when.minute:02d} {'AM' if when.hour < 12 else 'PM'}")
        return Moment(when.time(), f"{when.hour}:{when.minute:02d}" if self.short_hours else f"{when.hour:02d}:{when.minute:02d}")

    @property
    def short_hours(self):
        if not hasattr(self, "_short"):
            self._short = self.chance(0.3)
        return self._short

    def moment(self, evening, minutes):
        """A time of an evening as it is written in one cell."""
        when = evening.start + dt.timedelta(minutes=minutes)
        if self.timing == "datetime":
            return Moment(when, f"{self.day(when.date()).text} {when.hour:02d}:{when.minute:02d}")
        if self.is_clock:
            return self.clock(when)
        if self.timing == "min":
            return Number(f"{minutes:g}")
        if self.timing == "h":
            return Number(f"{minutes / 60:.2f}".rstrip("0").rstrip(".") or "0")
        minutes = round(minutes)
        sign = "-" if minutes < 0 else ""
        return Moment(f"{sign}{abs(minutes) // 60}:{abs(minutes) % 60:02d}", f"{sign}{abs(minutes) // 60}:{abs(minutes) % 60:02d}")

    def time_columns(self, whose="row"):
        """Headers and cells of a time: of the row, or of drinking."""
        prefix = {"row": "", "drink": "drink_", "reading": "reading_"}[whose]
        targets = {"min": "time_min", "h": "time_h", "h:mm": "time_h_min", "datetime": "datetime"}
        target = prefix + targets.get(self.timing, "time")
        units = {"min": "min", "h": self.rng.choice(["h", "h", "hours", "hr"]), "h:mm": "h:mm"}
        unit = units.get(self.timing, "")
        if self.timing == "h:mm" and self.chance(0.3):
            unit = "hh:mm"
        key = "clock" if self.is_clock else "time"
        if self.timing == "datetime":
            key = "datetime"
        if whose == "drink":
            key = "drink time"
        elif whose == "reading":
            key = "sample time"
        word = self.word(key)
        if word == "Time after dose" and self.many:
            word = "Time"
        style = self.style if self.style not in ("cells", "row") or not unit else ("({})" if self.style == "cells" else "row")
        if self.timing == "h:mm":
            style = "({})"
            if word not in ("Elapsed time", "Time after dose"):
                self.doubt("h:mm")
        header = self.header(word, unit, style)
        self.answer(header, target, target + "_dmy" if self.date_style.startswith("dmy") else target + "_mdy" if self.date_style == "mdy/" else target)
        if whose == "row":
            self.answer(header, *(f"reading_{t}" for t in list(self.answers[" ".join(header.split()).lower()])))
        if self.timing in ("min", "h") and whose == "row" and self.chance(0.02):
            header = word
            self.doubt("time without unit")
            self.answer(header, target)
        return header, unit

    # MARK: Tables

    def dose_columns(self, suffix=""):
        """Columns of a drink: header, unit, cell of a drink."""
        style = self.dose_style if self.dose_style != "two columns" else self.two_style
        columns = []

        def add(key, unit, target, cell, cells_ok=True, word=None):
            word = word or self.word(key)
            header = self.header(word + suffix, unit, None if cells_ok else "({})")
            if self.style in ("cells",) and not cells_ok:
                header = self.header(word + suffix, unit, "({})")
            self.answer(header, target)
            columns.append((header, unit if self.style == "row" else "", cell))

        if style in ("g", "mg"):
            unit = style
            add("ethanol", unit, "ethanol_g" if style == "g" else "ethanol_mg", lambda d: self.cell(Number(f"{d.grams:g}" if style == "g" else f"{d.grams * 1000:.0f}"), unit))
        elif style == "g/kg":
            add("ethanol", "g/kg", "ethanol_g_per_kg", lambda d: self.cell(Number(f"{d.per_kg:g}"), "g/kg"))
        elif style == "standard drinks":
            add("count", "", "standard_drinks", lambda d: Number(str(d.count)), word="Standard drinks (10 g)")
            self.doubt("standard drinks")
        elif style == "drink in header":
            add("volume", "ml", "volume_ml", lambda d: self.cell(Number(f"{d.volume:g}"), "ml"), word="Vodka")
            self.doubt("drink in header")
        elif style == "text":
            add("drink", "", "drink", self.drink_text)
        else:
            unit = self.pick({"ml": 70, "cl": 14, "l": 10, "fl oz": 6 if self.language == "en" else 0})
            scale = {"ml": 1, "cl": 10, "l": 1000, "fl oz": 29.5735295625}[unit]
            target = {"ml": "volume_ml", "cl": "volume_cl", "l": "volume_l", "fl oz": "volume_us_fl_oz"}[unit]
            if unit == "fl oz":
                for p in self.people:
                    for e in p.evenings:
                        for d in e.drinks:
                            if d.volume:
                                factor = round(d.volume / scale, 1) * scale / d.volume
                                d.volume *= factor
                                d.grams *= factor
            self.note("volume " + unit)
            volume = lambda d: self.cell(Number(f"{d.volume / scale:.4g}" if unit != "fl oz" else f"{d.volume / scale:.1f}"), unit)
            if style == "name+volume":
                add("drink", "", "drink", lambda d: d.name)
                add("volume", unit, target, volume)
            else:
                if self.chance(0.25) and style == "volume+abv":
                    add("drink", "", "drink", lambda d: {5: "lager", 4.8: "pilsner", 12.5: "white wine", 13: "red wine", 40: "vodka"}[d.abv])
                    self.note("name beside volume and abv")
                add("volume", unit, target, volume)
                header_style = self.pick({"%": 80, "vol": 20})
                add("abv", "%" if header_style == "%" else self.rng.choice(["% vol", "vol%", "% v/v"]), "abv_percent", lambda d: self.cell(Number(f"{d.abv:g}"), "%"))
            if style == "count":
                add("count", "", "drink_count", lambda d: Number(str(d.count)))
        return columns

    def drink_text(self, d):
        beers = {"en": "beer", "de": "Bier", "cs": "pivo", "fr": "bière", "es": "cerveza", "sv": "öl"}
        if self.text_form == "full":
            litres = f"{d.volume:g} ml, {d.abv:g}%"
            return f"{d.count} {d.name} ({litres})" if self.chance(0.5) else f"{d.count} x {d.name} {d.volume:g} ml {d.abv:g}%"
        if self.text_form == "size":
            return f"{d.count} {d.name} ({d.volume / 1000:g} l)"
        self.doubt("drinks without size")
        return f"{d.count} {d.name}"

    @property
    def text_form(self):
        if not hasattr(self, "_text"):
            self._text = self.pick({"full": 45, "size": 35, "bare": 20})
            self.note("text " + self._text)
        return self._text

    def reading_columns(self):
        """Columns of a reading: header, unit, cell; and the unit that is written."""
        kind = {"word": self.matrix, "matrix column": "neutral", "unit column": self.matrix, "both columns": "neutral", "none": self.matrix}[self.naming]
        word = self.word(kind)
        unit = "" if self.naming in ("unit column", "both columns", "none") else self.unit_text
        header = self.header(word, unit)
        targets = {self.unit}
        if self.unit == "serum_mg_per_100ml":
            targets |= {"serum_mg_per_dl"}
        self.answer(header, *targets)
        self.answer(word, *targets)
        self.reading_header = header
        columns = [(header, unit if self.style == "row" else "", lambda r: self.reading_cell(r, unit))]
        if self.naming in ("matrix column", "both columns"):
            name = self.word("matrix")
            texts = {m: self.rng.choice(MATRICES[m][self.language]) for m in MATRICES}
            self.answer(name, "matrix", "specimen")
            columns.append((name, "", lambda r: texts[r.matrix or self.matrix] if not r.is_missing or self.chance(0.5) else texts[r.matrix or self.matrix]))
        if self.naming in ("unit column", "both columns"):
            name = self.word("unit")
            self.answer(name, "unit", "reading_unit")
            columns.append((name, "", lambda r: self.unit_text))
        if self.below_style in ("lod column", "<LOD+column", "ND+column", "lod other unit"):
            name = self.word("lod")
            limit, lod_unit = Number(self.limit_text), unit
            if self.below_style == "lod other unit":
                other = {"bac_mg_per_100ml": ("g/L", 0.01), "bac_g_per_l": ("mg/100ml", 100), "brac_mg_per_l": ("µg/L", 1000), "bac_g_per_100ml": ("g/L", 10)}.get(self.unit)
                if other:
                    limit, lod_unit = Number(f"{float(self.limit_text) * other[1]:.4g}"), other[0]
            lod_header = self.header(name, lod_unit if self.chance(0.6) or self.below_style == "lod other unit" else "", "({})")
            self.answer(lod_header, "lod")
            columns.append((lod_header, "", lambda r: limit))
            self.limit = float(self.limit_text) * BLOOD[self.unit]
        else:
            self.limit = None
        return columns

    def reading_cell(self, r, unit=""):
        if r is None:
            return None
        if r.is_missing:
            return self.missing_text
        if r.below:
            text = r.below.replace(".", ",") if self.decimal_comma else r.below
            if self.below_style == "<LOD+column":
                return "<LOD"
            if self.below_style == "ND+column":
                return "ND"
            return ("<" if self.tight else "< ") + text
        return self.cell(Number(r.number), unit) if unit else Number(r.number)

    @property
    def tight(self):
        if not hasattr(self, "_tight"):
            self._tight = self.chance(0.8)
        return self._tight

    @property
    def missing_text(self):
        if not hasattr(self, "_missing"):
            self._missing = self.pick({None: 70, "NA": 10, "-": 8, "n/a": 6, ".": 4, "QNS": 0.7, "missed": 0.7})
            if self._missing in ("QNS", "missed"):
                self.doubt("missing word")
        return self._missing

    def drink_time_columns(self):
        """When drinking began and ended, where that is not the time of the row."""
        columns = []
        if self.drink_clock:
            header, unit = self.time_columns("drink")
            columns.append((header, unit if self.style == "row" else "", lambda e, d: self.moment(e, d.time)))
        return columns + self.lasting_columns()

    def lasting_columns(self):
        if self.lasting == "end":
            word = self.word("drink end")
            unit = {"min": "min", "h": "h"}.get(self.timing, "")
            header = self.header(word, unit, "({})")
            targets = {"min": "drink_end_min", "h": "drink_end_h", "datetime": "drink_end_datetime"}
            self.answer(header, targets.get(self.timing, "drink_end"), "drink_end", "drink_end_time", "drink_end_" + self.date_target("datetime"))
            return [(header, "", lambda e, d: self.moment(e, d.time + d.duration))]
        if self.lasting == "duration":
            word = self.word("duration")
            header = self.header(word, "min", "({})" if self.style == "cells" else None)
            self.answer(header, "duration_min")
            return [(header, "min" if self.style == "row" else "", lambda e, d: Number(f"{d.duration:g}"))]
        return []

    def layout_tables(self):
        self.date_moves = self.chance(0.85)
        if self.layout == "wide":
            return [self.wide()]
        if self.layout == "three":
            return self.three()
        if self.layout == "people+long":
            return self.people_and_long()
        return [self.long(self.person_columns)]

    def event_rows(self, person, evening):
        """Rows of an evening: (time, drink, reading, whether the dose stands in this row)."""
        rows = []
        drinks = evening.drinks
        if self.dose_mode == "row":
            rows += [(d.time, d, None) for d in drinks]
            rows += [(r.time, None, r) for r in evening.readings]
            rows.sort(key=lambda x: (x[0], x[1] is None))
            return rows
        readings = evening.readings
        for k, r in enumerate(readings):
            drink = None
            if self.dose_mode == "filled":
                drink = drinks[0]
            elif self.dose_mode == "first" and k == 0:
                drink = drinks[0]
            elif self.dose_mode == "baseline" and r.time == 0 and k == 0:
                drink = drinks[0]
            rows.append((r.time, drink, r))
        if self.dose_mode == "first" and not self.drink_clock and readings and readings[0].time != 0:
            self.doubt("dose in the first row")
        return rows

    def long(self, person_columns, name="Data"):
        fill = self.pick({"every": 72, "first": 18, "merged": 10})
        self.note("person columns " + fill)
        two = self.dose_style == "two columns"
        dose = self.dose_columns() if self.dose_mode != "person" else []
        second = self.dose_columns(" 2") if two and self.dose_mode != "person" else []
        reading = self.reading_columns()
        drink_times = self.drink_time_columns() if self.dose_mode != "person" else []
        occasion = None
        if self.several and (not self.has_dates or self.chance(0.5)):
            occasion = self.word("occasion")
            self.answer(occasion, "occasion")
        date = None
        if self.timing == "date+clock":
            date = self.word("date")
            self.answer(date, self.date_target("date"), "date")
            if not self.date_moves and self.base.hour >= 17:
                self.doubt("dates not moved on")
        stamp = self.word("stamp") if self.timing == "stamp" else None
        if stamp:
            self.answer(stamp, "ignore", "covariate")
            # The date of a submission does not say that of the reading.
        running = self.word("running") if self.chance(0.12) else None
        if running:
            self.note("running number " + running)
            self.answer(running, "ignore", "covariate")
        self.extras = self.extra_columns()
        whose = "reading" if self.drink_clock and self.chance(0.5) and self.dose_mode != "person" and not self.timing == "datetime" else "row"
        time_header, time_unit = self.time_columns(whose)
        if self.timing == "stamp":
            self.answer(time_header, "time", "reading_time")
        columns = []
        if stamp:
            columns.append((stamp, "", lambda x: self.stamp(x)))
        if running and self.chance(0.5):
            columns.append((running, "", lambda x: Number(str(x["n"]))))
            running = None
        for index, (header, unit, cell) in enumerate(person_columns):
            columns.append((header, unit if self.style == "row" else "", self.filled(cell, fill, index)))
        if occasion:
            columns.append((occasion, "", lambda x: Number(x["evening"].name)))
        if date:
            columns.append((date, "", lambda x: self.day((x["evening"].start + dt.timedelta(minutes=x["time"] if self.date_moves else 0)).date())))
        time = (time_header, time_unit if self.style == "row" else "", lambda x: self.moment(x["evening"], x["time"]))
        doses = [(h, u, (lambda c: lambda x: c(x["drink"]) if x["drink"] else None)(c)) for h, u, c in dose]
        doses += [(h, u, (lambda c: lambda x: c(x["evening"].drinks[1]) if x["drink"] else None)(c)) for h, u, c in second]
        doses += [(h, u, (lambda c: lambda x: c(x["evening"], x["drink"]) if x["drink"] else None)(c)) for h, u, c in drink_times]
        measured = [(h, u, (lambda c: lambda x: c(x["reading"]) if x["reading"] else None)(c)) for h, u, c in reading]
        columns += doses + [time] + measured if self.chance(0.6) else [time] + doses + measured
        if running:
            columns.append((running, "", lambda x: Number(str(x["n"]))))
        columns += self.extras
        rows, n = [], 0
        for person in self.people:
            for k, evening in enumerate(person.evenings):
                for i, (when, drink, reading_) in enumerate(self.event_rows(person, evening)):
                    n += 1
                    x = {"person": person, "evening": evening, "time": when, "drink": drink, "reading": reading_, "n": n, "first": i == 0 and k == 0}
                    rows.append([cell(x) for _, _, cell in columns])
        return self.table(name, columns, rows)

    def filled(self, cell, fill, index):
        def shown(x):
            if fill == "every" or x["first"] or (fill == "first" and index == 0):
                return cell(x["person"])
            return None

        return shown

    def stamp(self, x):
        when = x["evening"].start + dt.timedelta(minutes=x["time"] + self.rng.randint(1, 9), seconds=self.rng.randint(0, 59))
        return Moment(when, f"{self.day(when.date()).text} {when.hour:02d}:{when.minute:02d}:{when.second:02d}")

    def extra_columns(self):
        found = []
        if self.chance(0.3):
            found.append(("Comment" if self.language == "en" else {"de": "Bemerkung", "cs": "Poznámka", "fr": "Remarque", "es": "Comentario", "sv": "Kommentar"}[self.language], "", lambda x: self.rng.choice([None, None, None, "ok", "late", "?"])))
        if self.chance(0.12):
            found.append((self.rng.choice(["Operator", "Technician", "Phone", "Device", "Email"]), "", lambda x: self.rng.choice(["KL", "MB"])))
        if self.chance(0.08):
            found.append((self.rng.choice(["Heart rate (bpm)", "Room temp (°C)", "Glucose (mmol/L)", "BP systolic (mmHg)", "SpO2 (%)", "Hematocrit (%)", "Sample volume (ml)", "Temperature"]), "", lambda x: Number(str(self.rng.randint(40, 99)))))
            self.note("extra " + found[-1][0])
        return found

    def table(self, name, columns, rows):
        out = []
        if self.chance(0.12):
            self.note("title rows")
            out.append([self.rng.choice(["Alcohol study 2025", "Drinking experiment, group A", "Trinkversuch"])])
            if self.chance(0.5):
                out.append([])
        out.append([h for h, _, _ in columns])
        if self.style == "row" and any(u for _, u, _ in columns):
            out.append([u for _, u, _ in columns])
        out += rows
        if self.chance(0.06):
            self.note("row of means")
            label = self.rng.choice({"en": ["Mean", "Average"], "de": ["Mittelwert"]}.get(self.language, ["Mean"]))
            out.append([label if k == 0 else (Number("0.35") if k == len(columns) - len(getattr(self, "extras", [])) - 1 else None) for k in range(len(columns))])
        if self.chance(0.04):
            self.note("footer")
            out.append([])
            out.append([self.rng.choice(["Note: all values in duplicate", "Source: laboratory", "* repeated"])])
        width = max(len(r) for r in out)
        out = [list(r) + [None] * (width - len(r)) for r in out]
        return Table(name, out)

    def wide(self):
        two = self.dose_style == "two columns"
        dose, second = self.dose_columns(), self.dose_columns(" 2") if two else []
        drink_times = self.drink_time_columns()
        columns = [(h, u if self.style == "row" else "", (lambda c: lambda x: c(x["person"]))(c)) for h, u, c in self.person_columns]
        if self.chance(0.1):
            running = self.word("running")
            self.note("running number " + running)
            self.answer(running, "ignore", "covariate")
            columns.insert(self.rng.choice([0, len(columns)]), (running, "", lambda x: Number(str(x["n"]))))
        columns += [(h, u, (lambda c: lambda x: c(x["evening"].drinks[0]))(c)) for h, u, c in dose]
        columns += [(h, u, (lambda c: lambda x: c(x["evening"].drinks[1]))(c)) for h, u, c in second]
        columns += [(h, u, (lambda c: lambda x: c(x["evening"], x["evening"].drinks[0]))(c)) for h, u, c in drink_times]
        times = sorted({r.time for p in self.people for e in p.evenings for r in e.readings})
        word = self.word(self.matrix if self.naming in ("word", "none") else "neutral")
        style = self.pick({"word t unit": 52, "word unit t": 18, "t unit": 8, "t": 5, "word_t": 4})
        if self.naming == "none" or self.naming == "matrix column":
            style = "t"
        unit = self.unit_text
        if self.style in ("cells",):
            style = "word_t"
        self.note("wide " + style)
        stated = style != "t" and style != "word_t"
        if not stated:
            if self.style != "cells":
                self.doubt("wide without unit")
        self.answers["*"] = {self.unit}
        if style == "t unit" and self.unit not in ("bac_g_per_kg", "brac_ug_per_100ml", "brac_g_per_210l"):
            self.doubt("wide without matrix")

        def label(t):
            if self.is_clock:
                when = self.base + dt.timedelta(minutes=t)
                text = f"{when.hour:02d}:{when.minute:02d}"
            elif self.timing == "h":
                text = f"{t / 60:g} h"
            elif self.timing == "h:mm":
                text = f"{int(t) // 60}:{int(t) % 60:02d}"
            else:
                text = f"{t:g} min"
            if self.decimal_comma:
                text = text.replace(".", ",")
            if style == "word t unit":
                return f"{word} {text} ({unit})"
            if style == "word unit t":
                return f"{word} ({unit}) {text}"
            if style == "t unit":
                return f"{text} ({unit})"
            if style == "word_t":
                return f"{word} {text}"
            return text

        if self.is_clock:
            # All begin at the same time, as they are measured at the same times.
            for p in self.people:
                for e in p.evenings:
                    e.start = self.base
        labels = [label(t) for t in times]
        for t, text in zip(times, labels):
            self.answer(text, self.unit)
            columns.append((text, unit if self.style == "row" and not stated else "", (lambda t: lambda x: next((self.reading_cell(r, "" if stated else (unit if self.style == "cells" else "")) for r in x["evening"].readings if r.time == t), None))(t)))
        if self.chance(0.2):
            self.extras = self.extra_columns()
            columns += self.extras
        rows = []
        for n, person in enumerate(self.people):
            for evening in person.evenings:
                x = {"person": person, "evening": evening, "n": n + 1}
                rows.append([cell(x) for _, _, cell in columns])
        return self.table("Data", columns, rows)

    def three(self):
        names = {
            "folder": ("subjects.csv", "drinks.csv", "readings.csv"),
            "xlsx": self.rng.choice([("People", "Drinks", "Readings"), ("Stammdaten", "Trinken", "Messwerte"), ("Sheet1", "Sheet2", "Sheet3")]),
        }[self.form]  # fmt: skip
        people = [(h, u if self.style == "row" else "", (lambda c: lambda x: c(x["person"]))(c)) for h, u, c in self.person_columns]
        if self.dose_mode == "person":
            people += [(h, u, (lambda c: lambda x: c(x["evening"].drinks[0]))(c)) for h, u, c in self.dose_columns()]
            if self.dose_style == "two columns":
                people += [(h, u, (lambda c: lambda x: c(x["evening"].drinks[1]))(c)) for h, u, c in self.dose_columns(" 2")]
            people += [(h, u, (lambda c: lambda x: c(x["evening"], x["evening"].drinks[0]))(c)) for h, u, c in self.drink_time_columns()]
            if self.several or self.timing == "date+clock":
                self.doubt("dose of a person on dated evenings")
        first = self.table(names[0], people, [[c({"person": p, "evening": p.evenings[0]}) for _, _, c in people] for p in self.people])
        tables = [first]
        occasion = self.word("occasion") if self.several and (not self.has_dates or self.chance(0.5)) else None
        date = self.word("date") if self.timing == "date+clock" else None
        if occasion:
            self.answer(occasion, "occasion")
        if date:
            self.answer(date, self.date_target("date"), "date")
            if not self.date_moves and self.base.hour >= 17:
                self.doubt("dates not moved on")
        stamp = None
        subject = self.subject_header if self.chance(0.9) else self.word("subject")

        def base():
            columns = [(subject, "", lambda x: self.identity(x["person"]))]
            self.answer(subject, "subject")
            if occasion:
                columns.append((occasion, "", lambda x: Number(x["evening"].name)))
            if date:
                columns.append((date, "", lambda x: self.day((x["evening"].start + dt.timedelta(minutes=x["time"] if self.date_moves else 0)).date())))
            return columns

        if self.dose_mode != "person":
            header, unit = self.time_columns("drink" if self.chance(0.3) else "row")
            columns = base() + [(header, unit if self.style == "row" else "", lambda x: self.moment(x["evening"], x["time"]))]
            columns += [(h, u, (lambda c: lambda x: c(x["evening"], x["drink"]))(c)) for h, u, c in self.lasting_columns()]
            columns += [(h, u, (lambda c: lambda x: c(x["drink"]))(c)) for h, u, c in self.dose_columns()]
            if self.dose_style == "two columns":
                columns += [(h, u, (lambda c: lambda x: c(x["evening"].drinks[1]))(c)) for h, u, c in self.dose_columns(" 2")]
                drinks = lambda e: e.drinks[:1]
            else:
                drinks = lambda e: e.drinks
            rows = [[c({"person": p, "evening": e, "drink": d, "time": d.time}) for _, _, c in columns] for p in self.people for e in p.evenings for d in drinks(e)]
            tables.append(self.table(names[1], columns, rows))
        header, unit = self.time_columns("reading" if self.chance(0.3) else "row")
        measured = [(h, u, (lambda c: lambda x: c(x["reading"]))(c)) for h, u, c in self.reading_columns()]
        columns = base() + [(header, unit if self.style == "row" else "", lambda x: self.moment(x["evening"], x["time"]))] + measured
        rows = [[c({"person": p, "evening": e, "reading": r, "time": r.time}) for _, _, c in columns] for p in self.people for e in p.evenings for r in e.readings]
        tables.append(self.table(names[2], columns, rows))
        return tables

    def people_and_long(self):
        people = [(h, u if self.style == "row" else "", (lambda c: lambda x: c(x["person"]))(c)) for h, u, c in self.person_columns]
        if self.dose_mode == "person":
            people += [(h, u, (lambda c: lambda x: c(x["evening"].drinks[0]))(c)) for h, u, c in self.dose_columns()]
            if self.dose_style == "two columns":
                people += [(h, u, (lambda c: lambda x: c(x["evening"].drinks[1]))(c)) for h, u, c in self.dose_columns(" 2")]
            people += [(h, u, (lambda c: lambda x: c(x["evening"], x["evening"].drinks[0]))(c)) for h, u, c in self.drink_time_columns()]
            if self.several or self.timing == "date+clock":
                self.doubt("dose of a person on dated evenings")
        first = self.table(self.rng.choice(["People", "Participants", "Info"]), people, [[c({"person": p, "evening": p.evenings[0]}) for _, _, c in people] for p in self.people])
        second = self.long(self.person_columns[:1], self.rng.choice(["Readings", "Data", "Messung"]))
        return [first, second] if self.chance(0.8) else [second, first]

    def finish(self, tables):
        sheet = Sheet(self.seed, tables, self.form, self.people, self.features, self.ambiguous, self.answers)
        sheet.limit = self.limit if hasattr(self, "limit") else None
        sheet.known = {c[0] for c in self.person_columns}
        sheet.ages_by_birth = self.ages_by_birth
        sheet.has_sex = any(c[0] for c in self.person_columns) and any("sex" in f for f in self.features if f.startswith("sex "))
        sheet.texts, sheet.comma = self.texts, self.decimal_comma
        if self.form != "xlsx":
            sheet.separator = self.rng.choice([";", ";", ";", "\t"]) if self.decimal_comma else self.pick({",": 70, ";": 18, "\t": 12})
            if self.decimal_comma and self.chance(0.05):
                sheet.separator = ","
            sheet.encoding = self.pick({"utf-8": 62, "utf-8-sig": 22, "cp1252": 12, "utf-16": 4})
            sheet.line_end = self.rng.choice(["\n", "\r\n"])
            text = sheet.csv(tables[0]) if sheet.encoding != "cp1252" else None
            if sheet.encoding == "cp1252":
                try:
                    for table in tables:
                        for row in table.rows:
                            for cell in row:
                                sheet.shown(cell).encode("cp1252")
                except UnicodeEncodeError:
                    sheet.encoding = "utf-8"
            self.note(f"separator {sheet.separator!r}", "encoding " + sheet.encoding)
        if self.has_dates and self.date_style in ("dmy/", "mdy/") and not self.texts_disambiguate():
            self.doubt("date order")
        if sheet.form == "xlsx" and not sheet.texts and "date order" in self.ambiguous:
            self.ambiguous.remove("date order")
        self.check_ages()
        return sheet

    def texts_disambiguate(self):
        days = [e.start.day for p in self.people for e in p.evenings]
        return any(d > 12 for d in days)

    def check_ages(self):
        for p in self.people:
            if self.ages_by_birth is None:
                p.age = None


def made_up(seed):
    maker = Maker(seed)
    maker.two_style = maker.rng.choice(["g", "volume+abv"])
    return maker.make()
