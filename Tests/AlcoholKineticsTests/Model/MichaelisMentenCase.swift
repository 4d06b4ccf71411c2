import RealModule
import TestSupport

@testable import AlcoholKinetics

/// A random regimen and random parameters with Michaelis-Menten elimination.
struct MichaelisMentenCase: CustomStringConvertible, Sendable {
  let seed: UInt64
  let regimen: Regimen
  let parameters: MichaelisMentenParameters

  init(_ regimen: Regimen, _ parameters: MichaelisMentenParameters) {
    seed = 0
    self.regimen = regimen
    self.parameters = parameters
  }

  init(seed: UInt64) throws {
    let zeroOrder = try RandomCase(seed: seed)
    var random = SeededGenerator(seed: seed &+ 1_000_000)
    self.seed = seed
    regimen = zeroOrder.regimen
    parameters = try MichaelisMentenParameters(
      ka: zeroOrder.parameters.ka,
      vmax: zeroOrder.parameters.beta,
      km: GramsPerKilogram(random.logUniform(0.001...1)),
      r: zeroOrder.parameters.r,
      lag: zeroOrder.parameters.lag,
      absorbedFraction: zeroOrder.parameters.absorbedFraction)
  }

  /// Blood concentration that 1 g of ethanol per kg of body weight amounts to.
  var scale: Double { parameters.absorbedFraction / parameters.r.value }

  /// Times from before the first dose to long after the last, at no round number.
  func times(count: Int = 20) -> [Hours] {
    (0..<count).map { Hours((Double($0) + 0.123) / Double(count) * 12) }
  }

  /// The parameters with some replaced.
  func parameters(
    ka: Double? = nil, vmax: Double? = nil, km: Double? = nil, r: Double? = nil,
    lag: Double? = nil
  ) throws -> MichaelisMentenParameters {
    try MichaelisMentenParameters(
      ka: PerHour(ka ?? parameters.ka.value),
      vmax: GramsPerKilogramHour(vmax ?? parameters.vmax.value),
      km: GramsPerKilogram(km ?? parameters.km.value),
      r: RFactor(r ?? parameters.r.value),
      lag: Hours(lag ?? parameters.lag.value),
      absorbedFraction: parameters.absorbedFraction)
  }

  /// Concentrations at ascending times, in g/kg, under these parameters or others.
  func concentrations(
    at times: [Hours], _ other: MichaelisMentenParameters? = nil
  ) -> [Double] {
    var walk = CurveWalk(regimen, other ?? parameters)
    return times.map { time in
      walk.advance(toHours: time.value)
      return walk.concentration
    }
  }

  /// Gut content at a time, in g per kg of blood, dose by dose in closed form.
  func gut(at time: Hours) -> Double {
    let ka = parameters.ka.value
    return regimen.doses.reduce(0) { sum, dose in
      let elapsed = (time - dose.start - parameters.lag).value
      guard elapsed > 0 else { return sum }
      let amount = dose.amount.value * scale
      let duration = dose.duration.value
      guard duration > 0 else { return sum + amount * .exp(-ka * elapsed) }
      let taking = min(elapsed, duration)
      let filled = amount / duration / ka * -.expMinusOne(-ka * taking)
      return sum + filled * .exp(-ka * (elapsed - taking))
    }
  }

  /// Ethanol taken by a time, in g per kg of blood.
  func taken(by time: Hours) -> Double {
    regimen.doses.reduce(0) { sum, dose in
      let elapsed = (time - dose.start - parameters.lag).value
      guard elapsed >= 0 else { return sum }
      let share = dose.duration.value == 0 ? 1 : min(1, elapsed / dose.duration.value)
      return sum + dose.amount.value * scale * share
    }
  }

  /// Every time at which the input changes, in h.
  var edges: [Double] {
    Set(
      regimen.doses.flatMap { dose in
        [dose.start.value, dose.start.value + dose.duration.value].map {
          $0 + parameters.lag.value
        }
      }
    ).sorted()
  }

  var description: String { "seed \(seed)" }
}
