/// The selection of methods for a ranking, and of the series it is based on: errors and likelihoods are comparable only on
/// readings that every ranked method predicts.
///
/// A method that cannot be used for any series is not ranked. Unless all are required, the same holds for a method without a
/// formula for the sex of a subject, as long as two methods are left. The others are ranked on their common series.
package struct RankedMethods: Codable, Hashable, Sendable {
  /// A series for the ranking.
  package struct Unit: Sendable {
    let subject: String
    let readings: Int

    /// - `readings`: The number of compared readings; 0 if unknown.
    package init(subject: String, readings: Int = 0) {
      self.subject = subject
      self.readings = readings
    }
  }

  /// A method, with the series for which it can be used.
  package struct Candidate: Sendable {
    let name: String
    let isUsable: [Bool]
    let isUndefined: Bool
    let hasGaps: Bool

    /// - `isUsable`: True for each series for which the method can be used.
    /// - `isUndefined`: True if it has no formula for the sex of some subject.
    /// - `hasGaps`: True if it is an external model without predictions for some series. It is not ranked with the others,
    ///   which are thus compared on the same series as without it.
    package init(
      _ name: String, isUsable: [Bool], isUndefined: Bool, hasGaps: Bool = false
    ) {
      self.name = name
      self.isUsable = isUsable
      self.isUndefined = isUndefined
      self.hasGaps = hasGaps
    }
  }

  /// The numbers of people, series and readings.
  package struct SampleSize: Codable, Hashable, Sendable {
    package let people: Int
    package let series: Int
    /// The number of compared readings; 0 if they were not counted.
    package let readings: Int

    init(_ units: [Unit], _ indices: [Int]) {
      people = Set(indices.map { units[$0].subject }).count
      series = indices.count
      readings = indices.reduce(0) { $0 + units[$1].readings }
    }
  }

  /// A method that is not ranked.
  package struct Aside: Codable, Hashable, Sendable {
    package let method: String
    /// The sample that it can be used for.
    package let extent: SampleSize
  }

  /// People who are not in the ranking, with the first ranked method that cannot be used for them.
  package struct LeftOut: Codable, Hashable, Sendable {
    package let method: String
    package let subjects: [String]
    package let series: Int
  }

  /// The ranked methods; none if no series has all of them.
  package let methods: [String]
  /// The methods that are not ranked.
  package let aside: [Aside]
  /// The people who are not in the ranking.
  package let leftOut: [LeftOut]
  /// The sample that at least one method can be used for.
  package let all: SampleSize
  /// The indices of the series that the ranking is based on.
  package let series: [Int]

  /// Selects methods and series.
  ///
  /// - `requiresAllMethods`: True to rank all methods, on the series that remain.
  package init(_ candidates: [Candidate], of units: [Unit], requiresAllMethods: Bool) {
    let indices = units.indices.filter { index in candidates.contains { $0.isUsable[index] } }
    all = SampleSize(units, indices)
    let some = candidates.filter { $0.isUsable.contains(true) }
    let usable = some.allSatisfy(\.hasGaps) ? some : some.filter { !$0.hasGaps }
    let defined = usable.filter { !$0.isUndefined }
    let ranked = requiresAllMethods || defined.count < 2 ? usable : defined
    var common: [Int] = []
    var lacking: [String: [Int]] = [:]
    for index in indices {
      let first = ranked.first { !$0.isUsable[index] }
      if let first { lacking[first.name, default: []].append(index) } else { common.append(index) }
    }
    series = common
    methods = common.isEmpty ? [] : ranked.map(\.name)
    leftOut = ranked.compactMap { candidate in
      lacking[candidate.name].map { indices in
        var seen: Set<String> = []
        let subjects = indices.map { units[$0].subject }.filter { seen.insert($0).inserted }
        return LeftOut(method: candidate.name, subjects: subjects, series: indices.count)
      }
    }
    let rankedNames = Set(methods)
    aside = candidates.filter { !rankedNames.contains($0.name) }.map { candidate in
      Aside(
        method: candidate.name,
        extent: SampleSize(units, units.indices.filter { candidate.isUsable[$0] }))
    }
  }

  /// Returns true if a method is ranked.
  package func ranks(_ method: String) -> Bool { methods.contains(method) }
}
