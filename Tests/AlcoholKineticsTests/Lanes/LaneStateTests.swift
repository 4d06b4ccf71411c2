import CLanes
import TestSupport
import Testing

@testable import AlcoholKinetics

/// Eight curves at once against one after the other.
@Suite struct LaneStateTests {
  /// Parameters of eight people, by model.
  private func people(
    _ model: EliminationModel, sharesLag: Bool, _ generator: inout SeededGenerator
  ) -> [ParameterValues] {
    let lag = generator.uniform(0...0.5)
    return (0..<8).map { _ in
      var values = ParameterValues()
      for traits in model.traits {
        values[known: traits.parameter] =
          traits.parameter == .lag
          ? (sharesLag ? lag : generator.uniform(0...0.7))
          : traits.parameter == .gain ? 1 : generator.logUniform(traits.startRange)
      }
      return values
    }
  }

  private func regimen(_ seed: Int, isIntravenous: Bool) throws -> Regimen {
    let oral = try RandomCase(seed: UInt64(seed)).regimen
    guard isIntravenous else { return oral }
    return Regimen(
      try oral.doses.enumerated().map { index, dose in
        try Dose(
          start: dose.start, duration: dose.duration, amount: dose.amount,
          route: index % 2 == 0 ? .intravenous : .oral)
      })
  }

  /// Rows of a concentration and its derivatives of eight people.
  private func rows(
    _ model: EliminationModel, _ regimen: Regimen, _ people: [ParameterValues],
    at times: [Double], toleranceFactor: Double = 1
  ) -> [Lanes] {
    let width = 1 + model.traits.count
    var rows = [Lanes](repeating: Lanes(repeating: .nan), count: times.count * width)
    model.kinetics.follow(
      regimen, lanes: values(of: people), at: times, count: times.count, into: &rows,
      toleranceFactor: toleranceFactor)
    return rows
  }

  private func values(of people: [ParameterValues]) -> [Lanes] {
    (0..<ParameterValues.slotCount).map { slot in
      people.indices.reduce(into: Lanes.zero) { $0[$1] = people[$1][slot: slot] }
    }
  }

  /// Steps of Widmark's lanes are rounded to 2^-44 h, in which curves that rise by 100 g/kg/h, the steepest here,
  /// rise by 5e-12 g/kg.
  private static let roundedSteps = 5e-12

