/// One place in which results differ from golden ones.
public struct Drift: Hashable, Sendable {
  /// What differs.
  public enum Kind: String, CaseIterable, Sendable {
    /// A value.
    case value
    /// The golden results have a row that is gone.
    case rowGone = "row-gone"
    /// There is a row that the golden results lack.
    case rowNew = "row-new"
    /// The golden results have a column that is gone.
    case columnGone = "column-gone"
    /// There is a column that the golden results lack.
    case columnNew = "column-new"
  }

  /// What differs.
  public var kind: Kind
  /// The row, by its key; nil if a whole column is meant.
  public var row: String?
  /// The column; nil if a whole row is meant.
  public var column: String?
  /// The golden value; nil if there is none.
  public var old: String?
  /// The value found; nil if there is none.
  public var new: String?
  /// The new value less the old one, where both are numbers.
  public var difference: Double?
  /// How large the difference may be; nil where anything but equality is a drift.
  public var tolerance: Double?

  init(
    _ kind: Kind, row: String? = nil, column: String? = nil, old: String? = nil,
    new: String? = nil, difference: Double? = nil, tolerance: Double? = nil
  ) {
    self.kind = kind
    self.row = row
    self.column = column
    self.old = old
    self.new = new
    self.difference = difference
    self.tolerance = tolerance
  }
}
