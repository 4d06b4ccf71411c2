import AlcoholKinetics
import Estimation
import GSL
import StudyData
import Testing

/// The line through the model's own values, over many people and drinks.
@Suite struct EliminationLinePropertyTests {
  /// Somebody who drinks twice, on a clock that begins anywhere.
  struct Case: CustomTestStringConvertible {
    let ka: Double
    let beta: Double
    let r: Double
    let gramsPerKilogram: Double
    let start: Hours

    /// From a point of the unit cube.
    init(_ point: [Double], ka: ClosedRange<Double>) {
      func pick(_ coordinate: Int, _ range: ClosedRange<Double>) -> Double {
        range.lowerBound + point[coordinate] * (range.upperBound - range.lowerBound)
      }
      self.ka = pick(0, ka)
      beta = pick(1, 0.09...0.25)
      r = pick(2, 0.45...0.85)
      gramsPerKilogram = pick(3, 1.2...2)
      start = Hours(pick(4, -5...20))
    }

    var testDescription: String { "k_a \(ka), beta \(beta), r \(r), D \(gramsPerKilogram)" }

    /// The first drink is taken at once, since a line that goes back to the first sip of a long
    /// drink goes back to before the model begins to eliminate.
    var drinks: [Drink] {
      [
        Drink(time: start, ethanol: .perBodyWeight(GramsPerKilogram(0.6 * gramsPerKilogram))),
        Drink(
          time: start + 0.5, duration: 0.25,
          ethanol: .perBodyWeight(GramsPerKilogram(0.4 * gramsPerKilogram))),
      ]
    }

    /// Readings every 12 minutes for 8 hours.
    func series() throws -> Series {
      let curve = Trajectory(
        try Regimen(drinks, bodyWeight: nil),
        try KineticParameters(ka: PerHour(ka), beta: GramsPerKilogramHour(beta), r: RFactor(r)))
      let readings = (1...40).map { index in
        let time = start + Hours(minutes: Double(index) * 12)
        return Reading(
          time: time, value: curve.concentration(at: time).value, unit: .bloodGramsPerKilogram)
      }
      return Series(subject: Subject(id: "anybody"), drinks: drinks, readings: readings)
    }
  }

  private static func cases(ka: ClosedRange<Double>) throws -> [Case] {
    try QuasiRandomSequence(.sobol, dimension: 5).points(200).map { Case($0, ka: ka) }
  }

  /// Three hours after the last drink, with k_a at least 8 /h, no more than e^-24 = 4e-11 of the
  /// dose is still to be absorbed, and nothing but rounding stands between line and truth.
  @Test func lineRecoversTheTruthAfterAbsorption() throws {
    for one in try Self.cases(ka: 8...25) {
      let line = try EliminationLine.fit(
        try one.series(), options: EliminationLineOptions(limbAfter: 3))
      #expect(abs(line.beta.value.value / one.beta - 1) < 1e-8, "\(one)")
      #expect(abs(line.c0.value.value / (one.gramsPerKilogram / one.r) - 1) < 1e-8, "\(one)")
      let r = try #require(line.r)
      #expect(abs(r.value.value / one.r - 1) < 1e-8, "\(one)")
      #expect(line.residualSD.value < 1e-9, "\(one)")
      #expect(abs(line.rSquared - 1) < 1e-9, "\(one)")
      #expect(line.from >= one.start + 3.75 - 1e-9, "\(one)")
    }
  }

  /// While alcohol is still being absorbed, the curve falls more slowly than beta, so that the line
  /// errs to one side: beta too small, C0 too small, r too large.
  @Test func ongoingAbsorptionBiasesTheLine() throws {
    for one in try Self.cases(ka: 0.8...3) {
      let line = try EliminationLine.fit(try one.series())
      #expect(line.beta.value.value < one.beta, "\(one)")
      #expect(line.c0.value.value < one.gramsPerKilogram / one.r, "\(one)")
      #expect(try #require(line.r).value.value > one.r, "\(one)")
    }
  }

  /// The zero of a study's clock shifts the time of the limb and nothing else.
  @Test func lineIsInvariantToClockOffset() throws {
    for one in try Self.cases(ka: 2...20).prefix(50) {
      let series = try one.series()
      var moved = series
      moved.drinks = series.drinks.map {
        Drink(time: $0.time + 7, duration: $0.duration, ethanol: $0.ethanol)
      }
      for index in moved.readings.indices {
        moved.readings[index].time = moved.readings[index].time + 7
      }
      let here = try EliminationLine.fit(series)
      let there = try EliminationLine.fit(moved)
      #expect(there.readings == here.readings, "\(one)")
      #expect(abs((there.from - here.from).value - 7) < 1e-9, "\(one)")
      #expect(abs(there.beta.value / here.beta.value - 1) < 1e-10, "\(one)")
      #expect(abs(there.c0.value / here.c0.value - 1) < 1e-10, "\(one)")
    }
  }
}
