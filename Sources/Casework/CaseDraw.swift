import AlcoholKinetics
import Estimation

/// One set of values of all inputs, and the steps from it to an answer.
struct CaseDraw: Sendable {
  let one: Case
  private(set) var factors: ConversionFactors
  /// g/kg/h.
  private(set) var beta = 0.0
  /// kg/kg, at the drawn weight and height.
  private(set) var r: Double
  /// 1/h.
  private var ka = 1.0
  /// h.
  private var lag = 0.0
  /// kg.
  private(set) var weight: Double
  /// g of ethanol that reach the blood from each drink.
  private var masses: [Double]
  /// The fraction of the ethanol drunk that reaches the blood.
  private(set) var absorbedFraction = 1.0
  /// In the unit of the measurement.
  private var reading = 0.0
  private let time: Double

  /// - Parameters:
  ///   - prediction: The r that the method predicts at the stated weight and height; 0 for none.
  ///   - values: The value of each input.
  ///   - masses: The ethanol in each drink, in g.
  init(
    _ one: Case, prediction: Double, _ values: [(name: CaseInput.Name, value: Double)],
    masses: [Double]
  ) {
    self.one = one
    self.masses = masses
    time = one.measurement?.time.value ?? 0
    factors = one.assumptions.factors
    weight = one.person.weight?.value ?? .nan
    var height = one.person.height?.value ?? .nan
    // Where nothing is distributed, r cancels.
    r = prediction > 0 ? prediction : 1
    for (name, value) in values {
      switch name {
      case .measurement: reading = value
      case .breathRatio: factors.bloodBreathRatio = value
      case .serumRatio: factors.serumBloodRatio = value
      case .beta: beta = value
      case .r: r = value
      case .ka: ka = value
      case .lag: lag = value
      case .weight: weight = value
      case .height: height = value
      case .absorbed: absorbedFraction = min(1, value)
      case .volumes, .strengths: break
      }
    }
    if absorbedFraction < 1 {
      for place in self.masses.indices { self.masses[place] *= absorbedFraction }
    }
    let isAnother = one.weightSD > 0 || one.heightSD > 0
    guard isAnother, one.assumptions.posterior == nil, prediction > 0 else { return }
    var person = one.person
    if person.weight != nil { person.weight = Kilograms(weight) }
    if person.height != nil { person.height = Metres(height) }
    r *= ((try? one.predictedR(person)) ?? .nan) / prediction
  }

  var measured: Double {
    one.measurement?.unit.bloodConcentration(of: reading, using: factors).value ?? .nan
  }

  func shown(_ concentration: Double) -> Double {
    one.unit.value(of: GramsPerKilogram(concentration), using: factors)
  }

  /// c(t1) = c(t2) + beta (t2 - t1), absorption finished.
  func back(to start: Hours) -> Double {
    measured + beta * (time - start.value) + (one.assumptions.guideline?.surcharge.value ?? 0)
  }

  /// The curve of some of the drinks: by the model, or where absorption is taken as finished as if each were in the
  /// blood when it was begun, which is Widmark's formula wherever the blood does not empty. Nil if the draw has no such
  /// curve.
  func curve(_ isChosen: (CaseDrink) -> Bool) -> Trajectory? {
    let chosen = zip(one.drinks, masses).filter { isChosen($0.0) }
    return trajectory(
      chosen.map { drink, grams in dose(of: grams, from: drink.start, lasting: drink.duration) },
      parameters)
  }

  private func dose(of grams: Double, from start: Hours, lasting duration: Hours) -> Dose? {
    one.assumptions.absorption == .finished
      ? try? Dose(start: start, amount: perWeight(grams), route: .intravenous)
      : try? Dose(start: start, duration: duration, amount: perWeight(grams))
  }

  private var parameters: KineticParameters? {
    try? KineticParameters(
      ka: PerHour(ka), beta: GramsPerKilogramHour(beta), r: RFactor(r),
      lag: Hours(lag))
  }

  private func perWeight(_ grams: Double) -> GramsPerKilogram { GramsPerKilogram(grams / weight) }

  /// The curve of doses; nil if one of them, or a parameter, cannot be.
  private func trajectory(_ doses: [Dose?], _ parameters: KineticParameters?) -> Trajectory? {
    let whole = doses.compactMap(\.self)
    guard let parameters, whole.count == doses.count else { return nil }
    return Trajectory(Regimen(whole), parameters)
  }

