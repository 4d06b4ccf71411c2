// Codes about files: whether they can be read, and what their columns are.

extension CodeExplanation {
  static let study: [CodeExplanation] = [
    CodeExplanation(
      code: "E_NO_SUCH_STUDY",
      found: "There is nothing at the study's path, or it cannot be reached.",
      why: "No data were read.",
      remedy: "Check the path and the permissions of the folders above it."),
    CodeExplanation(
      code: "E_NOT_A_FOLDER",
      found:
        "The study is a file without a column that names subjects, or neither a file nor a folder.",
      why: """
        A study is a folder with three tables, a table of events with the column ID, a database, \
        or - for standard input.
        """,
      remedy: """
        Name a folder that holds subjects.csv, drinks.csv and readings.csv, or a table of events. In a sheet, name the \
        column of subjects, as Participant, or say which it is with --map.
        """),
    CodeExplanation(
      code: "E_FILE_MISSING",
      found: "The folder lacks a file that every study needs.",
      why: """
        Without subjects.csv and drinks.csv there is nobody to predict for and nothing to \
        predict from.
        """,
      remedy: "Add the file. The message names it."),
    CodeExplanation(
      code: "E_FILE_UNREADABLE",
      found: "A file exists but cannot be opened, or is not a regular file.",
      why: "No data were read from it.",
      remedy: "Make it a regular file that you may read."),
    CodeExplanation(
      code: "E_INPUT_CHANGED",
      found: """
        A file changed while the command read it: its size or its modification time differs.
        """,
      why: """
        Results could be half of one version and half of another. Rows already printed come from \
        the old version.
        """,
      remedy: "Run the command again when nothing writes to the file."),
    CodeExplanation(
      code: "E_DOCUMENT",
      found: """
        A study given as a JSON document is not valid JSON, or something in it is missing or has the wrong type.
        """,
      why: "What it means is not clear, so nothing of the study is used.",
      remedy: "Correct it, or write it again with promille export --to json."),
    CodeExplanation(
      code: "E_DESCRIPTOR",
      found: """
        datapackage.json is not valid JSON, or a value in it has the wrong type or is out of \
        range.
        """,
      why: """
        It states the instrument: resolution, accuracy, limit of detection, mouth-alcohol \
        window. A wrong value changes which readings are fitted.
        """,
      remedy: "Correct the value at the line and column given, or remove the file."),
    CodeExplanation(
      code: "W_DESCRIPTOR_KEY",
      found: "datapackage.json has a key under \"promille\" that nothing reads.",
      why: "A misspelt key is ignored, so the instrument may not be described as you think.",
      remedy: "Correct the spelling, or leave the key if it is meant for another program."),
    CodeExplanation(
      code: "E_CATALOGUE",
      found: "The drink catalogue is not valid JSON, or an entry in it is incomplete.",
      why: "Doses given by drink name cannot be computed.",
      remedy: "Write it like datasets/drinks.json."),
    CodeExplanation(
      code: "W_NO_READINGS",
      found: "The study has no readings.",
      why: "It can be simulated and predicted, but nothing can be fitted or compared.",
      remedy: "Add readings.csv if something was measured."),
    CodeExplanation(
      code: "W_SUBJECT_ORDER",
      found: """
        The tables do not list the subjects in the same order, or rows of a subject are not \
        together.
        """,
      why: """
        The study could not be read one subject at a time, so all of it is in memory. Results \
        are the same.
        """,
      remedy: "If memory is short, sort the rows of all tables like subjects.csv."),
    CodeExplanation(
      code: "W_MORE_FINDINGS",
      found: "A file has more findings than are listed.",
      why: "The first ones usually explain the rest.",
      remedy: "Correct the findings listed and read the study again."),
  ]

