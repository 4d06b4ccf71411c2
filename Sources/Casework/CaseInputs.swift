public import AlcoholKinetics
import Estimation
import RealModule
import Statistics

/// An input of a case: its name, distribution and source.
public struct CaseInput: Hashable, Sendable {
  /// The inputs, in the order of tables.
  public enum Name: String, CaseIterable, Codable, Hashable, Sendable {
    case measurement
    case breathRatio = "blood_breath_ratio"
    case serumRatio = "serum_blood_ratio"
    case beta
    case r
    case ka
    case lag
    case weight
    case height
    case volumes
    case strengths
    /// The fraction of the ethanol that reaches the blood.
    case absorbed = "absorbed_fraction"
  }

  public let name: Name
  /// The unit; empty for a plain number.
  public let unit: String
  /// The value or distribution. For volumes and strengths, that of a factor on each drink.
  public let value: Uncertainty
  public let source: String
  /// The unit, per hour, in which an elimination rate was stated; nil for other inputs, and for rates from readings.
  public let statedUnit: ConcentrationUnit?
}

/// The inputs of a case, and draws from them.
struct CaseInputs: Sendable {
  let one: Case
  /// Whether to compare the drinks with the measurement.
  let explains: Bool
  /// The inputs that the answer depends on, in the order of tables.
  private(set) var all: [CaseInput] = []
  /// The r predicted by the method; 0 if the answer does not depend on it.
  private(set) var predictedR = 0.0

  /// Collects the stated inputs, and defaults for the others.
  init(_ one: Case, _ mode: CaseOptions.Mode) throws(Problem) {
    self.one = one
    explains = one.explainsMeasurement
    let assumptions = one.assumptions
    let needs =
      explains
      ? Set(CaseInput.Name.allCases).subtracting(one.unusedByAbsorption) : one.needs
    func add(
      _ name: CaseInput.Name, _ unit: String, _ value: Uncertainty, _ source: String,
      in stated: ConcentrationUnit? = nil
    ) {
      all.append(
        CaseInput(name: name, unit: unit, value: value, source: source, statedUnit: stated))
    }
    let stated = "as stated"
    if needs.contains(.measurement), let measured = one.measurement {
      let count = measured.values.count
      add(
        .measurement, measured.unit.rawValue, .normal(measured.value, measured.meanSD),
        (count == 1 ? "as stated" : "mean of \(count) samples")
          + (measured.sd == 0
            ? ", no analytical SD given"
            : count == 1
              ? ", with the analytical SD"
              : "; analytical SD \(measured.sd.brief) over the square root of \(count)"))
    }
    let units =
      [one.unit] + (needs.contains(.measurement) ? [one.measurement?.unit] : []).compactMap(\.self)
    if units.contains(where: \.isBreath) {
      add(
        .breathRatio, "", .normal(assumptions.factors.bloodBreathRatio, assumptions.breathRatioSD),
        assumptions.isBreathRatioStated ? stated : "assumed; volunteers had 2349, SD 176")
    }
    if units.contains(where: { $0.matrix == .serum }) {
      add(
        .serumRatio, "", .normal(assumptions.factors.serumBloodRatio, assumptions.serumRatioSD),
        "conversion factor")
    }
    let posterior = assumptions.posterior
    let (beta, betaSource, betaUnit) = try one.elimination(mode)
    add(
      .beta, "g/kg/h", assumptions.beta ?? posterior?.alone(.beta) ?? beta,
      assumptions.beta != nil ? one.statedBeta : posterior?.source ?? betaSource,
      in: assumptions.beta != nil
        ? assumptions.betaUnit ?? .bloodGramsPerKilogram : posterior == nil ? betaUnit : nil)
    if needs.contains(.r) {
      if posterior == nil { predictedR = try one.predictedR(one.person) }
      let (cv, source) = one.spreadOfR
      add(
        .r, "kg/kg", posterior?.alone(.r) ?? .normal(predictedR, predictedR * cv),
        posterior?.source ?? source)
    }
    if needs.contains(.ka) {
      let (ka, source) = assumptions.stomach.ka
      add(
        .ka, "1/h", assumptions.ka ?? posterior?.alone(.ka) ?? ka,
        assumptions.ka != nil ? stated : posterior?.source ?? source)
      let isTypical = assumptions.ka == nil && posterior == nil
      let (lag, lagSource) = isTypical ? assumptions.stomach.lag : CaseAssumptions.Stomach.noLag
      add(.lag, "h", assumptions.lag ?? lag, assumptions.lag == nil ? lagSource : stated)
    }
    if needs.contains(.weight), let weight = one.person.weight {
      add(.weight, "kg", .normal(weight.value, one.weightSD.value), stated)
      if let height = one.person.height {
        add(.height, "m", .normal(height.value, one.heightSD.value), stated)
      }
    }
    if needs.contains(.volumes) {
      let volume = one.drinks.map(\.volumeCV).max() ?? 0
      let strength = one.drinks.map(\.strengthCV).max() ?? 0
      add(
        .volumes, "factor", .normal(1, volume),
        volume > 0
          ? "stated CV, here the largest; drawn for each drink on its own" : "taken as exact")
      add(
        .strengths, "factor", .normal(1, strength),
        strength > 0
          ? "stated SD, here the largest; drawn for each drink on its own" : "taken as exact")
    }
    if needs.contains(.r), let fraction = assumptions.absorbedFraction {
      add(.absorbed, "fraction", fraction, stated)
    }
  }

