import AlcoholKinetics
import Estimation
import StudyData
import Testing

@Suite struct EliminationLineTests {
  /// 40 g in 80 kg at 10 minutes, drunk until 30; readings every 30 minutes from 30, in g/kg.
  private func series(_ concentrations: [Double]) -> Series {
    Series(
      subject: Subject(id: "man", weight: 80),
      drinks: [Drink(time: Hours(minutes: 10), duration: Hours(minutes: 20), ethanol: .mass(40))],
      readings: concentrations.enumerated().map { index, concentration in
        Reading(
          time: Hours(minutes: Double(30 * (index + 1))), value: concentration,
          unit: .bloodGramsPerKilogram)
      })
  }

  /// Falls by 0.16 g/kg/h from the third reading, at 90 min, on.
  private let falling = [0.3, 0.7, 0.66, 0.58, 0.5, 0.42, 0.34, 0.26, 0.18, 0.1, 0.02, 0]

  private func failure(
    _ series: Series, _ options: EliminationLineOptions = EliminationLineOptions()
  ) -> SeriesFailure? {
    do {
      _ = try EliminationLine.fit(series, options: options)
      return nil
    } catch {
      return error
    }
  }

  // MARK: - The line

  @Test func straightLineIsRecovered() throws {
    let line = try EliminationLine.fit(series(falling))
    #expect(abs(line.beta.value.value - 0.16) < 1e-12)
    // Back from 0.5 at 150 min to the first drink at 10 min.
    let c0 = 0.5 + 0.16 * 140 / 60
    #expect(abs(line.c0.value.value - c0) < 1e-12)
    #expect(abs((line.r?.value.value ?? 0) - 40 / (80 * c0)) < 1e-12)
    #expect(line.residualSD < 1e-12)
    #expect(line.warnings.isEmpty)
  }

  // MARK: - Rules for the limb

  /// Falls by 0.2 g/kg/h to 180 min, by 0.1 from there on.
  private let bent = [0.3, 0.9, 0.85, 0.75, 0.65, 0.55, 0.5, 0.45, 0.4, 0.35]

  @Test func firstPointCanBeChosen() throws {
    var options = EliminationLineOptions()
    // The first drink was at 10 min, so the first reading of the limb is that at 180 min.
    options.limbFrom = Hours(minutes: 170)
    let line = try EliminationLine.fit(series(bent), options: options)
    #expect(line.from == Hours(minutes: 180) && line.readings == 5)
    #expect(abs(line.beta.value.value - 0.1) < 1e-12)
    // A point that comes before the limb begins changes nothing: never one before the end of drinking.
    options.limbFrom = 0
    let whole = try EliminationLine.fit(series(bent), options: options)
    #expect(whole == (try EliminationLine.fit(series(bent))))
    options.limbAfter = 0
    #expect(try EliminationLine.fit(series(bent), options: options).from == Hours(minutes: 90))
  }

