import AlcoholKinetics

/// The answer worked out as a sum, for whoever checks it by hand.
///
/// Concentrations are in the unit of answers, rates in it per hour.
public enum CaseSum: Hashable, Sendable {
  /// measured + hours x rate - added + surcharge = result. What was added is nil where nothing was drunk after the
  /// event, the surcharge where no rule has one.
  case back(measured: Double, hours: Double, rate: Double, added: Double?, surcharge: Double?)
  /// given - unabsorbed - eliminated = result: what the drinks give if all of it is in the blood, less what is not yet
  /// there and what has left it, in the hours with alcohol in the blood.
  case forward(given: Double, unabsorbed: Double, eliminated: Double, hours: Double)
  /// measured - hours x rate = result.
  case onward(measured: Double, hours: Double, rate: Double)
  /// volume x (measured + eliminated + unabsorbed) / fraction = result, in g: the volume, r x weight, is in kg, the
  /// concentrations in g/kg; the fraction is that of the ethanol which reaches the blood.
  case drinks(
    r: Double, weight: Double, measured: Double, eliminated: Double, unabsorbed: Double,
    fraction: Double)
  /// (measured - limit) / rate = result, in h.
  case sober(measured: Double, limit: Double, rate: Double)

  package var terms: [Double] {
    switch self {
    case .back(let measured, let hours, let rate, let added, let surcharge):
      [measured, hours, rate, added ?? 0, surcharge ?? 0]
    case .forward(let given, let unabsorbed, let eliminated, let hours):
      [given, unabsorbed, eliminated, hours]
    case .onward(let measured, let hours, let rate): [measured, hours, rate]
    case .drinks(let r, let weight, let measured, let eliminated, let unabsorbed, let fraction):
      [r, weight, measured, eliminated, unabsorbed, fraction]
    case .sober(let measured, let limit, let rate): [measured, limit, rate]
    }
  }

  public var result: Double {
    switch self {
    case .back(let measured, let hours, let rate, let added, let surcharge):
      measured + hours * rate - (added ?? 0) + (surcharge ?? 0)
    case .forward(let given, let unabsorbed, let eliminated, _): given - unabsorbed - eliminated
    case .onward(let measured, let hours, let rate): measured - hours * rate
    case .drinks(let r, let weight, let measured, let eliminated, let unabsorbed, let fraction):
      r * weight * (measured + eliminated + unabsorbed) / fraction
    case .sober(let measured, let limit, let rate): (measured - limit) / rate
    }
  }
}

extension CaseDraw {
  /// The sum of the first quantity; nil where no sum gives it.
  ///
  /// - Parameter value: What the model gives: a sum that comes to something else is none.
  func sum(of value: Double) -> CaseSum? {
    let sum: CaseSum?
    switch one.question {
    case .back: sum = through(added: nil)
    case .later:
      sum = through(added: shown(absorbed(from: one.at ?? 0, of: curve(\.isLater))))
    case .forward where one.goesOnFromMeasurement:
      sum = one.span.flatMap { span in
        one.drinks.isEmpty
          ? .onward(
            measured: shown(measured), hours: (span.end - span.start).value, rate: shown(beta))
          : nil
      }
    case .forward:
      sum = drunk.map { curve in
        let balance = curve.massBalance(at: one.at ?? 0)
        let (gut, gone) = (balance.gut.value, balance.eliminated.value)
        return .forward(
          given: shown(gut + balance.absorbed.value), unabsorbed: shown(gut),
          eliminated: shown(gone), hours: gone / beta)
      }
    case .drinks: sum = sumOfDrinks(value)
    case .sober:
      sum =
        one.measurement == nil || one.isStillAbsorbing
          || one.drinks.contains { $0.end > one.reference }
        ? nil
        : .sober(
          measured: shown(measured), limit: one.soberLimits[0], rate: shown(beta))
    }
    return sum.flatMap { abs($0.result - value) <= 1e-6 * max(1, abs(value)) ? $0 : nil }
  }

  private func through(added: Double?) -> CaseSum? {
    guard let hours = one.span.map({ ($0.end - $0.start).value }) else { return nil }
    let surcharge = one.assumptions.guideline.map { shown($0.surcharge.value) }
    return .back(
      measured: shown(measured), hours: hours, rate: shown(beta), added: added,
      surcharge: surcharge == 0 ? nil : surcharge)
  }

  private func sumOfDrinks(_ grams: Double) -> CaseSum? {
    guard let span = one.span else { return nil }
    func sum(_ eliminated: Double, _ unabsorbed: Double) -> CaseSum {
      .drinks(
        r: r, weight: weight, measured: measured, eliminated: eliminated, unabsorbed: unabsorbed,
        fraction: absorbedFraction)
    }
    guard one.assumptions.absorption == .modelled else {
      return sum(beta * (span.end - span.start).value, 0)
    }
    let balance = curve(ofDrinking: grams * absorbedFraction / weight)?.massBalance(at: span.end)
    return balance.map { sum($0.eliminated.value, $0.gut.value) }
  }
}
