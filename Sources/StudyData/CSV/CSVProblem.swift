/// What makes a record of a CSV file unreadable, and where.
struct CSVProblem: Error, Equatable {
  /// The kinds of trouble.
  enum Kind: Equatable {
    /// A quoted field that the file ends in.
    case unterminatedQuote
    /// Text between a field's closing quote and the next separator.
    case textAfterQuote
    /// A quote inside a field that does not begin with one.
    case strayQuote
    /// A carriage return that no line feed follows.
    case loneCarriageReturn
    /// A record that is longer than any table's.
    case endlessRecord
    /// Bytes that are not UTF-8, with what they are; nothing after them is read.
    case noText(String)
    /// A file that cannot be read on, with the reason.
    case unreadable(String)
  }

  var kind: Kind
  var place: Place
}

extension CSVProblem {
  var code: DiagnosticCode {
    switch kind {
    case .unterminatedQuote, .textAfterQuote, .strayQuote, .endlessRecord: .quote
    case .loneCarriageReturn: .lineEnd
    case .noText: .encoding
    case .unreadable: .fileUnreadable
    }
  }

  var message: String {
    switch kind {
    case .unterminatedQuote: "the quote that opens here is never closed"
    case .textAfterQuote: "text follows the quote that closes a field"
    case .strayQuote: "a quote stands inside a field that does not begin with one"
    case .loneCarriageReturn: "a carriage return stands alone"
    case .endlessRecord: "the row that begins here does not end within 16 MiB"
    case .noText(let found): found
    case .unreadable(let reason): "the rest of the file cannot be read: \(reason)"
    }
  }

  var remedy: String {
    switch kind {
    case .unterminatedQuote: "close the field with a quote"
    case .textAfterQuote, .strayQuote:
      "put quotes around the whole field and double those inside it"
    case .loneCarriageReturn: "end lines with LF or CR LF"
    case .endlessRecord: "look for a quote that is not closed"
    case .noText: "save the file as UTF-8 text"
    case .unreadable: "make it a readable file"
    }
  }
}
