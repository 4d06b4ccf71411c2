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

extension FileProblem {
  /// Files of other kinds that people give as a study, by their first bytes.
  private static let kinds: [(bytes: [UInt8], name: String, remedy: String)] = [
    (
      Array("PAR1".utf8), "a Parquet file",
      "write it as CSV, as with pandas.read_parquet(...).to_csv(...), or as an Arrow stream for --input-format arrow"
    ),
    (Array("ARROW1".utf8), "an Arrow file", "add --input-format arrow"),
    ([0xFF, 0xFF, 0xFF, 0xFF], "an Arrow stream", "add --input-format arrow"),
    (
      [0x1F, 0x8B], "compressed by gzip",
      "unpack it with gunzip, or read it from a pipe: gunzip -c FILE | promille ... -; R's .rds has to be written as CSV"
    ),
    ([0x28, 0xB5, 0x2F, 0xFD], "compressed by zstd", "unpack it with unzstd"),
    ([0xFD, 0x37, 0x7A, 0x58, 0x5A, 0], "compressed by xz", "unpack it with unxz"),
    (Array("BZh91AY&SY".utf8), "compressed by bzip2", "unpack it with bunzip2"),
    (
      [0x50, 0x4B, 3, 4], "a zip archive",
      "unpack it; if it is a workbook, give it a name that ends in .xlsx"
    ),
    (
      [0xD0, 0xCF, 0x11, 0xE0], "a workbook in the format of Excel 97 to 2003",
      "save it as .xlsx, or as CSV"
    ),
    (Array("%PDF-".utf8), "a PDF", "copy its table into a sheet, and save that as CSV"),
  ]

  /// The refusal of a file of another kind that was given as a text; nil for a text.
  static func otherKind(beginning bytes: UnsafeRawBufferPointer) -> Self? {
    guard let kind = kinds.first(where: { bytes.starts(with: $0.bytes) }) else { return nil }
    // A header may begin with the letters of a kind, but no text goes on as such a file does.
    let isWord = kind.bytes.allSatisfy {
      ASCII.isDigit($0) || UInt8(ascii: "A")...UInt8(ascii: "Z") ~= $0
    }
    if isWord, let next = bytes.dropFirst(kind.bytes.count).first,
      next >= ASCII.space || ASCII.isBlank(next)
        || [ASCII.lineFeed, ASCII.carriageReturn].contains(next)
    {
      return nil
    }
    return Self(.fileFormat, "this is \(kind.name), not a text", remedy: kind.remedy)
  }
}
