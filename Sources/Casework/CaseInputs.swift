import AlcoholKinetics
import RealModule
import Statistics

/// An input of a case: its name, its distribution, and the source of it.
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
  }

  public let name: Name
  /// Its unit; empty for a plain number.
  public let unit: String
  /// What is known of it. Volumes and strengths of drinks: of a factor on each of them.
  public let value: Uncertainty
  public let source: String
}

/// The inputs that a question depends on, and how they become one draw.
struct CaseInputs: Sendable {
  private let one: Case
  let all: [CaseInput]
  /// The names of those that are drawn, each a factor of the sensitivity indices.
  let drawn: [CaseInput.Name]
  private let posterior: CasePosterior?
  private let prediction: Double

  /// - Parameter explains: Whether the drinks are held against the measurement, which needs all inputs.
  init(_ one: Case, _ mode: CaseOptions.Mode, explains: Bool) throws(CaseFailure) {
    self.one = one
    let assumptions = one.assumptions
    let needs = explains ? Set(CaseInput.Name.allCases) : one.needs
    var all: [CaseInput] = []
    func add(_ name: CaseInput.Name, _ unit: String, _ value: Uncertainty, _ source: String) {
      all.append(CaseInput(name: name, unit: unit, value: value, source: source))
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
    let (beta, betaSource) = try one.elimination(mode)
    add(
      .beta, "g/kg/h", assumptions.beta ?? posterior?.alone(.beta) ?? beta,
      assumptions.beta != nil ? stated : posterior?.source ?? betaSource)
    prediction = needs.contains(.r) && posterior == nil ? try one.predictedR(one.person) : 0
    if needs.contains(.r) {
      let (cv, source) = one.spreadOfR
      add(
        .r, "kg/kg", posterior?.alone(.r) ?? .normal(prediction, prediction * cv),
        posterior?.source ?? source)
    }
    if needs.contains(.ka) {
      let (ka, source) = assumptions.stomach.ka
      add(
        .ka, "1/h", assumptions.ka ?? posterior?.alone(.ka) ?? ka,
        assumptions.ka != nil ? stated : posterior?.source ?? source)
      let isTypical = assumptions.ka == nil && posterior == nil
      let (lag, lagSource) = isTypical ? assumptions.stomach.lag : Self.noLag
      add(.lag, "h", assumptions.lag ?? lag, assumptions.lag == nil ? lagSource : stated)
    }
    if needs.contains(.weight), let weight = one.person.weight {
      add(.weight, "kg", .normal(weight.value, one.weightSD.value), stated)
      if let height = one.person.height {
        add(.height, "m", .normal(height.value, one.heightSD.value), stated)
      }
    }
    if needs.contains(.volumes) {
      let (volume, strength) = (
        one.drinks.map(\.volumeCV).max() ?? 0, one.drinks.map(\.strengthCV).max() ?? 0
      )
      add(
        .volumes, "factor", .normal(1, volume),
        volume > 0
          ? "stated CV, here the largest; drawn for each drink on its own" : "taken as exact")
      add(
        .strengths, "factor", .normal(1, strength),
        strength > 0
          ? "stated SD, here the largest; drawn for each drink on its own" : "taken as exact")
    }
    self.all = all
    self.posterior = posterior
    drawn = all.filter { !$0.value.isExact }.map(\.name)
  }

  /// Where k_a does not come with a lag.
  fileprivate static let noLag = (Uncertainty.exactly(0), "no lag assumed")

  /// All inputs at their most likely values.
  var center: CaseDraw { draw { _, value, _ in value.likeliest } }

  /// Every combination of lower and upper ends.
  var corners: [CaseDraw] {
    let places = Dictionary(uniqueKeysWithValues: zip(drawn, 0...))
    return (0..<(1 << drawn.count)).map { corner in
      draw { name, value, _ in
        places[name].map {
          corner >> $0 & 1 == 1 ? value.ends.upperBound : value.ends.lowerBound
        } ?? value.likeliest
      }
    }
  }

  /// A random draw.
  ///
  /// - Parameter uniform: Gives the uniform number of an input's coordinate.
  func random(_ uniform: (CaseInput.Name, Int) -> Double) -> CaseDraw {
    var drawn: [(CaseInput.Name, Double)] = []
    if let posterior {
      let names = CasePosterior.inputs
      let z = names.map { NormalScores.quantile(uniform($0, 0)) }
      for (row, name) in names.enumerated() where one.assumptions.isFromPosterior(name) {
        let shift = (0...row).reduce(0.0) { $0 + posterior.factor[3 * row + $1] * z[$1] }
        drawn.append((name, .exp(posterior.mean[row] + shift)))
      }
    }
    return draw(besides: drawn) { input, value, place in
      value.isExact ? value.likeliest : value.quantile(uniform(input, place))
    }
  }

  /// - Parameters:
  ///   - together: What is drawn together and replaces what is picked.
  ///   - pick: The value of an input; of those of drinks there is one for each, by its place.
  private func draw(
    besides together: [(CaseInput.Name, Double)] = [],
    _ pick: (CaseInput.Name, Uncertainty, Int) -> Double
  ) -> CaseDraw {
    CaseDraw(
      one, prediction: prediction, all.map { ($0.name, pick($0.name, $0.value, 0)) } + together,
      masses: one.drinks.enumerated().map { place, drink in
        drink.ethanol.value * pick(.volumes, .normal(1, drink.volumeCV), place)
          * pick(.strengths, .normal(1, drink.strengthCV), place)
      })
  }
}

extension CaseAssumptions {
  func isFromPosterior(_ name: CaseInput.Name) -> Bool {
    switch name {
    case .ka: ka == nil
    case .beta: beta == nil
    default: true
    }
  }
}

// MARK: - Defaults, each with its source

extension Case {
  /// What the answer depends on.
  var needs: Set<CaseInput.Name> {
    let ofDrinks: Set<CaseInput.Name> = [.r, .weight, .height, .volumes, .strengths]
    let ofAbsorption: Set<CaseInput.Name> =
      assumptions.absorption == .modelled ? [.ka, .lag] : []
    switch question {
    case .back: return [.measurement, .beta]
    case .forward: return ofDrinks.union(ofAbsorption).union([.beta])
    case .drinks:
      return Set([.measurement, .beta, .r, .weight, .height]).union(ofAbsorption)
    case .later: return ofDrinks.union([.measurement, .beta, .ka, .lag])
    case .sober:
      guard let measurement else { return ofDrinks.union(ofAbsorption).union([.beta]) }
      let before: Set<CaseInput.Name> = [.measurement, .beta]
      return isStillAbsorbing || drinks.contains { $0.end > measurement.time }
        ? before.union(ofDrinks).union(ofAbsorption) : before
    }
  }

