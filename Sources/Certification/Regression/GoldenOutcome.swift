import StudyData
package import StudyFiles

/// What became of one table of golden results.
package struct GoldenOutcome: Codable, Hashable, Sendable {
  package enum Ending: Codable, Hashable, Sendable {
    /// The results were made anew and compared.
    case compared(TableComparison)
    /// The study is not there, which the manifest allows, and why.
    case absent(String)
    /// The results could not be made anew, and why.
    case failed(String)
  }

  package var result: GoldenResult
  package var ending: Ending

  package init(_ result: GoldenResult, _ ending: Ending) {
    self.result = result
    self.ending = ending
  }

  package var comparison: TableComparison? {
    guard case .compared(let comparison) = ending else { return nil }
    return comparison
  }

  package var status: String {
    switch ending {
    case .compared(let comparison): comparison.drifts.isEmpty ? "ok" : "drifted"
    case .absent: "absent"
    case .failed: "failed"
    }
  }

  /// Whether the golden results are not confirmed.
  package var isUnconfirmed: Bool { status == "drifted" || status == "failed" }
}
