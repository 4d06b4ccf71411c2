import AlcoholKinetics
import Casework
import Foundation
import StudyData

/// An answer in sentences that claim no more than was computed.
struct CaseWords {
  let answer: CaseAnswer
  private var caseInput: Case { answer.one }
  private var clock: CaseClock { caseInput.clock }

  init(_ answer: CaseAnswer) { self.answer = answer }

  /// The lines above the tables: the answer, how it is worked out, what was asked, and how it was computed.
  var introduction: [String] { headline + [workedOut].compactMap(\.self) + ["\(question) \(how)"] }

  var how: String {
    if let rule = caseInput.assumptions.guideline {
      return "Guideline \(rule.rawValue): \(rule.source)."
    }
    return answer.options.mode == .guideline
      ? "Most likely value, and range over all combinations of the inputs' ends."
      : "\(answer.options.draws) random draws, seed \(answer.options.seed); low and high: \(level) % interval."
  }

  /// The time that passed, and the sum; nil if there is neither.
  private var workedOut: String? {
    let parts = [elapsed, sum(answer.sums)].compactMap(\.self)
    return parts.isEmpty ? nil : parts.joined(separator: ": ") + "."
  }

  /// The time between the two times of the answer; nil for a question about a time.
  var elapsed: String? {
    caseInput.span.map { span in
      let (hours, minutes) = Int(((span.end - span.start).value * 60).rounded()).divided(by: 60)
      return "\(hours) h \(minutes) min from \(clock.text(span.start)) to \(clock.text(span.end))"
        + (clock.place.map { ", \($0)" } ?? "")
    }
  }

  /// The most likely sum, with both ends of each number that has some if their sums follow; nil if no sum gives it.
  func sum(_ sums: [CaseSum]) -> String? {
    guard let first = sums.first else { return nil }
    let scale = first.terms[0]
    func range(_ values: [Double], _ text: (Double) -> String) -> String {
      let texts = values.map(text)
      guard let low = values.min(), let high = values.max(), text(low) != text(high) else {
        return texts[0]
      }
      return "\(texts[0]) (\(text(low)) to \(text(high)))"
    }
    func term(_ index: Int) -> String {
      range(sums.map { $0.terms[index] }) { value in
        abs(value) < 5e-4 * scale ? "0" : NumberStyle.atMost(value, digits: 4)
      }
    }
    let unit = caseInput.unit.symbol
    let result = range(sums.map(\.result), number)
    switch first.form {
    case .back, .later:
      return "\(term(0)) + \(term(1)) h x \(term(2)) \(unit)/h"
        + (first.form == .later ? " - \(term(4)) (the drinks after the event)" : "")
        + (first.terms[3] == 0 ? "" : " + \(term(3)) (once)") + " = \(result) \(unit)"
    case .forward:
      return
        "\(term(0)) given by the drinks - \(term(1)) not yet absorbed - \(term(2)) eliminated = "
        + "\(result) \(unit)"
    case .onward:
      return "\(term(0)) - \(term(1)) h x \(term(2)) \(unit)/h = \(result) \(unit)"
    case .drinks:
      return
        "\(term(0)) x \(term(1)) kg x (\(term(2)) measured + \(term(3)) eliminated + \(term(4)) not yet "
        + "absorbed) g/kg\(first.terms[5] < 1 ? " / \(term(5)) absorbed" : "") = \(result) g"
    case .sober:
      return "(\(term(0)) - \(term(1))) \(unit) / \(term(2)) \(unit)/h = \(result) h after "
        + clock.text(caseInput.reference)
    }
  }

