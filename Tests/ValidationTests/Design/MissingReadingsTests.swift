import AlcoholKinetics
import Estimation
import FittingSupport
import StudyData
import TestSupport
import Testing

@testable import Validation

@Suite struct MissingReadingsTests {
  private static let drinks = [Drink(time: 0, ethanol: .mass(40))]

  private func fit(_ series: Series) throws -> SeriesFit {
    try SeriesFitter(options: FitOptions(estimate: [.ka, .beta, .r])).fit(series)
  }

  /// Readings after absorption alone leave k_a open; the suggested readings determine it as well as was stated.
  @Test func suggestedReadingsDetermineKa() throws {
    var noisy = try SimulatedSeries.series(
      ka: 3.5, drinks: Self.drinks, everyMinutes: 5, count: 44)
    for index in noisy.readings.indices {
      noisy.readings[index].value += 0.01 * [1, -1, -0.5, 0.8, -0.9, 0.4][index % 6]
    }
    var late = noisy
    late.readings = noisy.readings.filter {
      $0.time >= 2 && Int($0.time.minutes.rounded()) % 15 == 0
    }
    let open = try fit(late)
    #expect(open.estimates[.ka]?.isDetermined == false)
    let missing = try #require(MissingReadings(for: .ka, in: open, of: late))
    #expect(missing.within <= MissingReadings.goal && missing.minutes.count <= 3)
    #expect(missing.minutes.allSatisfy { $0 < 60 })
    var more = late
    more.readings += noisy.readings.filter { reading in
      missing.minutes.contains { abs($0 - reading.time.minutes) < 0.1 }
    }
    let closed = try #require(try fit(more.inOrder).estimates[.ka])
    #expect(closed.isDetermined)
    let (low, high) = (try #require(closed.low), try #require(closed.high))
    let half = (high - low) / 2 / closed.value
    #expect(half < 2 * missing.within, "\(half) \(missing)")
    #expect(MissingReadings(for: .beta, in: open, of: late) == nil)
  }

  /// Suggestions from times alone assume a typical subject, first measured after two hours or all along.
  @Test func missingReadingsFollowFromTimesAlone() throws {
    func series(_ minutes: [Double]) -> Series {
      Series(
        subject: SimulatedSeries.man, drinks: Self.drinks,
        readings: minutes.map {
          Reading(time: Hours(minutes: $0), value: 0.4, unit: .bloodGramsPerKilogram)
        })
    }
    let late = try #require(
      MissingReadings(for: .ka, timesOf: series([120, 140, 160, 180, 200])))
    #expect(late.minutes.contains { $0 < 30 })
    #expect(MissingReadings(for: .ka, timesOf: series([10, 20, 40, 80, 120, 180])) == nil)
  }
}

extension Series {
  fileprivate var inOrder: Series {
    var series = self
    series.readings.sort { $0.time < $1.time }
    return series
  }
}
