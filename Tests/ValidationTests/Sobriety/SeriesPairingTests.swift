import AlcoholKinetics
import StudyData
import TestSupport
import Testing

@testable import Validation

/// Curves are found for the series of a stream as they are for those of a study.
@Suite struct SeriesPairingTests {
  private static let names = [("a", "1"), ("a", "2"), ("b", nil), ("c", "1"), ("c", "2")]

  private static func study(_ names: [(String, String?)], at minute: Double) -> Study {
    let time = Hours(minutes: minute)
    let readings = [
      Reading(time: 0, value: 0.5, unit: .bloodGramsPerKilogram),
      Reading(time: time, value: 0, unit: .bloodGramsPerKilogram),
    ]
    return Study(
      name: "study",
      series: names.map { id, occasion in
        Series(
          subject: Subject(id: id), occasion: occasion,
          drinks: [Drink(time: 0, ethanol: .mass(20))], readings: readings,
          diagnostics: [warning(id + (occasion ?? ""))])
      })
  }

  private static func warning(_ message: String) -> Diagnostic {
    Diagnostic(.timeOrder, at: SourceLocation(file: "f"), message: message, remedy: "none")
  }

  /// Subjects in any order, some without a curve, and curves of nobody.
  @Test(arguments: 0..<50)
  func findsWhatAStudyFinds(seed: Int) throws {
    var generator = SeededGenerator(seed: UInt64(seed))
    let study = Self.study(Self.names, at: 100)
    var names = [[Self.names[0], Self.names[1]], [Self.names[2]], [Self.names[3], Self.names[4]]]
    names += [[("d", nil)], [("e", "1"), ("e", "2")]]
    names = names.map { Bool.random(using: &generator) ? $0 : $0.reversed() }
    if seed > 0 { names.shuffle(using: &generator) }
    names.removeLast(Int.random(in: 0...2, using: &generator))
    let curves = Self.study(names.flatMap { $0 }, at: 80)
    let scorer = try SobrietyScorer()
    var scores: [SobrietyScore] = []
    var found: [Series] = []
    let rest = try scorer.forEach(of: StudyStream(study), curves: StudyStream(curves)) {
      scores.append($0)
      if let curve = $1 { found.append(curve) }
    }
    let expected = scorer.scores(of: curves, against: study)
    #expect(scores.map(\.series) == study.series)
    #expect(scores.map(\.prediction.value?.time) == expected.map(\.prediction.value?.time))
    #expect(scores.map(\.status) == expected.map(\.status))
    // What was found is told of every curve once, whoever it belongs to.
    let told = (found.flatMap(\.diagnostics) + rest).map(\.message).sorted()
    #expect(told == curves.series.flatMap(\.diagnostics).map(\.message).sorted())
  }

  @Test func passesOverNobodyInTheSameOrder() throws {
    let study = Self.study(Self.names, at: 100)
    var pairing = SeriesPairing(in: StudyStream(Self.study(Self.names, at: 80)))
    for series in study.series {
      let partner = try #require(try pairing.partner(of: series))
      #expect(partner.subject == series.subject)
      #expect(partner.occasion == series.occasion)
    }
    #expect(try pairing.rest() == [])
  }
}

extension Result {
  fileprivate var value: Success? { try? get() }
}
