public import Certification
import StudyData

extension Report {
  /// What rewriting golden results changed, as the message of a commit: a subject line, and for each
  /// table its command, how many rows and columns came and went, and for each column how many values
  /// changed and which by most.
  public static func summary(ofUpdating outcomes: [GoldenOutcome]) -> String {
    let changed = outcomes.filter { !$0.drifts.isEmpty }
    guard !changed.isEmpty else { return "No golden result changes.\n" }
    let values = changed.flatMap(\.drifts).count { $0.kind == .value }
    let heading =
      "Update golden results: \(counted(values, "value")) in \(counted(changed.count, "table"))"
    return ([heading] + changed.map(\.change)).joined(separator: "\n\n") + "\n"
  }

  fileprivate static func counted(_ count: Int, _ thing: String) -> String {
    "\(count) \(thing)\(count == 1 ? "" : "s")"
  }
}

extension GoldenOutcome {
  fileprivate var drifts: [Drift] { comparison?.drifts ?? [] }

  /// What changed in one table.
  fileprivate var change: String {
    let heading = "\(result.file) (\(result.command.joined(separator: " "))):".printable
      .wrapped(to: 72)
    let changes = Drift.Kind.allCases.compactMap { $0 == .value ? nil : comingAndGoing($0) }
    return ([heading] + changes + valueChanges).joined(separator: "\n")
  }

  private func comingAndGoing(_ kind: Drift.Kind) -> String? {
    let names = drifts.filter { $0.kind == kind }.compactMap { $0.row ?? $0.column }
    guard !names.isEmpty else { return nil }
    let shown = names.prefix(3).joined(separator: "; ")
    let rest = names.count > 3 ? "; and \(names.count - 3) more" : ""
    return "- \(kind.words(names.count)): \(shown)\(rest)".printable.wrapped(to: 72)
  }

  private var valueChanges: [String] {
    let values = drifts.filter { $0.kind == .value }
    let columns = values.compactMap(\.column).reduce(into: [String]()) { names, name in
      if !names.contains(name) { names.append(name) }
    }
    return columns.compactMap { column in
      let changes = values.filter { $0.column == column }
      return changes.max { $0.size < $1.size }.map { largest in
        let place = changes.count == 1 ? "" : "\(changes.count) values, most for "
        let change = "\(largest.shown(largest.old)) -> \(largest.shown(largest.new))"
        return "- \(column): \(place)\(largest.row ?? ""): \(change)".printable.wrapped(to: 72)
      }
    }
  }
}

extension Drift {
  fileprivate var size: Double { abs(difference ?? .infinity) }

  fileprivate func shown(_ text: String?) -> String {
    guard let text, !text.isEmpty else { return "empty" }
    return text
  }
}

extension Drift.Kind {
  /// What came or went, and how often.
  fileprivate func words(_ count: Int) -> String {
    switch self {
    case .value: "\(count) changed"
    case .rowGone: Report.counted(count, "row") + " less"
    case .rowNew: Report.counted(count, "row") + " more"
    case .columnGone: Report.counted(count, "column") + " less"
    case .columnNew: Report.counted(count, "column") + " more"
    }
  }
}
