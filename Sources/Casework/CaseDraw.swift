import AlcoholKinetics

public struct CaseQuantity: Hashable, Sendable {
  public enum Name: String, CaseIterable, Codable, Hashable, Sendable {
    case concentration
    /// The ethanol drunk before the measurement.
    case ethanol
    /// The contribution of drinks after the event to the measured concentration.
    case explained
    /// The measured concentration less that contribution.
    case remaining
    /// The time from which on the concentration is below a limit.
    case timeBelow = "time_below"
    /// The concentration from the stated drinks at the time of the measurement.
    case expected
    /// The measured less the expected concentration.
    case unexplained
  }

  public let name: Name
  /// The limit of a time below a limit, in the unit of answers; nil for other quantities.
  public let limit: Double?
  /// The unit: one of concentration, `g`, or `h` since the measurement or else the first drink.
  public let unit: String
}

/// A draw of a case: a value of each input, and the answer with these.
///
/// The formulas are in the article of this module, after Widmark (1932), and Jones (2010) for back calculation and drinking
/// after the event.
struct CaseDraw: Sendable {
  private let one: Case
  /// Whether to compare the drinks with the measurement.
  private let explains: Bool
  private let factors: ConversionFactors
  /// The measured concentration, in g/kg of blood.
  private let measured: Double
  /// The time of the measurement, in h.
  private let time: Double
  /// The elimination rate, in g/kg/h.
  private let beta: Double
  /// The distribution factor at the drawn weight and height, in kg/kg.
  private let r: Double
  /// The absorption rate constant, in 1/h.
  private let ka: Double
  /// The lag, in h.
  private let lag: Double
  /// The body weight, in kg.
  private let weight: Double
  /// The fraction of the ethanol that reaches the blood.
  private let absorbedFraction: Double
  /// The ethanol from each drink that reaches the blood, in g.
  private let masses: [Double]

  /// Makes a draw from values of the inputs.
  ///
  /// - Parameters:
  ///   - together: Values of inputs that are drawn jointly.
  ///   - pick: Returns the value of an input; for drinks, that of the drink of an index.
  init(
    _ inputs: CaseInputs, besides together: [CaseInput.Name: Double] = [:],
    _ pick: (CaseInput.Name, Uncertainty, Int) -> Double
  ) {
    func value(_ name: CaseInput.Name) -> Double? {
      together[name] ?? inputs[name].map { pick(name, $0, 0) }
    }
    let one = inputs.one
    self.one = one
    explains = inputs.explains
    var factors = one.assumptions.factors
    factors.bloodBreathRatio = value(.breathRatio) ?? factors.bloodBreathRatio
    factors.serumBloodRatio = value(.serumRatio) ?? factors.serumBloodRatio
    self.factors = factors
    measured =
      one.measurement?.unit.bloodConcentration(of: value(.measurement) ?? 0, using: factors).value
      ?? .nan
    time = one.measurement?.time.value ?? 0
    beta = value(.beta) ?? 0
    ka = value(.ka) ?? 1
    lag = value(.lag) ?? 0
    let weight = value(.weight) ?? one.person.weight?.value ?? .nan
    self.weight = weight
    let fraction = min(1, value(.absorbed) ?? 1)
    absorbedFraction = fraction
    masses = one.drinks.enumerated().map { index, drink in
      drink.ethanol.value * pick(.volumes, .normal(1, drink.volumeCV), index)
        * pick(.strengths, .normal(1, drink.strengthCV), index) * fraction
    }
    // Without drinks in the answer r cancels.
    let r = value(.r) ?? 1
    guard one.weightSD > 0 || one.heightSD > 0, one.assumptions.posterior == nil,
      inputs.predictedR > 0
    else {
      self.r = r
      return
    }
    var person = one.person
    person.weight = person.weight.map { _ in Kilograms(weight) }
    person.height = person.height.map { Metres(value(.height) ?? $0.value) }
    self.r = r * (((try? one.predictedR(person)) ?? .nan) / inputs.predictedR)
  }

  /// Converts a concentration from g/kg of blood to the unit of answers.
  private func shown(_ concentration: Double) -> Double {
    one.unit.value(of: GramsPerKilogram(concentration), using: factors)
  }