  /// The value or distribution of an input; nil if the answer does not depend on it.
  subscript(name: CaseInput.Name) -> Uncertainty? { all.first { $0.name == name }?.value }

  /// The uncertain inputs, each a factor of the sensitivity indices.
  var drawn: [CaseInput.Name] { all.filter { !$0.value.isExact }.map(\.name) }

  /// The quantities of the answer, in the order of ``CaseOutcome/values``.
  var quantities: [CaseQuantity] {
    let unit = one.unit.rawValue
    var names: [CaseQuantity.Name] =
      switch one.question {
      case .back, .forward: [.concentration]
      case .drinks: [.ethanol]
      case .later: [.concentration, .explained, .remaining]
      case .sober: []
      }
    names += explains ? [.expected, .unexplained] : []
    let times = one.question == .sober ? one.soberLimits : []
    return times.map { CaseQuantity(name: .timeBelow, limit: $0, unit: "h") }
      + names.map { CaseQuantity(name: $0, limit: nil, unit: $0 == .ethanol ? "g" : unit) }
  }

  // MARK: Draws

  /// All inputs at their most likely values.
  var center: CaseDraw { CaseDraw(self) { _, value, _ in value.likeliest } }

  /// All combinations of the lower and upper ends of the inputs.
  var corners: [CaseDraw] {
    let drawn = drawn
    let bits = Dictionary(uniqueKeysWithValues: zip(drawn, 0...))
    return (0..<(1 << drawn.count)).map { corner in
      CaseDraw(self) { name, value, _ in
        bits[name].map {
          corner >> $0 & 1 == 1 ? value.ends.upperBound : value.ends.lowerBound
        } ?? value.likeliest
      }
    }
  }

  /// A random draw; `uniform` returns the uniform number of an input's coordinate.
  func random(_ uniform: (CaseInput.Name, Int) -> Double) -> CaseDraw {
    var together: [CaseInput.Name: Double] = [:]
    if let posterior = one.assumptions.posterior {
      let names = CasePosterior.inputs
      let z = names.map { NormalScores.quantile(uniform($0, 0)) }
      for (row, name) in names.enumerated() {
        let shift = (0...row).reduce(0.0) { $0 + posterior.factor[3 * row + $1] * z[$1] }
        together[name] = .exp(posterior.mean[row] + shift)
      }
      if one.assumptions.ka != nil { together[.ka] = nil }
      if one.assumptions.beta != nil { together[.beta] = nil }
    }
    return CaseDraw(self, besides: together) { input, value, index in
      value.isExact ? value.likeliest : value.quantile(uniform(input, index))
    }
  }
}

// MARK: - Defaults, each with its source

extension Case {
  /// Whether the drinks can be compared with the measurement.
  fileprivate var explainsMeasurement: Bool {
    measurement != nil && !drinks.isEmpty && person.weight != nil
      && (assumptions.posterior != nil || (try? predictedR(person)) != nil)
      && (question != .later || drinks.contains { !$0.isLater }) && !goesOnFromMeasurement
  }

  /// The inputs without effect if absorption is taken as finished.
  fileprivate var unusedByAbsorption: Set<CaseInput.Name> {
    assumptions.absorption == .modelled ? [] : [.ka, .lag]
  }

  /// The inputs that the answer depends on.
  var needs: Set<CaseInput.Name> {
    let ofDrinks: Set<CaseInput.Name> = [.r, .weight, .height, .volumes, .strengths, .absorbed]
    let ofAbsorption = Set([CaseInput.Name.ka, .lag]).subtracting(unusedByAbsorption)
    switch question {
    case .back: return [.measurement, .beta]
    case .forward:
      let before: Set<CaseInput.Name> = goesOnFromMeasurement ? [.measurement, .beta] : [.beta]
      return drinks.isEmpty ? before : before.union(ofDrinks).union(ofAbsorption)
    case .drinks:
      return Set([.measurement, .beta, .r, .weight, .height, .absorbed]).union(ofAbsorption)
    case .later: return ofDrinks.union([.measurement, .beta]).union(ofAbsorption)
    case .sober:
      guard let measurement else { return ofDrinks.union(ofAbsorption).union([.beta]) }
      let before: Set<CaseInput.Name> = [.measurement, .beta]
      return isStillAbsorbing || drinks.contains { $0.end > measurement.time }
        ? before.union(ofDrinks).union(ofAbsorption) : before
    }
  }

