extension CodeExplanation {
  /// A study day that is served.
  static let studyDay = [
    CodeExplanation(
      code: "E_DAY_NO_IDENTITY",
      found: "The request carries no token, or one that is not valid.",
      why: "Nobody sees anything without signing in.",
      remedy: "Open your link again, or ask for a new invitation."),
    CodeExplanation(
      code: "E_DAY_TOKEN",
      found: "The link or token was used, has expired or was revoked.",
      why: "An invitation works once.",
      remedy: "Ask for a new invitation."),
    CodeExplanation(
      code: "E_DAY_NOT_ALLOWED",
      found: "The role of the account does not allow this.",
      why: "Who may do what is one table for all of the study.",
      remedy: "Ask the owner of the study."),
    CodeExplanation(
      code: "E_DAY_FORGED",
      found: "A change that came with a cookie lacks the header X-CSRF-Token, or has another one.",
      why: "Another site may have made the browser send it.",
      remedy: "Reload the page; programs send Authorization: Bearer instead."),
    CodeExplanation(
      code: "E_DAY_NOT_FOUND",
      found: "There is nothing at the address that the account may see.",
      why: "Addresses do not tell whether something exists.",
      remedy: "Check the address."),
    CodeExplanation(
      code: "E_DAY_REQUEST",
      found: "The request is not what the API takes.",
      why: "Nothing was stored.",
      remedy: "Compare it with /api/v1/openapi.json."),
    CodeExplanation(
      code: "E_DAY_VALUE",
      found: "A value is missing, unknown or impossible.",
      why: "The entry was refused; others of the same request are not affected.",
      remedy: "Correct the value and send it again."),
    CodeExplanation(
      code: "E_DAY_REASON",
      found: "A correction gives no reason.",
      why: "Every correction can be told later.",
      remedy: "Say why the value is corrected."),
    CodeExplanation(
      code: "E_DAY_CONFLICT",
      found: "Somebody else changed the same thing meanwhile.",
      why: "No value wins silently.",
      remedy: "Look at both values and decide which one holds."),
    CodeExplanation(
      code: "E_DAY_FULL",
      found: "No place is left.",
      why: "The database never holds more bookings than places.",
      remedy: "Choose another slot, or join the waiting list."),
    CodeExplanation(
      code: "E_DAY_CLOSED",
      found: "The entry was voided, or the slot is closed.",
      why: "It takes no more changes.",
      remedy: "Enter it anew, or choose another one."),
    CodeExplanation(
      code: "E_DAY_TOO_LARGE",
      found: "The request is larger than the server takes.",
      why: "Nothing was stored.",
      remedy: "Send fewer entries at a time."),
    CodeExplanation(
      code: "E_DAY_TOO_OFTEN",
      found: "Requests came faster than one account or address may send them.",
      why: "One device must not slow down the others.",
      remedy: "Wait a minute and try again."),
    CodeExplanation(
      code: "E_DAY_NO_ROOM",
      found: "The disk of the server is full.",
      why: "Entries were refused; pages still work.",
      remedy: "Free some space and send the entries again."),
    CodeExplanation(
      code: "E_DAY_BUSY",
      found: "Another process holds the database.",
      why: "Nothing was stored.",
      remedy: "Try again in a moment."),
    CodeExplanation(
      code: "E_DAY_SLOW",
      found: "The server did not answer within 20 s.",
      why: "Entries may have been stored; sent again, they are not stored twice.",
      remedy: "Send it again in a moment."),
    CodeExplanation(
      code: "E_DAY_SLOW_REQUEST",
      found: "The request did not come in whole within 30 s.",
      why: "The server closed the connection, and nothing was stored.",
      remedy: "Send it again, over a better connection."),
    CodeExplanation(
      code: "E_DAY_FAILED",
      found: "The server failed.",
      why: "Nothing was stored.",
      remedy: "Try again, and look at the server's log."),
    CodeExplanation(
      code: "E_AUDIT_CHAIN",
      found: "A change of a study day is not what was stored, or the one before it is missing.",
      why: "From there on the list of changes cannot be trusted.",
      remedy: "Compare the database with a backup."),
    CodeExplanation(
      code: "E_AUDIT_ENTRIES",
      found: """
        An entry of a study day or its row in readings, drinks or vitals, a session with its limits and its state, a \
        session type or slot, a measure of somebody's body, an account with its role, or a setting is not what the \
        log says.
        """,
      why: "Something other than the study day changed it: fits, pages and decisions may be wrong.",
      remedy: "Compare the database with a backup."),
    CodeExplanation(
      code: "E_SERVE_MISSING",
      found: "The program promille-serve is neither beside promille nor on the PATH.",
      why: "It is built on its own, since it needs more packages.",
      remedy: "Run swift build -c release --product promille-serve."),
    CodeExplanation(
      code: "E_SERVE_TLS",
      found: "The certificate or its key cannot be used.",
      why: "The day is not served without encryption instead.",
      remedy: "Give a certificate chain and its private key in PEM."),
    CodeExplanation(
      code: "E_SERVE_ADDRESS",
      found: "The server cannot listen at the address.",
      why: "Another program may use the port.",
      remedy: "Choose another --host or --port."),
  ]
}
