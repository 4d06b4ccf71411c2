/// What makes a record of a CSV file unreadable, and where.
struct CSVProblem: Error, Equatable {
  /// The kinds of trouble.
  enum Kind {
    /// A quoted field that the file ends in.
    case unterminatedQuote
    /// Text between a field's closing quote and the next separator.
    case textAfterQuote
    /// A quote inside a field that does not begin with one.
    case strayQuote
    /// A carriage return that no line feed follows.
    case loneCarriageReturn
  }

  var kind: Kind
  var place: Place
}

extension CSVProblem {
  var code: DiagnosticCode {
    kind == .loneCarriageReturn ? .lineEnd : .quote
  }

  var message: String {
    switch kind {
    case .unterminatedQuote: "the quote that opens here is never closed"
    case .textAfterQuote: "text follows the quote that closes a field"
    case .strayQuote: "a quote stands inside a field that does not begin with one"
    case .loneCarriageReturn: "a carriage return stands alone"
    }
  }

  var remedy: String {
    switch kind {
    case .unterminatedQuote: "close the field with a quote"
    case .textAfterQuote, .strayQuote: "enclose the whole field in quotes and double those in it"
    case .loneCarriageReturn: "end lines with LF or CR LF"
    }
  }
}
