import GSL
import TestSupport
import Testing

@testable import Estimation
@testable import Validation

@Suite struct BootstrapStatisticsTests {
  private func mean(_ values: [Double]) -> ([Int]) -> Double? {
    { drawn in Sample(drawn.map { values[$0] })?.mean }
  }

  /// Draws from NumPy's Mersenne Twister (Tests/Tools/statistics_scipy.py).
  @Test func bootstrapAgreesWithNumPy() throws {
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

  /// One of eight subjects is drawn k times with the chance of k in eight trials of 1/8.
  @Test func intervalMatchesEnumerationOfDraws() throws {
    let values: [Double] = [0, 0, 0, 0, 0, 0, 0, 8]
    // Expanded, 80 % end at Phi(-sqrt(8/7) 1.4149) = 6.5 % and 93.5 %; k is 0 up to 34.4 %, 2 from 73.6 to
    // 93.0 % and 3 up to 98.9 %, and the noise of 20,000 draws is 0.2 %.
    let interval = Bootstrap(seed: 3, replicates: 20_000, level: 0.8)
      .interval(count: 8, statistic: mean(values))
    #expect(interval == Interval(low: 0, high: 3))
  }

  /// Student's interval of the mean of 1, 2 and 6: 3 -+ 4.3027 * sqrt(7 / 3), by textbook.
  @Test func fewSubjectsHaveStudentsInterval() throws {
    let found = try #require(Bootstrap(seed: 1).interval(count: 3, statistic: mean([1, 2, 6])))
    let margin = 4.302652729749464 * (7.0 / 3).squareRoot()
    #expect(agree(found.low, 3 - margin) && agree(found.high, 3 + margin))
    #expect(
      [0, 1, 2, 7, 8].map { Bootstrap.kind(count: $0) } == [
        nil, nil, .studentT, .studentT, .bootstrap,
      ])
  }

  /// Sums of a ratio, and indices: two ways to the same intervals.
  @Test(arguments: [2, 5, 8, 13, 40])
  func sumsUseTheSameDraws(count: Int) throws {
    let generator = try RandomGenerator(seed: 9)
    let (x, w) = (
      (0..<count).map { _ in generator.nextNormal() }, (0..<count).map { 1.0 + Double($0 % 3) }
    )
    // 203 replicates: not a multiple of those that are added up together.
    let bootstrap = Bootstrap(seed: 4, replicates: 203, level: 0.9)
    let asked = Bootstrap.OfSums(columns: [x, w], width: 2) { [$0[0] / $0[1], nil] }
    let others = Bootstrap.OfSums(columns: [[1, 2, 3, 4, 5, 6, 7, 8, 9]], width: 1) { [$0[0]] }
    let found = bootstrap.intervals(of: [others, asked])[1]
    let expected = try #require(
      bootstrap.interval(count: count) { drawn in
        drawn.reduce(0) { $0 + x[$1] } / drawn.reduce(0) { $0 + w[$1] }
      })
    let interval = try #require(found[0])
    #expect(agree(interval.low, expected.low) && agree(interval.high, expected.high))
    #expect(found[1] == nil)
  }

  @Test func equalSeedsGiveEqualBitsInAnyOrder() throws {
    let values = [0.3, -1.7, 2.2, 0.8, 5.1, -0.4, 1.1, 0.7, -2.5]
    func interval(seed: UInt64, count: Int = 9) -> Interval? {
      Bootstrap(seed: seed, replicates: 300).interval(count: count, statistic: mean(values))
    }
    let first = try #require(interval(seed: 7))
    _ = interval(seed: 7, count: 8)
    #expect(interval(seed: 7) == first)
    #expect(interval(seed: 8) != first)
    // A seed is more than its lower half.
    #expect(interval(seed: 7 + 1 << 40) != first)
  }

  @Test func severalStatisticsUseTheSameDraws() {
    let values = [0.3, -1.7, 2.2, 0.8, 5.1, 0.2, 0.4, 3.3]
    let bootstrap = Bootstrap(seed: 1, replicates: 200)
    let alone = bootstrap.interval(count: 8, statistic: mean(values))
    let together = bootstrap.intervals(count: 8, width: 4) { drawn in
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
    _ = Bootstrap(seed: 1, replicates: 50).interval(count: 8) { drawn in
      seen.formUnion(drawn)
      draws += 1
      return drawn.count == 8 ? 1 : nil
    }
    #expect(seen == Set(0..<8))
    #expect(draws == 50)
  }

  @Test func upToHalfOfReplicatesMayBeUndefined() {
    var draws = 0
    func definedEvery(_ k: Int) -> Interval? {
      draws = 0
      return Bootstrap(seed: 1, replicates: 90).interval(count: 8) { _ in
        draws += 1
        return draws % k == 0 ? 5 : .infinity
      }
    }
    #expect(definedEvery(2) == Interval(low: 5, high: 5))
    #expect(definedEvery(3) == nil)
  }

  @Test func tooFewSubjectsAndInvalidLevelsGiveNil() {
    let one: ([Int]) -> Double? = { _ in 1 }
    for n in [-1, 0, 1] {
      #expect(Bootstrap(seed: 1).interval(count: n, statistic: one) == nil)
      #expect(Bootstrap(seed: 1).intervals(count: n, width: 2) { _ in [1, 2] } == [nil, nil])
    }
    for level in [0, 1, -0.5, 95, .nan] {
      #expect(Bootstrap(seed: 1, level: level).interval(count: 3, statistic: one) == nil)
    }
    for replicates in [-1, 0] {
      #expect(Bootstrap(seed: 1, replicates: replicates).interval(count: 8, statistic: one) == nil)
    }
  }
}

