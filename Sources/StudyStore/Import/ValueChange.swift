/// A value that is not what it was.
struct ValueChange {
  /// A value as a column holds it.
  enum Value: Equatable {
    case nothing
    case number(Double)
    case text(String)

    init(_ number: Double?) { self = number.map(Value.number) ?? .nothing }

    init(_ text: String?) { self = text.map(Value.text) ?? .nothing }

    func bind(to statement: RawStatement, at index: Int32) {
      switch self {
      case .nothing: statement.bind(nil as Double?, at: index)
      case .number(let number): statement.bind(number, at: index)
      case .text(let text): statement.bind(text, at: index)
      }
    }
  }

  var column: String
  var old: Value
  var new: Value

  /// A change of a number; nil if there is none.
  init?(_ column: String, from old: Double?, to new: Double?) {
    guard old != new else { return nil }
    self.init(column: column, old: Value(old), new: Value(new))
  }

  /// A change of a text; nil if there is none.
  init?(_ column: String, from old: String?, to new: String?) {
    guard old != new else { return nil }
    self.init(column: column, old: Value(old), new: Value(new))
  }

  private init(column: String, old: Value, new: Value) {
    self.column = column
    self.old = old
    self.new = new
  }
}
