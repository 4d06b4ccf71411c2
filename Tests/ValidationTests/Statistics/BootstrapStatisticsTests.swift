import GSL
import TestSupport
import Testing
import Validation

@Suite struct BootstrapStatisticsTests {
  private func mean(_ values: [Double]) -> ([Int]) -> Double? {
    { drawn in Sample(drawn.map { values[$0] })?.mean }
  }

  /// The same draws from NumPy's Mersenne Twister (Tests/Tools/statistics_scipy.py).
  @Test func agreesWithNumPy() throws {
    for row in try PackageFolder.expectations("statistics-bootstrap") {
      let values = try row.numbers("values")
      let bootstrap = Bootstrap(
        seed: UInt64(try #require(try row.number("seed"))),
        replicates: Int(try #require(try row.number("replicates"))),
        level: try #require(try row.number("level")))
      let intervals = bootstrap.intervals(count: values.count, width: 2) { drawn in
        let sample = Sample(drawn.map { values[$0] })
        return [sample?.mean, sample?.median]
      }
      let ends = intervals.flatMap { [$0?.low, $0?.high] }
      let columns = ["mean_low", "mean_high", "median_low", "median_high"]
      for (end, column) in zip(ends, columns) {
        #expect(agree(end, try row.number(column)), "\(row["case"] ?? ""), \(column)")
      }
    }
  }

  /// There are 27 equally likely draws of three subjects, so that the quantiles of all are known.
  @Test func findsTheQuantilesOfAllDraws() throws {
    let values: [Double] = [0, 1, 10]
    let means = (0..<27).compactMap { draw in
      mean(values)([draw % 3, draw / 3 % 3, draw / 9])
    }
    let all = try #require(Sample(means))
    // The mean is 1/3 from 1/27 to 4/27 of the draws and 7 from 23/27 to 26/27. The interval ends at
    // 10 and 90 %, which the noise of 4000 draws, 0.5 %, cannot carry out of there.
    let interval = Bootstrap(seed: 3, replicates: 4000, level: 0.8)
      .interval(count: 3, statistic: mean(values))
    #expect(interval == Interval(low: 1.0 / 3, high: 7))
    #expect(interval?.low == all.quantile(0.1))
    #expect(interval?.high == all.quantile(0.9))
  }

  @Test func equalSeedsGiveEqualBitsInAnyOrder() throws {
    let values = [0.3, -1.7, 2.2, 0.8, 5.1, -0.4, 1.1]
    func interval(seed: UInt64, count: Int = 7) -> Interval? {
      Bootstrap(seed: seed, replicates: 300).interval(count: count, statistic: mean(values))
    }
    let first = try #require(interval(seed: 7))
    _ = interval(seed: 7, count: 5)
    #expect(interval(seed: 7) == first)
    #expect(interval(seed: 8) != first)
    // A seed is more than its lower half.
    #expect(interval(seed: 7 + 1 << 40) != first)
  }

  @Test func severalStatisticsSeeTheSameDraws() {
    let values = [0.3, -1.7, 2.2, 0.8, 5.1]
    let bootstrap = Bootstrap(seed: 1, replicates: 200)
    let alone = bootstrap.interval(count: 5, statistic: mean(values))
    let together = bootstrap.intervals(count: 5, width: 4) { drawn in
      [nil, mean(values)(drawn), .nan]
    }
    #expect(alone != nil)
    #expect(together == [nil, alone, nil, nil])
  }

  /// Two methods that differ by a constant on every subject differ by it in every draw, however
  /// much the subjects differ.
  @Test func differencesBetweenMethodsArePaired() throws {
    let errors = [12.0, -40, 3, 88, -5]
    let others = errors.map { $0 + 2 }
    let interval = try #require(
      Bootstrap(seed: 1, replicates: 100).interval(count: 5) { drawn in
        guard let a = mean(errors)(drawn), let b = mean(others)(drawn) else { return nil }
        return b - a
      })
    #expect(agree(interval.low, 2) && agree(interval.high, 2))
  }

  @Test func drawsAreIndicesOfAllSubjects() {
    var seen: Set<Int> = []
    var draws = 0
    _ = Bootstrap(seed: 1, replicates: 50).interval(count: 4) { drawn in
      seen.formUnion(drawn)
      draws += 1
      return drawn.count == 4 ? 1 : nil
    }
    #expect(seen == [0, 1, 2, 3])
    #expect(draws == 50)
  }

  @Test func undefinedReplicatesAreLeftOutUpToHalf() {
    var draws = 0
    func definedEvery(_ k: Int) -> Interval? {
      draws = 0
      return Bootstrap(seed: 1, replicates: 90).interval(count: 3) { _ in
        draws += 1
        return draws % k == 0 ? 5 : .infinity
      }
    }
    #expect(definedEvery(2) == Interval(low: 5, high: 5))
    #expect(definedEvery(3) == nil)
  }

  @Test func whatCannotBeDrawnIsNil() {
    let one: ([Int]) -> Double? = { _ in 1 }
    for n in [-1, 0, 1] {
      #expect(Bootstrap(seed: 1).interval(count: n, statistic: one) == nil)
      #expect(Bootstrap(seed: 1).intervals(count: n, width: 2) { _ in [1, 2] } == [nil, nil])
    }
    for level in [0, 1, -0.5, 95, .nan] {
      #expect(Bootstrap(seed: 1, level: level).interval(count: 3, statistic: one) == nil)
    }
    for replicates in [-1, 0] {
      #expect(Bootstrap(seed: 1, replicates: replicates).interval(count: 3, statistic: one) == nil)
    }
  }
}

// MARK: - Coverage

extension BootstrapStatisticsTests {
  private func normals(_ count: Int, from generator: RandomGenerator) throws -> [Double] {
    try (0..<count).map { _ in
      try StandardNormal.quantile((Double(generator.next()) + 0.5) / 4_294_967_296)
    }
  }

  /// How often the interval of the mean covers the true one, 0, over 500 simulated studies of
  /// subjects with 3 readings each, which share half of their variance.
  private func coverage(subjects: Int, drawingReadings: Bool = false) throws -> Double {
    let generator = try RandomGenerator(seed: 2024)
    let covered = try (0..<500).count { trial in
      let readings = try (0..<subjects).map { _ in
        let shared = try normals(1, from: generator)[0]
        return try normals(3, from: generator).map { $0 + shared }
      }
      let sums =
        drawingReadings ? readings.flatMap { $0 } : readings.map { $0.reduce(0, +) }
      let interval = Bootstrap(seed: UInt64(trial), replicates: 200)
        .interval(count: sums.count) { drawn in drawn.reduce(0) { $0 + sums[$1] } }
      return interval.map { $0.low <= 0 && 0 <= $0.high } ?? false
    }
    return Double(covered) / 500
  }

  /// NumPy finds 91.8 % for 20 normal values and 200 replicates; four standard errors are 5 %.
  @Test func coversTheTruthAboutAsOftenAsItSays() throws {
    #expect((0.87...0.97).contains(try coverage(subjects: 20)))
  }

  /// Were readings drawn as if each were of another person, the interval would be too narrow: 80 %.
  @Test func drawingReadingsInsteadOfSubjectsCoversTooRarely() throws {
    #expect(try coverage(subjects: 20, drawingReadings: true) < 0.85)
  }
}