  @Test func lastReadingsCanBeChosen() throws {
    var options = EliminationLineOptions()
    options.mostPoints = 3
    let line = try EliminationLine.fit(series(bent), options: options)
    #expect(
      line.from == Hours(minutes: 240) && line.to == Hours(minutes: 300) && line.readings == 3)
    #expect(abs(line.beta.value.value - 0.1) < 1e-12)
    options.mostPoints = 100
    #expect(
      try EliminationLine.fit(series(bent), options: options) == EliminationLine.fit(series(bent)))
  }

  @Test func impossibleRulesAreRefused() {
    for (from, count) in [(nil, 2), (Hours(.nan), nil), (Hours(.infinity), nil)] as [(Hours?, Int?)]
    {
      let options = EliminationLineOptions(limbFrom: from, mostPoints: count)
      guard case .badOptions? = failure(series(bent), options) else {
        Issue.record("\(options)")
        continue
      }
    }
    let late = EliminationLineOptions(limbFrom: 100)
    guard case .limbTooShort? = failure(series(bent), late) else {
      Issue.record("a limb after the last reading")
      return
    }
  }

  // MARK: - Drinks that are gone

  /// 20 g before, and the drink of ``series(_:)`` eight hours later than there.
  private func twoEpisodes(_ between: [Reading]) -> Series {
    var series = series(falling)
    for index in series.readings.indices {
      series.readings[index].time = series.readings[index].time + 8
    }
    series.drinks = [
      Drink(time: 0, ethanol: .mass(20)),
      Drink(
        time: 8 + Hours(minutes: 10), duration: Hours(minutes: 20), ethanol: .mass(40)),
    ]
    series.readings = between + series.readings
    return series
  }

  private func reading(_ minutes: Double, _ value: Double, limit: Double? = nil) -> Reading {
    Reading(
      time: Hours(minutes: minutes), value: value, unit: .bloodGramsPerKilogram,
      limitOfDetection: limit)
  }

  /// A zero, or less than the limit of detection, between two drinks: the first is gone.
  @Test(arguments: [(0.0, nil), (0.01, 0.02)])
  func countsDrinksSinceTheBloodWasEmpty(value: Double, limit: Double?) throws {
    let alone = try EliminationLine.fit(series(falling))
    let line = try EliminationLine.fit(
      twoEpisodes([reading(60, 0.2), reading(300, value, limit: limit)]))
    #expect(abs((line.c0.value - alone.c0.value).value) < 1e-12)
    #expect(abs((line.r?.value.value ?? 0) - (alone.r?.value.value ?? 1)) < 1e-12)
    #expect(line.warnings == [.earlierDrinks])
  }

  /// The line contradicts itself: by its slope 20 of 60 g, a third of C0, are gone after eight hours, but no reading
  /// shows it.
  @Test(arguments: [[], [(60.0, 0.2)], [(60, 0.0)], [(300, 0.1)]])
  func warnsOfALineThatContradictsItself(between: [(Double, Double)]) throws {
    let line = try EliminationLine.fit(twoEpisodes(between.map { reading($0.0, $0.1) }))
    #expect(line.warnings.contains(.emptyBetween))
    #expect(!line.warnings.contains(.earlierDrinks))
    #expect(abs(line.c0.value.value - (0.5 + 0.16 * 630 / 60)) < 1e-12)
  }

  @Test func overlappingDrinksAllCount() throws {
    var series = series(falling)
    series.drinks.append(Drink(time: 0, ethanol: .mass(10)))
    series.drinks.sort { $0.time < $1.time }
    series.readings.insert(reading(0, 0), at: 0)
    let line = try EliminationLine.fit(series)
    #expect(line.warnings.isEmpty)
    #expect(abs(line.c0.value.value - (0.5 + 0.16 * 150 / 60)) < 1e-12)
  }

  /// Three points 0.5, 0.5, 0.2 at 1.5, 2 and 2.5 h: slope -0.3, residuals -0.05, 0.1, -0.05, so
  /// that RSS = 0.015 with one degree of freedom and Sxx = 0.5. Student's t is tan(0.475 pi) there.
  @Test func intervalsFollowStudentsT() throws {
    var series = series([0, 0.6, 0, 0, 0.5, 0.5, 0.2])
    series.drinks = [Drink(time: Hours(minutes: 60), ethanol: .mass(40))]
    let line = try EliminationLine.fit(series)
    let quantile = 12.706204736174698
    let slopeError = (0.015 / 0.5).squareRoot()
    #expect(abs(line.beta.value.value - 0.3) < 1e-12)
    #expect(abs(line.beta.standardError.value - slopeError) < 1e-12)
    #expect(abs(line.beta.low.value - (0.3 - quantile * slopeError)) < 1e-9)
    #expect(abs(line.beta.high.value - (0.3 + quantile * slopeError)) < 1e-9)
    #expect(abs(line.c0.standardError.value - (0.015 * (1.0 / 3 + 4 / 0.5)).squareRoot()) < 1e-12)
    #expect(abs(line.residualSD.value - 0.015.squareRoot()) < 1e-12)
    #expect(abs(line.rSquared - 0.75) < 1e-12)
  }

  @Test func simultaneousSamplesMayStandInAnyOrder() throws {
    var series = series(falling)
    // A second sample at each time; where the first is down at 0.1 g/kg, the second is above.
    series.readings = series.readings.enumerated().flatMap { index, reading in
      var other = reading
      other.value = index == 9 ? 0.13 : max(0, reading.value + (index % 2 == 0 ? 0.01 : -0.01))
      return [reading, other]
    }
    var swapped = series
    for index in stride(from: 0, to: swapped.readings.count, by: 2) {
      swapped.readings.swapAt(index, index + 1)
    }
    let (line, other) = try (EliminationLine.fit(series), EliminationLine.fit(swapped))
    #expect(line.readings == 12)
    #expect(other.readings == 12)
    #expect(abs(line.beta.value.value - other.beta.value.value) < 1e-12)
  }

  @Test func intervalsWidenWithTheLevel() throws {
    var series = series(falling)
    series.readings[5].value += 0.02
    let narrow = try EliminationLine.fit(series, options: EliminationLineOptions(level: 0.8))
    let wide = try EliminationLine.fit(series, options: EliminationLineOptions(level: 0.99))
    #expect(narrow.beta.value == wide.beta.value)
    #expect(narrow.beta.low > wide.beta.low)
    #expect(narrow.beta.high < wide.beta.high)
    #expect(try #require(narrow.r).low > (try #require(wide.r)).low)
  }

  @Test func rHasNoUpperEndWhereC0ReachesZero() throws {
    let line = try EliminationLine.fit(series([0, 0.9, 0.8, 0.5, 0.6, 0.2, 0]))
    let r = try #require(line.r)
    #expect(line.c0.low <= 0)
    #expect(r.high == nil)
    #expect(r.low < r.value)
    #expect(line.warnings.contains(.betaUncertain))
    #expect(line.warnings.contains(.fewReadings))
  }

  @Test func convertsReadingsToBlood() throws {
    var series = series(falling)
    let factors = ConversionFactors(bloodBreathRatio: 2300)
    series.readings = series.readings.map { reading in
      let breath = ConcentrationUnit.breathMilligramsPerLitre
      return Reading(
        time: reading.time,
        value: breath.value(of: GramsPerKilogram(reading.value), using: factors), unit: breath)
    }
    let line = try EliminationLine.fit(
      series, options: EliminationLineOptions(limbAbove: 0.05, factors: factors))
    #expect(abs(line.beta.value.value - 0.16) < 1e-12)
  }

  // MARK: - r

  @Test func unknownWeightLeavesBeta() throws {
    var series = series(falling)
    series.subject.weight = nil
    let line = try EliminationLine.fit(series)
    #expect(line.r == nil)
    #expect(abs(line.beta.value.value - 0.16) < 1e-12)
    series.drinks = [Drink(time: 0, ethanol: .perBodyWeight(0.5))]
    let r = try #require(try EliminationLine.fit(series).r)
    #expect(abs(r.value.value - 0.5 / (0.5 + 0.16 * 2.5)) < 1e-12)
  }

  @Test func rUsesAllDrinks() throws {
    var series = series(falling)
    series.drinks.append(Drink(time: Hours(minutes: 20), ethanol: .perBodyWeight(0.25)))
    let r = try #require(try EliminationLine.fit(series).r)
    #expect(abs(r.value.value - 0.75 / (0.5 + 0.16 * 140 / 60)) < 1e-12)
  }

  @Test func placeboHasNoR() throws {
    var series = series(falling)
    series.drinks = [Drink(time: 0, ethanol: .mass(0))]
    #expect(try EliminationLine.fit(series).r == nil)
  }

  // MARK: - The limb

  /// First and last time in min, and how many readings.
  private func limb(
    _ series: Series, _ options: EliminationLineOptions = EliminationLineOptions()
  ) throws -> [Int] {
    let line = try EliminationLine.fit(series, options: options)
    return [line.from.minutes, line.to.minutes].map { Int($0.rounded()) } + [line.readings]
  }

  /// The drink ends at 30 min, so that a reading at 120 min is just late enough; 0.1 g/kg at
  /// 300 min is the first that is not above the floor.
  @Test func limbBeginsAfterLastDrinkAndEndsAtFloor() throws {
    let series = series(falling)
    #expect(try limb(series) == [120, 270, 6])
    #expect(
      try limb(series, EliminationLineOptions(limbAfter: Hours(minutes: 91)))
        == [150, 270, 5])
    #expect(
      try limb(series, EliminationLineOptions(limbAfter: 2, limbAbove: 0.3))
        == [150, 210, 3])
    #expect(try limb(series, EliminationLineOptions(limbAbove: 0)) == [120, 330, 8])
  }

  @Test func limbBeginsAfterHighestReading() throws {
    let series = series([0.1, 0.2, 0.3, 0.6, 0.7, 0.7, 0.6, 0.5, 0.4, 0.3])
    #expect(try limb(series) == [210, 300, 4])
    #expect(try limb(series, EliminationLineOptions(limbAfter: 0)) == [210, 300, 4])
  }

  /// Readings after the first low one are below detection or a new drink, not the limb.
  @Test func limbEndsAtTheFirstLowReading() throws {
    var values = falling
    values[9...] = [0.1, 0.15, 0.14]
    #expect(try limb(series(values)) == [120, 270, 6])
  }

  @Test func limbEndsAtLimitOfDetection() throws {
    var series = series(falling)
    series.readings[7].limitOfDetection = 0.26
    #expect(try limb(series) == [120, 210, 4])
    // A limit below the floor changes nothing.
    series.readings[7].limitOfDetection = 0.05
    #expect(try limb(series) == [120, 270, 6])
  }

  @Test func excludedReadingsAreSkipped() throws {
    var series = series(falling)
    for (index, value) in [(4, 5.0), (6, 0)] {
      series.readings[index].value = value
      series.readings[index].isExcluded = true
    }
    #expect(try limb(series) == [120, 270, 4])
  }

  /// Two readings at one time weigh double, and are one place on the line.
  @Test func limbCountsTimesNotReadings() throws {
    var series = series(falling)
    series.readings = [3, 3, 4, 4].map { series.readings[$0] }
    series.readings.insert(Reading(time: 0.5, value: 1, unit: .bloodGramsPerKilogram), at: 0)
    #expect(failure(series) == .limbTooShort(found: 2, needed: 3))
  }

  // MARK: - What has no line

  @Test func limbNeedsThreeReadings() throws {
    #expect(failure(series(Array(falling.prefix(6)))) == nil)
    #expect(failure(series(Array(falling.prefix(5)))) == .limbTooShort(found: 2, needed: 3))
    #expect(failure(series([])) == .limbTooShort(found: 0, needed: 3))
    #expect(failure(series(Array(repeating: 0, count: 9))) == .limbTooShort(found: 0, needed: 3))
  }

  @Test(arguments: [[0.5, 0.5, 0.5], [0.3, 0.4, 0.5]])
  func refusesALineThatDoesNotFall(limb: [Double]) {
    let failure = failure(series([0.2, 0.9, 0.8] + limb))
    #expect(failure == .limbNotFalling)
    #expect(failure?.code == "E_LIMB_NOT_FALLING")
  }

  @Test func refusesASeriesWithAnError() {
    let diagnostic = Diagnostic(
      .doseMissing, at: SourceLocation(file: "drinks.csv", line: 2), message: "no dose",
      remedy: "give one")
    var series = series(falling)
    series.diagnostics = [diagnostic]
    #expect(failure(series) == .badData(diagnostic))
  }

  @Test func refusesAnImpossibleDrink() {
    var series = series(falling)
    series.drinks = [Drink(time: 0, ethanol: .mass(-1))]
    #expect(failure(series)?.code == "E_RANGE")
  }

  @Test(arguments: [
    EliminationLineOptions(limbAfter: -0.1), EliminationLineOptions(limbAfter: Hours(.nan)),
    EliminationLineOptions(limbAbove: -0.1),
    EliminationLineOptions(limbAbove: GramsPerKilogram(.infinity)),
    EliminationLineOptions(level: 0), EliminationLineOptions(level: 1),
    EliminationLineOptions(level: .nan),
  ])
  func refusesSenselessOptions(options: EliminationLineOptions) {
    #expect(failure(series(falling), options)?.code == "E_OPTION")
    #expect(throws: SeriesFailure.self) {
      try EliminationLineFit.fits(of: Study(name: "none", series: []), options: options)
    }
  }

  @Test func badSeriesDoesNotStopOthers() throws {
    let study = Study(name: "mixed", series: [series(falling), series([]), series(falling)])
    let fits = try EliminationLineFit.fits(of: study)
    #expect(fits.map(\.hasFailed) == [false, true, false])
  }

  // MARK: - Warnings

  @Test func warnsOfImplausibleParameters() throws {
    let steep = [0.3, 2.4, 2.3, 2.1, 1.9, 1.7, 1.5, 1.3, 1.1]
    let line = try EliminationLine.fit(series(steep))
    #expect(line.warnings == [.betaRange, .rRange])
    #expect(line.warnings.map(\.code) == ["W_BETA_RANGE", "W_R_RANGE"])
  }

  @Test func warnsOfFewReadings() throws {
    let four = try EliminationLine.fit(series(Array(falling.prefix(7))))
    #expect(four.warnings == [.fewReadings])
    #expect(four.warnings.map(\.code) == ["W_LIMB_FEW_READINGS"])
    #expect(try EliminationLine.fit(series(Array(falling.prefix(8)))).warnings.isEmpty)
  }
}
