import AlcoholKinetics
import Estimation

public struct CaseQuantity: Hashable, Sendable {
  public enum Name: String, CaseIterable, Codable, Hashable, Sendable {
    case concentration
    /// The ethanol drunk before the measurement.
    case ethanol
    /// What drinks after the event contribute to the measured concentration.
    case explained
    /// What the measured concentration would be without them.
    case remaining
    /// When the concentration is at a limit, and below it from then on.
    case timeBelow = "time_below"
    /// What the stated drinks give at the time of the measurement.
    case expected
    /// The measured concentration less that.
    case unexplained
  }

  public let name: Name
  /// The limit that it is about, in the unit of answers; nil where it is about none.
  public let limit: Double?
  /// Its unit: one of concentration, `g`, or `h` since the measurement or else the first drink.
  public let unit: String
}

/// Computes what a case asks for, from one draw.
///
/// | question | formula |
/// |---|---|
/// | back | c(t1) = c(t2) + beta (t2 - t1) |
/// | forward, finished | c(t) = max(0, A / (r W) - beta (t - t0)), A: begun by t; anew where the blood was empty |
/// | forward, modelled | the curve of all drinks with k_a, at t |
/// | drinks, finished | A = r W (c + beta (t - t0)) |
/// | drinks, modelled | the A whose curve, drunk evenly, passes through c at t |
/// | later | c(t1) = c(t2) + beta (t2 - t1) - (what later drinks added between t1 and t2), if c(t2) is above what they \
/// give on their own; otherwise the blood may have been empty, and everything from 0 to that goes with c(t2) |
/// | sober | the curve's last time at the limit |
///
/// Sources: Widmark (1932); Jones (2010) on back calculation and drinking after the event.
struct CaseModel: Sendable {
  let one: Case
  let quantities: [CaseQuantity]
  /// Whether it also tells whether the drinks explain the measurement.
  let explains: Bool
  let inputs: CaseInputs

  init(_ one: Case, _ mode: CaseOptions.Mode) throws(CaseFailure) {
    self.one = one
    let unit = one.unit.rawValue
    var quantities: [CaseQuantity] = []
    func add(_ name: CaseQuantity.Name, _ unit: String, _ limit: Double? = nil) {
      quantities.append(CaseQuantity(name: name, limit: limit, unit: unit))
    }
    switch one.question {
    case .back, .forward: add(.concentration, unit)
    case .drinks: add(.ethanol, "g")
    case .later:
      add(.concentration, unit)
      add(.explained, unit)
      add(.remaining, unit)
    case .sober: for limit in one.soberLimits { add(.timeBelow, "h", limit) }
    }
    explains =
      one.measurement != nil && !one.drinks.isEmpty
      && one.person.weight != nil
      && (one.assumptions.posterior != nil || (try? one.predictedR(one.person)) != nil)
      && (one.question != .later || one.drinks.contains { !$0.isLater })
    if explains {
      add(.expected, unit)
      add(.unexplained, unit)
    }
    self.quantities = quantities
    inputs = try CaseInputs(one, mode, explains: explains)
  }

  // MARK: Quantities

  /// The values of ``quantities`` for a draw; NaN where the draw has none. Where a draw leaves a concentration open,
  /// the least that it may be.
  func values(_ draw: CaseDraw) -> [Double] {
    var values: [Double] = []
    switch one.question {
    case .back: values = [draw.shown(draw.back(to: one.at ?? 0))]
    case .forward:
      values = [draw.shown(draw.drunk?.concentration(at: one.at ?? 0).value ?? .nan)]
    case .drinks: values = [draw.ethanol()]
    case .later:
      let curve = draw.curve(\.isLater)
      let explained = draw.absorbed(from: one.at ?? 0, of: curve)
      values = [
        draw.shown(draw.throughMeasurement(at: one.at ?? 0, addedBy: curve).least),
        draw.shown(explained), draw.shown(max(0, draw.measured - explained)),
      ]
    case .sober:
      values = one.soberLimits.map { limit in
        draw.timeBelow(one.unit.bloodConcentration(of: limit, using: draw.factors).value)
          - one.reference.value
      }
    }
    if explains, let time = one.measurement?.time {
      let expected = draw.curve { _ in true }?.concentration(at: time).value ?? .nan
      values += [draw.shown(expected), draw.shown(draw.measured - expected)]
    }
    return values
  }

  /// The highest value of the first quantity that goes with a draw: above the least only where drinks after the
  /// event may have found the blood empty.
  func most(_ draw: CaseDraw) -> Double {
    guard one.question == .later else { return values(draw)[0] }
    return draw.shown(draw.throughMeasurement(at: one.at ?? 0, addedBy: draw.curve(\.isLater)).most)
  }