  private var headline: [String] {
    if let byRule { return [byRule] }
    if let refutation = answer.refutation { return [refuted(refutation)] }
    let times = answer.values.filter { $0.quantity.name == .timeBelow }
    guard times.isEmpty else {
      // Beside the table, what the answer rests on goes without saying.
      return times.map {
        time($0).replacing("Under the stated assumptions ", with: "").capitalizedFirst
      }
    }
    let value = answer.main
    let isExact = value.low >= value.high
    let most = (isExact ? "" : "most likely ", number(value.likeliest))
    let ends =
      isExact
      ? " (no uncertain input changes it)"
      : ", between \(number(value.low)) and \(number(value.high))"
        + (answer.options.mode == .guideline ? "" : " with a probability of \(level) %")
    return caseInput.question == .drinks
      ? ["The person \(most.0)drank \(most.1) g of ethanol\(ends)."]
      : [
        "At \(caseInput.at.map(clock.text) ?? "") the concentration in \(caseInput.unit.matrix) was \(most.0)\(most.1) "
          + "\(caseInput.unit.symbol)\(ends)."
      ]
  }

  /// The answer by a guideline's rule, as courts use it; nil without one.
  private var byRule: String? {
    caseInput.assumptions.guideline.map { rule in
      let isLater = caseInput.countedTo != caseInput.at
      let from =
        isLater
        ? " Counted back to \(caseInput.countedTo.map(clock.text) ?? ""), "
          + "\(NumberStyle.exact(rule.absorbedAfter.value)) h after the end of drinking, as the rule has it for an "
          + "event before that." : ""
      return
        "At \(caseInput.at.map(clock.text) ?? "") the concentration in \(caseInput.unit.matrix) was \(rule.bound) "
        + "\(number(answer.main.likeliest)) \(caseInput.unit.symbol), \(rule.purpose).\(from)"
    }
  }

  var level: String { NumberStyle.exact(100 * answer.options.level) }

  var question: String {
    let at = caseInput.at.map(clock.text) ?? ""
    let measured =
      caseInput.measurement.map {
        "\(NumberStyle.exact($0.value)) \($0.unit.symbol) in \($0.unit.matrix) at \(clock.text($0.time))"
      } ?? ""
    switch caseInput.question {
    case .back: return "What was the concentration at \(at), given \(measured)?"
    case .forward where caseInput.goesOnFromMeasurement:
      return "What was the concentration at \(at), given \(measured)"
        + (caseInput.drinks.isEmpty ? "?" : " and the drinks after that?")
    case .forward: return "What concentration do the stated drinks give at \(at)?"
    case .drinks:
      return "How much was drunk since \(caseInput.began.map(clock.text) ?? ""), given \(measured)?"
    case .later:
      return "What was the concentration at \(at), given \(measured) and the drinks after \(at)?"
    case .sober:
      let from = measured.isEmpty ? "the stated drinks" : measured
      return "When is the concentration at a limit or below, given \(from)?"
    }
  }

  /// The answer in words that stand by themselves, with what it says about limits.
  var conclusion: String {
    let times = answer.values.filter { $0.quantity.name == .timeBelow }.map(time)
    return ((times.isEmpty ? [main] : times) + limits).joined(separator: " ")
  }

  /// A quantity as people write it.
  func name(of value: CaseAnswer.Value) -> String {
    let limit =
      value.quantity.limit.map { "\(NumberStyle.exact($0)) \(caseInput.unit.symbol)" } ?? ""
    let measured = caseInput.measurement.map { clock.text($0.time) } ?? ""
    return switch value.quantity.name {
    case .concentration: "In \(caseInput.unit.matrix) at \(caseInput.at.map(clock.text) ?? "")"
    case .ethanol: "Ethanol drunk"
    case .explained: "From the drinks after the event, at \(measured)"
    case .remaining: "Without them, at \(measured)"
    case .timeBelow: "At \(limit) or below from"
    case .expected: "From the stated drinks, at \(measured)"
    case .unexplained: "Measured less that"
    }
  }

  func text(_ number: Double, of value: CaseAnswer.Value) -> String {
    switch value.quantity.name {
    case .timeBelow: clockText(number)
    case .ethanol: "\(self.number(number)) g"
    default: "\(self.number(number)) \(caseInput.unit.symbol)"
    }
  }