// MARK: - Coverage

extension BootstrapStatisticsTests {
  private func normals(_ count: Int, from generator: RandomGenerator) throws -> [Double] {
    (0..<count).map { _ in
      NormalScores.quantile((Double(generator.next()) + 0.5) / 4_294_967_296)
    }
  }

  /// The coverage of the true mean, 0, by its interval over 500 simulated studies of subjects with 3 readings each,
  /// which share half of their variance.
  private func coverage(
    subjects: Int, drawingReadings: Bool = false
  ) throws -> Double {
    let generator = try RandomGenerator(seed: 2024)
    let covered = try (0..<500).count { trial in
      let readings = try (0..<subjects).map { _ in
        let shared = try normals(1, from: generator)[0]
        return try normals(3, from: generator).map { $0 + shared }
      }
      let sums =
        drawingReadings ? readings.flatMap { $0 } : readings.map { $0.reduce(0, +) }
      let interval = Bootstrap(seed: UInt64(trial), replicates: 200)
        .interval(count: sums.count) { drawn in
          drawn.reduce(0) { $0 + sums[$1] } / Double(drawn.count)
        }
      return interval.map { $0.low <= 0 && 0 <= $0.high } ?? false
    }
    return Double(covered) / 500
  }

  /// NumPy finds 95 % for 2 and 4 subjects, and 93 to 94 % for 8 and 20 with 200 replicates; four standard
  /// errors are 4.5 %. A plain percentile interval holds the truth 48, 80 and 88 % of the time for 2, 4 and 8
  /// subjects (`Tests/Tools/interval_coverage.py`).
  @Test(arguments: [2, 4, 8, 20])
  func intervalHasNominalCoverage(subjects: Int) throws {
    #expect((0.885...0.99).contains(try coverage(subjects: subjects)))
  }

  /// Were readings drawn as if each were of another person, the interval would be too narrow: 80 %.
  @Test func drawingReadingsInsteadOfSubjectsUndercovers() throws {
    #expect(try coverage(subjects: 20, drawingReadings: true) < 0.85)
  }
}
