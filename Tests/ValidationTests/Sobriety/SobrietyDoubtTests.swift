import AlcoholKinetics
import Estimation
import FittingSupport
import StudyData
import Testing

@testable import Validation

@Suite struct SobrietyDoubtTests {
  private func doubts(
    _ readings: [(minute: Double, value: Double)], threshold: GramsPerKilogram = 0.1,
    resolution: Double? = nil
  ) throws -> [SobrietyDoubt] {
    var series = try SimulatedSeries.series()
    series.drinks = [Drink(time: 0, ethanol: .mass(30))]
    series.readings = readings.map {
      Reading(time: Hours(minutes: $0.minute), value: $0.value, unit: .bloodGramsPerKilogram)
    }
    let study = Study(
      name: "one", instrument: Instrument(resolution: resolution), series: [series])
    let options = PredictionOptions(methods: [GivenRFactor(0.65)], threshold: threshold)
    return try Scorer(options).scores(of: study)[0].doubts
  }

  private static let plain = [(10.0, 0.4), (30, 0.5), (50, 0.3), (70, 0.2), (90, 0.05), (110, 0)]

  @Test func regularSeriesHasNoDoubt() throws {
    #expect(try doubts(Self.plain).isEmpty)
    #expect(try doubts(Self.plain, resolution: 0.1).isEmpty)
  }

  @Test func reappearingAlcoholIsDoubted() throws {
    let readings = Self.plain + [(130, 0.15), (150, 0)]
    let found = try doubts(readings)
    #expect(found.map(\.code) == ["W_SOBER_REAPPEARS"])
    #expect(found == [.reappears(at: Hours(minutes: 130))])
  }

  /// Before absorption has begun, a zero is no sobriety.
  @Test func zeroBeforeTheRiseIsNoDoubt() throws {
    #expect(try doubts([(5.0, 0)] + Self.plain).isEmpty)
  }

  @Test func gapBetweenReadingsIsDoubted() throws {
    let gap = Array(Self.plain.prefix(4)) + [(130, 0.0), (150, 0)]
    #expect(try doubts(gap).map(\.code) == ["W_SOBER_GAP"])
    // Everything is an hour apart: nothing is missing.
    #expect(try doubts([(60.0, 0.5), (120, 0.3), (180, 0.15), (240, 0)]).isEmpty)
    // Five minutes apart, then fifteen: short enough.
    #expect(try doubts([(5.0, 0.5), (10, 0.4), (15, 0.3), (20, 0.2), (40, 0)]).isEmpty)
  }

  @Test func thresholdBelowTheResolutionIsDoubted() throws {
    #expect(
      try doubts(Self.plain, threshold: 0, resolution: 0.05).map(\.code) == [
        "W_SOBER_BELOW_RESOLUTION"
      ])
    #expect(try doubts(Self.plain, threshold: 0.05, resolution: 0.05).isEmpty)
  }

  /// A time that was not measured is not doubted.
  @Test func unmeasuredTimeIsNotDoubted() throws {
    #expect(try doubts([(10, 0.4), (30, 0.5)], threshold: 0, resolution: 0.1).isEmpty)
    #expect(try doubts([]).isEmpty)
  }
}

@Suite struct FarAbsorptionTests {
  private func study(ka: [Double]) throws -> Study {
    Study(
      name: "some",
      series: try ka.enumerated().map { index, ka in
        var series = try SimulatedSeries.series(ka: PerHour(ka))
        series.subject.id = "s\(index)"
        return series
      })
  }

  private func options(_ given: [FitParameter: Double]) -> PredictionOptions {
    PredictionOptions(parameters: .given(given), methods: [GivenRFactor(0.65)])
  }

  @Test func distantKaIsWarnedOf() throws {
    let study = try study(ka: [2, 2.5, 3, 4])
    let far = try #require(try AbsorptionMismatch(in: study, options([.ka: 18])))
    #expect(far.series == 4 && far.predicted == 18)
    #expect(abs(far.median.value - (2.5 * 3).squareRoot()) < 0.01)
    #expect("\(far)".contains("too early and too high"))
    let slow = try #require(try AbsorptionMismatch(in: study, options([.ka: 1])))
    #expect("\(slow)".contains("too late"))
    #expect(try AbsorptionMismatch(in: study, options([.ka: 4])) == nil)
  }

  /// The typical k_a is that of these people.
  @Test func typicalKaIsNotFar() throws {
    let study = try study(ka: [3, 4, 5, 8])
    #expect(try AbsorptionMismatch(in: study, options([:])) == nil)
    #expect(try AbsorptionMismatch(in: study, options([.ka: 9.5])) != nil)
  }

  /// A series at a time, in any order, the same is found; of many subjects the same 200 are fitted.
  @Test(arguments: [4, 230])
  func streamWarnsOfTheSameKa(count: Int) throws {
    let study = try study(ka: (0..<count).map { 3.5 + Double($0 % 7) / 4 })
    let options = options([.ka: 18])
    let whole = try #require(try AbsorptionMismatch(in: study, options))
    #expect(whole.series == min(count, 200))
    for series in [study.series, study.series.reversed()] {
      var check = try AbsorptionCheck(options, study.instrument)
      for one in series { check.add(one) }
      #expect(check.mismatch == whole)
    }
    var near = try AbsorptionCheck(self.options([:]), study.instrument)
    for one in study.series { near.add(one) }
    #expect(near.mismatch == nil)
  }

  /// The food state of subjects selects the k_a of their predictions.
  @Test func kaIsComparedWithEachSubjectsPrediction() throws {
    var study = try study(ka: [18, 18, 18])
    #expect(try AbsorptionMismatch(in: study, options([:]))?.predicted == 5.522)
    for index in study.series.indices { study.series[index].subject.food = .fed }
    #expect(try AbsorptionMismatch(in: study, options([:]))?.predicted == 4.65)
  }

  /// Two series are no study.
  @Test func fewSeriesAreNotWarnedOf() throws {
    #expect(try AbsorptionMismatch(in: study(ka: [2, 3]), options([.ka: 18])) == nil)
    #expect(
      try AbsorptionMismatch(
        in: study(ka: [2, 3, 4]),
        PredictionOptions(parameters: .leftOut(starts: 1), methods: [GivenRFactor(0.65)])) == nil)
  }
}
