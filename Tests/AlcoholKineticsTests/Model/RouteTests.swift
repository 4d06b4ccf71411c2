import AlcoholKinetics
import TestSupport
import Testing

/// Doses that are drunk, injected and infused, by every model.
@Suite struct RouteTests {
  // MARK: Against SciPy

  struct Reference: Sendable {
    let name: String
    let parameters: ModelParameters
    let regimen: Regimen
    let rows: [[String: String]]
  }

  static let references = Result { try read() }

  /// Against `Tests/Tools/routes_scipy.py`: values to 1e-9 of what the dose amounts to, derivatives by the
  /// logarithm of a parameter to 1e-8 of it; of the many steps there each adds its error.
  @Test func routesAgreeWithSciPy() throws {
    let references = try Self.references.get()
    #expect(Set(references.map(\.parameters.model)) == Set(EliminationModel.allCases))
    for reference in references {
      let curve = try reference.parameters.curve(of: reference.regimen)
      let dose = reference.regimen.total.value / reference.parameters.r.value
      let times = try reference.rows.map { try #require($0["time_h"].flatMap(Double.init)) }
      let samples = try #require(reference.parameters.samples(of: reference.regimen, at: times))
      let ke = reference.parameters.model.traits[4].parameter
      for (row, sample) in zip(reference.rows, samples) {
        let place = "\(reference.name) at \(row["time_h"] ?? "") h"
        let expected = try #require(row["c_g_per_kg"].flatMap(Double.init))
        #expect(abs(sample.concentration - expected) <= 1e-9 * dose, "\(place)")
        let time = Hours(try #require(row["time_h"].flatMap(Double.init)))
        #expect(abs(curve.concentration(at: time).value - expected) <= 1e-9 * dose, "\(place)")
        for (column, slot, parameter) in [("by_ka", 0, FitParameter.ka), ("by_second", 4, ke)] {
          guard let slope = row[column].flatMap(Double.init) else { continue }
          let factor = reference.parameters[parameter] ?? .nan
          #expect(
            abs(sample.derivatives[slot] - slope) * factor <= 1e-8 * dose, "\(column), \(place)")
        }
      }
    }
  }

  private static func read() throws -> [Reference] {
    let rows = try PackageFolder.expectations("routes")
    var names: [String] = []
    for row in rows where row["case"] != names.last { names.append(row["case"] ?? "") }
    return try names.compactMap { name in
      let own = rows.filter { $0["case"] == name }
      let first = try #require(own.first)
      let model = try #require(first["model"].flatMap(EliminationModel.init))
      let values = try #require(first["values"]).split(separator: ";").map { pair in
        let parts = pair.split(separator: "=")
        return (
          try #require(FitParameter(rawValue: String(parts[0]))), try #require(Double(parts[1]))
        )
      }
      let doses = try #require(first["doses"]).split(separator: ";").map { dose in
        let parts = dose.split(separator: ":").map(String.init)
        let numbers = parts.prefix(3).compactMap(Double.init)
        return try Dose(
          start: Hours(numbers[0]), duration: Hours(numbers[1]),
          amount: GramsPerKilogram(numbers[2]), route: try #require(Route(rawValue: parts[3])))
      }
      return Reference(
        name: name,
        parameters: try ModelParameters(model, Dictionary(uniqueKeysWithValues: values)),
        regimen: Regimen(doses), rows: own)
    }
  }

  // MARK: Properties

  /// A regimen with at least one dose into the blood, and parameters of a model about what is typical.
  private static func random(
    _ model: EliminationModel, seed: UInt64, lag: Bool = false
  ) throws -> (regimen: Regimen, values: [FitParameter: Double]) {
    var random = SeededGenerator(seed: seed)
    let doses = try (0..<Int.random(in: 1...5, using: &random)).map { index in
      try Dose(
        start: Hours(random.uniform(0...5)),
        duration: Bool.random(using: &random) ? 0 : Hours(random.logUniform(0.01...3)),
        amount: GramsPerKilogram(random.logUniform(0.01...1)),
        route: index == 0 || Bool.random(using: &random) ? .intravenous : .oral)
    }
    var values: [FitParameter: Double] = [:]
    for traits in model.traits where traits.parameter != .gain && traits.parameter != .lag {
      values[traits.parameter] = traits.typicalValue * random.logUniform(0.4...2.5)
    }
    if lag { values[.lag] = random.uniform(0...0.5) }
    return (Regimen(doses), values)
  }

  /// Ethanol in the gut, in the blood and eliminated adds up to the dose, and none of them is negative.
  @Test(arguments: 1...100)
  func massIsConserved(seed: Int) throws {
    let (regimen, values) = try Self.random(.widmark, seed: UInt64(seed), lag: true)
    let r = values[.r] ?? .nan
    let curve = Trajectory(
      regimen,
      try KineticParameters(
        ka: PerHour(values[.ka] ?? .nan), beta: GramsPerKilogramHour(values[.beta] ?? .nan),
        r: RFactor(r), lag: Hours(values[.lag] ?? .nan)))
    for step in 0..<60 {
      let time = Double(step) * 0.21
      let balance = curve.massBalance(at: Hours(time))
      let taken = regimen.doses.reduce(0.0) { sum, dose in
        let lag = dose.route == .oral ? values[.lag] ?? .nan : 0
        let elapsed = time - dose.start.value - lag
        let share =
          dose.duration > 0
          ? min(max(elapsed / dose.duration.value, 0), 1) : elapsed >= 0 ? 1 : 0
        return sum + share * dose.amount.value / r
      }
      let found = (balance.gut + balance.blood + balance.eliminated).value
      #expect(abs(found - taken) <= 1e-12 * max(1, taken), "seed \(seed) at \(time) h")
      #expect(min(balance.gut, balance.blood, balance.eliminated) >= -1e-15)
      #expect(balance.eliminated.value <= (values[.beta] ?? .nan) * max(0, time) + 1e-12)
    }
  }

