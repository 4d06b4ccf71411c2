#!/usr/bin/env python3
"""Workbooks as other programs write them, and what openpyxl reads in them.

Without an argument: writes Tests/Expectations/workbooks/*.xlsx and Tests/Expectations/workbooks.csv.
With --check: reads the workbooks that are there and compares. Needs openpyxl; writing needs XlsxWriter, too.

openpyxl.xlsx and xlsxwriter.xlsx are written by these libraries. by-hand.xlsx has what they do not write but
others do: prefixed names, parts in UTF-16, texts in their cells, cells without places, entries that are not
packed, absolute targets.
"""

import csv
import datetime as dt
import io
import pathlib
import sys
import zipfile

import openpyxl

HERE = pathlib.Path(__file__).parent.parent / "Expectations"
FOLDER = HERE / "workbooks"
TABLE = HERE / "workbooks.csv"


def write_openpyxl(path):
    book = openpyxl.Workbook()
    people = book.active
    people.title = "People"
    people.append(["Participant", "Gender", "Weight (kg)", "Born", "drives"])
    people.append(["Ann", "f", 60.5, dt.date(1990, 2, 28), True])
    people.append(["Jürgen", "m", 0.1 + 0.2, dt.date(1961, 12, 31), False])
    people["C2"].number_format = '0.0 "kg, d"'
    times = book.create_sheet("Readings & drinks")
    times["B3"] = "clock"
    times["C3"] = "when"
    times["D3"] = "since"
    times["B5"] = dt.time(19, 30)
    times["C5"] = dt.datetime(2026, 11, 21, 23, 59, 30)
    times["D5"] = dt.timedelta(hours=25, minutes=30)
    times["D5"].number_format = "[h]:mm"
    times["B6"] = dt.time(0, 15, 5)
    times["C6"] = dt.datetime(2026, 11, 22)
    times["C6"].number_format = "dd.mm.yyyy hh:mm"
    times["E6"] = "=C6-C5"  # openpyxl stores no results.
    times["AB7"] = 1e-9
    hidden = book.create_sheet("Lists")
    hidden.sheet_state = "hidden"
    hidden["A1"] = "lager"
    book.save(path)


def write_xlsxwriter(path):
    import xlsxwriter

    book = xlsxwriter.Workbook(path, {"date_1904": True})
    sheet = book.add_worksheet("Abend")
    day = book.add_format({"num_format": "d.m.yyyy"})
    clock = book.add_format({"num_format": "h:mm AM/PM"})
    bold = book.add_format({"bold": True})
    sheet.write_row(0, 0, ["Datum", "Uhrzeit", "BrAC (mg/L)", "sober"])
    sheet.write_rich_string(0, 4, "BAC ", bold, "(%)", " ")
    sheet.write_datetime(1, 0, dt.datetime(2026, 11, 21), day)
    sheet.write_datetime(1, 1, dt.time(19, 30), clock)
    sheet.write_number(1, 2, 0.29)
    sheet.write_boolean(1, 3, False)
    sheet.write_formula(1, 4, "=C2*0.2", None, 0.058)
    sheet.write_formula(2, 4, '="a"&"b"', None, "ab")
    sheet.write_formula(3, 4, "=1/0", None, "#DIV/0!")
    sheet.write_string(2, 0, "  two\nlines  ")
    sheet.write_number(4, 2, -12345678.25)
    sheet.write_blank(9, 9, None, bold)
    book.close()


