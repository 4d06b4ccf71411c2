import StudyData

/// What makes a table unreadable, be it text or an Arrow stream.
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

  /// Bytes that are not UTF-8, with what they are; nothing after them is read.
  static func noText(_ found: String) -> Self {
    Self(.encoding, found, remedy: "save the file as UTF-8 text")
  }

  /// A file that cannot be read on, with the reason.
  static func unreadable(_ reason: String) -> Self {
    Self(
      .fileUnreadable, "the rest of the file cannot be read: \(reason)",
      remedy: "make it a readable file")
  }

  /// Bytes that are no Arrow, or damaged, with what is wrong.
  static func damaged(_ found: String) -> Self {
    Self(
      .fileFormat, found,
      remedy:
        "write it again as an Arrow IPC stream, and close the writer; leave out --input-format arrow if it is a text"
    )
  }

  /// A column or a message of an Arrow stream in a form that is not read.
  static func unsupported(_ found: String, remedy: String) -> Self {
    Self(.fileFormat, found, remedy: remedy)
  }

  static let compressed = Self(
    .fileFormat, "the batches of the Arrow stream are compressed",
    remedy: "write it without compression")
}
