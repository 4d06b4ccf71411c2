import Estimation
import TestSupport
import Testing

/// The methods that are ranked, and the series on which they are compared.
@Suite struct RankedMethodsTests {
  private static func ranking(
    _ usable: [[Bool]], undefined: Set<Int> = [], all: Bool = false
  ) -> RankedMethods {
    RankedMethods(
      usable.enumerated().map {
        RankedMethods.Candidate("m\($0)", isUsable: $1, isUndefined: undefined.contains($0))
      },
      of: (0..<(usable.first?.count ?? 0)).map {
        RankedMethods.Unit(subject: "p\($0)", readings: 10)
      }, requiresAllMethods: all)
  }

  /// A missing measure takes a person, not the method; a missing formula the method.
  @Test func rankingLeavesOutPeopleOrMethods() {
    let usable = [[true, true, true], [true, false, true], [false, true, true]]
    let missing = Self.ranking(usable)
    #expect(missing.methods == ["m0", "m1", "m2"] && missing.series == [2])
    #expect(missing.leftOut.map(\.method) == ["m1", "m2"])
    #expect(missing.leftOut.map(\.subjects) == [["p1"], ["p0"]])
    let undefined = Self.ranking(usable, undefined: [2])
    #expect(undefined.methods == ["m0", "m1"] && undefined.series == [0, 2])
    #expect(undefined.aside.map(\.method) == ["m2"])
    #expect(undefined.aside[0].extent.readings == 20 && undefined.all.readings == 30)
    #expect(Self.ranking(usable, undefined: [2], all: true) == missing)
    // One alone is no ranking.
    #expect(Self.ranking(usable, undefined: [1, 2]) == missing)
  }

  @Test func methodsWithoutCommonPeopleAreNotRanked() {
    let disjoint = Self.ranking([[true, false], [false, true]])
    #expect(disjoint.methods.isEmpty && disjoint.series.isEmpty && disjoint.aside.count == 2)
    // A method for nobody takes nobody, even if it was asked for; nor does a person without any method.
    let useless = Self.ranking([[true, true, false], [false, false, false]], all: true)
    #expect(useless.methods == ["m0"] && useless.series == [0, 1])
    #expect(useless.aside.map(\.extent.people) == [0] && useless.all.people == 2)
    #expect(Self.ranking([]).methods.isEmpty)
  }

  /// All ranked methods can be used for every series of the ranking, and series that are left out are named.
  @Test func rankedMethodsCoverEverySeries() {
    var stream = SeededGenerator(seed: 39)
    for _ in 0..<300 {
      let (methods, people) = (
        Int.random(in: 1...5, using: &stream), Int.random(in: 1...6, using: &stream)
      )
      let usable = (0..<methods).map { _ in
        (0..<people).map { _ in Int.random(in: 0...3, using: &stream) > 0 }
      }
      let undefined = Set((0..<methods).filter { _ in Int.random(in: 0...3, using: &stream) == 0 })
      let ranking = Self.ranking(usable, undefined: undefined, all: Bool.random(using: &stream))
      let ranked = (0..<methods).filter { ranking.ranks("m\($0)") }
      #expect(ranked.allSatisfy { method in ranking.series.allSatisfy { usable[method][$0] } })
      #expect(ranking.methods.count + ranking.aside.count == methods)
      let reachable = (0..<people).filter { person in usable.contains { $0[person] } }
      #expect(
        ranking.series.count + ranking.leftOut.reduce(0) { $0 + $1.series } == reachable.count)
    }
  }
}
