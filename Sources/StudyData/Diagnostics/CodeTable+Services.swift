extension CodeExplanation {
  /// Codes of databases, the study day, Apple Health and files that are written.
  static let services = #"""
    ## Databases
    E_STORE_MISSING
      There is no such database, or it cannot be reached.
      Nothing was read.
      Check the path. A folder must be imported first: promille import STUDY --into study.sqlite.
    E_STORE_NOT_MADE
      No database can be made at that place.
      Nothing was written.
      Name a file in a folder that exists and that you may write to.
    E_STORE_NOT_A_DATABASE
      The file is not an SQLite database.
      Nothing was read or changed.
      Name a database made by promille import.
    E_STORE_FOREIGN
      The database was not made by Promille.
      Nothing was read or changed.
      Name a database made by promille import.
    E_STORE_OLDER
      The database was made by an older version.
      It must be brought up to date before it can be used.
      Run promille runs STUDY --upgrade.
    E_STORE_NEWER
      The database was made by a newer version.
      This version does not understand it.
      Use a newer version of promille.
    E_STORE_CORRUPT
      The database is damaged.
      Results from it could be wrong, so nothing was read further.
      Restore it from a backup, or make it again from its files. Nothing may be left of the old one: remove the files beside it, of its name with -wal and -shm, too.
    E_STORE_SCHEMA
      The tables of the database are not those that Promille makes: one is missing or altered, has a view in its place, or has a trigger.
      Reading it could give wrong data or never end, so nothing was read.
      Restore the database from a backup, or make it again from its files.
    E_STORE_READ_ONLY
      The database, or its folder, may not be written.
      Nothing was changed.
      Make the file and its folder writable, or work on a copy.
    E_STORE_LOCKED
      Another process is using the database.
      Nothing was changed.
      Wait until it is done and try again.
    E_STORE_FULL
      There is no space left for the data.
      Nothing was changed.
      Free some disk space and try again.
    E_STORE_VALUE
      The data break a rule of the schema.
      Nothing was changed.
      Correct the data.
    E_STORE_SERVED
      The import would change what was entered on a study day, or the measures of who had a session.
      On a study day every change is an event, and pages and fits show the same; an import would be neither told nor shown. Nothing was changed.
      Correct it on the study day, or import into another database.
    E_STORE_NOT_FOUND
      The database does not hold what was asked for.
      There is nothing to show.
      List what it holds with promille runs STUDY.
    E_STORE_FAILED
      The disk, or SQLite, failed in another way.
      Nothing was changed.
      Check the disk and try again.
    W_STORE_OTHER_STUDY
      Subjects of another study in the database have the same names, and their measures changed.
      If they are other people, their measures were overwritten. The table "changes" has the old values.
      If so, import each study into its own database.

    ## The study day
    E_DAY_NO_IDENTITY
      The request carries no token, or one that is not valid.
      Nobody sees anything without signing in.
      Open your link again, or ask for a new invitation.
    E_DAY_TOKEN
      The link or token was used, has expired or was revoked.
      An invitation works once.
      Ask for a new invitation.
    E_DAY_NOT_ALLOWED
      The role of the account does not allow this.
      Who may do what is one table for all of the study.
      Ask the owner of the study.
    E_DAY_FORGED
      A change that came with a cookie lacks the header X-CSRF-Token, or has another one.
      Another site may have made the browser send it.
      Reload the page; programs send Authorization: Bearer instead.
    E_DAY_NOT_FOUND
      There is nothing at the address that the account may see.
      Addresses do not tell whether something exists.
      Check the address.
    E_DAY_REQUEST
      The request is not what the API takes.
      Nothing was stored.
      Compare it with /api/v1/openapi.json.
    E_DAY_VALUE
      A value is missing, unknown or impossible.
      The entry was refused; others of the same request are not affected.
      Correct the value and send it again.
    E_DAY_REASON
      A correction gives no reason.
      Every correction can be told later.
      Say why the value is corrected.
    E_DAY_CONFLICT
      Somebody else changed the same thing meanwhile.
      No value wins silently.
      Look at both values and decide which one holds.
    E_DAY_FULL
      No place is left.
      The database never holds more bookings than places.
      Choose another slot, or join the waiting list.
    E_DAY_CLOSED
      The entry was voided, or the slot is closed.
      It takes no more changes.
      Enter it anew, or choose another one.
    E_DAY_TOO_LARGE
      The request is larger than the server takes.
      Nothing was stored.
      Send fewer entries at a time.
    E_DAY_TOO_OFTEN
      Requests came faster than one account or address may send them.
      One device must not slow down the others.
      Wait a minute and try again.
    E_DAY_NO_ROOM
      The disk of the server is full.
      Entries were refused; pages still work.
      Free some space and send the entries again.
    E_DAY_BUSY
      Another process holds the database.
      Nothing was stored.
      Try again in a moment.
    E_DAY_SLOW
      The server did not answer within 20 s.
      Entries may have been stored; sent again, they are not stored twice.
      Send it again in a moment.
    E_DAY_SLOW_REQUEST
      The request did not come in whole within 30 s.
      The server closed the connection, and nothing was stored.
      Send it again, over a better connection.
    E_DAY_FAILED
      The server failed.
      Nothing was stored.
      Try again, and look at the server's log.
    E_AUDIT_CHAIN
      A change of a study day is not what was stored, or the one before it is missing.
      From there on the list of changes cannot be trusted.
      Compare the database with a backup.
    E_AUDIT_ENTRIES
      An entry of a study day or its row in readings, drinks or vitals, a session with its limits and its state, a session type or slot, a measure of somebody's body, an account with its role, or a setting is not what the log says.
      Something other than the study day changed it: fits, pages and decisions may be wrong.
      Compare the database with a backup.
    E_SERVE_MISSING
      The program promille-serve is neither beside promille nor on the PATH.
      It is built on its own, since it needs more packages.
      Run swift build -c release --product promille-serve.
    E_SERVE_TLS
      The certificate or its key cannot be used.
      The day is not served without encryption instead.
      Give a certificate chain and its private key in PEM.
    E_SERVE_ADDRESS
      The server cannot listen at the address.
      Another program may use the port.
      Choose another --host or --port.

    ## Apple Health
    E_HEALTH_UNREADABLE
      The export cannot be opened.
      Nothing was imported.
      Check the path.
    E_HEALTH_ARCHIVE
      The file is an archive that contains the export.
      Nothing was imported.
      Unpack it, or pipe it in: unzip -p export.zip '*/export.xml' | promille import - ...
    E_HEALTH_XML
      The file is not XML, or ends too early.
      Nothing was imported.
      Export the data again.
    E_HEALTH_ENCODING
      The text is not in the encoding that the file states.
      Nothing was imported.
      Export the data again, as UTF-8.
    E_HEALTH_MARKUP
      An element of the export is longer than 64 KiB, or there is a processing instruction.
      Apple Health writes neither. Nothing was imported.
      Export the data again.
    E_HEALTH_ROOT
      The file is XML, but not an export of Apple Health.
      Nothing was imported.
      Name the export.xml of Apple Health.
    E_HEALTH_RECORD
      A record lacks a value, unit, start or end, or one of them cannot be understood.
      The record was left out.
      Correct the record in Health and export again.
    E_HEALTH_UNIT
      The unit of a record does not belong to its type.
      The record was left out.
      Use a unit that the documentation lists.
    W_NOBODY
      --subject names somebody who is not in the study.
      It selects nothing.
      Correct the name. Upper and lower case matter.
    W_NO_VITALS
      The database holds no vital signs of this kind.
      No day was excluded.
      Import them first, or leave the option out.
    W_DAY_EXCLUDED
      Series were left out because a vital sign crossed its threshold on their day.
      The results describe the remaining days only.
      Nothing, if that is intended.

    ## Writing
    E_WRITE_UNITS
      The readings are in several units, and a folder, or a table for NONMEM, has one unit.
      Nothing was written.
      Export to events, json or sqlite.
    E_WRITE_NAME
      A subject or occasion has a name that stands for a missing value.
      It would be lost when the file is read again.
      Rename it.
    E_WRITE_COVARIATE
      A covariate has the name of another column.
      It would be misread when the file is read again.
      Rename it.
    E_PARTS
      Results of parts, made with --subjects-part, do not make a whole: one is missing, there twice or changed, or they are of different files, options or versions.
      Subjects would be missing or there twice. Nothing was written.
      Do what the message says, and merge again.
    E_OUTPUT
      An output cannot be written there, or would replace something that the command reads.
      Nothing was written.
      Name another file.
    E_TEMPORARY
      The folder for temporary files cannot be used.
      Figures are drawn in a private folder there. Nothing was written.
      Set TMPDIR to a folder that you may write to.
    E_DESCRIPTORS
      Too few file descriptors are left to run.
      The command needs about a dozen. Nothing was read or written.
      Raise the limit, for example with ulimit -n 256.
    W_INSTRUMENT_LEFT_OUT
      A table of events cannot state what the study says about its instrument.
      A fit of the table differs unless the instrument is given by options.
      Fit it with the options that the message names.
    E_CONVERTER_MISSING
      rsvg-convert is not installed, or not on the PATH.
      A figure cannot be written as PNG or PDF.
      Install it, for example with apt-get install librsvg2-bin or brew install librsvg; or write SVG.
    E_CONVERTER_FAILED
      rsvg-convert ended with an error.
      The figure was not converted.
      Read its message, or write SVG.
    W_DEBUG_BUILD
      The benchmark runs in a debug build.
      Its speeds are meaningless for a release build.
      Build with swift build -c release.
    E_INTERNAL
      Promille failed in a way that should not happen.
      Results may be missing.
      Report it with the command, its input and the message.
    """#
}
