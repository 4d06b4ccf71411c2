import StudyData

/// The error that makes a table unreadable, whether text or an Arrow stream.
struct FileProblem: Error, Equatable {
  let code: DiagnosticCode
  let message, remedy: String

  init(_ code: DiagnosticCode, _ message: String, remedy: String) {
    self.code = code
    self.message = message
    self.remedy = remedy
  }

  func refusal(of path: String, at place: Place? = nil) -> StudyError {
    StudyError(.badData, code, in: path, at: place, message: message, remedy: remedy)
  }

  private static let quoteWhole = "put quotes around the whole field and double those inside it"

  static let unterminatedQuote = Self(
    .csv, "the quote that opens here is never closed", remedy: "close the field with a quote")
  static let textAfterQuote = Self(
    .csv, "text follows the quote that closes a field", remedy: quoteWhole)
  static let strayQuote = Self(
    .csv, "a quote stands inside a field that does not begin with one", remedy: quoteWhole)
  static let loneCarriageReturn = Self(
    .csv, "a carriage return stands alone", remedy: "end lines with LF or CR LF")
  static let endlessRecord = Self(
    .csv, "the row that begins here does not end within 16 MiB",
    remedy: "look for a quote that is not closed")

  /// Invalid text, with a description of the bytes; nothing after them is read.
  static func noText(_ description: String) -> Self {
    Self(.encoding, description, remedy: "save the file as UTF-8 text")
  }

  /// A read error, with the reason.
  static func unreadable(_ reason: String) -> Self {
    Self(
      .fileUnreadable, "the rest of the file cannot be read: \(reason)",
      remedy: "make it a readable file")
  }

  /// An invalid Arrow stream, with a description of the error.
  static func damaged(_ found: String) -> Self {
    Self(
      .fileFormat, found,
      remedy:
        "write it again as an Arrow IPC stream, and close the writer; leave out --input-format arrow if it is a text"
    )
  }

  /// A column or a message of an Arrow stream in an unsupported form.
  static func unsupported(_ found: String, remedy: String) -> Self {
    Self(.fileFormat, found, remedy: remedy)
  }

  static let compressed = Self(
    .fileFormat, "the batches of the Arrow stream are compressed",
    remedy: "write it without compression")
}
