import AlcoholKinetics
import StudyData

/// A remark on one series, or on one subject, for people.
struct Note {
  private let label: String
  private let remark: String

  /// - Parameter times: The readings that it is about, if it is about some.
  init(about series: Series, _ remark: String, at times: [Hours] = []) {
    let name = series.shortLabel
    label = times.isEmpty ? name : "\(name) at \(Self.minutes(times))"
    self.remark = remark
  }

  init(about subject: Subject, _ remark: String) {
    label = subject.id
    self.remark = remark
  }

  /// One line for each different remark, in the order they first occur, with the series it is about
  /// as subject or subject/occasion.
  static func grouped(_ notes: [Note]) -> [String] {
    var labels: [String: [String]] = [:]
    var remarks: [String] = []
    for note in notes {
      if labels[note.remark] == nil { remarks.append(note.remark) }
      labels[note.remark, default: []].append(note.label)
    }
    return remarks.map { "\($0) [\(list(labels[$0] ?? []))]" }
  }

  private static func minutes(_ times: [Hours]) -> String {
    let shown = 3
    let minutes = times.prefix(shown).map { NumberStyle.decimals(0).format($0.minutes) }
    let rest = times.count > shown ? ", ..." : ""
    return minutes.joined(separator: ", ") + rest + " min"
  }

  private static func list(_ labels: [String]) -> String {
    let unique = labels.reduce(into: [String]()) { list, label in
      if list.last != label { list.append(label) }
    }
    let shown = 12
    let rest = unique.count - shown
    return unique.prefix(shown).joined(separator: ", ") + (rest > 0 ? " and \(rest) more" : "")
  }
}