  /// The curve of all drinks. Where absorption is taken as finished, the first counts from when drinking began.
  var drunk: Trajectory? {
    guard one.assumptions.absorption == .finished, let began = one.began
    else { return curve { _ in true } }
    return trajectory(
      zip(one.drinks, masses).enumerated().map { place, drink in
        dose(
          of: drink.1, from: place == 0 ? began : drink.0.start,
          lasting: drink.0.duration)
      }, parameters)
  }

  /// What some drinks, by their curve, bring into the blood between a time and the measurement.
  func absorbed(from start: Hours, of curve: Trajectory?) -> Double {
    guard let curve else { return .nan }
    return (curve.massBalance(at: Hours(time)).absorbed - curve.massBalance(at: start).absorbed)
      .value
  }

  /// The concentrations before the measurement that go with it: what was eliminated since is put back, what was
  /// absorbed since is taken off; not below zero.
  ///
  /// What was in the blood before leaves no trace once it is empty. If no more was measured than the drinks give on
  /// their own, every concentration is possible that had gone before they came, down to that of these drinks alone.
  func throughMeasurement(at start: Hours, addedBy curve: Trajectory?) -> (
    least: Double, most: Double
  ) {
    let most = max(0, back(to: start) - absorbed(from: start, of: curve))
    guard let curve, measured <= curve.concentration(at: Hours(time)).value * (1 + 1e-12) else {
      return (most, most)
    }
    return (min(most, curve.concentration(at: start).value), most)
  }

  /// The curve from the measurement on: what was measured is in the blood, what the drinks have left in the
  /// gut is absorbed, and what is drunk later comes to it.
  func afterMeasurement() -> Trajectory? {
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
    // What is absorbed later has its lag already.
    return trajectory(
      doses, try? KineticParameters(ka: parameters.ka, beta: parameters.beta, r: parameters.r))
  }

  /// The curve from the measurement on, or of the drinks where nothing was measured or they are asked about.
  var onward: Trajectory? {
    let isMeasured = one.question == .forward ? one.goesOnFromMeasurement : one.measurement != nil
    return isMeasured ? afterMeasurement() : drunk
  }

  /// The hour from which on the concentration is at or below a limit, in g/kg.
  func timeBelow(_ limit: Double) -> Double {
    guard let curve = onward else { return .nan }
    return curve.timeToThreshold(GramsPerKilogram(limit))?.value ?? one.reference.value
  }

  /// The curve of an amount per kg of body weight, drunk evenly between the beginning and the end of drinking.
  func curve(ofDrinking amount: Double) -> Trajectory? {
    let start = one.began ?? Hours(time)
    let duration = max(0, (one.ended ?? start) - start)
    return trajectory(
      [try? Dose(start: start, duration: duration, amount: GramsPerKilogram(amount))], parameters)
  }

  /// The ethanol, drunk evenly between the beginning and the end of drinking, whose curve passes through
  /// the measurement, in g.
  func ethanol() -> Double {
    let start = one.began?.value ?? time
    let blood = measured + beta * (time - start)
    guard one.assumptions.absorption == .modelled else {
      return blood * r * weight / absorbedFraction
    }
    func reached(_ amount: Double) -> Double {
      curve(ofDrinking: amount)?.concentration(at: Hours(time)).value ?? .nan
    }
    // The concentration grows with the amount, the faster the more; without a stretch of empty blood in a
    // straight line, so that the secant ends at once.
    var (low, high) = (0.0, blood * r)
    for _ in 0..<60 where reached(high) < measured { (low, high) = (high, 2 * high) }
    var (atLow, atHigh) = (reached(low) - measured, reached(high) - measured)
    guard atHigh.isFinite, atHigh >= 0 else { return .nan }
    for step in 0..<100 where high - low > 1e-10 * high {
      let secant = high - atHigh * (high - low) / (atHigh - atLow)
      let middle = step % 3 == 2 || !(secant > low && secant < high) ? (low + high) / 2 : secant
      let atMiddle = reached(middle) - measured
      if abs(atMiddle) < 1e-12 { return middle * weight / absorbedFraction }
      if atMiddle < 0 {
        (low, atLow) = (middle, atMiddle)
      } else {
        (high, atHigh) = (middle, atMiddle)
      }
    }
    return (low + high) / 2 * weight / absorbedFraction
  }
}

extension Case {
  /// The limits that times are asked for; zero if none is given.
  var soberLimits: [Double] { limits.isEmpty ? [0] : limits }
}
