package import AlcoholKinetics
package import Estimation
import StudyData

extension Problem {
  /// There are too few subjects with readings that can be used.
  static func tooFewPeople(found count: Int, needed: Int, leftOut: [LeftOutSeries]) -> Self {
    Self(
      "E_TOO_FEW_PEOPLE",
      "\(count) \(count == 1 ? "person has" : "people have") readings that can be used, and \(needed) are needed; "
        + (leftOut.isEmpty
          ? "add people, or estimate fewer parameters" : "left out: \(reasons(leftOut))"))
  }

  /// The curve of some subject could not be followed at any start.
  static func notEvaluated(_ text: String) -> Self { Self("E_POPULATION_NOT_EVALUATED", text) }

  /// The task was cancelled.
  static let cancelled = Self("E_CANCELLED", "cancelled")

  /// The most frequent reasons for leaving out series, each with the number of series and examples.
  private static func reasons(_ leftOut: [LeftOutSeries]) -> String {
    let groups = Dictionary(grouping: leftOut) { series in
      "\(series.reason.prefix { $0 != ";" }) (\(series.code))"
    }.sorted { ($1.value.count, $0.key) < ($0.value.count, $1.key) }
    let shown = groups.prefix(5).map { reason, series in
      let names = series.prefix(3).map(\.subject).joined(separator: ", ")
      let rest = series.count > 3 ? " and \(series.count - 3) more" : ""
      return "\(series.count) series, \(reason) [\(names)\(rest)]"
    }
    return shown.joined(separator: "; ")
      + (groups.count > 5 ? "; and \(groups.count - 5) more reasons" : "")
  }
}

extension RFactorMethod {
  /// A subject's r in kg/kg.
  package func value(for subject: Subject) throws(SeriesFailure) -> Double {
    do { return try rFactor(for: subject).value } catch { throw .problem(error) }
  }
}

extension EliminationModel {
  /// The model with values of its parameters, each in its unit.
  package func with(_ values: [FitParameter: Double]) throws(SeriesFailure) -> ModelParameters {
    do { return try ModelParameters(self, values) } catch { throw .problem(error) }
  }
}

/// A series that could not be used.
public struct LeftOutSeries: Codable, Hashable, Sendable {
  /// The subject.
  public let subject: String
  /// The occasion, where there are several.
  public let occasion: String?
  /// The stable code of the reason.
  public let code: String
  /// The reason, in words.
  public let reason: String
  /// The number of its readings by use, if the series could be used.
  let uses: [ReadingUse: Int]
  /// The number of its readings that could be used otherwise.
  public var readings: Int { uses.reduce(0) { $0 + ($1.key.isUsed ? $1.value : 0) } }

  init(_ series: Series, _ failure: SeriesFailure, _ uses: [ReadingUse]) {
    subject = series.subject.id
    occasion = series.occasion
    self.uses = uses.reduce(into: [:]) { $0[$1, default: 0] += 1 }
    code = failure.code
    let causes = ReadingUse.allCases.filter { !$0.isUsed && uses.contains($0) }.map(\.cause)
    reason =
      uses.contains(where: \.isUsed) || causes.isEmpty
      ? failure.description
      : "no reading is left: all are \(causes.joined(separator: ", or "))"
  }
}