def write_by_hand(path):
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    rels = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    package = "http://schemas.openxmlformats.org/package/2006"
    parts = {
        "[Content_Types].xml": f"""<?xml version="1.0" encoding="UTF-8"?>
<Types xmlns="{package}/content-types">
<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>
<Default Extension="xml" ContentType="application/xml"/>
<Override PartName="/book/main.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/>
<Override PartName="/book/cells.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/>
<Override PartName="/book/texts.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sharedStrings+xml"/>
<Override PartName="/xl/styles.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.styles+xml"/>
</Types>""",
        "_rels/.rels": f"""<Relationships xmlns="{package}/relationships">
<Relationship Id="a" Type="{rels}/officeDocument" Target="/book/main.xml"/></Relationships>""",
        "book/_rels/main.xml.rels": f"""<Relationships xmlns="{package}/relationships">
<Relationship Id="s1" Type="{rels}/worksheet" Target="/book/cells.xml"/>
<Relationship Id="s2" Type="{rels}/sharedStrings" Target="/book/texts.xml"/>
<Relationship Id="s3" Type="{rels}/styles" Target="/xl/styles.xml"/></Relationships>""",
        "book/main.xml": f"""<x:workbook xmlns:x="{main}" xmlns:q="{rels}">
<x:sheets><x:sheet name="By &quot;hand&quot;" sheetId="7" q:id="s1"/></x:sheets></x:workbook>""",
        "book/texts.xml": f"""<?xml version="1.0" encoding="UTF-16"?>
<sst xmlns="{main}"><si><t>Überall</t></si>
<si><t>東京</t><rPh sb="0" eb="2"><t>トウキョウ</t></rPh></si>
<si><r><t xml:space="preserve">one </t></r><r><t>text</t></r></si></sst>""",
        "xl/styles.xml": f"""<styleSheet xmlns="{main}">
<numFmts count="1"><numFmt numFmtId="170" formatCode="[$-409]mmm\\-yy;@"/></numFmts>
<fonts count="1"><font/></fonts><fills count="1"><fill><patternFill/></fill></fills><borders count="1"><border/></borders>
<cellStyleXfs count="1"><xf numFmtId="14"/></cellStyleXfs>
<cellXfs count="3"><xf numFmtId="0"/><xf numFmtId="170"/><xf numFmtId="21"/></cellXfs></styleSheet>""",
        "book/cells.xml": f"""<x:worksheet xmlns:x="{main}"><x:sheetData>
<x:row><x:c t="s"><x:v>0</x:v></x:c><x:c t="s"><x:v>1</x:v></x:c><x:c/><x:c t="s"><x:v>2</x:v></x:c></x:row>
<x:row r="3"><x:c r="B3" t="inlineStr"><x:is><x:t>in the cell</x:t></x:is></x:c>
<x:c><x:v>1.50</x:v></x:c><x:c s="1"><x:v>59</x:v></x:c><x:c s="2"><x:v>0.25</x:v></x:c></x:row>
</x:sheetData><x:conditionalFormatting sqref="A1"><x:cfRule type="expression" priority="1"><x:formula>1</x:formula></x:cfRule></x:conditionalFormatting>
</x:worksheet>""",
    }
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in parts.items():
            encoding = "utf-16" if 'encoding="UTF-16"' in text else "utf-8"
            method = zipfile.ZIP_STORED if name.endswith("main.xml") else zipfile.ZIP_DEFLATED
            archive.writestr(zipfile.ZipInfo(name, (2026, 11, 21, 0, 0, 0)), text.encode(encoding), method)


def clock(seconds):
    parts = [seconds // 3600, seconds // 60 % 60] + ([seconds % 60] if seconds % 60 else [])
    return ":".join(f"{part:02d}" for part in parts)


def described(cell):
    """The kind and the text of a cell, by what openpyxl makes of it."""
    value = cell.value
    if value is None:
        return None
    if isinstance(value, bool):
        return "boolean", "true" if value else "false"
    if isinstance(value, dt.datetime):
        midnight = dt.time() == value.time() and not any(x in cell.number_format for x in "hs")
        text = value.date().isoformat()
        if not midnight:
            text += "T" + clock(value.hour * 3600 + value.minute * 60 + value.second)
        return "date", text
    if isinstance(value, dt.time):
        return "date", clock(value.hour * 3600 + value.minute * 60 + value.second)
    if isinstance(value, dt.timedelta):
        return "date", clock(round(value.total_seconds()))
    if isinstance(value, (int, float)):
        whole = float(value).is_integer() and abs(value) < 2**31
        return "number", str(int(value)) if whole else repr(float(value))
    return ("error" if cell.data_type == "e" else "text"), value


def table():
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["workbook", "sheet", "cell", "kind", "text"])
    for path in sorted(FOLDER.glob("*.xlsx")):
        for sheet in openpyxl.load_workbook(path, data_only=True).worksheets:
            for row in sheet.iter_rows():
                for cell in row:
                    found = described(cell)
                    if found:
                        writer.writerow([path.name, sheet.title, cell.coordinate, *found])
    return out.getvalue()


def main():
    if "--check" in sys.argv:
        if table() != TABLE.read_text():
            sys.exit(f"{TABLE} is not what openpyxl reads")
        return
    FOLDER.mkdir(exist_ok=True)
    write_openpyxl(FOLDER / "openpyxl.xlsx")
    write_xlsxwriter(FOLDER / "xlsxwriter.xlsx")
    write_by_hand(FOLDER / "by-hand.xlsx")
    TABLE.write_text(table())


main()
