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

/// What a case asks for, the inputs that the answer depends on, and draws of them.
struct CaseModel: Sendable {
  let one: Case
  let quantities: [CaseQuantity]
  /// Whether it also tells whether the drinks explain the measurement.
  private let explains: Bool
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

  /// A random draw; `uniform` gives the uniform number of an input's coordinate.
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
    return draw(besides: together) { input, value, place in
      value.isExact ? value.likeliest : value.quantile(uniform(input, place))
    }
  }

  /// A draw of what `pick` gives, of drinks one by its place, but for what is drawn together.
  private func draw(
    besides together: [CaseInput.Name: Double] = [:],
    _ pick: (CaseInput.Name, Uncertainty, Int) -> Double
  ) -> CaseDraw {
    var draw = CaseDraw(one, prediction: prediction, explains: explains)
    for input in inputs { draw.set(input.name, to: pick(input.name, input.value, 0)) }
    for (name, value) in together { draw.set(name, to: value) }
    draw.masses = one.drinks.enumerated().map { place, drink in
      drink.ethanol.value * pick(.volumes, .normal(1, drink.volumeCV), place)
        * pick(.strengths, .normal(1, drink.strengthCV), place) * draw.absorbedFraction
    }
    guard one.weightSD > 0 || one.heightSD > 0, one.assumptions.posterior == nil, prediction > 0
    else { return draw }
    var person = one.person
    person.weight = person.weight.map { _ in Kilograms(draw.weight) }
    person.height = person.height.map { _ in Metres(draw.height) }
    draw.r *= ((try? one.predictedR(person)) ?? .nan) / prediction
    return draw
  }
}
