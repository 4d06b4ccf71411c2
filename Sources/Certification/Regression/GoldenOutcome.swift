import StudyData
public import StudyFiles

/// What became of one table of golden results.
public struct GoldenOutcome: Codable, Hashable, Sendable {
  public enum Ending: Codable, Hashable, Sendable {
    /// The results were made anew and compared.
    case compared(TableComparison)
    /// The study is not there, which the manifest allows, and why.
    case absent(String)
    /// The results could not be made anew, and why.
    case failed(String)
  }

  public var result: GoldenResult
  public var ending: Ending

  /// Tells what became of golden results.
  public init(_ result: GoldenResult, _ ending: Ending) {
    self.result = result
    self.ending = ending
  }

  public var comparison: TableComparison? {
    guard case .compared(let comparison) = ending else { return nil }
    return comparison
  }

  /// In one word: ok, drifted, absent or failed.
  public var status: String {
    switch ending {
    case .compared(let comparison): comparison.drifts.isEmpty ? "ok" : "drifted"
    case .absent: "absent"
    case .failed: "failed"
    }
  }

  /// Whether the golden results are not confirmed.
  public var isUnconfirmed: Bool { status == "drifted" || status == "failed" }
}
