import StudyData
package import StudyFiles

/// The outcome of comparing one table of golden results.
package struct GoldenOutcome: Codable, Hashable, Sendable {
  package enum Ending: Codable, Hashable, Sendable {
    /// The results were computed anew and compared.
    case compared(TableComparison)
    /// The study is missing, which the manifest allows; with the reason.
    case absent(String)
    /// The results could not be computed; with the reason.
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

  /// Whether the golden results drifted or could not be computed.
  package var isUnconfirmed: Bool { status == "drifted" || status == "failed" }
}
