public import AlcoholKinetics
import RealModule
import Statistics

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
    /// The fraction of the ethanol drunk that reaches the blood.
    case absorbed = "absorbed_fraction"
  }

  public let name: Name
  /// Its unit; empty for a plain number.
  public let unit: String
  /// What is known of it. Volumes and strengths of drinks: of a factor on each of them.
  public let value: Uncertainty
  public let source: String
  /// The unit, per hour, in which an elimination rate was stated; nil of other inputs, and of what readings say.
  public let statedUnit: ConcentrationUnit?
}

/// Computes what a case asks for, from one draw.
///
/// | question | formula |
/// |---|---|
/// | back | c(t1) = c(t2) + beta (t2 - t1) |
/// | forward, finished | c(t) = max(0, A / (r W) - beta (t - t0)), A: begun by t; anew where the blood was empty |
/// | forward, modelled | the curve of all drinks with k_a, at t |
/// | forward, measured | c(t) = max(0, c(t0) - beta (t - t0)), and what is drunk after t0 comes to it |
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
  /// The inputs that the answer depends on.
  let inputs: [CaseInput]
  /// The names of those that are drawn, each a factor of the sensitivity indices.
  let drawn: [CaseInput.Name]
  /// The r that the method predicts; 0 where nothing depends on it.
  private let prediction: Double

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
      && !one.goesOnFromMeasurement
    if explains {
      add(.expected, unit)
      add(.unexplained, unit)
    }
    self.quantities = quantities
    (inputs, prediction) = try one.inputs(mode, explains: explains)
    drawn = inputs.filter { !$0.value.isExact }.map(\.name)
  }

  // MARK: Quantities

  /// The values of ``quantities`` for a draw; NaN where the draw has none. Where a draw leaves a concentration open,
  /// the least that it may be.
  func values(_ draw: CaseDraw) -> [Double] {
    var values: [Double] = []
    switch one.question {
    case .back: values = [draw.shown(draw.back(to: one.countedTo ?? 0))]
    case .forward:
      values = [draw.shown(draw.onward?.concentration(at: one.at ?? 0).value ?? .nan)]
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
      let expected = draw.drunk?.concentration(at: time).value ?? .nan
      values += [draw.shown(expected), draw.shown(draw.measured - expected)]
    }
    return values
  }

  /// How drinks after the event and a measurement go together, in the unit of answers.
  struct LaterDrinks: Sendable {
    /// The highest concentration at the event that goes with both: above the least only where these drinks may have
    /// found the blood empty.
    let most: Double
    /// The concentration at the measurement that the drinks give on their own, and how far it is above the measured one.
    let alone, excess: Double
  }

  /// The same of a draw.
  func laterDrinks(_ draw: CaseDraw) -> LaterDrinks {
    let curve = draw.curve(\.isLater)
    let alone = draw.shown(curve?.concentration(at: one.measurement?.time ?? 0).value ?? .nan)
    return LaterDrinks(
      most: draw.shown(draw.throughMeasurement(at: one.at ?? 0, addedBy: curve).most), alone: alone,
      // What was measured may be just what the drinks give, but for rounding.
      excess: alone - draw.shown(draw.measured) * (1 + 1e-9))
  }

  /// The curve of a draw, in the unit of answers, at some times.
  ///
  /// - Parameter isMost: Whether to take the highest that goes with the draw, not the least.
  func curve(_ draw: CaseDraw, at times: [Hours], isMost: Bool = false) -> [Double] {
    switch one.question {
    case .forward, .sober:
      let curve = draw.onward
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
    guard let (start, end) = one.span else {
      return one.reference.value...(one.reference.value + 1)
    }
    let least = one.question == .back || one.question == .later ? 0.01 : 0.25
    return start.value...max(end.value, start.value + least)
  }

  // MARK: Draws

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
    if let posterior = one.assumptions.posterior {
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
      one, prediction: prediction, inputs.map { ($0.name, pick($0.name, $0.value, 0)) } + together,
      masses: one.drinks.enumerated().map { place, drink in
        drink.ethanol.value * pick(.volumes, .normal(1, drink.volumeCV), place)
          * pick(.strengths, .normal(1, drink.strengthCV), place)
      })
  }
}
