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
        An input that should be an Arrow IPC stream is none, is damaged, or ends without its end mark.
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
        A column of an Arrow stream has a type that is not read, such as a decimal, a time or a list, or a \
        dictionary comes in pieces.
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

  static let subjects: [CodeExplanation] = [
    CodeExplanation(
      code: "E_SUBJECT_MISSING",
      found: "A row names no subject.",
      why: "It is unclear whose drink or reading it is.",
      remedy: "Fill in the subject, or remove the row."),
    CodeExplanation(
      code: "E_SUBJECT_UNKNOWN",
      found: "A drink or reading names a subject that is not listed in subjects.csv.",
      why: "Nothing is known about this person, so the row cannot be used.",
      remedy: "Add the subject, or correct the spelling. Upper and lower case matter."),
    CodeExplanation(
      code: "E_DUPLICATE_SUBJECT",
      found: "A subject has two rows in subjects.csv or estimates.csv.",
      why: "It is unclear which description holds.",
      remedy: "Keep one row per subject."),
    CodeExplanation(
      code: "E_SEX",
      found: "A subject's sex is neither male nor female.",
      why: """
        The r formulas differ by sex. Numbers are not accepted, because 1 and 2 mean different \
        things in different tables.
        """,
      remedy: "Write male, m, man, female, f or woman, or leave the field empty."),
    CodeExplanation(
      code: "E_AGE_RANGE",
      found: "An age is outside 0 to 130 years.",
      why: "Watson's formula uses the age.",
      remedy: "Give the age in years."),
    CodeExplanation(
      code: "E_HEIGHT_METRES",
      found: "A height is below 3 and looks like metres.",
      why: "Several r formulas use the height in centimetres.",
      remedy: "Give the height in centimetres."),
    CodeExplanation(
      code: "E_HEIGHT_RANGE",
      found: "A height is outside 50 to 260 cm.",
      why: "The r formulas would give nonsense for this body.",
      remedy: "Give the height in centimetres."),
    CodeExplanation(
      code: "E_WEIGHT_RANGE",
      found: "A weight is outside 20 to 400 kg.",
      why: "The dose per kilogram, and with it every prediction, would be wrong.",
      remedy: "Give the weight in kilograms."),
    CodeExplanation(
      code: "W_WEIGHT_MISSING",
      found: "A subject whose drinks are given in grams has no weight.",
      why: "Without it nothing can be fitted or predicted for this subject.",
      remedy: "Fill in the weight, or give the dose in g per kg of body weight."),
    CodeExplanation(
      code: "W_SUBJECT_FILLED",
      found: """
        Rows of a sheet name no subject; they were taken as rows of the subject above.
        """,
      why: """
        In spreadsheets only the first of several merged cells keeps its text.
        """,
      remedy: """
        Check that the rows belong to the subject above, or name the subject in every row.
        """),
    CodeExplanation(
      code: "W_SUMMARY_ROWS",
      found: """
        Rows of a sheet are called Mean, SD and the like where a subject's name stands; they were left out.
        """,
      why: """
        They hold statistics of the rows above, and would be taken for people.
        """,
      remedy: """
        None, if they are. If one is the name of a person, write another in its place.
        """),
    CodeExplanation(
      code: "E_FOOD",
      found: """
        What a subject had eaten (the column food, or food in datapackage.json) is neither fasted nor fed.
        """,
      why:
        "It decides the typical k_a, beta and lag of predictions. A word that is not understood decides nothing.",
      remedy: """
        Write fasted or fed, or leave it out. Rename the column if it is about something else.
        """),
    CodeExplanation(
      code: "W_DOSE_REPEATED",
      found: """
        The same dose stands beside every reading of each subject of a sheet; it was taken as one drink.
        """,
      why: """
        A dose that was filled down looks like equal drinks, one at each reading, and the other way round.
        """,
      remedy: """
        If it was drunk each time, say so with the --map option that the message shows.
        """),
    CodeExplanation(
      code: "E_SEX_CODE",
      found: """
        The sexes in a sheet are written as 0 and 1.
        """,
      why: """
        Either can mean male.
        """,
      remedy: """
        Add one of the --map options that the message shows.
        """),
    CodeExplanation(
      code: "W_WEIGHT_POUNDS",
      found: """
        With the height, a weight gives a body mass index of 45 kg/m2 or more, but as pounds 16 to 35.
        """,
      why: """
        Pounds taken as kilograms make every dose per kilogram 2.2 times too small.
        """,
      remedy: """
        Convert the weight: 1 kg is 2.2046 lb. In a sheet, name the column weight_lb with --map.
        """),
    CodeExplanation(
      code: "W_BODY_MASS",
      found: """
        Weight and height give a body mass index below 12 or above 70 kg/m2, which hardly anybody has.
        """,
      why: """
        One of the two is in another unit, or was written wrongly; predictions of r depend on both.
        """,
      remedy: """
        Check both. 1 kg is 2.2046 lb, 1 inch 2.54 cm. In a sheet, name the column height_in or weight_lb with --map.
        """),
    CodeExplanation(
      code: "W_SERIES_READINGS",
      found: "A subject has no readings on an occasion, although the study has readings.",
      why: "The drinks of this occasion cannot be compared with anything.",
      remedy: "Add the readings, or correct the subject or occasion in their rows."),
  ]

  static let numbers: [CodeExplanation] = [
    CodeExplanation(
      code: "E_NUMBER",
      found: "A field that should hold a number holds something else.",
      why: "The row was not used.",
      remedy: """
        Write a plain number such as 0.45, or leave the field empty. A reading below the limit \
        of detection (LOD, LLOQ) may be written <0.05.
        """),
    CodeExplanation(
      code: "E_DECIMAL_COMMA",
      found: "A number is written with a comma in a table whose fields are separated by commas.",
      why: "0,45 could be read as two fields.",
      remedy: "Write a decimal point, or separate the fields with semicolons or tabs."),
    CodeExplanation(
      code: "E_NOT_FINITE",
      found: "A number is infinite, not a number, or too large to represent.",
      why: "Nothing can be computed from it.",
      remedy: "Write a plain number, or leave the field empty."),
  ]

  static let times: [CodeExplanation] = [
    CodeExplanation(
      code: "E_TIME_MISSING",
      found: "A drink or reading has no time.",
      why: "It cannot be placed on the curve.",
      remedy: "Give the time in minutes, or remove the row."),
    CodeExplanation(
      code: "E_TIME_RANGE",
      found: "A time or duration is longer than a million minutes.",
      why: "It looks like a date or a time in seconds.",
      remedy: "Give minutes on the clock of the series."),
    CodeExplanation(
      code: "E_DURATION_NEGATIVE",
      found: "The duration of a drink is negative.",
      why: "A drink ends after it begins.",
      remedy: "Give the minutes from the first sip to the last."),
    CodeExplanation(
      code: "E_ROUTE",
      found: "The route of a dose is neither oral nor iv.",
      why: "What is drunk is absorbed from the gut; what is injected is in the blood at once.",
      remedy: "Write oral or iv, or leave the field empty for oral."),
    CodeExplanation(
      code: "W_TIME_ORDER",
      found: "The rows of a series are not in order of time. They were sorted.",
      why: "Rows out of order are often a typing mistake in a time.",
      remedy: "Check the time at the place named, which is the first in its series."),
    CodeExplanation(
      code: "W_TIME_HOURS",
      found: """
        Four or more readings lie so close together that their times look like hours: the \
        whole series lies within 30 minutes, with more than 10 g of ethanol, or readings at \
        different times are less than a minute apart on average.
        """,
      why: """
        Read as minutes, the whole curve would be compressed, and k_a and beta would be about 60 \
        times too high.
        """,
      remedy: "Give time_min in minutes, and TIME of a table of events in hours."),
    CodeExplanation(
      code: "E_DATE_ORDER",
      found: """
        A date such as 11/12/2026 can be read in two ways and no other date of the file tells which, or some dates have the day first and others the month.
        """,
      why: """
        The wrong order would move a date by months.
        """,
      remedy: """
        Write dates as 2026-11-21, or state the order with --map, as the message shows.
        """),
    CodeExplanation(
      code: "E_TIME_TEXT",
      found: """
        A cell of a sheet that should hold a time or a date holds something else.
        """,
      why: """
        The row was left out, and its series is not used.
        """,
      remedy: """
        Write 19:30 or 7:30 pm, and 2026-11-21 or 21.11.2026.
        """),
    CodeExplanation(
      code: "E_TIME_CLOCK",
      found: """
        Times of day without dates are in no order in which one evening can be told, or only some rows have a date.
        """,
      why: """
        A time of day means nothing without its day. The series is not used.
        """,
      remedy: """
        Sort the rows by time, add a column date, or give each evening its own occasion.
        """),
    CodeExplanation(
      code: "E_TIME_APART",
      found: """
        A series has a drink two days or more after everything before it, or rows of another evening on the same occasion.
        """,
      why: """
        Two evenings are not one curve.
        """,
      remedy: """
        Give each evening its own occasion, or check the day.
        """),
    CodeExplanation(
      code: "E_TIME_DAY",
      found: """
        Times jump back by about a day: a row of a series lies 12 to 36 h before the row above \
        it, at times where the series has no earlier row, or a reading above its limit of \
        detection, and above 0.02 g/kg in blood, lies 12 h or more before the first drink.
        """,
      why: """
        Times probably start again at 0 after midnight. The curve would be fitted to the wrong \
        times.
        """,
      remedy: """
        Let times run on after midnight (add 1440 min, or 24 h). If the times are right, sort \
        the rows by time.
        """),
    CodeExplanation(
      code: "W_TIME_GAP",
      found: """
        A series has no drink or reading for 12 h or more, although what came before was not a \
        reading of zero, and alcohol again after that.
        """,
      why: "A time may be wrong by a day, or two occasions were taken for one.",
      remedy: "Check the times at the place named, or give each evening its own occasion."),
  ]

  static let doses: [CodeExplanation] = [
    CodeExplanation(
      code: "E_DOSE_MISSING",
      found: "A drink has no dose, a subject has no drink, or an estimate has a dose of 0.",
      why: "Without a dose there is no curve.",
      remedy: """
        Fill in ethanol_g, or volume_ml and abv_percent, or ethanol_g_per_kg, and list every \
        drink in drinks.csv.
        """),
    CodeExplanation(
      code: "E_DOSE_TIME",
      found: """
        The readings of a sheet have times of day, and no column says when the drinks were taken.
        """,
      why: """
        Without the time of the drink no curve can be computed.
        """,
      remedy: """
        Add a column with the time of the drink, or name it with --map.
        """),
    CodeExplanation(
      code: "E_DOSE_AMBIGUOUS",
      found: "The dose of a drink is given in more than one way.",
      why: "The ways may disagree.",
      remedy: "Keep one way and leave the other fields empty."),
    CodeExplanation(
      code: "E_DOSE_NEGATIVE",
      found: "A mass, a volume or a dose per kg is negative.",
      why: "An amount cannot be negative.",
      remedy: "Give the amount drunk; 0 is right for a placebo."),
    CodeExplanation(
      code: "E_DOSE_RANGE",
      found: "A drink contains more than 5000 g, or 50 g/kg, of ethanol.",
      why: "That is far beyond a lethal dose, so the unit is probably wrong.",
      remedy: "Check the unit of the dose."),
    CodeExplanation(
      code: "E_ABV_RANGE",
      found: "An alcohol content is outside 0 to 100 percent.",
      why: "The dose cannot be computed.",
      remedy: "Give the percentage by volume."),
    CodeExplanation(
      code: "W_ABV_FRACTION",
      found: "An alcohol content below 1 percent looks like a fraction.",
      why: "Read as a percentage, the dose is 100 times too small.",
      remedy: "Give the percentage by volume: write 5 for 0.05."),
    CodeExplanation(
      code: "W_VOLUME_LITRES",
      found: "A volume below 5 ml looks like litres.",
      why: "Read as millilitres, the dose is 1000 times too small.",
      remedy: "Give the volume in millilitres."),
    CodeExplanation(
      code: "E_DRINK_UNKNOWN",
      found: "A drink is not in the drink catalogue, and no dose is given.",
      why: "The dose cannot be computed.",
      remedy: "Correct the name, give the dose, or add the drink to a catalogue of your own."),
    CodeExplanation(
      code: "W_DUPLICATE_DRINK",
      found: "Two drinks of a series have the same time, duration and dose.",
      why: "If one was entered twice, the dose is too high.",
      remedy: "Remove one of them, unless there really were two."),
  ]

  static let readings: [CodeExplanation] = [
    CodeExplanation(
      code: "E_READING_NEGATIVE",
      found: "A reading is negative.",
      why: "A concentration cannot be negative.",
      remedy: "Give 0 for a reading below detection, or exclude it."),
    CodeExplanation(
      code: "W_READING_HIGH",
      found: "A reading corresponds to more than 10 g/kg in blood.",
      why: "That is not survivable. The unit in the column name is probably wrong.",
      remedy: "Check the unit of the column."),
    CodeExplanation(
      code: "W_READING_EARLY",
      found: """
        A reading before the first drink, or at the same time, is above its limit of detection, and above \
        0.02 g/kg in blood.
        """,
      why: """
        A drink is missing, a clock was wrong, times start again at 0 after midnight, or the dose stands in the \
        row of the first reading and was taken earlier.
        """,
      remedy: "Check the times, and whether an earlier drink is missing."),
    CodeExplanation(
      code: "W_BREATH_AS_BLOOD",
      found: """
        In four of five series or more, and at least three, the readings of blood give an r of 1.05 to 2.2.
        """,
      why: """
        Breath in mg/L is about half of the same concentration in blood in g/kg: the column may be breath.
        """,
      remedy: """
        If the readings are breath, name their column brac_mg_per_l. Otherwise check doses and weights.
        """),
    CodeExplanation(
      code: "W_READING_SCALE",
      found: """
        The highest reading of a series does not fit the drinks; the message names the unit in which it \
        would. Either it is above 0.2 g/kg \
        and more than three times dose / (0.5 x weight), the most that the drinks could give. \
        Or it is less than a tenth of dose / weight, although that is 0.3 g/kg or more and \
        there is a reading from 30 min to 3 h after the last drink.
        """,
      why:
        "A wrong unit, dose or weight is the usual cause. A fit would hide it in an implausible r.",
      remedy: "Check the unit of the column, the doses and the weight."),
    CodeExplanation(
      code: "E_LOD",
      found: "A limit of detection (LOD, LLOQ) is negative, or a reading is written <0.",
      why: "It cannot be used to treat a reading as censored.",
      remedy: "Give it in the unit of the reading, or leave it empty."),
    CodeExplanation(
      code: "E_LOD_CONFLICT",
      found: """
        A row contradicts itself about the limit of detection: <0.05 beside another limit, or \
        CENS 1 with a LIMIT that is not below DV.
        """,
      why: "It is unclear below which limit the reading lies.",
      remedy: "Keep one limit of detection."),
    CodeExplanation(
      code: "E_EXCLUDE",
      found: "exclude is neither yes nor no.",
      why: "It is unclear whether to use the reading.",
      remedy: "Write 1, true or yes to exclude it, and 0, false or no to keep it."),
    CodeExplanation(
      code: "W_DUPLICATE_READING",
      found: "Two readings of a series have the same time, or are identical. Both are used.",
      why: "Two samples taken at one time are fine; a row entered twice counts twice.",
      remedy: "Remove the row if it was entered twice."),
    CodeExplanation(
      code: "E_DUPLICATE_READING",
      found: """
        Two readings of a series had the same time. Current versions no longer report this; old \
        databases may contain it.
        """,
      why: "Older versions refused such readings.",
      remedy: "Import the study again."),
  ]

  static let identifiers: [CodeExplanation] = [
    CodeExplanation(
      code: "E_UUID",
      found: "The UUID of a drink or reading is malformed.",
      why: "Records are matched by it when a study is imported again.",
      remedy: "Write 32 hexadecimal digits as 8-4-4-4-12, or leave the field empty."),
    CodeExplanation(
      code: "E_DUPLICATE_UUID",
      found: "Two drinks or readings of a study have the same UUID.",
      why: "They could not be told apart when the study is imported again.",
      remedy: "Give each its own, or leave the fields empty."),
  ]

  static let vitals: [CodeExplanation] = [
    CodeExplanation(
      code: "E_VITAL_INCOMPLETE",
      found: "A vital sign lacks its kind, start or value.",
      why: "It was not imported.",
      remedy: "Fill in the field, or remove the row."),
    CodeExplanation(
      code: "E_VITAL_KIND",
      found: "The kind of a vital sign is unknown.",
      why: "It was not imported.",
      remedy: "Write it as Apple Health does, for example HeartRate."),
    CodeExplanation(
      code: "E_VITAL_TIME",
      found: """
        The start or end of a vital sign is not a valid moment, or the end lies before the \
        start.
        """,
      why: "It was not imported, because it cannot be assigned to a day.",
      remedy: "Write a day as 2024-05-01 or a moment as 2024-05-01 20:15:00 +0200."),
    CodeExplanation(
      code: "E_VITAL_UNIT",
      found: "The unit of a vital sign does not belong to its kind.",
      why: "It was not imported.",
      remedy: "Use one of the units listed for the kind."),
    CodeExplanation(
      code: "E_VITAL_RANGE",
      found: "A vital sign is outside what is physiologically possible.",
      why: "It was not imported.",
      remedy: "Correct the value or its unit."),
  ]

  static let events: [CodeExplanation] = [
    CodeExplanation(
      code: "E_EVENT",
      found: """
        A row of a table of events means something that is not supported: EVID other than 0, 1 \
        or 2, MDV or CENS other than 0 or 1, ADDL, II or SS other than 0, a negative rate, or an \
        unknown unit.
        """,
      why: "Ignoring it would change the dose or the readings.",
      remedy: "Write every drink as a row of its own."),
    CodeExplanation(
      code: "W_ROWS_LEFT_OUT",
      found: "Rows are marked to be ignored, as NONMEM does. They were left out.",
      why: "A covariate named C also marks rows in NONMEM.",
      remedy: "Nothing, if that is intended. Otherwise remove the mark, or rename the column."),
    CodeExplanation(
      code: "W_DESCRIPTION_CHANGES",
      found: """
        The description of a subject changes from one row to the next. The first row was used.
        """,
      why: "A covariate that changes with time is not supported.",
      remedy: "Nothing, if the first row is right."),
    CodeExplanation(
      code: "E_SUBJECT_APART",
      found: "Rows of one subject are not together, or not in the order of subjects.csv.",
      why: """
        A table from standard input, and a study too large to be read ahead, is read one subject \
        at a time. The subject's earlier rows are already gone, so nothing more is written.
        """,
      remedy: """
        Sort the rows of every table by subject, or ask for a table or JSON, which read the \
        whole study first.
        """),
  ]

  static let estimates: [CodeExplanation] = [
    CodeExplanation(
      code: "E_C0_RANGE",
      found: "A C0 is not above 0, or is above 10 g/kg in blood or 5 mg/L in breath.",
      why: "An observed r computed from it would be meaningless.",
      remedy: "Check the unit in the column name."),
    CodeExplanation(
      code: "E_R_RANGE",
      found: "An observed r, given or computed from C0, is not above 0 or is above 5.",
      why: "It cannot be a distribution factor.",
      remedy: "Give it in kg/kg, for example 0.68, and check the units of C0, dose and weight."),
    CodeExplanation(
      code: "E_R_AMBIGUOUS",
      found: "A subject has both a C0 and an observed r.",
      why: "They may disagree.",
      remedy: "Keep one of them and leave the other empty."),
    CodeExplanation(
      code: "E_BETA_RANGE",
      found: "An elimination rate is not above 0, or is above 2 g/kg/h.",
      why: "It cannot be right for a person.",
      remedy: "Check the unit in the column name."),
  ]

  static let golden: [CodeExplanation] = [
    CodeExplanation(
      code: "E_NO_GOLDEN_RESULTS",
      found: "There is no manifest.json where golden results are expected.",
      why: "Nothing was compared.",
      remedy: "Name a folder that holds manifest.json or golden/manifest.json."),
    CodeExplanation(
      code: "E_MANIFEST",
      found: "manifest.json is not valid JSON, or an entry in it is not allowed.",
      why: "Nothing was run.",
      remedy: "Correct the entry at the line and column given."),
    CodeExplanation(
      code: "E_DUPLICATE_KEY",
      found: "Two rows of a result table have the same key.",
      why: "They could not be matched with the rows of the other table.",
      remedy: "Name more columns in key, or remove one of the rows."),
    CodeExplanation(
      code: "W_UPDATE_INTERRUPTED",
      found: "An earlier regress --update was interrupted. It was completed, or undone.",
      why: "Golden tables are replaced all together or not at all.",
      remedy: "Nothing. Check the difference before you commit it."),
    CodeExplanation(
      code: "E_UPDATE_BUSY",
      found: "Another regress --update is changing the same golden tables.",
      why: "Nothing was changed.",
      remedy: "Wait until it is done and try again."),
    CodeExplanation(
      code: "E_GOLDEN",
      found: "A result could not be compared with its golden numbers.",
      why: "The comparison counts as failed.",
      remedy: """
        Read the message. After an intended change, promille regress --update rewrites the \
        golden numbers.
        """),
  ]
}
