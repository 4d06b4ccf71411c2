import AlcoholKinetics
import Estimation
import Foundation
import StudyData
import TestSupport
import Testing

@testable import Population

/// Methods for r, ranked on the same subjects.
@Suite struct PopulationRankingTests {
  private static let methods: [any RFactorMethod] = [
    Widmark(), Watson(), Forrest(), Seidl(), Ulrich(),
  ]

  private static func model(_ method: (any RFactorMethod)?) -> PopulationModel {
    PopulationModel(
      parameters: [.kinetic(.ka)], random: [.kinetic(.beta), .kinetic(.r)], rFactor: method)
  }

  /// Subjects whose r is Seidl's, but for a spread; every third is a woman if there are women.
  private static func study(
    _ people: Int, women: Bool, spread: Double = 0.03, seed: UInt64 = 7
  ) throws -> [Series] {
    try FewSubjectsTests.study(
      people, seed: seed, rSpread: spread,
      r: { subject in
        let (w, h) = (subject.weight?.value ?? 0, subject.height?.value ?? 0)
        return subject.sex == .male
          ? 0.31608 - 0.004821 * w + 0.4632 * h : 0.31223 - 0.006446 * w + 0.4466 * h
      },
      subject: {
        Subject(
          id: "p\($0)", sex: women && $0 % 3 == 0 ? .female : .male, age: Years(22 + Double($0)),
          height: Metres(1.6 + 0.04 * Double(($0 * 3) % 8)),
          weight: Kilograms(58 + 6 * Double(($0 * 5) % 7)))
      })
  }

  private static func fits(
    _ study: [Series], _ methods: [(any RFactorMethod)?]
  ) throws -> [PopulationFit] {
    try methods.map { try PopulationFit(study, model: model($0), options: .init(starts: 1)) }
  }

  @Test func methodsWithoutFormulaForAllAreNotRanked() throws {
    let study = try Self.study(9, women: true)
    let all =
      [(name: "none", model: Self.model(nil))]
      + Self.methods.map { (name: $0.name, model: Self.model($0)) }
    // `all`: Ulrich stands aside, and nobody is left out.
    let open = try CommonSeries(study, instrument: nil, all, requiresAllMethods: false)
    #expect(open.models == [0, 1, 2, 3, 4] && open.ranking.aside.map(\.method) == ["ulrich"])
    #expect(open.ranking.aside[0].extent.people == 6 && open.ranking.all.people == 9)
    #expect(open.series.count == 9 && open.leftOut.isEmpty)
    // Asked for by name: the women are left out of all.
    let named = try CommonSeries(study, instrument: nil, all)
    #expect(named.models == [0, 1, 2, 3, 4, 5] && named.ranking.aside.isEmpty)
    #expect(named.ranking.leftOut.map(\.method) == ["ulrich"])
    #expect(named.leftOut.keys.map(\.self) == [5])
    #expect(named.leftOut[5]?.map(\.subject) == ["p0", "p3", "p6"])
    #expect(named.leftOut[5]?.first?.code == "N_R_NOT_DEFINED")
    #expect(named.series.count == 6)
    // A missing measure takes a subject, not the method.
    var lacking = study
    lacking[1] = Series(
      subject: Subject(id: "p1", sex: .male, age: 30, weight: 70), drinks: lacking[1].drinks,
      readings: lacking[1].readings)
    let less = try CommonSeries(lacking, instrument: nil, all, requiresAllMethods: false)
    #expect(less.models == [0, 1, 2, 3, 4] && less.leftOut[2]?.map(\.subject) == ["p1"])
    #expect(less.leftOut[2]?.first?.code == "E_MEASURE_MISSING" && less.series.count == 8)
  }

  @Test func differentSubjectsAreNotRanked() throws {
    let study = try Self.study(9, women: true)
    let fits = try Self.fits(study, [Seidl(), Ulrich()])
    #expect(fits[1].individuals.count == 6)
    // With fewer subjects its -2 ln L is of another study.
    #expect(PopulationRanking(fits) == nil)
    #expect(PopulationRanking([fits[0]]) == nil)
  }

  @Test func trueMethodRanksFirst() throws {
    let study = try Self.study(16, women: false)
    let fits = try Self.fits(study, [nil] + Self.methods)
    let ranking = try #require(PopulationRanking(fits))
    #expect(ranking.first == 4)
    #expect(ranking.places[4].standing == .first && ranking.places[4].behind == 0)
    #expect(ranking.places[1].standing == .worse)
    #expect(abs(ranking.places.reduce(0) { $0 + $1.shareFirst } - 1) < 1e-9)
    // The statistic by its formula: the difference of AIC over sqrt(n) standard deviations of what subjects contribute.
    for (index, place) in ranking.places.enumerated() where index != 4 {
      let differences = zip(fits[index].individuals, fits[4].individuals).map {
        $0.contribution - $1.contribution
      }
      let (n, sum) = (16.0, differences.reduce(0, +))
      let variance = differences.reduce(0) { $0 + pow($1 - sum / n, 2) } / (n - 1)
      let more = Double(2 * (fits[index].estimatedCount - fits[4].estimatedCount))
      let z = (sum + more) / (n * variance).squareRoot()
      let (found, pValue) = (try #require(place.z), try #require(place.pValue))
      #expect(agree(found, z, relative: 1e-9))
      #expect((place.standing == .worse) == (pValue < 0.05))
    }
    #expect(ranking.places == PopulationRanking(fits)?.places)
  }

  /// Two names of one r: nothing tells them apart, so neither is called first.
  @Test func equalMethodsAreTied() throws {
    let study = try Self.study(6, women: false, spread: 0.1)
    let fits = try Self.fits(study, [GivenRFactor(0.7), GivenRFactor(0.7), GivenRFactor(0.3)])
    let ranking = try #require(PopulationRanking(fits))
    #expect(ranking.places.prefix(2).map(\.standing) == [.tied, .tied])
    #expect(ranking.places[2].standing != .tied && ranking.places[2].standing != .first)
    #expect(ranking.places[1].z == nil && abs(ranking.places[1].behind) < PopulationRanking.tie)
    #expect(abs(ranking.places[0].shareFirst - ranking.places[1].shareFirst) < 1e-9)
    #expect(abs(ranking.places.reduce(0) { $0 + $1.shareFirst } - 1) < 1e-9)
  }
}
