import AlcoholKinetics
import Estimation
import FittingSupport
import StudyData
import Testing
import Validation

@Suite struct ComparisonSummaryTests {
  /// A method that says the same of everybody.
  private struct Constant: RFactorMethod {
    let name: String
    let reference = "tests"
    let spread = RFactorSpread(men: 0.14, women: 0.14)
    let r: RFactor

    func rFactor(for subject: Subject) throws(Problem) -> RFactor { r }
  }

  /// The method by which the series are simulated.
  private static let truth = Constant(name: "truth", r: 0.65)
  /// With so large an r, less is absorbed than is eliminated: the curve never leaves zero.
  private static let nothing = Constant(name: "nothing", r: 1e9)

  private let bootstrap = Bootstrap(seed: 1, replicates: 200)

  private func simulated(
    _ subject: String, occasion: String? = nil, sex: Sex? = .male, r: RFactor = 0.65
  ) throws -> Series {
    var series = try SimulatedSeries.series(r: r, everyMinutes: 40, count: 14)
    series.subject.id = subject
    series.subject.sex = sex
    series.occasion = occasion
    return series
  }

  /// Next to what the series are simulated with.
  private static let narrow = KineticRange(ka: 3.9...4.1, beta: 0.148...0.152)

  private func summed(
    _ series: [Series], by methods: [any RFactorMethod], _ bootstrap: Bootstrap? = nil,
    bySex: Bool = false, naming range: KineticRange? = nil,
    _ parameters: PredictionParameters = .given(ka: 4, beta: 0.15)
  ) throws -> ComparisonSummary {
    // Readings are plain numbers here: each counts, zeros as well.
    let options = PredictionOptions(
      parameters: parameters, methods: methods, threshold: 0,
      selection: ReadingSelection(censoring: .none))
    let study = Study(name: "study", series: series)
    let comparisons = try Scorer(options).scores(of: study)
    return ComparisonSummary(
      of: comparisons,
      naming: try range.map {
        try KineticSensitivity(of: study, comparisons, options: options, range: $0)
      },
      bootstrap: bootstrap ?? self.bootstrap, bySex: bySex)
  }

  // MARK: - Subjects

  /// For subject a, the truth is right on the first occasion and `nothing` on the second, so that the two are equal; on
  /// subject b the truth is right. A mean over series would be -1/3.
  @Test func severalOccasionsAreOneSubject() throws {
    let right = try simulated("a", occasion: "1")
    var wrong = try simulated("a", occasion: "2")
    for index in wrong.readings.indices { wrong.readings[index].value = 0 }
    let summary = try summed(
      [right, wrong, try simulated("b", occasion: "1")], by: [Self.truth, Self.nothing])
    let mean = right.readings.map(\.value).reduce(0, +) / 14

    let pair = try #require(summary.pairs.first)
    #expect(pair.quantity == .concentration)
    #expect(pair.subjects == 2)
    #expect(abs(pair.difference + mean / 2) < 1e-12)

    let method = try #require(summary.methods.first)
    #expect(method.subjects == 2)
    #expect(method.errors.count == 3 * 14)
    #expect(abs(method.errors.mae - mean / 3) < 1e-12)
    let peak = try #require(summary.methods.first { $0.quantity == .peak })
    #expect(peak.subjects == 2)
    #expect(peak.errors.count == 3)
  }

