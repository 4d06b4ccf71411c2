/// Why a population could not be fitted.
public enum PopulationFailure: Error, Hashable, Sendable {
  /// The options ask for something impossible.
  case badOptions(String)
  /// There are too few people with readings that can be used.
  case tooFewPeople(found: Int, needed: Int, leftOut: [PopulationFit.LeftOut])
  /// At no start could everybody's curve be followed.
  case notEvaluated(String)
  /// A file of values has an error.
  case badFile(String)
  /// The task was cancelled.
  case cancelled

  /// The stable code.
  public var code: String {
    switch self {
    case .badOptions: "E_POPULATION_OPTIONS"
    case .tooFewPeople: "E_TOO_FEW_PEOPLE"
    case .notEvaluated: "E_POPULATION_NOT_EVALUATED"
    case .badFile: "E_POPULATION_FILE"
    case .cancelled: "E_CANCELLED"
    }
  }
}

extension PopulationFailure: CustomStringConvertible {
  /// What is wrong, and what to do.
  public var description: String {
    switch self {
    case .badOptions(let reason): reason
    case .tooFewPeople(let found, let needed, let leftOut):
      "\(found) \(found == 1 ? "person has" : "people have") readings that can be used, and \(needed) are needed; "
        + (leftOut.isEmpty
          ? "add people, or estimate fewer parameters" : "left out: \(Self.reasons(leftOut))")
    case .notEvaluated(let reason): reason
    case .badFile(let reason): reason
    case .cancelled: "cancelled"
    }
  }
  /// The reasons why series are left out, those of most series first, each with how many it is about and a few of them.
  private static func reasons(_ leftOut: [PopulationFit.LeftOut]) -> String {
    let groups = Dictionary(grouping: leftOut) { one in
      "\(one.reason.prefix { $0 != ";" }) (\(one.code))"
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