  /// Whether absorption may continue at the measurement.
  var isStillAbsorbing: Bool {
    guard assumptions.absorption == .modelled, let time = measurement?.time,
      let end = drinks.filter({ $0.start <= time }).map(\.end).max()
    else { return false }
    return time < end + assumptions.absorbedAfter
  }

  func predictedR(_ person: Subject) throws(Problem) -> Double {
    do {
      return try assumptions.rFactor.rFactor(for: person).value * assumptions.rScale
    } catch {
      throw .missing("\(error.code): \(error)")
    }
  }

  /// The coefficient of variation of r about the method, and its source.
  var spreadOfR: (cv: Double, source: String) {
    let method = assumptions.rFactor
    if let cv = assumptions.rCV { return (cv, "\(method.name), CV as stated") }
    if let given = method as? GivenRFactor {
      let conversion =
        assumptions.rUnit == .litresPerKilogram
        ? ": \(given.r.value.brief) L/kg x \(assumptions.factors.bloodDensityKgPerL.brief) kg/L"
        : ""
      return (0, "as stated, taken as exact\(conversion)")
    }
    let cv = method.spread.cv(of: person.sex)
    return (
      cv,
      "\(method.name); CV \((1000 * cv).rounded() / 10) % of observed about predicted r, 31 men and 19 women"
    )
  }

  /// The default beta in g/kg/h, its source and its unit. Without any knowledge of the person it is UKIAFT's range.
  func elimination(
    _ mode: CaseOptions.Mode
  ) throws(Problem) -> (Uncertainty, String, statedIn: ConcentrationUnit) {
    let density = assumptions.factors.bloodDensityKgPerL
    let population = assumptions.betaPopulation
    if let guideline = assumptions.guideline {
      return (.exactly(guideline.beta.value), guideline.source, .bloodGramsPerKilogram)
    }
    if mode == .guideline, population == .unknown {
      let range = Uncertainty.range(low: 0.09, likeliest: 0.19, high: 0.29)
      return (
        range.scaled(by: 1 / density),
        "UKIAFT: 9 to 29, most likely 19 mg/100 ml/h, over \(density) kg/L",
        .bloodMilligramsPer100Millilitres
      )
    }
    guard let (mean, sd) = population.rate(of: person.sex) else {
      // A stated beta, or one from readings, replaces this value.
      guard assumptions.beta == nil, assumptions.posterior == nil else {
        return (.exactly(0), "", .bloodGramsPerKilogram)
      }
      throw .missing(
        "the distribution of beta differs between men and women; give the sex, or give beta itself")
    }
    return (
      Uncertainty.normal(mean: mean, sd: sd).scaled(by: 1 / density),
      "\(population.words.people), \(mean.brief) +- \(sd.brief) g/L/h (\(population.words.source)), over "
        + "\(density) kg/L",
      .bloodGramsPerLitre
    )
  }

  /// The source of a stated elimination rate, with the unit in which it was stated.
  fileprivate var statedBeta: String {
    guard let beta = assumptions.beta, let unit = assumptions.betaUnit,
      unit != .bloodGramsPerKilogram
    else { return "as stated" }
    let original = beta.scaled(by: unit.value(of: 1, using: assumptions.factors))
    return "as stated: \(original.text) \(unit.symbol)/h in \(unit.matrix)"
  }
}

extension CaseAssumptions {
  /// The factor from an r given as a number to kg/kg.
  var rScale: Double {
    rFactor is GivenRFactor && rUnit == .litresPerKilogram ? factors.bloodDensityKgPerL : 1
  }
}

extension CaseAssumptions.Stomach {
  /// The default k_a in 1/h, and its source: the shipped prior, or for an unknown stomach a value between fits without a lag.
  var ka: (Uncertainty, String) {
    switch self {
    case .fasted: typical(.fasted, .ka)
    case .fed: typical(.fed, .ka)
    case .unknown:
      (
        .lognormal(median: 2.3, cv: 0.8),
        "stomach unknown: between fasted (4 /h without a lag) and fed (1.35 /h); CV 80 % assumed"
      )
    }
  }

  /// The default lag in h for this k_a, and its source.
  var lag: (Uncertainty, String) {
    switch self {
    case .fasted: typical(.fasted, .lag)
    case .fed: typical(.fed, .lag)
    case .unknown: Self.noLag
    }
  }

  /// The lag for a k_a without one.
  fileprivate static let noLag = (Uncertainty.exactly(0), "no lag assumed")

  private func typical(
    _ kinetics: TypicalKinetics, _ parameter: FitParameter
  ) -> (Uncertainty, String) {
    let row = TypicalKinetics.spreadParameters.firstIndex(of: parameter) ?? 0
    let variance = kinetics.logCovariance[4 * row]
    return (
      .lognormal(
        median: kinetics.values(of: .widmark, for: nil)[parameter] ?? .nan,
        cv: Double.expMinusOne(variance).squareRoot()),
      "\(kinetics.rawValue): typical value and spread of the prior that ships"
    )
  }
}