  /// Drawn as a whole, one subject is always itself, however many occasions it has.
  @Test func oneSubjectHasNoIntervals() throws {
    let summary = try summed(
      [try simulated("a", occasion: "1"), try simulated("a", occasion: "2", r: 0.7)],
      by: [Self.truth, Self.nothing, Widmark()])
    #expect(!summary.methods.isEmpty && !summary.pairs.isEmpty)
    for method in summary.methods {
      #expect(method.subjects == 1)
      #expect(
        [method.bias.interval, method.mae.interval, method.rmse.interval] == [nil, nil, nil])
    }
    #expect(summary.pairs.allSatisfy { $0.interval == nil && $0.better == nil })
    #expect(summary.rankings.isEmpty)
  }

  // MARK: - Sexes

  @Test func splitsBySex() throws {
    let men = [try simulated("a", r: 0.6), try simulated("b", r: 0.7)]
    let women = [
      try simulated("c", sex: .female, r: 0.5), try simulated("d", sex: .female, r: 0.55),
      try simulated("e", sex: .female, r: 0.6),
    ]
    let unknown = try simulated("f", sex: nil)
    let methods = [Self.truth, Self.nothing, Constant(name: "high", r: 0.8)]
    let everybody = men + women + [unknown]
    let split = try summed(everybody, by: methods, bySex: true)

    let methodRows = split.methods.filter { $0.quantity == .concentration }
    #expect(
      methodRows.map(\.sex) == [nil, nil, nil, .male, .male, .male, .female, .female, .female])
    #expect(methodRows.map(\.subjects) == [6, 6, 6, 2, 2, 2, 3, 3, 3])
    let pairs = split.pairs.filter { $0.quantity == .peak }
    #expect(pairs.map(\.subjects) == [6, 6, 6, 2, 2, 2, 3, 3, 3])
    let rankings = split.rankings.filter { $0.quantity == .peak }
    #expect(rankings.map(\.test.subjects) == [6, 2, 3])

    #expect(SummaryValues(split, of: nil) == SummaryValues(try summed(everybody, by: methods)))
    #expect(SummaryValues(split, of: .male) == SummaryValues(try summed(men, by: methods)))
    #expect(SummaryValues(split, of: .female) == SummaryValues(try summed(women, by: methods)))
  }

  @Test func splitsOnlyOnRequest() throws {
    let summary = try summed(
      [try simulated("a"), try simulated("b", sex: .female)],
      by: [Self.truth, Self.nothing, Widmark()])
    #expect(!summary.methods.isEmpty && !summary.pairs.isEmpty && !summary.rankings.isEmpty)
    #expect(summary.methods.allSatisfy { $0.sex == nil })
    #expect(summary.pairs.allSatisfy { $0.sex == nil })
    #expect(summary.rankings.allSatisfy { $0.sex == nil })
  }

  // MARK: - Methods without a formula

  @Test func missingFormulaDoesNotAffectOtherPairs() throws {
    let series = [
      try simulated("a", r: 0.6), try simulated("b", r: 0.7),
      try simulated("c", sex: .female, r: 0.5), try simulated("d", sex: .female, r: 0.6),
    ]
    let with = try summed(series, by: [Widmark(), Ulrich(), Watson()], bySex: true)
    let without = try summed(series, by: [Widmark(), Watson()], bySex: true)

    let pairs = with.pairs.filter { $0.quantity == .concentration }
    // Of everybody, who is not ranked stands last.
    let ofAll = ["widmark watson", "widmark ulrich", "watson ulrich"]
    let ofMen = ["widmark ulrich", "widmark watson", "ulrich watson"]
    #expect(pairs.map { "\($0.first) \($0.second)" } == ofAll + ofMen + ["widmark watson"])
    #expect(pairs.map(\.sex) == [nil, nil, nil, .male, .male, .male, .female])
    #expect(pairs.map(\.subjects) == [4, 2, 2, 2, 2, 2, 2])
    // What Holm's correction makes of a p value depends on how many pairs there are.
    let kept = with.pairs.filter { $0.first == "widmark" && $0.second == "watson" }
    #expect(kept.map(\.difference) == without.pairs.map(\.difference))
    #expect(kept.map(\.interval) == without.pairs.map(\.interval))
    #expect(kept.map(\.wilcoxonP) == without.pairs.map(\.wilcoxonP))

    #expect(!with.methods.contains { $0.method == "ulrich" && $0.sex == .female })
    let ranking = try #require(with.rankings.first)
    #expect(ranking.methods == ["widmark", "watson", "ulrich"])
    #expect(ranking.test.subjects == 2)
    #expect(ranking.subjectsWithErrors == 4)
    #expect(ranking.undefined == ["ulrich": .female])
  }

  /// A method without a formula for women does not keep women out of every ranking.
  @Test func methodsForBothSexesAreRankedSeparately() throws {
    let series = [
      try simulated("a", r: 0.6), try simulated("b", r: 0.7),
      try simulated("c", sex: .female, r: 0.5), try simulated("d", sex: .female, r: 0.6),
    ]
    let methods: [any RFactorMethod] = [Widmark(), Ulrich(), Watson(), Forrest()]
    let rankings = try summed(series, by: methods, bySex: true).rankings
      .filter { $0.quantity == .peak }
    let forAll = ["widmark", "watson", "forrest"]
    #expect(
      rankings.map(\.methods) == [
        forAll, forAll + ["ulrich"], ["widmark", "ulrich", "watson", "forrest"], forAll,
      ])
    #expect(rankings.map(\.test.subjects) == [4, 2, 2, 2])
    #expect(rankings.map(\.subjectsWithErrors) == [4, 4, 2, 2])
    #expect(rankings.map(\.undefined) == [[:], ["ulrich": .female], [:], [:]])
    let alone = try summed(series, by: [Widmark(), Watson(), Forrest()]).rankings
    #expect(rankings[0].test == alone.first { $0.quantity == .peak }?.test)
  }

  /// All ranked methods are compared on the same people: a woman whom one of them leaves out counts for none. Their own
  /// rows below cover everybody.
  @Test func rankedMethodsAreComparedOnTheSamePeople() throws {
    let series = [
      try simulated("a", r: 0.6), try simulated("b", r: 0.7),
      try simulated("c", sex: .female, r: 0.5), try simulated("d", sex: .female, r: 0.6),
    ]
    let methods: [any RFactorMethod] = [Widmark(), Ulrich(), Watson()]
    let summary = try summed(series, by: methods)
    let own = summary.methods.filter { $0.quantity == .concentration }
    #expect(own.map(\.method) == ["widmark", "watson", "ulrich"])
    #expect(own.map(\.isRanked) == [true, true, false] && own.map(\.subjects) == [4, 4, 2])
    let aside = try #require(summary.ranking.aside.first)
    #expect(aside.method == "ulrich" && aside.extent.people == 2)
    #expect(aside.extent.readings == 28 && summary.ranking.all.readings == 56)
    // All of them asked for: on the men, who have all predictions.
    let comparisons = try Scorer(
      PredictionOptions(
        parameters: .given(ka: 4, beta: 0.15), methods: methods, threshold: 0,
        selection: ReadingSelection(censoring: .none))
    ).scores(of: Study(name: "study", series: series))
    let all = ComparisonSummary(of: comparisons, bootstrap: bootstrap, requiresAllMethods: true)
    #expect(all.methods.allSatisfy { $0.isRanked && $0.subjects == 2 })
    #expect(all.ranking.leftOut.map(\.subjects) == [["c", "d"]])
    #expect(all.sobriety.map(\.series) == [2, 2, 2] && all.times?.people == 2)
    let ofMen = try summed(Array(series.prefix(2)), by: methods)
    #expect(all.methods == ofMen.methods && all.rankings == ofMen.rankings)
  }

  // MARK: - Winners

  private let low = Constant(name: "low", r: 0.6)
  private let high = Constant(name: "high", r: 0.7)

  private func summed(
    ofSubjectsWith factors: [Double], level: Double = 0.95, in range: KineticRange = Self.narrow,
    _ parameters: PredictionParameters = .given(ka: 4, beta: 0.15)
  ) throws -> ComparisonSummary {
    let series = try factors.indices.map { index in
      try simulated("\(index)", r: RFactor(factors[index]))
    }
    return try summed(
      series, by: [low, high], Bootstrap(seed: 1, replicates: 200, level: level), naming: range,
      parameters)
  }

  @Test func clearWinnerIsNamed() throws {
    let near = (0..<12).map { 0.59 + 0.001 * Double($0) }
    let summary = try summed(ofSubjectsWith: near)
    #expect(summary.pairs.map(\.quantity) == ComparedQuantity.ofCurves)
    for pair in summary.pairs {
      let interval = try #require(pair.interval)
      #expect(interval.low <= pair.difference && pair.difference <= interval.high)
      #expect(interval.high < 0)
      #expect(try #require(pair.holmP) <= 0.05)
      let differences = try #require(pair.differences)
      #expect(differences.low <= pair.difference && pair.difference <= differences.high)
    }
    let pair = summary.pairs[0]
    #expect(pair.better == "low" && pair.verdict == .better)
    #expect(try #require(pair.leftOutDifference) < 0)
    #expect(try #require(pair.worstHolmP) <= 0.05)
  }

  @Test func secondMethodMayBeTheWinner() throws {
    let near = (0..<12).map { 0.69 + 0.001 * Double($0) }
    let pairs = try summed(ofSubjectsWith: near).pairs
    #expect(pairs[0].better == "high")
    #expect(pairs.allSatisfy { $0.difference > 0 })
  }

  @Test func equalMethodsHaveNoWinner() throws {
    let mixed = (0..<7).flatMap { index in
      let step = 0.001 * Double(index)
      return [0.6 + step, 0.7 - step]
    }
    for pair in try summed(ofSubjectsWith: mixed).pairs {
      let interval = try #require(pair.interval)
      #expect(interval.low < 0 && interval.high > 0)
      #expect(try #require(pair.holmP) > 0.05)
      #expect(pair.better == nil && pair.verdict == .notShown, "\(pair.quantity)")
    }
  }

  /// Five subjects: the interval excludes 0, but p cannot be below 2 / 2^5 = 0.0625, three times that
  /// among three comparisons.
  @Test func intervalAloneNamesNoWinner() throws {
    let few = [0.59, 0.595, 0.6, 0.605, 0.61]
    let strict = try #require(try summed(ofSubjectsWith: few).pairs.first)
    #expect(try #require(strict.interval).high < 0)
    #expect(strict.intervalKind == .studentT)
    #expect(strict.holmP == 0.1875 && strict.leastHolmP == 0.1875)
    #expect(strict.better == nil && strict.verdict == .tooFewSubjects)
    let lenient = try #require(try summed(ofSubjectsWith: few, level: 0.8).pairs.first)
    #expect(lenient.holmP == 0.1875)
    #expect(lenient.better == "low")
  }

  /// Fifteen subjects a little nearer to one method, and one much nearer to the other: of the 65536
  /// ways to sign 16 ranks, 169 have a sum of at most 16.
  @Test func testAloneNamesNoWinner() throws {
    let factors = (0..<15).map { 0.64 + 0.0002 * Double($0) } + [0.71]
    let pair = try #require(try summed(ofSubjectsWith: factors).pairs.first)
    let interval = try #require(pair.interval)
    #expect(interval.low < 0 && interval.high > 0)
    #expect(pair.wilcoxonP == 338.0 / 65536)
    #expect(try #require(pair.holmP) <= 0.05)
    #expect(pair.better == nil)
  }

  /// Eight subjects on one side are enough for three comparisons, but not for nine.
  @Test func manyPairsNeedStrongerEvidence() throws {
    let series = try (0..<8).map { try simulated("\($0)", r: RFactor(0.59 + 0.002 * Double($0))) }
    let two = try summed(series, by: [low, high], naming: Self.narrow)
    let three = try summed(
      series, by: [low, high, Constant(name: "higher", r: 0.701)], naming: Self.narrow)
    let alone = try #require(two.pairs.first)
    let among = try #require(three.pairs.first)
    #expect(alone.wilcoxonP == 2.0 / 256 && alone.holmP == 6.0 / 256)
    #expect(alone.better == "low")
    #expect(among.wilcoxonP == 2.0 / 256 && among.holmP == 18.0 / 256)
    #expect(among.interval == alone.interval)
    #expect(among.better == nil && among.verdict == .tooFewSubjects)
    #expect(MethodPair.fewestSubjects(comparisons: 3, alpha: 0.05) == 7)
    #expect(MethodPair.fewestSubjects(comparisons: 9, alpha: 0.05) == 9)
    #expect(MethodPair.fewestSubjects(comparisons: 10, alpha: 0.05) == 9)
    #expect(MethodPair.fewestSubjects(comparisons: 30, alpha: 0.05) == 11)
    #expect(MethodPair.fewestSubjects(comparisons: 1, alpha: 0.05) == 6)
  }

  /// Men and women are tested together with all: what more is tested, only takes winners away.
  @Test func testingMorePairsNeverMakesAWinner() throws {
    let series = try (0..<16).map { index in
      try simulated(
        "\(index)", sex: index % 2 == 0 ? .male : .female, r: RFactor(0.59 + 0.002 * Double(index)))
    }
    let methods = [low, high, Constant(name: "higher", r: 0.75)]
    let once = try summed(series, by: methods, naming: Self.narrow)
    let split = try summed(series, by: methods, bySex: true, naming: Self.narrow)
    #expect(once.pairs.contains { $0.better != nil })
    for (pair, other) in zip(once.pairs, split.pairs.filter { $0.sex == nil }) {
      #expect(pair.wilcoxonP == other.wilcoxonP)
      #expect((pair.holmP ?? 1) <= (other.holmP ?? 1))
      #expect(pair.leastHolmP <= other.leastHolmP)
      #expect(pair.better != nil || other.better == nil)
    }
  }

  // MARK: - Winners whatever k_a and beta are

  /// With beta 0.15, with which they were simulated, r 0.6 is right; with 0.20 a smaller r makes up for
  /// the rest, and with 0.10 a larger one. Both used to name a winner, not the same.
  @Test func winnerHoldsForPlausibleKaAndBeta() throws {
    let people = (0..<12).map { 0.65 + 0.0002 * Double($0) }
    let slow = try summed(
      ofSubjectsWith: people, in: .plausible(.widmark), .given(ka: 4, beta: 0.12))
    let fast = try summed(
      ofSubjectsWith: people, in: .plausible(.widmark), .given(ka: 4, beta: 0.18))
    let (one, other) = (slow.pairs[0], fast.pairs[0])
    for pair in [one, other] {
      #expect(try #require(pair.interval).low * (pair.interval?.high ?? 0) > 0)
      #expect(try #require(pair.holmP) <= 0.05)
      #expect(pair.better == nil && pair.verdict == .dependsOnKinetics)
      let differences = try #require(pair.differences)
      #expect(differences.low < 0 && differences.high > 0)
      #expect(pair.worstHolmP == 1)
    }
    #expect(one.difference * other.difference < 0)
  }

  /// A method that is far off for everybody is worse for any k_a and beta.
  @Test func clearWinnerIsNamedForAnyKaAndBeta() throws {
    let series = try (0..<12).map { try simulated("\($0)", r: RFactor(0.6 + 0.005 * Double($0))) }
    let pair = try summed(
      series, by: [Self.truth, Constant(name: "far", r: 6)], naming: .plausible(.widmark)
    ).pairs[0]
    #expect(pair.better == "truth")
  }

  /// Left-out k_a and beta are the same whether they were asked for or only tried.
  @Test func leftOutDifferenceIsTheSameTriedOrRequested() throws {
    let people = (0..<9).map { 0.6 + 0.01 * Double($0) }
    let tried = try summed(ofSubjectsWith: people).pairs
    let asked = try summed(ofSubjectsWith: people, .leftOut(starts: 8)).pairs
    for (tried, asked) in zip(tried, asked) {
      #expect(tried.leftOutDifference == asked.difference)
      #expect(asked.leftOutDifference == asked.difference)
    }
  }

  /// One subject leaves nobody to learn k_a and beta from.
  @Test func singleSubjectHasNoWinner() throws {
    let summary = try summed([try simulated("a")], by: [low, high], naming: .plausible(.widmark))
    #expect(summary.pairs.allSatisfy { $0.better == nil && $0.leftOutDifference == nil })
    #expect(summary.pairs.allSatisfy { $0.verdict == .tooFewSubjects })
  }

  @Test func summaryIsIndependentOfSubjectOrder() throws {
    let series = try (0..<10).map { try simulated("s\($0)", r: RFactor(0.58 + 0.01 * Double($0))) }
    let one = try summed(series, by: [low, high], naming: Self.narrow).pairs
    let other = try summed(series.reversed(), by: [low, high], naming: Self.narrow).pairs
    for (one, other) in zip(one, other) {
      #expect(abs(one.difference - other.difference) < 1e-12)
      #expect(one.wilcoxonP == other.wilcoxonP && one.verdict == other.verdict)
      let (left, right) = (
        try #require(one.leftOutDifference), try #require(other.leftOutDifference)
      )
      #expect(abs(left - right) < 1e-12)
    }
  }

  // MARK: - Seeds

  private func summed(seed: UInt64) throws -> ComparisonSummary {
    let series = try (0..<8).map { index in
      try simulated(
        "\(index)", sex: index % 2 == 0 ? .male : .female, r: RFactor(0.55 + 0.02 * Double(index)))
    }
    return try summed(
      series, by: [low, high, Watson()], Bootstrap(seed: seed, replicates: 200), bySex: true)
  }

  @Test func equalSeedsGiveEqualBits() throws {
    let first = try summed(seed: 3)
    let second = try summed(seed: 3)
    #expect(SummaryValues(first) == SummaryValues(second))
    #expect(SummaryIntervals(first) == SummaryIntervals(second))
  }

  @Test func otherSeedsChangeIntervalsOnly() throws {
    let first = try summed(seed: 3)
    let second = try summed(seed: 4)
    #expect(SummaryValues(first) == SummaryValues(second))
    #expect(SummaryIntervals(first) != SummaryIntervals(second))
  }

  // MARK: - Nothing to sum up

  @Test func emptyComparisonHasNoSummary() throws {
    var silent = try simulated("a")
    silent.readings = []
    for series in [[], [silent]] {
      let summary = try summed(series, by: RFactorMethods.all(), bySex: true)
      #expect(summary.methods.isEmpty)
      #expect(summary.pairs.isEmpty)
      #expect(summary.rankings.isEmpty)
    }
  }

  // MARK: - Time to sobriety

  /// Two of three people are still above zero at their last reading, at 240 min; the truth is sober
  /// after that, `nothing` from the start and the largest r some time before.
  @Test func unsoberSubjectsAreCounted() throws {
    let cut = try ["a", "b"].map { subject in
      var series = try simulated(subject)
      series.readings.removeLast(8)
      return series
    }
    let high = Constant(name: "high", r: 2)
    let summary = try summed(
      cut + [try simulated("c", sex: .female)], by: [Self.truth, Self.nothing, high, Ulrich()],
      bySex: true)
    let found = summary.sobriety.filter { $0.sex == nil }
    #expect(found.map(\.method) == ["truth", "nothing", "high", "ulrich"])
    #expect(found.map(\.series) == [3, 3, 3, 2])
    #expect(found.map(\.subjects) == [3, 3, 3, 2])
    #expect(found.map(\.knownSubjects) == [3, 3, 3, 2])
    #expect(found.map { $0.count(.between) } == [1, 1, 1, 0])
    #expect(found.map { $0.count(.atLeast) } == [2, 2, 2, 2])
    #expect(found.map(\.predictedNeverAbove) == [0, 3, 0, 0])
    let women = summary.sobriety.filter { $0.sex == .female }
    #expect(women.map { $0.count(.atLeast) } == [0, 0, 0, 0])
  }

  /// Subjects who were not measured until sober count with their limits, and methods are ranked only if the readings
  /// decide which is nearer.
  @Test func unfinishedSeriesNameNoWinner() throws {
    let cut = try ["a", "b", "c"].map { subject in
      var series = try simulated(subject)
      series.readings.removeLast(8)
      return series
    }
    let summary = try summed(cut, by: [Self.truth, high, low])
    #expect(summary.sobriety.map(\.known) == [3, 3, 3])
    #expect(summary.pairs.filter { $0.quantity == .sobriety }.allSatisfy { $0.better == nil })
    #expect(Set(summary.rankings.map(\.quantity)) == [.concentration, .peak])
    // All predictions are before the last reading: the latest is nearest, whenever that was.
    let early = (2...4).map { Constant(name: "r\($0)", r: RFactor(Double($0))) }
    let decided = try summed(cut, by: early)
    let ranking = try #require(decided.rankings.first { $0.quantity == .sobriety })
    #expect(ranking.test.meanRanks == [1, 2, 3])
  }
}
