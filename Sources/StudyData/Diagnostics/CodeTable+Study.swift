extension CodeExplanation {
  /// Codes of a study: its files, columns, subjects and numbers.
  static let study = #"""
    ## The study as a whole
    E_NO_SUCH_STUDY
      There is nothing at the study's path, or it cannot be reached.
      No data were read.
      Check the path and the permissions of the folders above it.
    E_NOT_A_FOLDER
      The study is a file without a column that names subjects, or neither a file nor a folder.
      A study is a folder with three tables, a table of events with the column ID, a database, or - for standard input.
      Name a folder that holds subjects.csv, drinks.csv and readings.csv, or a table of events. In a sheet, name the column of subjects, as Participant, or say which it is with --map.
    E_FILE_MISSING
      The folder lacks a file that every study needs.
      Without subjects.csv and drinks.csv there is nobody to predict for and nothing to predict from.
      Add the file. The message names it.
    E_FILE_UNREADABLE
      A file exists but cannot be opened, or is not a regular file.
      No data were read from it.
      Make it a regular file that you may read.
    E_INPUT_CHANGED
      A file changed while the command read it: its size or its modification time differs.
      Results could be half of one version and half of another. Rows already printed come from the old version.
      Run the command again when nothing writes to the file.
    E_DOCUMENT
      A study given as a JSON document is not valid JSON, or something in it is missing or has the wrong type.
      What it means is not clear, so nothing of the study is used.
      Correct it, or write it again with promille export --to json.
    E_DESCRIPTOR
      datapackage.json is not valid JSON, or a value in it has the wrong type or is out of range.
      It states the instrument: resolution, accuracy, limit of detection, mouth-alcohol window. A wrong value changes which readings are fitted.
      Correct the value at the line and column given, or remove the file.
    W_DESCRIPTOR_KEY
      datapackage.json has a key under "promille" that nothing reads.
      A misspelt key is ignored, so the instrument may not be described as you think.
      Correct the spelling, or leave the key if it is meant for another program.
    E_CATALOGUE
      The drink catalogue is not valid JSON, or an entry in it is incomplete.
      Doses given by drink name cannot be computed.
      Write it like datasets/drinks.json.
    W_NO_READINGS
      The study has no readings.
      It can be simulated and predicted, but nothing can be fitted or compared.
      Add readings.csv if something was measured.
    W_SUBJECT_ORDER
      The tables do not list the subjects in the same order, or rows of a subject are not together.
      The study could not be read one subject at a time, so all of it is in memory. Results are the same.
      If memory is short, sort the rows of all tables like subjects.csv.
    W_MORE_FINDINGS
      A file has more findings than are listed.
      The first ones usually explain the rest.
      Correct the findings listed and read the study again.

    ## The text of a file
    E_EMPTY_FILE
      A table has no header, or subjects.csv or estimates.csv has no row.
      There is nothing to read.
      Start the file with a header and give every subject a row.
    E_ENCODING
      A file is no text in UTF-8, UTF-16 or Windows-1252, or contains a NUL byte, or is UTF-8 with damaged characters.
      Names and numbers could be misread.
      Save the file as UTF-8 text.
    W_ENCODING_CONVERTED
      A table is not UTF-8. It was read as UTF-16 or as Windows-1252, which Latin-1 is part of.
      Numbers are the same in all of them. Letters with accents are wrong if the file is in another encoding than the one that was taken.
      Check names with accents, or save the file as UTF-8 text.
    E_ARROW
      An input that should be an Arrow IPC stream is none, is damaged, ends without its end mark, or goes on behind it, as two streams in a row do.
      Rows may be missing: whoever wrote it may have died. Rows of the subjects before were complete.
      Write it again and close the writer; leave out --input-format arrow if it is a text.
    E_ARROW_TYPE
      A column of an Arrow stream has a type that is not read, such as a decimal, a time or a list, or a whole number beyond 64 bits with a sign, or a dictionary comes in pieces.
      Its values could be misread.
      Leave the column out, or cast it to float64, int64 or utf8 (in SQL: DOUBLE, BIGINT, VARCHAR).
    E_ARROW_COMPRESSED
      The batches of an Arrow stream are compressed.
      Compressed batches are not read.
      Write it without compression: in pyarrow without IpcWriteOptions(compression=...), in Polars with compression="uncompressed".
    E_WORKBOOK
      A file is not an .xlsx workbook that can be read: it is damaged, encrypted, too large or of another kind, as .xls, .ods or .numbers.
      No cell of it was read.
      Open it in the spreadsheet program, save it as .xlsx without a password, or save the table as CSV.
    W_HIDDEN_ROWS
      Rows of a sheet are hidden, as by a filter. They were read like the others.
      Rows may have been hidden to leave them out, or only to see others.
      Delete the rows that do not belong to the study, or mark them in a column Exclude; show the others.
    W_CELL_VALUE
      A cell of a workbook holds an error such as #DIV/0!, or a formula without its result.
      Formulas are not calculated. Programs other than spreadsheets may write them without results; such a cell is read as empty.
      Correct the formula, or open the workbook in the spreadsheet program and save it.
    E_QUOTE
      A quotation mark is not closed, has text after it, or stands inside an unquoted field.
      It is unclear where the field ends, so every later column would be guesswork.
      Put quotation marks around the whole field and double those inside it.
    E_LINE_END
      A carriage return stands alone.
      Lines must end in LF or CR LF; with a lone CR it is unclear how many rows there are.
      Save the file with Unix or Windows line ends.
    E_FIELD_COUNT
      A row has more or fewer fields than the header.
      Values would land in the wrong columns.
      Give every row one field per column. A decimal comma inside a comma-separated file is the usual cause.

    ## Columns
    E_COLUMN_MISSING
      A table lacks a column that it needs.
      The rows cannot be understood without it.
      Add the column or correct the header.
    E_COLUMN_DUPLICATE
      A table has two columns with the same name.
      It is unclear which one to read.
      Remove or rename one of them.
    E_UNIT_MISSING
      readings.csv has no column whose name is a concentration unit.
      A reading without a unit cannot be compared with a predicted concentration.
      Name the column after its unit, for example bac_g_per_kg or brac_mg_per_l.
    E_UNIT_AMBIGUOUS
      readings.csv has several columns whose names are concentration units.
      It is unclear which one to fit.
      Keep one of them, or make a study of each.
    E_OCCASION_COLUMN
      Only one of drinks.csv and readings.csv has the column occasion.
      Drinks and readings of one evening could not be matched.
      Give both tables the column, or neither.
    W_COLUMN_IGNORED
      drinks.csv or readings.csv has a column that nothing reads.
      If its name is misspelt, its values are missing from the results.
      Correct the name, or ignore this if the column is your own.
    E_COLUMN_AMBIGUOUS
      Two columns of a sheet have the same meaning, or its headers do not fit together.
      It is unclear which one to read.
      Leave one of them out with --map, as the message shows.
    E_COLUMN_UNIT
      A column of a sheet states no unit, or an unknown one, and its values fit several.
      A wrong unit would change every result by a factor.
      Add one of the --map options that the message lists, or write the unit in brackets into the header.
    E_COLUMN_MAP
      --map, or columns in datapackage.json, names a column that no table has.
      What was said of it would be lost.
      Copy the header as it stands in the table. The message lists the headers.
    W_COLUMN_MISSING
      subjects.csv or estimates.csv lacks the column of a body measure.
      Methods that need the measure report an error for every subject.
      Add the column, or correct its name.

    ## Subjects
    E_SUBJECT_MISSING
      A row names no subject.
      It is unclear whose drink or reading it is.
      Fill in the subject, or remove the row.
    E_SUBJECT_UNKNOWN
      A drink or reading names a subject that is not listed in subjects.csv.
      Nothing is known about this person, so the row cannot be used.
      Add the subject, or correct the spelling. Upper and lower case matter.
    E_DUPLICATE_SUBJECT
      A subject has two rows in subjects.csv or estimates.csv.
      It is unclear which description holds.
      Keep one row per subject.
    E_SEX
      A subject's sex is neither male nor female.
      The r formulas differ by sex. Numbers are not accepted, because 1 and 2 mean different things in different tables.
      Write male, m, man, female, f or woman, or leave the field empty.
    E_AGE_RANGE
      An age is outside \#(BodyRange.ages.words) years.
      Watson's formula uses the age.
      Give the age in years.
    E_HEIGHT_METRES
      A height is below 3 and looks like metres.
      Several r formulas use the height in centimetres.
      Give the height in centimetres.
    E_HEIGHT_RANGE
      A height is outside \#(BodyRange.heights.words) cm.
      The r formulas would give nonsense for this body.
      Give the height in centimetres.
    E_WEIGHT_RANGE
      A weight is outside \#(BodyRange.weights.words) kg.
      The dose per kilogram, and with it every prediction, would be wrong.
      Give the weight in kilograms.
    W_WEIGHT_MISSING
      A subject whose drinks are given in grams has no weight.
      Without it nothing can be fitted or predicted for this subject.
      Fill in the weight, or give the dose in g per kg of body weight.
    W_SUBJECT_FILLED
      Rows of a sheet name no subject; they were taken as rows of the subject above.
      In spreadsheets only the first of several merged cells keeps its text.
      Check that the rows belong to the subject above, or name the subject in every row.
    W_SUMMARY_ROWS
      Rows of a sheet are called Mean, SD and the like where a subject's name stands, or hold one note alone below the table; they were left out.
      They hold statistics of the rows above or remarks, and would be taken for people.
      None, if they are. If one is the name of a person, write another in its place.
    E_FOOD
      What a subject had eaten (the column food, or food in datapackage.json) is neither fasted nor fed.
      It decides the typical k_a, beta and lag of predictions. A word that is not understood decides nothing.
      Write fasted or fed, or leave it out. Rename the column if it is about something else.
    W_DOSE_REPEATED
      The same dose stands beside every reading of each subject of a sheet; it was taken as one drink.
      A dose that was filled down looks like equal drinks, one at each reading, and the other way round.
      If it was drunk each time, say so with the --map option that the message shows.
    E_SEX_CODE
      The sexes in a sheet are written as 0 and 1, or by one code alone: only 1, or only M under Spanish headers.
      Either number can mean male, and M is mujer beside H for hombre.
      Add one of the --map options that the message shows.
    W_WEIGHT_POUNDS
      With the height, a weight gives a body mass index of 45 kg/m2 or more, but as pounds 16 to 35.
      Pounds taken as kilograms make every dose per kilogram 2.2 times too small.
      Convert the weight: 1 kg is 2.2046 lb. In a sheet, name the column weight_lb with --map.
    W_BODY_MASS
      Weight and height give a body mass index below \#(Int(BodyRange.massIndices.lowerBound)) or above \#(Int(BodyRange.massIndices.upperBound)) kg/m2, which hardly anybody has.
      One of the two is in another unit, or was written wrongly; predictions of r depend on both.
      Check both. 1 kg is 2.2046 lb, 1 inch 2.54 cm. In a sheet, name the column height_in or weight_lb with --map.
    W_SERIES_READINGS
      A subject has no readings on an occasion, although the study has readings.
      The drinks of this occasion cannot be compared with anything.
      Add the readings, or correct the subject or occasion in their rows.

    ## Numbers
    E_NUMBER
      A field that should hold a number holds something else.
      The row was not used.
      Write a plain number such as 0.45, or leave the field empty. A reading below the limit of detection (LOD, LLOQ) may be written <0.05.
    E_DECIMAL_COMMA
      A number is written with a comma in a table whose fields are separated by commas.
      0,45 could be read as two fields.
      Write a decimal point, or separate the fields with semicolons or tabs.
    E_NOT_FINITE
      A number is infinite, not a number, or too large to represent.
      Nothing can be computed from it.
      Write a plain number, or leave the field empty.
    """#
}