  /// Walks, trajectories and thresholds tell of the same curve.
  @Test(arguments: EliminationModel.allCases, 1...40)
  func walksTrajectoriesAndThresholdsAgree(model: EliminationModel, seed: Int) throws {
    let (regimen, values) = try Self.random(model, seed: UInt64(seed), lag: true)
    let parameters = try ModelParameters(model, values)
    let curve = try parameters.curve(of: regimen)
    let times = (0..<80).map { 0.17 * Double($0) }
    let samples = try #require(parameters.samples(of: regimen, at: times))
    // What is infused more slowly than it is eliminated never shows.
    guard let highest = curve.peak?.concentration.value else {
      #expect(model == .widmark && samples.allSatisfy { $0.concentration == 0 })
      return
    }
    for (time, sample) in zip(times, samples) {
      let value = curve.concentration(at: Hours(time)).value
      #expect(value >= 0 && value <= highest * (1 + 1e-12), "seed \(seed) at \(time) h")
      #expect(abs(sample.concentration - value) <= 1e-8 * highest, "seed \(seed) at \(time) h")
    }
    for share in [0.9, 0.5, 0.1, 0.01] {
      let level = GramsPerKilogram(share * highest)
      let time = try #require(curve.timeToThreshold(level))
      #expect(abs(curve.concentration(at: time).value / level.value - 1) < 1e-7, "seed \(seed)")
      for later in [0.001, 0.1, 1, 5] {
        #expect(curve.concentration(at: time + Hours(later)) <= level * (1 + 1e-7), "seed \(seed)")
      }
    }
    #expect((curve.timeToThreshold(0) != nil) == (model == .widmark))
  }

  /// Derivatives against central differences, but by the lag, which differs from dose to dose.
  @Test(arguments: EliminationModel.allCases, 1...40)
  func derivativesAgreeWithCentralDifferences(model: EliminationModel, seed: Int) throws {
    let (regimen, values) = try Self.random(model, seed: UInt64(seed))
    // At no round number: a curve has corners at doses and, under Widmark's model, where it is empty.
    let times = (0..<30).map { 0.3137 * Double($0) + 0.0123 }
    let samples = try #require(try ModelParameters(model, values).samples(of: regimen, at: times))
    for (slot, traits) in model.traits.enumerated()
    where traits.parameter != .lag && traits.parameter != .gain {
      let value = try #require(values[traits.parameter])
      let step = 1e-5 * value
      let ends = try [value - step, value + step].map { moved in
        try #require(
          try ModelParameters(model, values.merging([traits.parameter: moved]) { $1 })
            .samples(of: regimen, at: times))
      }
      for index in times.indices {
        let isEmpty = (ends.map { $0[index].concentration } + [samples[index].concentration])
          .contains(0)
        guard !isEmpty || model != .widmark else { continue }
        let slope = (ends[1][index].concentration - ends[0][index].concentration) / 2e-5
        let found =
          traits.parameter == .r
          ? -samples[index].derivatives[slot] : samples[index].derivatives[slot] * value
        #expect(abs(found - slope) < 2e-6, "\(traits.name), seed \(seed) at \(times[index]) h")
      }
    }
  }

  /// An infusion at beta keeps a positive concentration constant.
  @Test func infusionAtBetaHoldsTheConcentration() throws {
    let regimen = Regimen([
      try Dose(start: 0, amount: 0.35, route: .intravenous),
      try Dose(start: 0, duration: 4, amount: 0.42, route: .intravenous),
    ])
    let curve = try ModelParameters(.widmark, [.ka: 6, .beta: 0.15, .r: 0.7]).curve(of: regimen)
    for hour in 0...4 {
      #expect(abs(curve.concentration(at: Hours(Double(hour))).value - 0.5) < 1e-14)
    }
    #expect(abs((curve.timeToThreshold(0)?.value ?? 0) - (4 + 0.5 / 0.15)) < 1e-12)
  }

  /// The lag is one of absorption: what is injected does not wait.
  @Test(arguments: EliminationModel.allCases)
  func lagDoesNotDelayInjections(model: EliminationModel) throws {
    var values: [FitParameter: Double] = [.r: 0.65]
    for traits in model.traits where traits.usualValue == nil {
      values[traits.parameter] = values[traits.parameter] ?? traits.typicalValue
    }
    let injected = Regimen([try Dose(start: 1, duration: 0.5, amount: 0.5, route: .intravenous)])
    let late = try ModelParameters(model, values.merging([.lag: 0.4]) { $1 })
    let plain = try ModelParameters(model, values)
    let (one, other) = (try late.curve(of: injected), try plain.curve(of: injected))
    for hour in [0.9, 1.1, 1.5, 2, 3] {
      let expected = other.concentration(at: Hours(hour)).value
      #expect(abs(one.concentration(at: Hours(hour)).value - expected) < 1e-12)
    }
  }
}