  /// A time in hours after the measurement or the first drink, as a clock shows it.
  private func clockText(_ hours: Double) -> String {
    guard hours <= 0 else { return clock.text(caseInput.reference + Hours(hours)) }
    return caseInput.measurement == nil
      ? "the first drink (never above)" : "the measurement (not above then)"
  }

  /// The notes below the table.
  var findings: [String] {
    let hint = " For one, add --beta-population volunteers."
    return limits + remarks.map { $0.hasSuffix(Self.volunteers) ? $0 + hint : $0 }
  }

  /// The notes in a statement, whose answer already states the limits.
  var remarks: [String] { later + explanation + coverage }

  /// The measured coverage of such answers, and the people for whom the rate is too high.
  private var coverage: [String] {
    guard caseInput.question == .back, caseInput.assumptions.guideline == nil else { return [] }
    let isRange = answer.options.mode == .guideline
    guard let measured = answer.measuredCoverage else {
      return [
        "How often such \(isRange ? "a range" : "an interval") holds the truth was not measured on people."
      ]
    }
    let pairs = MeasuredCoverage.pairs
    let below = measured.below
    let above = measured.above
    let percent = NumberStyle.decimals(0).format(100 * Double(measured.held) / Double(pairs))
    let misses =
      below + above == 0 ? "" : "; it was too high in \(below) and too low in \(above)"
    let held =
      "On \(pairs) measured pairs of readings (\(MeasuredCoverage.people) people of \(MeasuredCoverage.studies) "
      + "studies, 1 to 4 h apart) such \(isRange ? "a range" : "an interval") held the earlier concentration in "
      + "\(measured.held) (\(percent) %)\(misses)."
    switch caseInput.assumptions.betaPopulation {
    case .unknown where isRange, .drivers:
      return [
        held,
        "The most likely rate is that of drinking drivers, 19 mg/100 ml/h. Moderate drinkers average 15, so for such "
          + Self.volunteers,
      ]
    case .unknown, .volunteers, .dependent: return [held]
    }
  }

  private static let volunteers = "a person the answer is more likely too high than too low."

  private func number(_ value: Double) -> String { NumberStyle.significant(3).format(value) }

  private func range(_ value: CaseAnswer.Value, _ text: (Double) -> String) -> String {
    let most = text(value.likeliest)
    guard value.low < value.high else { return "\(most) (no uncertain input changes it)" }
    return answer.options.mode == .guideline
      ? "most likely \(most), within the range from \(text(value.low)) to \(text(value.high))"
      : "most likely \(most); with a probability of \(level) % from \(text(value.low)) to \(text(value.high))"
  }

  private func concentration(_ value: CaseAnswer.Value) -> String {
    range(value) { "\(number($0)) \(caseInput.unit.symbol)" }
  }

  private var main: String {
    if let byRule { return byRule }
    if let refutation = answer.refutation { return refuted(refutation) }
    let value = answer.main
    switch caseInput.question {
    case .drinks:
      let least = number(value.low)
      return
        "Under the stated assumptions the person drank \(range(value) { "\(number($0)) g" }) of ethanol. "
        + (answer.options.mode == .guideline
          ? "The least amount is \(least) g."
          : "With a probability of \(oneSided) % it was at least \(least) g.")
    default:
      let given =
        caseInput.measurement == nil
          || caseInput.question == .forward && !caseInput.goesOnFromMeasurement
        ? "stated drinks"
        : caseInput.goesOnFromMeasurement && !caseInput.drinks.isEmpty
          ? "measurement and the drinks after it" : "measurement"
      return "Under the stated assumptions the concentration in \(caseInput.unit.matrix) at "
        + "\(caseInput.at.map(clock.text) ?? "") was "
        + "\(concentration(value)), as far as it follows from the \(given)."
    }
  }

