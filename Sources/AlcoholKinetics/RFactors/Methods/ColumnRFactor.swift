/// An r factor that a study gives of each subject in a column of its own, such as a measurement of body water or a formula
/// that is not among the methods.
public struct ColumnRFactor: RFactorMethod {
  /// What stands before the name of the column.
  public static let prefix = "column:"

  /// The name of the column, as the study spells it.
  public let column: String

  /// Takes r from a column of `subjects.csv`.
  public init(_ column: String) {
    self.column = column
  }

  public var name: String { Self.prefix + column }

  public func rFactor(for subject: Subject) throws(RFactorError) -> RFactor {
    let text = subject.covariates[column] ?? ""
    let isMissing = ["", ".", "NA"].contains(text)
    guard let value = isMissing ? nil : Double(text) ?? Double(text.replacing(",", with: "."))
    else {
      throw isMissing
        ? .missing(method: name, measure: column)
        : .notANumber(method: name, text: text)
    }
    return try checked(value)
  }
}