  /// In closed form the exponentials differ by up to 3 ulps and sums add up: 1e-12 of the largest value of a
  /// column. Integrated curves take other steps than one person's: 1e-9 g/kg, and 1e-7 of the largest
  /// value of a derivative, unless told otherwise.
  private func expectSame(
    _ model: EliminationModel, _ regimen: Regimen, _ people: [ParameterValues],
    ofDerivatives: Double = 1e-7
  ) throws {
    let times = (0..<30).map { Double($0) * 0.37 - 0.5 }
    let width = 1 + model.traits.count
    let rows = rows(model, regimen, people, at: times)
    for (lane, person) in people.enumerated() {
      let samples = try #require(
        ModelParameters(model, known: person).samples(of: regimen, at: times))
      for column in 0..<width {
        let expected = samples.map { column == 0 ? $0.concentration : $0.derivatives[column - 1] }
        let scale = expected.reduce(1e-300) { max($0, abs($1)) }
        let isIntegrated = model == .michaelisMenten
        let allowed =
          isIntegrated
          ? (column == 0 ? 1e-9 : ofDerivatives * scale)
          : 1e-12 * scale + (model == .widmark ? Self.roundedSteps : 0)
        for (index, value) in expected.enumerated() {
          let found = rows[index * width + column][lane]
          #expect(abs(found - value) <= allowed, "lane \(lane) column \(column) row \(index)")
        }
      }
    }
  }

  /// At times that binary fractions of an hour hold exactly, so that no step is rounded, closed forms in lanes and of
  /// one person agree to 1e-12 of the largest value.
  @Test(arguments: [EliminationModel.widmark, .firstOrder], [false, true])
  func lanesAndOneCurveAgreeToTwelveDigits(model: EliminationModel, sharesLag: Bool) throws {
    var generator = SeededGenerator(seed: 13)
    let exact = { (hours: Double) in (hours * 64).rounded() / 64 }
    let times = (0..<40).map { Double($0) / 4 - 0.5 }
    let width = 1 + model.traits.count
    var zeros = 0
    for seed in 1...100 {
      let regimen = Regimen(
        try regimen(seed, isIntravenous: sharesLag && seed % 2 == 0).doses.map { dose in
          try Dose(
            start: Hours(exact(dose.start.value)), duration: Hours(exact(dose.duration.value)),
            amount: dose.amount, route: dose.route)
        })
      let people = people(model, sharesLag: sharesLag, &generator).map { person in
        var person = person
        person[known: .lag] = exact(person[known: .lag])
        return person
      }
      let rows = rows(model, regimen, people, at: times)
      for (lane, person) in people.enumerated() {
        let samples = try #require(
          ModelParameters(model, known: person).samples(of: regimen, at: times))
        zeros += samples.count { $0.concentration == 0 }
        for column in 0..<width {
          let expected = samples.map { column == 0 ? $0.concentration : $0.derivatives[column - 1] }
          let scale = expected.reduce(0) { max($0, abs($1)) }
          for (index, value) in expected.enumerated() {
            let found = rows[index * width + column][lane]
            #expect(
              abs(found - value) <= 1e-12 * scale,
              "seed \(seed) lane \(lane) column \(column) row \(index)")
          }
        }
      }
    }
    #expect(zeros > 100)
  }

  /// Integrated curves take other steps in lanes than one curve does. Where lanes may err a thousandth of what they
  /// usually may, the two agree to a tenth of the 1e-9 that one curve may err by.
  @Test func integratedLanesTendToOneCurve() throws {
    var generator = SeededGenerator(seed: 14)
    let times = (0..<40).map { Double($0) / 4 - 0.5 }
    var worst = 0.0
    for seed in 1...60 {
      let regimen = try regimen(seed, isIntravenous: false)
      let people = people(.michaelisMenten, sharesLag: false, &generator)
      let rows = rows(.michaelisMenten, regimen, people, at: times, toleranceFactor: 1e-3)
      for (lane, person) in people.enumerated() {
        let samples = try #require(
          ModelParameters(.michaelisMenten, known: person).samples(of: regimen, at: times))
        let scale = samples.reduce(0) { max($0, $1.concentration) }
        for (index, sample) in samples.enumerated() where scale > 0 {
          worst = max(worst, abs(rows[7 * index][lane] - sample.concentration) / scale)
        }
      }
    }
    #expect(worst <= 1e-10)
  }

  @Test(arguments: EliminationModel.allCases, [false, true])
  func laneCurvesMatchSinglePersonCurves(model: EliminationModel, sharesLag: Bool) throws {
    var generator = SeededGenerator(seed: 5)
    for seed in 1...60 {
      let people = people(model, sharesLag: sharesLag, &generator)
      try expectSame(model, regimen(seed, isIntravenous: false), people)
    }
  }

  /// With doses into the blood, whose derivative by the lag is not followed, all have the same lag.
  @Test(arguments: EliminationModel.allCases)
  func intravenousLaneCurvesMatchSinglePersonCurves(model: EliminationModel) throws {
    var generator = SeededGenerator(seed: 6)
    for seed in 1...60 {
      let people = people(model, sharesLag: true, &generator)
      try expectSame(model, regimen(seed, isIntravenous: true), people)
    }
  }

  /// Two, four or eight numbers at once, as far as this machine can.
  @Test(arguments: EliminationModel.allCases, [1, 1e4])
  func vectorWidthDoesNotChangeBits(model: EliminationModel, toleranceFactor: Double) throws {
    defer { use_at_most(8) }
    var generator = SeededGenerator(seed: 9)
    let times = (0..<30).map { Double($0) * 0.37 - 0.5 }
    for seed in 1...20 {
      let regimen = try regimen(seed, isIntravenous: seed % 2 == 0)
      var values = values(of: people(model, sharesLag: seed % 2 == 0, &generator))
      // So that there is something left over for each width.
      values[FitParameter.ka.slot][2] = .nan
      let rows = [2, 4, 8].map { widest in
        use_at_most(Int32(widest))
        let width = 1 + model.traits.count
        var rows = [Lanes](repeating: .zero, count: times.count * width)
        model.kinetics.follow(
          regimen, lanes: values, at: times, count: times.count, into: &rows,
          toleranceFactor: toleranceFactor)
        for index in rows.indices { rows[index][2] = 0 }
        return rows
      }
      #expect(rows[1] == rows[0], "seed \(seed)")
      #expect(rows[2] == rows[0], "seed \(seed)")
    }
  }

  private func times(
    _ regimen: Regimen, _ people: [ParameterValues], _ threshold: GramsPerKilogram
  ) -> Lanes {
    EliminationModel.widmark.kinetics.timesToThreshold(
      of: regimen, lanes: values(of: people), threshold)
  }

  /// Times that lanes know are those of each curve, and no lane invents one. They may leave it to the curve to tell where
  /// it is not above the threshold after the last change of the input, which is seldom.
  @Test(arguments: [0, 0.01, 0.1, 0.5] as [GramsPerKilogram])
  func timesToThresholdsMatchSinglePersonCurves(threshold: GramsPerKilogram) throws {
    var generator = SeededGenerator(seed: 10)
    var (known, asked) = (0, 0)
    for seed in 1...100 {
      let people = people(.widmark, sharesLag: false, &generator)
      let regimen = try regimen(seed, isIntravenous: false)
      let times = times(regimen, people, threshold)
      for (lane, person) in people.enumerated() {
        let curve = Trajectory(regimen, try KineticParameters(person))
        let expected = curve.timeToThreshold(threshold)
        guard !times[lane].isNaN else {
          asked += expected == nil ? 0 : 1
          continue
        }
        known += 1
        let time = try #require(expected, "seed \(seed) lane \(lane)")
        // Where the peak all but touches the threshold, rounding moves the time by its square root.
        #expect(abs(times[lane] - time.value) < 1e-6, "seed \(seed) lane \(lane)")
        let level = curve.concentration(at: Hours(times[lane])).value
        #expect(abs(level - threshold.value) < 1e-10, "seed \(seed) lane \(lane)")
      }
    }
    #expect(known > 100 && known > 4 * asked)
  }

  @Test func vectorWidthDoesNotChangeTimesToThresholds() throws {
    defer { use_at_most(8) }
    var generator = SeededGenerator(seed: 11)
    for seed in 1...50 {
      let people = people(.widmark, sharesLag: false, &generator)
      let regimen = try regimen(seed, isIntravenous: false)
      let all = [2, 4, 8].map { widest in
        use_at_most(Int32(widest))
        return (0..<8).map { times(regimen, people, 0.1)[$0].bitPattern }
      }
      #expect(all[1] == all[0] && all[2] == all[0], "seed \(seed)")
    }
  }

  /// Doses into the blood lie elsewhere on the clock of each lag, and models that are integrated have nothing quicker than
  /// a curve.
  @Test func unsupportedDosesAndModelsLeaveTimesToSingleCurves() throws {
    var generator = SeededGenerator(seed: 12)
    let people = people(.widmark, sharesLag: true, &generator)
    let isNowhere = { (times: Lanes) in (0..<8).allSatisfy { times[$0].isNaN } }
    #expect(isNowhere(times(try regimen(1, isIntravenous: true), people, 0.1)))
    #expect(isNowhere(times(Regimen([]), people, 0.1)))
    #expect(
      isNowhere(
        EliminationModel.michaelisMenten.kinetics.timesToThreshold(
          of: try regimen(1, isIntravenous: false), lanes: values(of: people), 0.1)))
  }

  @Test(arguments: EliminationModel.allCases)
  func lanesWithoutDosesAreZero(model: EliminationModel) throws {
    var generator = SeededGenerator(seed: 7)
    try expectSame(model, Regimen([]), people(model, sharesLag: false, &generator))
  }

  /// The values of a lane depend neither on the other lanes nor on its place among them.
  @Test(arguments: EliminationModel.allCases, [false, true])
  func lanesAreIndependentOfEachOther(model: EliminationModel, sharesLag: Bool) throws {
    var generator = SeededGenerator(seed: 8)
    let times = (0..<30).map { Double($0) * 0.37 - 0.5 }
    for seed in 1...20 {
      let regimen = try regimen(seed, isIntravenous: sharesLag && seed % 2 == 0)
      let people = people(model, sharesLag: sharesLag, &generator)
      let together = rows(model, regimen, people, at: times)
      for lane in 0..<8 {
        let alone = rows(
          model, regimen, [ParameterValues](repeating: people[lane], count: 8), at: times)
        let place = (lane + 3) % 8
        #expect(
          zip(together, alone).allSatisfy { $0[lane].bitPattern == $1[place].bitPattern },
          "seed \(seed) lane \(lane)")
      }
    }
  }
}