  private var surcharge: Double { one.assumptions.guideline?.surcharge.value ?? 0 }

  /// The back calculation c(t1) = c(t2) + beta (t2 - t1) after absorption, plus the guideline's surcharge.
  private func back(to start: Hours) -> Double {
    measured + beta * (time - start.value) + surcharge
  }

  // MARK: Curves

  /// The curve of a selection of the drinks; nil if it cannot be computed. With absorption taken as finished, each drink is
  /// in the blood from its start (Widmark's formula, unless the blood empties).
  private func curve(_ isIncluded: (CaseDrink) -> Bool) -> Trajectory? {
    let chosen = zip(one.drinks, masses).filter { isIncluded($0.0) }
    return trajectory(
      chosen.map { drink, grams in dose(of: grams, from: drink.start, lasting: drink.duration) },
      parameters)
  }

  private func dose(of grams: Double, from start: Hours, lasting duration: Hours) -> Dose? {
    let amount = GramsPerKilogram(grams / weight)
    return one.assumptions.absorption == .finished
      ? try? Dose(start: start, amount: amount, route: .intravenous)
      : try? Dose(start: start, duration: duration, amount: amount)
  }

  private var parameters: KineticParameters? {
    try? KineticParameters(
      ka: PerHour(ka), beta: GramsPerKilogramHour(beta), r: RFactor(r), lag: Hours(lag))
  }

  /// The curve of doses; nil if a dose or parameter is invalid.
  private func trajectory(_ doses: [Dose?], _ parameters: KineticParameters?) -> Trajectory? {
    let whole = doses.compactMap(\.self)
    guard let parameters, whole.count == doses.count else { return nil }
    return Trajectory(Regimen(whole), parameters)
  }

  /// The curve of all drinks. With absorption taken as finished, the first counts from the beginning of drinking.
  private var drunk: Trajectory? {
    guard one.assumptions.absorption == .finished, let began = one.began
    else { return curve { _ in true } }
    return trajectory(
      zip(one.drinks, masses).enumerated().map { index, drink in
        dose(
          of: drink.1, from: index == 0 ? began : drink.0.start, lasting: drink.0.duration)
      }, parameters)
  }

  /// The curve from the measurement on: the measured concentration, plus absorption of the remaining gut content and of later
  /// drinks.
  private func afterMeasurement() -> Trajectory? {
    guard let parameters else { return nil }
    let now = Hours(time)
    var doses = [
      try? Dose(
        start: now, amount: GramsPerKilogram(measured * parameters.r.value), route: .intravenous)
    ]
    let isFinished = one.assumptions.absorption == .finished
    if one.isStillAbsorbing {
      let gut = curve { $0.start <= now }?.massBalance(at: now).gut.value ?? .nan
      doses.append(try? Dose(start: now, amount: GramsPerKilogram(gut * parameters.r.value)))
    }
    for (drink, grams) in zip(one.drinks, masses) where drink.end > now {
      // The rest of a drink that is under way.
      let start = max(drink.start, now)
      let part = drink.duration > 0 ? (drink.end - start).value / drink.duration.value : 1
      doses.append(
        try? Dose(
          start: isFinished ? start : start + Hours(lag),
          duration: isFinished ? 0 : drink.end - start,
          amount: GramsPerKilogram(grams / weight * part), route: isFinished ? .intravenous : .oral)
      )
    }
    // The lag is already in the times of the doses.
    return trajectory(
      doses, try? KineticParameters(ka: parameters.ka, beta: parameters.beta, r: parameters.r))
  }

  /// The curve from the measurement on; without one, or if the question is about the drinks, that of the drinks.
  private var onward: Trajectory? {
    let isMeasured = one.question == .forward ? one.goesOnFromMeasurement : one.measurement != nil
    return isMeasured ? afterMeasurement() : drunk
  }

  /// The ethanol absorbed between a time and the measurement along a curve, in g/kg of blood.
  private func absorbed(from start: Hours, of curve: Trajectory?) -> Double {
    guard let curve else { return .nan }
    return (curve.massBalance(at: Hours(time)).absorbed - curve.massBalance(at: start).absorbed)
      .value
  }

