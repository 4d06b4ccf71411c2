import AlcoholKinetics
import StudyData
import Testing

@testable import StudyFiles

/// Ordinary mistakes are doubted at the thresholds that the article states, and nothing short of them.
@Suite struct SeriesDoubtsTests {
  private typealias Point = (minutes: Double, value: Double)

  private func doubts(
    grams: Double = 40, weight: Kilograms? = 80, drinkAt: Double = 0, _ points: [Point],
    limit: Double? = nil, excluding excluded: Int? = nil
  ) -> SeriesDoubts {
    SeriesDoubts(
      weight: weight, drinks: [Drink(time: Hours(minutes: drinkAt), ethanol: .mass(Grams(grams)))],
      readings: points.enumerated().map { index, point in
        Reading(
          time: Hours(minutes: point.minutes), value: point.value, unit: .bloodGramsPerKilogram,
          limitOfDetection: limit, isExcluded: index == excluded)
      })
  }

  private static func points(every step: Double, count: Int = 6) -> [Point] {
    (1...count).map { (Double($0) * step, 0.4) }
  }

  // MARK: Times

  @Test func validSeriesAreNotDoubted() {
    #expect(doubts(Self.points(every: 30)).isEmpty)
    #expect(doubts([]).isEmpty)
    #expect(SeriesDoubts(weight: 80, drinks: [], readings: []).isEmpty)
  }

  @Test func hoursForMinutesAreDoubted() {
    #expect(doubts([(0.5, 0.4), (1, 0.6), (2, 0.5), (8, 0)]).hasShortTimes)
    #expect(doubts([(10, 0.4), (20, 0.6), (25, 0.5), (29.9, 0.4)]).hasShortTimes)
    #expect(!doubts([(10, 0.4), (20, 0.6), (25, 0.5), (30, 0.4)]).hasShortTimes)
    #expect(!doubts([(0.5, 0.4), (2, 0.5), (8, 0)]).hasShortTimes)
    #expect(!doubts(grams: 10, [(0.5, 0.1), (1, 0.1), (2, 0.1), (8, 0)]).hasShortTimes)
  }

  @Test func readingsTooCloseAreDoubted() {
    #expect(doubts(Self.points(every: 0.9, count: 60)).hasShortTimes)
    #expect(!doubts(Self.points(every: 1, count: 241)).hasShortTimes)
    // Two samples each time are as far apart as the times.
    let pairs = Self.points(every: 30).flatMap { [$0, $0] }
    #expect(!doubts(pairs).hasShortTimes)
  }

  // MARK: Before the first drink

  @Test func alcoholBeforeTheFirstDrinkIsDoubted() {
    let points: [Point] = [(-30, 0), (-20, 0.03), (5, 0.5), (60, 0.4)]
    #expect(doubts(points).earlyReading == 1)
    #expect(doubts(points, limit: 0.03).earlyReading == nil)
    #expect(doubts(points, limit: 0.02).earlyReading == 1)
    #expect(doubts(points, excluding: 1).earlyReading == nil)
    #expect(doubts([(-20, 0.02), (60, 0.4)]).earlyReading == nil)
    // What is drunk at that moment is in nobody's blood yet.
    #expect(doubts([(0, 0.4), (60, 0.4)]).earlyReading == 0)
    #expect(doubts([(0, 0), (60, 0.4)]).earlyReading == nil)
    #expect(doubts(drinkAt: 15, points).earlyReading == 1)
  }

  @Test func alcoholHalfADayBeforeTheFirstDrinkIsOfAnotherDay() {
    #expect(doubts(drinkAt: 720, [(0, 0.03), (740, 0.5)]).readingOfAnotherDay == 0)
    #expect(doubts(drinkAt: 720, [(0, 0.03), (740, 0.5)]).earlyReading == nil)
    #expect(doubts(drinkAt: 719, [(0, 0.03), (740, 0.5)]).readingOfAnotherDay == nil)
    #expect(doubts(drinkAt: 720, [(0, 0.02), (740, 0.5)]).isEmpty)
    #expect(doubts(drinkAt: 720, [(0, 0.3), (740, 0.5)], excluding: 0).isEmpty)
  }

