/// A run in a list of them.
public struct RunSummary: Hashable, Sendable {
  /// The run's number.
  public var id: Int64
  /// When it was stored, in UTC, as `2024-05-01 18:00:00`.
  public var madeUTC: String
  /// The command.
  public var command: String
  /// The version of Promille.
  public var version: String
  /// The study it was made of, as the command named it.
  public var study: String?
  /// How many rows came out.
  public var results: Int
  /// How many of them have a status other than `ok`.
  public var withoutResult: Int
}