/// Eight integrated curves at once where it is difficult.
@Suite struct MichaelisMentenLanesTests {
  private func rows(
    _ regimen: Regimen, _ people: [MichaelisMentenParameters], at times: [Double]
  ) -> [Lanes] {
    let values = values(of: people)
    var rows = [Lanes](repeating: Lanes(repeating: .nan), count: times.count * 7)
    EliminationModel.michaelisMenten.kinetics.follow(
      regimen, lanes: values, at: times, count: times.count, into: &rows, toleranceFactor: 1)
    return rows
  }

  private func values(of people: [MichaelisMentenParameters]) -> [Lanes] {
    var values = [Lanes](repeating: .zero, count: ParameterValues.slotCount)
    for (lane, person) in people.enumerated() {
      values[FitParameter.ka.slot][lane] = person.ka.value
      values[FitParameter.vmax.slot][lane] = person.vmax.value
      values[FitParameter.km.slot][lane] = person.km.value
      values[FitParameter.r.slot][lane] = 1 / person.concentrationPerDose
      values[FitParameter.lag.slot][lane] = person.lag.value
    }
    return values
  }

  /// People with K_m from 0.001 to 1 g/kg and k_a up to 60 /h, each with the absorbed fraction in r.
  private func people(_ seed: Int) throws -> [MichaelisMentenParameters] {
    try (0..<8).map { try MichaelisMentenCase(seed: UInt64(100 + 8 * seed + $0)).parameters }
  }

