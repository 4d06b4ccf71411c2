import AlcoholKinetics
import Casework
import Foundation

/// The conversions behind an answer, each as a line that can be checked by hand.
struct CaseConversions {
  let answer: CaseAnswer
  private var caseInput: Case { answer.one }
  private var factors: ConversionFactors { caseInput.assumptions.factors }

  /// The unit in which the sum of an answer is written.
  private var unit: ConcentrationUnit {
    caseInput.question == .drinks ? .bloodGramsPerKilogram : caseInput.unit
  }

  var lines: [String] { [measurement, rate, given].compactMap(\.self) }

  private var measurement: String? {
    guard let measured = caseInput.measurement, measured.unit != unit,
      answer.inputs.contains(where: { $0.name == .measurement })
    else { return nil }
    return line(
      of: [measured.value], in: measured.unit, per: "",
      digits: { NumberStyle.atMost($0, digits: 6) })
  }

  private var rate: String? {
    guard let beta = answer.inputs.first(where: { $0.name == .beta }),
      let stated = beta.statedUnit, stated != unit
    else { return nil }
    let scale = stated.value(of: 1, using: factors)
    let ends = [beta.value.likeliest, beta.value.ends.lowerBound, beta.value.ends.upperBound]
    return line(
      of: ends.map { $0 * scale }, in: stated, per: "/h",
      digits: { NumberStyle.atMost($0, digits: 4) })
  }

  /// The concentration that the stated drinks give before elimination; nil if the sum counts other
  /// drinks.
  private var given: String? {
    guard let sum = answer.sums.first, sum.form == .forward, case let given = sum.terms[0],
      let r = answer.inputs.first(where: { $0.name == .r })?.value.likeliest,
      let weight = caseInput.person.weight?.value
    else { return nil }
    let grams = caseInput.drinks.reduce(0.0) { $0 + $1.ethanol.value }
    let fraction = answer.inputs.first { $0.name == .absorbed }?.value.likeliest ?? 1
    let blood = grams * fraction / (r * weight)
    guard
      abs(caseInput.unit.value(of: GramsPerKilogram(blood), using: factors) - given) <= 1e-6 * given
    else { return nil }
    let text: (Double) -> String = { NumberStyle.atMost($0, digits: 4) }
    return "\(text(grams)) g\(fraction < 1 ? " x \(text(fraction)) absorbed" : "") / (\(text(r)) x "
      + "\(text(weight)) kg) = \(text(blood)) g/kg"
      + (caseInput.unit == .bloodGramsPerKilogram
        ? ""
        : steps(from: .bloodGramsPerKilogram)
          + " = \(text(given)) \(name(of: caseInput.unit, per: ""))")
  }

  private func line(
    of values: [Double], in stated: ConcentrationUnit, per time: String, digits: (Double) -> String
  ) -> String {
    func range(_ scale: Double) -> String {
      let texts = values.map { digits($0 * scale) }
      return Set(texts).count == 1 ? texts[0] : "\(texts[0]) (\(texts[1]) to \(texts[2]))"
    }
    let scale = stated.gramsPerKilogram(using: factors) / unit.gramsPerKilogram(using: factors)
    return "\(range(1)) \(name(of: stated, per: time))\(steps(from: stated)) = "
      + "\(range(scale)) \(name(of: unit, per: time))"
  }

  private func name(of unit: ConcentrationUnit, per time: String) -> String {
    "\(unit.symbol)\(time) in \(unit.matrix)"
  }

  /// The factors from a unit to that of the answer: to g/L, to the other kind of sample, and to its unit.
  private func steps(from stated: ConcentrationUnit) -> String {
    var steps = ""
    func factor(_ value: Double, _ what: String, divides: Bool) {
      steps += " \(divides ? "/" : "x") \(NumberStyle.exact(value))\(what)"
    }
    func ratio(_ unit: ConcentrationUnit, toBlood: Bool) {
      switch unit.matrix {
      case .blood: break
      case .serum:
        factor(factors.serumBloodRatio, " (serum:blood ratio)", divides: toBlood)
      case .breath:
        factor(factors.bloodBreathRatio, " (blood:breath ratio)", divides: !toBlood)
      }
    }
    let isMass = (
      stated == .bloodGramsPerKilogram, unit == .bloodGramsPerKilogram
    )
    if stated.matrix != unit.matrix {
      ratio(stated, toBlood: true)
      ratio(unit, toBlood: false)
    }
    let density = (factors.bloodDensityKgPerL, " kg/L (density of blood)")
    if isMass.0, !isMass.1 { factor(density.0, density.1, divides: false) }
    if isMass.1, !isMass.0 { factor(density.0, density.1, divides: true) }
    // With all ratios 1 what is left is the decimal prefix.
    let ones = ConversionFactors(
      bloodDensityKgPerL: 1, bloodBreathRatio: 1, serumBloodRatio: 1)
    let scale = unit.gramsPerKilogram(using: ones) / stated.gramsPerKilogram(using: ones)
    if scale > 1 { factor(scale, "", divides: true) }
    if scale < 1 { factor(1 / scale, "", divides: false) }
    return steps
  }
}