  private func refuted(_ alone: CaseAnswer.Refutation) -> String {
    let measured = caseInput.measurement.map {
      "\(number($0.value)) \($0.unit.symbol)"
    }
    let range =
      alone.low < alone.high ? " (from \(number(alone.low)) to \(number(alone.high)))" : ""
    return
      "The account of drinking after the event is refuted: on their own these drinks would have given "
      + "\(number(alone.likeliest)) \(caseInput.unit.symbol)\(range) at the time of the measurement, and only "
      + "\(measured ?? "less") was measured."
  }

  private var oneSided: String { NumberStyle.exact(50 + 50 * answer.options.level) }

  private var later: [String] {
    guard answer.refutation == nil else { return [] }
    let parts = answer.values.filter { [.explained, .remaining].contains($0.quantity.name) }
    guard parts.count == 2 else { return [] }
    return [
      "The drinks after the event explain \(concentration(parts[0])) of the measured concentration; without "
        + "them it would be \(concentration(parts[1])).",
      parts[1].high <= 0
        ? "The drinks after the event explain all of the measured concentration."
        : parts[1].low > 0
          ? "The drinks after the event do not explain all of the measured concentration."
          : "Whether the drinks after the event explain all of the measured concentration is undecided.",
    ]
      + (answer.isOpen
        ? [
          "If the blood was empty before these drinks, the measurement does not tell what was in it at "
            + "\(caseInput.at.map(clock.text) ?? ""): any value from the lower to the upper end is compatible with it."
        ] : [])
  }

  private func time(_ value: CaseAnswer.Value) -> String {
    let limit = "\(NumberStyle.exact(value.quantity.limit ?? 0)) \(caseInput.unit.symbol)"
    guard value.high > 0 else {
      return caseInput.measurement == nil
        ? "Under the stated assumptions the concentration is never above \(limit)."
        : "Under the stated assumptions the concentration was not above \(limit) any more when it was measured."
    }
    return "Under the stated assumptions the time from which the concentration stays at or below "
      + "\(limit) is "
      + range(value, clockText) + "."
  }

  private var limits: [String] {
    guard answer.refutation == nil else { return [] }
    return answer.limits.map { limit in
      let name = "\(NumberStyle.exact(limit.limit)) \(caseInput.unit.symbol)"
      guard let chance = limit.chance else {
        let low = answer.main.low
        let high = answer.main.high
        if low == high {
          return "That is \(limit.isAbove.likeliest ? "above" : "not above") \(name)."
        }
        if limit.isAbove.low { return "The whole range is above \(name)." }
        guard limit.isAbove.high else { return "No part of the range is above \(name)." }
        return "The range lies on both sides of \(name); the most likely value is "
          + (limit.isAbove.likeliest ? "above it." : "not above it.")
      }
      let draws = answer.options.draws
      if chance.value == 0, !answer.isOpen { return "None of \(draws) draws is above \(name)." }
      if chance.value == 1 { return "All \(draws) draws are above \(name)." }
      let percent = { (part: Double) in NumberStyle.significant(2).format(100 * part) }
      return
        "The concentration is above \(name) with a probability of \(answer.isOpen ? "at least " : "")"
        + "\(NumberStyle.significant(3).format(100 * chance.value)) % (standard error \(percent(chance.error)) %)."
    }
  }

  private var explanation: [String] {
    guard let expected = answer.values.first(where: { $0.quantity.name == .expected }),
      let difference = answer.values.first(where: { $0.quantity.name == .unexplained })
    else { return [] }
    let rarely = answer.options.mode == .guideline ? "" : ", to the level of the interval"
    let verdict =
      difference.low > 0
      ? "The stated drinks do not explain the measurement\(rarely): more was measured than they give."
      : difference.high < 0
        ? "The stated drinks do not agree with the measurement\(rarely): less was measured than they give."
        : "The measurement agrees with the stated drinks within their uncertainty."
    return [
      "At the time of the measurement the stated drinks give \(concentration(expected)). \(verdict)"
    ]
  }
}
