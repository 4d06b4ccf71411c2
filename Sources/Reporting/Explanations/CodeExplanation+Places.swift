extension CodeExplanation {
  static let databases: [CodeExplanation] = [
    CodeExplanation(
      code: "E_STORE_MISSING",
      found: "There is no such database, or it cannot be reached.",
      why: "Nothing was read.",
      remedy: """
        Check the path. A folder must be imported first: promille import STUDY --into \
        study.sqlite.
        """),
    CodeExplanation(
      code: "E_STORE_NOT_MADE",
      found: "No database can be made at that place.",
      why: "Nothing was written.",
      remedy: "Name a file in a folder that exists and that you may write to."),
    CodeExplanation(
      code: "E_STORE_NOT_A_DATABASE",
      found: "The file is not an SQLite database.",
      why: "Nothing was read or changed.",
      remedy: "Name a database made by promille import."),
    CodeExplanation(
      code: "E_STORE_FOREIGN",
      found: "The database was not made by Promille.",
      why: "Nothing was read or changed.",
      remedy: "Name a database made by promille import."),
    CodeExplanation(
      code: "E_STORE_OLDER",
      found: "The database was made by an older version.",
      why: "It must be brought up to date before it can be used.",
      remedy: "Run promille runs STUDY --upgrade."),
    CodeExplanation(
      code: "E_STORE_NEWER",
      found: "The database was made by a newer version.",
      why: "This version does not understand it.",
      remedy: "Use a newer version of promille."),
    CodeExplanation(
      code: "E_STORE_CORRUPT",
      found: "The database is damaged.",
      why: "Results from it could be wrong, so nothing was read further.",
      remedy: """
        Restore it from a backup, or make it again from its files. Nothing may be left of the old one: remove the files \
        beside it, of its name with -wal and -shm, too.
        """),
    CodeExplanation(
      code: "E_STORE_SCHEMA",
      found: """
        The tables of the database are not those that Promille makes: one is missing or altered, \
        has a view in its place, or has a trigger.
        """,
      why: "Reading it could give wrong data or never end, so nothing was read.",
      remedy: "Restore the database from a backup, or make it again from its files."),
    CodeExplanation(
      code: "E_STORE_READ_ONLY",
      found: "The database, or its folder, may not be written.",
      why: "Nothing was changed.",
      remedy: "Make the file and its folder writable, or work on a copy."),
    CodeExplanation(
      code: "E_STORE_LOCKED",
      found: "Another process is using the database.",
      why: "Nothing was changed.",
      remedy: "Wait until it is done and try again."),
    CodeExplanation(
      code: "E_STORE_FULL",
      found: "There is no space left for the data.",
      why: "Nothing was changed.",
      remedy: "Free some disk space and try again."),
    CodeExplanation(
      code: "E_STORE_VALUE",
      found: "The data break a rule of the schema.",
      why: "Nothing was changed.",
      remedy: "Correct the data."),
    CodeExplanation(
      code: "E_STORE_SERVED",
      found: """
        The import would change what was entered on a study day, or the measures of who had a \
        session.
        """,
      why: """
        On a study day every change is an event, and pages and fits show the same; an import would be \
        neither told nor shown. Nothing was changed.
        """,
      remedy: "Correct it on the study day, or import into another database."),
    CodeExplanation(
      code: "E_STORE_NOT_FOUND",
      found: "The database does not hold what was asked for.",
      why: "There is nothing to show.",
      remedy: "List what it holds with promille runs STUDY."),
    CodeExplanation(
      code: "E_STORE_FAILED",
      found: "The disk, or SQLite, failed in another way.",
      why: "Nothing was changed.",
      remedy: "Check the disk and try again."),
    CodeExplanation(
      code: "W_STORE_OTHER_STUDY",
      found: """
        Subjects of another study in the database have the same names, and their measures \
        changed.
        """,
      why: """
        If they are other people, their measures were overwritten. The table "changes" has the \
        old values.
        """,
      remedy: "If so, import each study into its own database."),
  ]

  static let health: [CodeExplanation] = [
    CodeExplanation(
      code: "E_HEALTH_UNREADABLE",
      found: "The export cannot be opened.",
      why: "Nothing was imported.",
      remedy: "Check the path."),
    CodeExplanation(
      code: "E_HEALTH_ARCHIVE",
      found: "The file is an archive that contains the export.",
      why: "Nothing was imported.",
      remedy: """
        Unpack it, or pipe it in: unzip -p export.zip '*/export.xml' | promille import - ...
        """),
    CodeExplanation(
      code: "E_HEALTH_XML",
      found: "The file is not XML, or ends too early.",
      why: "Nothing was imported.",
      remedy: "Export the data again."),
    CodeExplanation(
      code: "E_HEALTH_ENCODING",
      found: "The text is not in the encoding that the file states.",
      why: "Nothing was imported.",
      remedy: "Export the data again, as UTF-8."),
    CodeExplanation(
      code: "E_HEALTH_MARKUP",
      found:
        "An element of the export is longer than 64 KiB, or there is a processing instruction.",
      why: "Apple Health writes neither. Nothing was imported.",
      remedy: "Export the data again."),
    CodeExplanation(
      code: "E_HEALTH_ROOT",
      found: "The file is XML, but not an export of Apple Health.",
      why: "Nothing was imported.",
      remedy: "Name the export.xml of Apple Health."),
    CodeExplanation(
      code: "E_HEALTH_RECORD",
      found: "A record lacks a value, unit, start or end, or one of them cannot be understood.",
      why: "The record was left out.",
      remedy: "Correct the record in Health and export again."),
    CodeExplanation(
      code: "E_HEALTH_UNIT",
      found: "The unit of a record does not belong to its type.",
      why: "The record was left out.",
      remedy: "Use a unit that the documentation lists."),
    CodeExplanation(
      code: "W_NOBODY",
      found: "--subject names somebody who is not in the study.",
      why: "It selects nothing.",
      remedy: "Correct the name. Upper and lower case matter."),
    CodeExplanation(
      code: "W_NO_VITALS",
      found: "The database holds no vital signs of this kind.",
      why: "No day was excluded.",
      remedy: "Import them first, or leave the option out."),
    CodeExplanation(
      code: "W_DAY_EXCLUDED",
      found: "Series were left out because a vital sign crossed its threshold on their day.",
      why: "The results describe the remaining days only.",
      remedy: "Nothing, if that is intended."),
  ]

  static let writing: [CodeExplanation] = [
    CodeExplanation(
      code: "E_WRITE_UNITS",
      found: """
        The readings are in several units, and a folder, or a table for NONMEM, has one \
        unit.
        """,
      why: "Nothing was written.",
      remedy: "Export to events, json or sqlite."),
    CodeExplanation(
      code: "E_WRITE_NAME",
      found: "A subject or occasion has a name that stands for a missing value.",
      why: "It would be lost when the file is read again.",
      remedy: "Rename it."),
    CodeExplanation(
      code: "E_WRITE_COVARIATE",
      found: "A covariate has the name of another column.",
      why: "It would be misread when the file is read again.",
      remedy: "Rename it."),
    CodeExplanation(
      code: "E_PARTS",
      found: """
        Results of parts, made with --subjects-part, do not make a whole: one is missing, there twice or changed, or \
        they are of different files, options or versions.
        """,
      why: "Subjects would be missing or there twice. Nothing was written.",
      remedy: "Do what the message says, and merge again."),
    CodeExplanation(
      code: "E_OUTPUT",
      found: """
        An output cannot be written there, or would replace something that the command reads.
        """,
      why: "Nothing was written.",
      remedy: "Name another file."),
    CodeExplanation(
      code: "E_TEMPORARY",
      found: "The folder for temporary files cannot be used.",
      why: "Figures are drawn in a private folder there. Nothing was written.",
      remedy: "Set TMPDIR to a folder that you may write to."),
    CodeExplanation(
      code: "E_DESCRIPTORS",
      found: "Too few file descriptors are left to run.",
      why: "The command needs about a dozen. Nothing was read or written.",
      remedy: "Raise the limit, for example with ulimit -n 256."),
    CodeExplanation(
      code: "W_INSTRUMENT_LEFT_OUT",
      found: "A table of events cannot state what the study says about its instrument.",
      why: "A fit of the table differs unless the instrument is given by options.",
      remedy: "Fit it with the options that the message names."),
    CodeExplanation(
      code: "E_CONVERTER_MISSING",
      found: "rsvg-convert is not installed, or not on the PATH.",
      why: "A figure cannot be written as PNG or PDF.",
      remedy:
        "Install it, for example with apt-get install librsvg2-bin or brew install librsvg; or write SVG."
    ),
    CodeExplanation(
      code: "E_CONVERTER_FAILED",
      found: "rsvg-convert ended with an error.",
      why: "The figure was not converted.",
      remedy: "Read its message, or write SVG."),
    CodeExplanation(
      code: "W_DEBUG_BUILD",
      found: "The benchmark runs in a debug build.",
      why: "Its speeds are meaningless for a release build.",
      remedy: "Build with swift build -c release."),
    CodeExplanation(
      code: "E_INTERNAL",
      found: "Promille failed in a way that should not happen.",
      why: "Results may be missing.",
      remedy: "Report it with the command, its input and the message."),
  ]
}