  // MARK: Gaps

  @Test func halfADayWithoutAnythingIsDoubted() {
    let points: [Point] = [(30, 0.5), (60, 0.4), (780, 0.1)]
    #expect(doubts(points).gap == .reading(2, after: 12))
    #expect(doubts([(30, 0.5), (60, 0.4), (779, 0.1)]).isEmpty)
    // A control on the day after, and a person who was sober before.
    #expect(doubts([(30, 0.5), (60, 0.4), (1440, 0)]).isEmpty)
    #expect(doubts([(30, 0.5), (60, 0.4), (300, 0), (1440, 0.1)]).isEmpty)
    #expect(doubts([(30, 0.5), (60, 0.4), (1440, 0.1), (1500, 0)], excluding: 2).isEmpty)
    #expect(doubts([(750, 0.1)]).gap == .reading(0, after: 12.5))
  }

  @Test func drinksOfAnotherDayAreDoubted() {
    let readings = [(30, 0.5), (120, 0.3)].map {
      Reading(time: Hours(minutes: $0), value: $1, unit: .bloodGramsPerKilogram)
    }
    let drinks = [0, 1320].map { Drink(time: Hours(minutes: $0), ethanol: .mass(20)) }
    #expect(
      SeriesDoubts(weight: 80, drinks: drinks, readings: readings).gap == .drink(1, after: 20))
    // A drink that takes its time ends when it ends.
    let long = [Drink(time: 0, duration: 10, ethanol: .mass(20)), drinks[1]]
    #expect(
      SeriesDoubts(weight: 80, drinks: long, readings: readings).gap == .drink(1, after: 12))
  }

  // MARK: Doses

  /// 40 g in 80 kg are 0.5 g/kg, which give 1 g/kg at most.
  @Test func readingsFarAboveTheDoseAreDoubted() {
    #expect(doubts([(30, 2), (60, 3.1)]).highReading == 1)
    #expect(doubts([(30, 2), (60, 2.9)]).isEmpty)
    #expect(doubts([(30, 2), (60, 3.1)], excluding: 1).isEmpty)
    #expect(doubts(weight: nil, [(30, 2), (60, 3.1)]).isEmpty)
    #expect(doubts(grams: 1, [(30, 0.19)]).isEmpty)
    #expect(doubts(grams: 1, [(30, 0.21)]).highReading == 0)
    let placebo = doubts(grams: 0, [(0, 0), (30, 0.5)])
    #expect(placebo.isWithoutAlcohol && placebo.earlyReading == 1)
    #expect(doubts(grams: 0, [(30, 0), (60, 0)]).isEmpty)
  }

  /// 0.5 g/kg give 0.5 / 0.65 - 0.15 = 0.62 g/kg after an hour: a fifth of it is 0.124.
  @Test func readingsFarBelowTheDoseAreDoubted() {
    #expect(doubts([(30, 0.02), (60, 0.123), (90, 0.03)]).lowReading == 1)
    #expect(doubts([(30, 0.02), (60, 0.125), (90, 0.03)]).isEmpty)
    // Nothing need have come yet, or be left.
    #expect(doubts([(10, 0.02), (20, 0.04)]).isEmpty)
    #expect(doubts([(240, 0.02), (300, 0)]).isEmpty)
    #expect(doubts(grams: 23, [(60, 0.01)]).isEmpty)
    #expect(doubts(grams: 25, [(60, 0.01)]).lowReading == 0)
    #expect(doubts(weight: nil, [(60, 0.01)]).isEmpty)
  }
}

extension SeriesDoubts {
  fileprivate var isEmpty: Bool {
    !hasShortTimes && earlyReading == nil && highReading == nil && lowReading == nil
      && readingOfAnotherDay == nil && gap == nil && drinkApart == nil
  }
}