  /// The range of earlier concentrations compatible with the measurement: eliminated ethanol added, absorbed ethanol
  /// subtracted, not below zero.
  ///
  /// A concentration that has fallen to zero leaves no trace. If the measured one does not exceed that of the drinks alone,
  /// every concentration that was eliminated before the drinks is possible, down to that of the drinks alone.
  private func throughMeasurement(at start: Hours, addedBy curve: Trajectory?) -> (
    least: Double, most: Double
  ) {
    let most = max(0, back(to: start) - absorbed(from: start, of: curve))
    guard let curve, measured <= curve.concentration(at: Hours(time)).value * (1 + 1e-12) else {
      return (most, most)
    }
    return (min(most, curve.concentration(at: start).value), most)
  }

  /// The curve of an amount per kg of body weight, drunk evenly between the beginning and the end of drinking.
  private func curve(ofDrinking amount: Double) -> Trajectory? {
    let start = one.began ?? Hours(time)
    let duration = max(0, (one.ended ?? start) - start)
    return trajectory(
      [try? Dose(start: start, duration: duration, amount: GramsPerKilogram(amount))], parameters)
  }

  /// The ethanol, drunk evenly between the beginning and the end of drinking, whose curve passes through
  /// the measurement, in g.
  private func ethanol() -> Double {
    let blood = measured + beta * (time - (one.began?.value ?? time))
    guard one.assumptions.absorption == .modelled else {
      return blood * r * weight / absorbedFraction
    }
    func excess(_ amount: Double) -> Double {
      (curve(ofDrinking: amount)?.concentration(at: Hours(time)).value ?? .nan) - measured
    }
    // The concentration is a convex, increasing function of the amount, and linear unless the blood empties; then the
    // secant method converges at once.
    var low = 0.0
    var high = blood * r
    var atLow = excess(low)
    var atHigh = excess(high)
    for _ in 0..<60 where atHigh < 0 {
      low = high
      atLow = atHigh
      high = 2 * high
      atHigh = excess(high)
    }
    guard atHigh.isFinite, atHigh >= 0 else { return .nan }
    for step in 0..<100 where high - low > 1e-10 * high {
      let secant = high - atHigh * (high - low) / (atHigh - atLow)
      let middle = step % 3 == 2 || !(secant > low && secant < high) ? (low + high) / 2 : secant
      let atMiddle = excess(middle)
      if abs(atMiddle) < 1e-12 { return middle * weight / absorbedFraction }
      if atMiddle < 0 {
        low = middle
        atLow = atMiddle
      } else {
        high = middle
        atHigh = atMiddle
      }
    }
    return (low + high) / 2 * weight / absorbedFraction
  }

  /// The curve behind the answer, in the unit of answers; for an open answer the lowest, or with `isMost` the highest
  /// compatible one.
  func curve(at times: [Hours], isMost: Bool = false) -> [Double] {
    switch one.question {
    case .forward, .sober:
      let curve = onward
      return times.map { shown(curve?.concentration(at: $0).value ?? .nan) }
    case .back, .drinks:
      return times.map { shown(max(0, back(to: $0))) }
    case .later:
      let curve = curve(\.isLater)
      return times.map { time in
        let range = throughMeasurement(at: time, addedBy: curve)
        return shown(isMost ? range.most : range.least)
      }
    }
  }
}

/// The answer of a draw.
struct CaseOutcome: Sendable {
  /// The comparison of drinks after the event with the measurement, in the unit of answers.
  struct LaterDrinks: Sendable {
    /// The highest concentration at the event compatible with both. It is above the lowest only if the blood may have been
    /// empty before these drinks.
    let most: Double
    /// The concentration at the measurement from these drinks alone, and its excess over the measured one.
    let alone, excess: Double
  }

  /// The values of the quantities; NaN where there is none. A concentration that is not determined has its lowest value.
  fileprivate(set) var values: [Double] = []
  /// The calculation of the first value; nil if it is not a sum or was not requested.
  fileprivate(set) var sum: CaseSum?
  /// The comparison of drinks after the event; nil for other questions.
  fileprivate(set) var later: LaterDrinks?
}

