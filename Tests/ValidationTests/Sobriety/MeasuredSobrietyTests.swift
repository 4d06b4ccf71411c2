import AlcoholKinetics
import StudyData
import Testing
import Validation

@Suite struct MeasuredSobrietyTests {
  private func measured(
    _ values: [Double], threshold: GramsPerKilogram = 0, start: Hours = 0,
    end: Hours? = nil, excluding excluded: Set<Int> = []
  ) -> MeasuredSobriety {
    let readings = values.enumerated().map { index, value in
      Reading(
        time: Hours(Double(index)), value: value, unit: .bloodGramsPerKilogram,
        isExcluded: excluded.contains(index))
    }
    return MeasuredSobriety(
      readings: readings, threshold: threshold, start: start, end: end,
      factors: ConversionFactors())
  }

  @Test func theTimeLiesBetweenTwoReadings() {
    #expect(measured([0, 0.5, 0.3, 0, 0]) == .reached(lastAbove: 2, first: 3))
  }

  @Test func timeCountsFromTheFirstDrink() {
    #expect(measured([0, 0, 0.5, 0.3, 0], start: 1) == .reached(lastAbove: 2, first: 3))
  }

  /// A zero among positive readings is not sobriety.
  @Test func timeIsThatOfTheLastFall() {
    #expect(measured([0.5, 0, 0.2, 0]) == .reached(lastAbove: 2, first: 3))
  }

  @Test func readingAtTheThresholdIsSober() {
    #expect(measured([0.6, 0.5, 0.4], threshold: 0.5) == .reached(lastAbove: 0, first: 1))
  }

  @Test func sobrietyMayNotBeReached() {
    #expect(measured([0, 0.5, 0.3]) == .notReached(lastAbove: 2))
    #expect(measured([0, 0.1, 0], threshold: 0.5) == .neverAbove(first: 1))
    #expect(measured([]) == .noReadings)
  }

  /// Before everything is drunk nothing is known of what follows.
  @Test func readingsBeforeTheLastDrinkAreIgnored() {
    #expect(measured([0, 0.5, 0, 0], end: 2) == .reached(lastAbove: 1, first: 3))
    #expect(measured([0, 0.5, 0], end: 2) == .notReached(lastAbove: 1))
    #expect(measured([0, 0, 0], end: 1.5) == .neverAbove(first: 2))
    #expect(measured([0, 0], end: 5) == .noReadings)
    #expect(measured([0]) == .noReadings)
  }

  @Test func everyOutcomeHasItsKnowledge() {
    let known: [MeasuredSobriety] = [
      .reached(lastAbove: 1, first: 2), .notReached(lastAbove: 1), .neverAbove(first: 1),
      .noReadings,
    ]
    #expect(known.map(\.knowledge) == [.between, .atLeast, .atMost, .unknown])
    #expect(known.map(\.knowledge) == MeasuredSobriety.Knowledge.allCases)
  }

  @Test func excludedReadingsAreSkipped() {
    #expect(measured([0.5, 0, 0.9, 0], excluding: [2]) == .reached(lastAbove: 0, first: 1))
    #expect(measured([0.5], excluding: [0]) == .noReadings)
  }

  @Test(arguments: [false, true])
  func simultaneousSamplesCountTogether(isSwapped: Bool) {
    // Each pair at one time, in either order; of the second, one is above.
    let readings = [[0.5, 0.4], [0.1, 0.3], [0.1, 0], [0, 0]].enumerated().flatMap { hour, pair in
      (isSwapped ? pair.reversed() : pair).map {
        Reading(time: Hours(Double(hour)), value: $0, unit: .bloodGramsPerKilogram)
      }
    }
    let measured = { (count: Int) in
      MeasuredSobriety(
        readings: Array(readings.prefix(count)), threshold: 0.2, start: 0,
        factors: ConversionFactors())
    }
    #expect(measured(8) == .reached(lastAbove: 1, first: 2))
    #expect(measured(4) == .notReached(lastAbove: 1))
  }

  @Test func readingsAreConvertedToTheThresholdsUnit() {
    let readings = [
      Reading(time: 0, value: 0.60, unit: .bloodGramsPerLitre),
      Reading(time: 1, value: 0.52, unit: .bloodGramsPerLitre),
    ]
    // 0.52 g/L is 0.493 g/kg.
    let measured = MeasuredSobriety(
      readings: readings, threshold: 0.5, start: 0, factors: ConversionFactors())
    #expect(measured == .reached(lastAbove: 0, first: 1))
  }
}