  /// The curve of a draw, in the unit of answers, at some times.
  ///
  /// - Parameter isMost: Whether to take the highest that goes with the draw, not the least.
  func curve(_ draw: CaseDraw, at times: [Hours], isMost: Bool = false) -> [Double] {
    switch one.question {
    case .forward, .sober:
      let curve =
        one.question == .sober && one.measurement != nil ? draw.afterMeasurement() : draw.drunk
      return times.map { draw.shown(curve?.concentration(at: $0).value ?? .nan) }
    case .back, .drinks:
      return times.map { draw.shown(max(0, draw.back(to: $0))) }
    case .later:
      let curve = draw.curve(\.isLater)
      return times.map { time in
        let range = draw.throughMeasurement(at: time, addedBy: curve)
        return draw.shown(isMost ? range.most : range.least)
      }
    }
  }

  /// The times that a figure spans.
  var span: ClosedRange<Double> {
    let measured = one.measurement?.time.value
    let at = one.at?.value
    switch one.question {
    case .back, .later: return (at ?? 0)...max(measured ?? 0, (at ?? 0) + 0.01)
    case .forward:
      let start = one.began?.value ?? 0
      return start...max(at ?? start, start + 0.25)
    case .drinks:
      let start = one.began?.value ?? 0
      return start...max(measured ?? start, start + 0.25)
    case .sober: return one.reference.value...(one.reference.value + 1)
    }
  }
}

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
  /// g of ethanol in each drink.
  private let masses: [Double]
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
      case .volumes, .strengths: break
      }
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

  /// The curve of some of the drinks; nil if the draw has no such curve.
  func curve(_ isChosen: (CaseDrink) -> Bool) -> Trajectory? {
    var doses: [Dose] = []
    for (drink, grams) in zip(one.drinks, masses) where isChosen(drink) {
      guard
        let dose = try? Dose(
          start: drink.start, duration: drink.duration, amount: GramsPerKilogram(grams / weight))
      else { return nil }
      doses.append(dose)
    }
    return parameters.map { Trajectory(Regimen(doses), $0) }
  }

  private var parameters: KineticParameters? {
    try? KineticParameters(
      ka: PerHour(ka), beta: GramsPerKilogramHour(beta), r: RFactor(r),
      lag: Hours(lag))
  }

  /// The curve of all drinks: by the model, or as if each were in the blood when it was begun, which is Widmark's
  /// formula wherever the blood does not empty. The first drink counts from when drinking began.
  var drunk: Trajectory? {
    guard one.assumptions.absorption == .finished else { return curve { _ in true } }
    guard let parameters else { return nil }
    let began = one.began
    var doses: [Dose] = []
    for (drink, grams) in zip(one.drinks, masses) {
      let start = doses.isEmpty ? began ?? drink.start : drink.start
      guard
        let dose = try? Dose(
          start: start, amount: GramsPerKilogram(grams / weight), route: .intravenous)
      else { return nil }
      doses.append(dose)
    }
    return Trajectory(Regimen(doses), parameters)
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
    let whole = doses.compactMap(\.self)
    guard whole.count == doses.count,
      let quick = try? KineticParameters(ka: parameters.ka, beta: parameters.beta, r: parameters.r)
    else { return nil }
    return Trajectory(Regimen(whole), quick)
  }

  /// The hour from which on the concentration is at or below a limit, in g/kg.
  func timeBelow(_ limit: Double) -> Double {
    let curve = one.measurement == nil ? drunk : afterMeasurement()
    guard let curve else { return .nan }
    return curve.timeToThreshold(GramsPerKilogram(limit))?.value ?? one.reference.value
  }

  /// The curve of an amount per kg of body weight, drunk evenly between the beginning and the end of drinking.
  func curve(ofDrinking amount: Double) -> Trajectory? {
    let start = one.began ?? Hours(time)
    let duration = max(0, (one.ended ?? start) - start)
    guard let parameters,
      let dose = try? Dose(start: start, duration: duration, amount: GramsPerKilogram(amount))
    else { return nil }
    return Trajectory(Regimen([dose]), parameters)
  }

  /// The ethanol, drunk evenly between the beginning and the end of drinking, whose curve passes through
  /// the measurement, in g.
  func ethanol() -> Double {
    let start = one.began?.value ?? time
    let blood = measured + beta * (time - start)
    guard one.assumptions.absorption == .modelled else { return blood * r * weight }
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
      if abs(atMiddle) < 1e-12 { return middle * weight }
      if atMiddle < 0 {
        (low, atLow) = (middle, atMiddle)
      } else {
        (high, atHigh) = (middle, atMiddle)
      }
    }
    return (low + high) / 2 * weight
  }
}

extension Case {
  /// The limits that times are asked for; zero if none is given.
  var soberLimits: [Double] { limits.isEmpty ? [0] : limits }
}