  /// 1e-9 g/kg, of an explicit integration with a tolerance of 1e-13.
  @Test(arguments: 1...6)
  func michaelisMentenLanesAgreeWithOdeiv2(seed: Int) throws {
    let regimen = try MichaelisMentenCase(seed: UInt64(seed)).regimen
    let people = try people(seed)
    let cases = people.map { MichaelisMentenCase(regimen, $0) }
    let times = cases[0].times()
    let rows = rows(regimen, people, at: times.map(\.value))
    for lane in 0..<8 {
      let expected = try IntegratedCurve(cases[lane]).concentrations(at: times)
      for (index, value) in expected.enumerated() {
        #expect(abs(rows[7 * index][lane] - value) <= 1e-9, "lane \(lane) at \(times[index])")
      }
    }
  }

  /// Central differences of the lanes' own curve, whose error is about 1e-10 / 1e-4 of the step.
  @Test(arguments: 1...6)
  func laneDerivativesAgreeWithCentralDifferences(seed: Int) throws {
    let regimen = try MichaelisMentenCase(seed: UInt64(seed)).regimen
    let person = MichaelisMentenCase(regimen, try people(seed)[seed])
    let p = person.parameters
    let h = 1e-4
    let changed = try [1 + h, 1 - h].flatMap { factor in
      [
        try person.parameters(ka: p.ka.value * factor),
        try person.parameters(vmax: p.vmax.value * factor),
        try person.parameters(km: p.km.value * factor),
      ]
    }
    let rows = rows(regimen, changed + [p, p], at: person.times().map(\.value))
    for (place, column, value) in [(0, 1, p.ka.value), (1, 5, p.vmax.value), (2, 6, p.km.value)] {
      for index in 0..<20 {
        let row = rows[7 * index]
        let difference = (row[place] - row[place + 3]) / (2 * h)
        let found = rows[7 * index + column][6] * value
        #expect(abs(found - difference) <= 2e-6, "column \(column) at \(index)")
      }
    }
  }

  /// A corner as sharp as may be, and far beyond the bounds of fits.
  @Test(arguments: [1e-3, 1e-4, 1e-6, 1e-9])
  func lanesFollowSharpCorners(km: Double) throws {
    for seed in 1...5 {
      let regimen = try MichaelisMentenCase(seed: UInt64(seed)).regimen
      let people = try people(seed).map {
        try MichaelisMentenCase(regimen, $0).parameters(km: km)
      }
      let times = MichaelisMentenCase(regimen, people[0]).times()
      let rows = rows(regimen, people, at: times.map(\.value))
      for lane in 0..<8 {
        let expected = MichaelisMentenCase(regimen, people[lane]).concentrations(at: times)
        for (index, value) in expected.enumerated() {
          let found = rows[7 * index][lane]
          #expect(found >= 0 && abs(found - value) <= 2e-9, "seed \(seed) lane \(lane)")
        }
      }
    }
  }

  /// A dose beyond the range of numbers is reported in its own lane only.
  @Test func failureStaysInItsLane() throws {
    let regimen = try MichaelisMentenCase(seed: 1).regimen
    var people = try people(1)
    let times = MichaelisMentenCase(regimen, people[0]).times().map(\.value)
    let sound = rows(regimen, people, at: times)
    people[2] = try MichaelisMentenParameters(
      ka: people[2].ka, vmax: people[2].vmax, km: people[2].km, r: RFactor(.leastNonzeroMagnitude))
    let found = rows(regimen, people, at: times)
    #expect(found[7 * 19][2].isNaN)
    for lane in [0, 1, 3, 4, 5, 6, 7] {
      #expect(zip(sound, found).allSatisfy { $0[lane].bitPattern == $1[lane].bitPattern })
    }
  }
}
