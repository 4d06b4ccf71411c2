/// What golden results a study has, and how they are made again: a `manifest.json`.
///
/// <doc:GoldenResults> says what the file holds.
public struct GoldenManifest: Hashable, Sendable {
  /// The manifest, as the path it was found with leads to it.
  public var file: String
  /// The folder that it lies in, with the tables.
  public var folder: String
  /// The file's digest.
  public var digest: InputDigest
  /// The study that the results are of.
  public var study: String
  /// Why the study may be absent, in words; nil if it has to be there.
  public var reasonForAbsence: String?
  /// The results, in the order of the file.
  public var results: [GoldenResult]
}

/// A table of golden results and how it is made again.
public struct GoldenResult: Hashable, Sendable {
  /// The file with the table.
  public var file: String
  /// The command with its options; `{study}` in them stands for the study.
  public var command: [String]
  /// Where the manifest states the command.
  public var location: SourceLocation
  /// The columns that tell rows apart.
  public var key: [String]
  /// The columns that the table keeps; nil if all are kept that no rule leaves out.
  public var columns: [String]?
  /// A table with the true values of what the command estimates; then the golden table holds how
  /// well they are recovered. `{study}` stands for the study.
  public var truth: String?
  /// What may differ, by how much and why.
  public var rules: [GoldenRule]
}

/// How much some columns of a golden table may differ, and why.
public struct GoldenRule: Hashable, Sendable {
  /// How much.
  public enum Allowance: Hashable, Sendable {
    /// Numbers may differ by this much, or by this fraction of the golden one if that is more.
    case within(absolute: Double, relative: Double)
    /// The columns are left out.
    case leftOut
  }

  /// The name that stands for all columns which no rule names.
  public static let anyColumn = "*"

  /// The columns, or ``anyColumn``.
  public var columns: [String]
  /// How much they may differ.
  public var allowance: Allowance
  /// Why, in words.
  public var reason: String

  /// States a rule.
  public init(columns: [String], _ allowance: Allowance, because reason: String) {
    self.columns = columns
    self.allowance = allowance
    self.reason = reason
  }
}