/// The calculation of an answer, for checks by hand: the formula and its terms.
///
/// Concentrations are in the unit of answers, rates in it per hour.
public struct CaseSum: Hashable, Sendable {
  public enum Form: Hashable, Sendable {
    /// measured + hours x rate + surcharge
    case back
    /// measured + hours x rate + surcharge - added, by the drinks after the event
    case later
    /// given - unabsorbed - eliminated: the concentration if all ethanol were in the blood, less the unabsorbed and the
    /// eliminated part. The last term is the hours with alcohol in the blood.
    case forward
    /// measured - hours x rate
    case onward
    /// r x weight x (measured + eliminated + unabsorbed) / fraction, in g: the weight is in kg, the concentrations in
    /// g/kg; the fraction is that of the ethanol which reaches the blood.
    case drinks
    /// (measured - limit) / rate, in h
    case sober
  }

  public let form: Form
  /// The terms in the order of the formula.
  public let terms: [Double]
  public let result: Double
}

extension CaseDraw {
  /// The answer of this draw, with its calculation if `traces` is true.
  func answer(traces: Bool = false) -> CaseOutcome {
    var outcome = CaseOutcome()
    func trace(_ form: CaseSum.Form, _ terms: [Double], if isSum: Bool = true) {
      guard traces, isSum, let result = outcome.values.first, result.isFinite else { return }
      outcome.sum = CaseSum(form: form, terms: terms, result: result)
    }
    let at = one.at ?? 0
    let hours = one.span.map { ($0.end - $0.start).value } ?? .nan
    switch one.question {
    case .back:
      outcome.values = [shown(back(to: one.countedTo ?? 0))]
      trace(.back, [shown(measured), hours, shown(beta), shown(surcharge)])
    case .later:
      let curve = curve(\.isLater)
      let added = absorbed(from: at, of: curve)
      let through = throughMeasurement(at: at, addedBy: curve)
      let alone = shown(curve?.concentration(at: Hours(time)).value ?? .nan)
      outcome.values = [shown(through.least), shown(added), shown(max(0, measured - added))]
      outcome.later = CaseOutcome.LaterDrinks(
        most: shown(through.most), alone: alone,
        // The slack keeps rounding from counting as an excess.
        excess: alone - shown(measured) * (1 + 1e-9))
      trace(
        .later, [shown(measured), hours, shown(beta), shown(surcharge), shown(added)],
        if: through.least == through.most && back(to: at) >= added)
    case .forward:
      let curve = onward
      outcome.values = [shown(curve?.concentration(at: at).value ?? .nan)]
      if one.goesOnFromMeasurement {
        trace(
          .onward, [shown(measured), hours, shown(beta)],
          if: one.drinks.isEmpty && measured >= beta * hours)
      } else if traces, let balance = curve?.massBalance(at: at) {
        let gone = balance.eliminated.value
        trace(
          .forward,
          [
            shown(balance.gut.value + balance.absorbed.value), shown(balance.gut.value),
            shown(gone), gone / beta,
          ])
      }
    case .drinks:
      let grams = ethanol()
      outcome.values = [grams]
      let isFinished = one.assumptions.absorption == .finished
      let balance =
        !traces || isFinished
        ? nil
        : curve(ofDrinking: grams * absorbedFraction / weight)?.massBalance(at: Hours(time))
      trace(
        .drinks,
        [
          r, weight, measured, balance?.eliminated.value ?? beta * hours, balance?.gut.value ?? 0,
          absorbedFraction,
        ], if: isFinished || balance != nil)
    case .sober:
      let curve = onward
      outcome.values = one.soberLimits.map { limit in
        let blood = one.unit.bloodConcentration(of: limit, using: factors)
        let below = curve.map { $0.timeToThreshold(blood) ?? one.reference }
        return (below?.value ?? .nan) - one.reference.value
      }
      trace(
        .sober, [shown(measured), one.soberLimits[0], shown(beta)],
        if: one.measurement != nil && !one.isStillAbsorbing
          && !one.drinks.contains { $0.end > one.reference }
          && shown(measured) >= one.soberLimits[0])
    }
    if explains {
      let expected = drunk?.concentration(at: Hours(time)).value ?? .nan
      outcome.values += [shown(expected), shown(measured - expected)]
    }
    return outcome
  }
}

extension Case {
  /// The limits whose times are requested; zero if none is given.
  var soberLimits: [Double] { limits.isEmpty ? [0] : limits }
}