  /// Whether drinks were begun so shortly before the measurement that some may not be absorbed.
  var isStillAbsorbing: Bool {
    guard assumptions.absorption == .modelled, let time = measurement?.time,
      let end = drinks.filter({ $0.start <= time }).map(\.end).max()
    else { return false }
    return time < end + assumptions.absorbedAfter
  }

  func predictedR(_ person: Subject) throws(CaseFailure) -> Double {
    do {
      return try assumptions.rFactor.rFactor(for: person).value
    } catch {
      throw .missing("\(error.code): \(error)")
    }
  }

  /// Coefficient of variation of r about the method, and its source.
  var spreadOfR: (cv: Double, source: String) {
    let method = assumptions.rFactor
    if let cv = assumptions.rCV { return (cv, "\(method.name), CV as stated") }
    if method is GivenRFactor { return (0, "as stated, taken as exact") }
    let cv = method.spread(for: person.sex)
    return (
      cv,
      "\(method.name); CV \((1000 * cv).rounded() / 10) % of observed about predicted r, 31 men and 19 women "
        + "(data scs-beta60)"
    )
  }

  /// beta by default, in g/kg/h, and its source.
  ///
  /// The guideline's own range (UKIAFT, 9 to 29 and most likely 19 mg/100 ml/h) is for somebody of whom nothing is
  /// known; otherwise it is that of the population.
  func elimination(_ mode: CaseOptions.Mode) throws(CaseFailure) -> (Uncertainty, String) {
    let density = assumptions.factors.bloodDensityKgPerL
    let population = assumptions.betaPopulation
    if let guideline = assumptions.guideline {
      return (.exactly(guideline.beta.value), guideline.source)
    }
    if mode == .guideline, population == .unknown {
      let range = Uncertainty.range(low: 0.09, likeliest: 0.19, high: 0.29)
      return (
        range.scaled(by: 1 / density),
        "UKIAFT: 9 to 29, most likely 19 mg/100 ml/h, over \(density) kg/L"
      )
    }
    guard let (mean, sd) = population.rate(of: person.sex) else {
      // Where it is stated or known from readings, nothing here is used.
      guard assumptions.beta == nil, assumptions.posterior == nil else { return (.exactly(0), "") }
      throw .missing(
        "the distribution of beta differs between men and women; give the sex, or give beta itself")
    }
    return (
      Uncertainty.normal(mean: mean, sd: sd).scaled(by: 1 / density),
      "\(population.words.people), \(mean.brief) +- \(sd.brief) g/L/h (\(population.words.source)), over "
        + "\(density) kg/L"
    )
  }
}

extension CaseAssumptions.Stomach {
  /// k_a by default, in 1/h, and its source: the prior that ships, or between what fits without a lag give.
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

  /// The lag that belongs to it, in h, and its source.
  var lag: (Uncertainty, String) {
    switch self {
    case .fasted: typical(.fasted, .lag)
    case .fed: typical(.fed, .lag)
    case .unknown: CaseInputs.noLag
    }
  }

  private func typical(
    _ kinetics: TypicalKinetics, _ parameter: FitParameter
  ) -> (Uncertainty, String) {
    let place = TypicalKinetics.spreadParameters.firstIndex(of: parameter) ?? 0
    let variance = kinetics.logCovariance[4 * place]
    return (
      .lognormal(
        median: kinetics.values(of: .widmark, for: nil)[parameter] ?? .nan,
        cv: Double.expMinusOne(variance).squareRoot()),
      "\(kinetics.rawValue): typical value and spread of the prior that ships"
    )
  }
}
