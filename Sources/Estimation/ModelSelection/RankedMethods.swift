/// Which of several methods are ranked, and on which series: errors and likelihoods can be compared only on readings that
/// every ranked method has.
///
/// A method that can be used for nobody stands aside, and unless all are wanted so does one that has no formula for
/// somebody's sex, as long as two are left. The others are ranked on the series that all of them can be used for.
package struct RankedMethods: Codable, Hashable, Sendable {
  /// A series that methods are ranked on.
  package struct Unit: Sendable {
    let subject: String
    let readings: Int

    /// - `readings`: How many of them are compared; 0 if that is not known.
    package init(subject: String, readings: Int = 0) {
      self.subject = subject
      self.readings = readings
    }
  }

  /// A method, and for which series it can be used.
  package struct Candidate: Sendable {
    let name: String
    let isUsable: [Bool]
    let isUndefined: Bool
    let hasGaps: Bool

    /// - `isUsable`: For each series whether the method can be used.
    /// - `isUndefined`: Whether it has no formula for the sex of somebody.
    /// - `hasGaps`: Whether it is a model from elsewhere that lacks series which others have. It is never ranked beside
    ///   others, so that they are compared on the same series as without it.
    package init(
      _ name: String, isUsable: [Bool], isUndefined: Bool, hasGaps: Bool = false
    ) {
      self.name = name
      self.isUsable = isUsable
      self.isUndefined = isUndefined
      self.hasGaps = hasGaps
    }
  }

  /// How much there is of something.
  package struct Extent: Codable, Hashable, Sendable {
    package let people: Int
    package let series: Int
    /// Compared readings; 0 if they were not counted.
    package let readings: Int

    init(_ units: [Unit], _ places: [Int]) {
      people = Set(places.map { units[$0].subject }).count
      series = places.count
      readings = places.reduce(0) { $0 + units[$1].readings }
    }
  }

  /// A method that is not ranked.
  package struct Aside: Codable, Hashable, Sendable {
    package let method: String
    /// What it can be used for.
    package let extent: Extent
  }

  /// People who are not in the ranking, with the first ranked method that cannot be used for them.
  package struct LeftOut: Codable, Hashable, Sendable {
    package let method: String
    package let subjects: [String]
    package let series: Int
  }

  /// The ranked methods; none if no series has all of them.
  package let methods: [String]
  /// The others.
  package let aside: [Aside]
  /// Who is not in the ranking.
  package let leftOut: [LeftOut]
  /// What any of the methods can be used for.
  package let all: Extent
  /// The places of the series that the ranking is on.
  package let series: [Int]

  /// Decides.
  ///
  /// - `areAllWanted`: Whether all are ranked, on whatever series remain.
  package init(_ candidates: [Candidate], of units: [Unit], areAllWanted: Bool) {
    let places = units.indices.filter { place in candidates.contains { $0.isUsable[place] } }
    all = Extent(units, places)
    let some = candidates.filter { $0.isUsable.contains(true) }
    let usable = some.allSatisfy(\.hasGaps) ? some : some.filter { !$0.hasGaps }
    let defined = usable.filter { !$0.isUndefined }
    let ranked = areAllWanted || defined.count < 2 ? usable : defined
    var common: [Int] = []
    var lacking: [String: [Int]] = [:]
    for place in places {
      let first = ranked.first { !$0.isUsable[place] }
      if let first { lacking[first.name, default: []].append(place) } else { common.append(place) }
    }
    series = common
    methods = common.isEmpty ? [] : ranked.map(\.name)
    leftOut = ranked.compactMap { candidate in
      lacking[candidate.name].map { places in
        var known: Set<String> = []
        let subjects = places.map { units[$0].subject }.filter { known.insert($0).inserted }
        return LeftOut(method: candidate.name, subjects: subjects, series: places.count)
      }
    }
    let own = Set(methods)
    aside = candidates.filter { !own.contains($0.name) }.map { candidate in
      Aside(
        method: candidate.name,
        extent: Extent(units, units.indices.filter { candidate.isUsable[$0] }))
    }
  }

  /// Whether a method is ranked.
  package func ranks(_ method: String) -> Bool { methods.contains(method) }
}