  static let text: [CodeExplanation] = [
    CodeExplanation(
      code: "E_EMPTY_FILE",
      found: "A table has no header, or subjects.csv or estimates.csv has no row.",
      why: "There is nothing to read.",
      remedy: "Start the file with a header and give every subject a row."),
    CodeExplanation(
      code: "E_ENCODING",
      found: """
        A file is no text in UTF-8, UTF-16 or Windows-1252, or contains a NUL byte, or is UTF-8 with \
        damaged characters.
        """,
      why: "Names and numbers could be misread.",
      remedy: "Save the file as UTF-8 text."),
    CodeExplanation(
      code: "W_ENCODING_CONVERTED",
      found:
        "A table is not UTF-8. It was read as UTF-16 or as Windows-1252, which Latin-1 is part of.",
      why: """
        Numbers are the same in all of them. Letters with accents are wrong if the file is in another \
        encoding than the one that was taken.
        """,
      remedy: "Check names with accents, or save the file as UTF-8 text."),
    CodeExplanation(
      code: "E_ARROW",
      found: """
        An input that should be an Arrow IPC stream is none, is damaged, ends without its end mark, or goes on \
        behind it, as two streams in a row do.
        """,
      why: """
        Rows may be missing: whoever wrote it may have died. Rows of the subjects before were complete.
        """,
      remedy: """
        Write it again and close the writer; leave out --input-format arrow if it is a text.
        """),
    CodeExplanation(
      code: "E_ARROW_TYPE",
      found: """
        A column of an Arrow stream has a type that is not read, such as a decimal, a time or a list, or a whole \
        number beyond 64 bits with a sign, or a dictionary comes in pieces.
        """,
      why: "Its values could be misread.",
      remedy: """
        Leave the column out, or cast it to float64, int64 or utf8 (in SQL: DOUBLE, BIGINT, VARCHAR).
        """),
    CodeExplanation(
      code: "E_ARROW_COMPRESSED",
      found: "The batches of an Arrow stream are compressed.",
      why: "Compressed batches are not read.",
      remedy: """
        Write it without compression: in pyarrow without IpcWriteOptions(compression=...), in Polars with \
        compression="uncompressed".
        """),
    CodeExplanation(
      code: "E_WORKBOOK",
      found: """
        A file is not an .xlsx workbook that can be read: it is damaged, encrypted, too large or of another \
        kind, as .xls, .ods or .numbers.
        """,
      why: "No cell of it was read.",
      remedy: """
        Open it in the spreadsheet program, save it as .xlsx without a password, or save the table as CSV.
        """),
    CodeExplanation(
      code: "W_HIDDEN_ROWS",
      found: """
        Rows of a sheet are hidden, as by a filter. They were read like the others.
        """,
      why: """
        Rows may have been hidden to leave them out, or only to see others.
        """,
      remedy: """
        Delete the rows that do not belong to the study, or mark them in a column Exclude; show the others.
        """),
    CodeExplanation(
      code: "W_CELL_VALUE",
      found:
        "A cell of a workbook holds an error such as #DIV/0!, or a formula without its result.",
      why: """
        Formulas are not calculated. Programs other than spreadsheets may write them without results; such \
        a cell is read as empty.
        """,
      remedy: "Correct the formula, or open the workbook in the spreadsheet program and save it."),
    CodeExplanation(
      code: "E_QUOTE",
      found: """
        A quotation mark is not closed, has text after it, or stands inside an unquoted field.
        """,
      why: "It is unclear where the field ends, so every later column would be guesswork.",
      remedy: "Put quotation marks around the whole field and double those inside it."),
    CodeExplanation(
      code: "E_LINE_END",
      found: "A carriage return stands alone.",
      why: "Lines must end in LF or CR LF; with a lone CR it is unclear how many rows there are.",
      remedy: "Save the file with Unix or Windows line ends."),
    CodeExplanation(
      code: "E_FIELD_COUNT",
      found: "A row has more or fewer fields than the header.",
      why: "Values would land in the wrong columns.",
      remedy: """
        Give every row one field per column. A decimal comma inside a comma-separated file is \
        the usual cause.
        """),
  ]

  static let columns: [CodeExplanation] = [
    CodeExplanation(
      code: "E_COLUMN_MISSING",
      found: "A table lacks a column that it needs.",
      why: "The rows cannot be understood without it.",
      remedy: "Add the column or correct the header."),
    CodeExplanation(
      code: "E_COLUMN_DUPLICATE",
      found: "A table has two columns with the same name.",
      why: "It is unclear which one to read.",
      remedy: "Remove or rename one of them."),
    CodeExplanation(
      code: "E_UNIT_MISSING",
      found: "readings.csv has no column whose name is a concentration unit.",
      why: "A reading without a unit cannot be compared with a predicted concentration.",
      remedy: "Name the column after its unit, for example bac_g_per_kg or brac_mg_per_l."),
    CodeExplanation(
      code: "E_UNIT_AMBIGUOUS",
      found: "readings.csv has several columns whose names are concentration units.",
      why: "It is unclear which one to fit.",
      remedy: "Keep one of them, or make a study of each."),
    CodeExplanation(
      code: "E_OCCASION_COLUMN",
      found: "Only one of drinks.csv and readings.csv has the column occasion.",
      why: "Drinks and readings of one evening could not be matched.",
      remedy: "Give both tables the column, or neither."),
    CodeExplanation(
      code: "W_COLUMN_IGNORED",
      found: "drinks.csv or readings.csv has a column that nothing reads.",
      why: "If its name is misspelt, its values are missing from the results.",
      remedy: "Correct the name, or ignore this if the column is your own."),
    CodeExplanation(
      code: "E_COLUMN_AMBIGUOUS",
      found: """
        Two columns of a sheet have the same meaning, or its headers do not fit together.
        """,
      why: """
        It is unclear which one to read.
        """,
      remedy: """
        Leave one of them out with --map, as the message shows.
        """),
    CodeExplanation(
      code: "E_COLUMN_UNIT",
      found: """
        A column of a sheet states no unit, or an unknown one, and its values fit several.
        """,
      why: """
        A wrong unit would change every result by a factor.
        """,
      remedy: """
        Add one of the --map options that the message lists, or write the unit in brackets into the header.
        """),
    CodeExplanation(
      code: "E_COLUMN_MAP",
      found: """
        --map, or columns in datapackage.json, names a column that no table has.
        """,
      why: """
        What was said of it would be lost.
        """,
      remedy: """
        Copy the header as it stands in the table. The message lists the headers.
        """),
    CodeExplanation(
      code: "W_COLUMN_MISSING",
      found: "subjects.csv or estimates.csv lacks the column of a body measure.",
      why: "Methods that need the measure report an error for every subject.",
      remedy: "Add the column, or correct its name."),
  ]
}
