import AlcoholKinetics
public import Casework
import StudyData

extension Page {
  /// The answer to a case on one page: inputs, assumptions, formulas with their sources, the result in words
  /// that claim no more than was computed, and the curves behind it.
  public static func statement(on answer: CaseAnswer, provenance: Provenance) -> Page {
    StatementContents(answer: answer, provenance: provenance, words: CaseWords(answer)).page
  }
}

private struct StatementContents {
  let answer: CaseAnswer
  let provenance: Provenance
  let words: CaseWords
  private var caseInput: Case { answer.one }

  private typealias Fact = (name: String, value: String)

  var page: Page {
    let title = caseInput.name ?? "Blood alcohol calculation"
    var blocks: [Block] = [.heading(1, title), .facts(head), .summary(words.conclusion)]
    blocks += sumBlocks
    blocks += resultBlocks
    blocks += basisBlocks
    blocks += originBlocks
    return Page(title: title, blocks: blocks, isDense: true)
  }

  private var head: [Fact] {
    let stated: [(String, String?)] = [
      ("Case number", caseInput.number), ("Author", caseInput.author),
      ("Date", provenance.run?.date),
      ("Question", words.question),
    ]
    return stated.compactMap { name, value in value.map { (name, $0) } }
  }

  /// The elapsed time, and the sum from which everybody can check the answer.
  private var sumBlocks: [Block] {
    var blocks: [Block] = [.heading(2, "How it was computed")]
    if let elapsed = words.elapsed { blocks.append(.paragraph("Elapsed time: \(elapsed).")) }
    let isOne = answer.main.low == answer.main.high
    let sums = answer.sums.prefix(isOne ? 1 : 3).compactMap { words.sum([$0]) }
    let isRule = caseInput.assumptions.guideline != nil
    let names =
      isRule ? ["By the rule"] : isOne ? ["Sum"] : ["Most likely", "Lower end", "Upper end"]
    let lines =
      CaseConversions(answer: answer).lines.map { "Conversion: \($0)" }
      + zip(names, sums).map { "\($0): \($1)" }
    if !lines.isEmpty { blocks.append(.preformatted(lines.joined(separator: "\n"))) }
    blocks.append(.paragraph("\(formula) \(symbols)"))
    if answer.values.count == 1 { blocks.append(.paragraph(meaningOfEnds)) }
    return blocks
  }

  private var resultBlocks: [Block] {
    var blocks: [Block] = []
    if answer.values.count > 1 { blocks.append(.table(results, caption: meaningOfEnds)) }
    let warnings = answer.warnings.map { "\($0.finding.capitalizedFirst)." }
    let points = words.remarks + warnings + influence
    if !points.isEmpty { blocks.append(.list(points)) }
    blocks.append(.figure(.band(of: answer)))
    if let figure = Figure.sensitivities(of: answer) {
      blocks.append(.details("Part of each input in the variance", [.figure(figure)]))
    }
    return blocks
  }

  /// The quantities as people write them.
  private var results: Table {
    let isRange = answer.options.mode == .guideline
    return Table(
      [
        Column<CaseAnswer.Value>(forPeople: "quantity") { words.name(of: $0) },
        Column(forPeople: "most likely") { words.text($0.likeliest, of: $0) },
        Column(forPeople: isRange ? "lowest" : "\(words.level) % from") {
          words.text($0.low, of: $0)
        },
        Column(forPeople: isRange ? "highest" : "to") { words.text($0.high, of: $0) },
      ], rows: answer.values)
  }

  /// The inputs that make the answer uncertain, most influential first.
  private var influence: [String] {
    let parts = answer.sensitivities.filter { $0.total >= 0.05 }.sorted { $0.total > $1.total }
    guard !parts.isEmpty else { return [] }
    let texts = parts.map {
      "\($0.input.words) \(NumberStyle.decimals(0).format(100 * min(1, $0.total))) %"
    }
    return ["Part of each input in the variance of the answer: \(texts.joined(separator: ", "))."]
  }

  // MARK: What it rests on

  private var basisBlocks: [Block] {
    [
      .heading(2, "What it rests on"),
      .columns([
        [.heading(3, "Stated"), .facts(statedFacts)],
        [.heading(3, "Assumed"), .facts(assumed.map(fact)), .paragraph(independence)],
      ]),
    ]
  }

  private var statedFacts: [Fact] {
    let clock = caseInput.clock
    let exact = NumberStyle.exact
    var facts: [Fact] = []
    func add(_ name: String, _ value: String?) {
      if let value { facts.append((name, value)) }
    }
    add("Sex", caseInput.person.sex?.rawValue)
    add("Age", caseInput.person.age.map { "\(exact($0.value)) years" })
    add("Height", caseInput.person.height.map { "\(exact($0.centimetres)) cm" })
    add("Weight", caseInput.person.weight.map { "\(exact($0.value)) kg" })
    if let measured = caseInput.measurement {
      let count = measured.values.count
      let mean = NumberStyle.significant(4).format(measured.value)
      let difference =
        measured.difference > 0 ? 100 * measured.difference / measured.value : 0
      add(
        "Measured at \(clock.text(measured.time))",
        measured.values.map(exact).joined(separator: ", ")
          + " \(measured.unit.symbol) in \(measured.unit.matrix)"
          + (count > 1
            ? ", mean \(mean); they differ by \(NumberStyle.significant(2).format(difference)) % of it "
              + "(\(exact(100 * measured.duplicateLimit)) % allowed)"
            : "")
          + (measured.sd > 0 ? "; analytical SD \(exact(measured.sd))" : ""))
    }
    for drink in caseInput.drinks {
      let until = drink.duration > 0 ? " to \(clock.text(drink.end))" : ""
      let grams = NumberStyle.significant(3).format(drink.ethanol.value)
      add(
        "Drink at \(clock.text(drink.start))\(until)",
        drink.text
          + (drink.text.hasSuffix("ethanol")
            ? ""
            : " x \(NumberStyle.exact(EthanolDose.densityGramsPerMillilitre)) g/ml = \(grams) g of ethanol")
          + (drink.isLater ? ", after the event" : ""))
    }
    add("Drinking began", caseInput.drinkingBegan.map(clock.text))
    add("Drinking ended", caseInput.drinkingEnded.map(clock.text))
    add("Time asked about", caseInput.at.map(clock.text))
    add("Clocks", clock.place ?? (clock.day == nil ? nil : "taken as if they were never changed"))
    return facts
  }

  /// The inputs but for those that are taken exactly as they are stated.
  private var assumed: [CaseInput] {
    answer.inputs.filter { input in
      switch input.name {
      case .weight, .height, .volumes, .strengths: !input.value.isExact
      case .measurement: !input.value.isExact || caseInput.measurement?.values.count != 1
      default: true
      }
    }
  }

  /// An input in the units of the answer.
  private func fact(_ input: CaseInput) -> Fact {
    let unit = caseInput.unit
    let perAnswer = unit.value(of: 1, using: caseInput.assumptions.factors)
    let (value, symbol): (Uncertainty, String) =
      switch input.name {
      case .beta: (input.value.scaled(by: perAnswer), "\(unit.symbol)/h")
      case .measurement: (input.value, caseInput.measurement?.unit.symbol ?? "")
      case .lag: (input.value.scaled(by: 60), "min")
      case .height: (input.value.scaled(by: 100), "cm")
      case .volumes, .strengths: (input.value, "of what is stated")
      case .absorbed: (input.value, "of what was drunk")
      default: (input.value, input.unit)
      }
    return (
      input.name.words + (symbol.isEmpty ? "" : ", \(symbol)"), "\(value.text) (\(input.source))"
    )
  }

  private var independence: String {
    let isDrawn = answer.inputs.contains {
      [.volumes, .strengths].contains($0.name) && !$0.value.isExact
    }
    let drinks =
      isDrawn && answer.options.mode == .monteCarlo
      ? " Volumes and strengths are drawn for each drink on its own: an error that all drinks have in common, such as "
        + "a glass that is always filled higher, is not in the interval." : ""
    return "Inputs are independent of each other"
      + (caseInput.assumptions.posterior == nil
        ? "." : ", but for the parameters from the person's readings.") + drinks
  }

  // MARK: Formulas

  private var formula: String {
    let isFinished = caseInput.assumptions.absorption == .finished
    let model =
      "k_a g is absorbed per hour, and beta eliminated while there is alcohol in the blood"
    return switch caseInput.question {
    case .back: "c(t1) = c(t2) + beta (t2 - t1), once absorption has finished (Widmark 1932)."
    case .forward where caseInput.goesOnFromMeasurement && caseInput.drinks.isEmpty:
      "c(t) = c(t0) - beta (t - t0), t0: the time of the measurement, once absorption has finished; not below zero "
        + "(Widmark 1932)."
    case .forward where isFinished && !caseInput.goesOnFromMeasurement:
      "c(t) = A / (r W) - beta \(eliminating), not below zero (Widmark 1932)."
    case .drinks where isFinished: "A = r W (c(t) + beta (t - t0)) (Widmark 1932)."
    case .drinks:
      "A: the ethanol that, drunk evenly from the beginning to the end of drinking, gives what was measured; \(model)."
    case .later where isFinished:
      "c(t1) = c(t2) + beta (t2 - t1) - D, not below zero; D = A / (r W), A: the ethanol drunk after t1 and by t2, taken "
        + "as absorbed (Widmark 1932)."
    case .later:
      "c(t1) = c(t2) + beta (t2 - t1) - D, not below zero; D: what the drinks after t1 brought into the blood by t2; "
        + "\(model)."
    case .forward, .sober: "c(t) follows the stated drinks or the measurement; \(model)."
    }
  }

  /// The time in which Widmark's formula eliminates: all of it since drinking began, or the hours with alcohol in the
  /// blood where it was empty between drinks.
  private var eliminating: String {
    let drinks = caseInput.drinks.filter { $0.start <= caseInput.at ?? 0 }
    let hours = answer.sums.filter { $0.form == .forward }.map(\.terms[3])
    let isEmptied = hours.contains { hours in
      caseInput.span.map { abs(hours - ($0.end - $0.start).value) > 1e-6 } ?? false
    }
    // Without sums the hours are unknown; with one drink there is nothing between drinks.
    guard isEmptied || answer.sums.isEmpty, drinks.count > 1 else { return "(t - t0)" }
    let likeliest =
      hours.first.map { ", most likely \(NumberStyle.significant(4).format($0))" } ?? ""
    return
      "h, h: the hours with alcohol in the blood\(likeliest); each drink counts from its beginning"
  }

  private var symbols: String {
    let isSimple =
      caseInput.question == .back
      || caseInput.goesOnFromMeasurement && caseInput.drinks.isEmpty
    let absorbed =
      caseInput.assumptions.absorbedFraction == nil ? "" : ", times F, the fraction absorbed"
    return "c: alcohol in blood; t: time in h; beta: elimination rate"
      + (isSimple
        ? "."
        : "; A: ethanol in g\(absorbed); r: distribution factor; W: body weight in kg; t0: beginning of drinking; g: not yet "
          + "absorbed; k_a: absorption rate constant.")
  }

  private var meaningOfEnds: String {
    if let rule = caseInput.assumptions.guideline { return "The rule: \(rule.source)." }
    if answer.main.low == answer.main.high, answer.values.count == 1 {
      return "No uncertain input changes the answer."
    }
    return answer.options.mode == .guideline
      ? "The range is that of all combinations of the inputs' ends: of the guideline's range, or two standard "
        + "deviations to either side. It has no stated probability."
      : "\(answer.options.draws) random draws of all inputs (seed \(answer.options.seed)); the interval holds "
        + "\(words.level) % of them. \(quantileError)"
  }

  private var quantileError: String {
    let value = answer.main
    guard
      let errors = value.distribution.flatMap({ found in
        [value.low, value.high].compactMap(found.error).max()
      })
    else { return "" }
    let unit = value.quantity.name == .concentration ? caseInput.unit.symbol : value.quantity.unit
    return
      "Other draws would move its ends by about \(NumberStyle.significant(2).format(errors)) \(unit)."
  }

  // MARK: What stands below

  private let reservation =
    "Whether the stated drinks, times and measurements are true: it says what follows if they are. A person's "
    + "elimination and distribution can lie outside the ranges. It does not judge impairment or guilt."

  private var originBlocks: [Block] {
    var made: [Fact] = [("Made with", "promille \(provenance.version), case")]
    made += provenance.inputs.map { ($0.file, "SHA-256 \($0.sha256)") }
    made.append(("Digest of all inputs and of the version", "SHA-256 \(provenance.digest)"))
    var blocks: [Block] = [
      .columns([
        [.heading(3, "What this does not say"), .paragraph(reservation)],
        [.heading(3, "Sources"), .list(sources)],
      ]),
      .heading(2, "To repeat it"), .facts(made),
    ]
    if let run = provenance.run { blocks.append(.preformatted(run.commandLine)) }
    let line = String(repeating: ".", count: 60)
    blocks.append(.facts([("Place and date", line), ("Signature", line)]))
    return blocks
  }

  /// The sources of the formulas and numbers used.
  private var sources: [String] {
    let isOwn = caseInput.assumptions.beta != nil || caseInput.assumptions.posterior != nil
    let isGuideline =
      answer.options.mode == .guideline && caseInput.assumptions.betaPopulation == .unknown
    var sources = [
      "E. M. P. Widmark, Die theoretischen Grundlagen und die praktische Verwendbarkeit der gerichtlich-medizinischen "
        + "Alkoholbestimmung, Urban & Schwarzenberg, 1932."
    ]
    if !isOwn, caseInput.assumptions.guideline == nil {
      sources.append(
        isGuideline
          ? "United Kingdom and Ireland Association of Forensic Toxicologists, Guidelines for alcohol calculations, "
            + "version 4.3, 2021."
          : "A. W. Jones, L. Andersson, J Forensic Sci 41 (1996) 922-926; C. L. Winek, K. L. Murphy, Forensic Sci "
            + "Int 25 (1984) 159-166; A. W. Jones, Forensic Sci Int 200 (2010) 1-20.")
    }
    if answer.measuredCoverage != nil {
      sources.append("Measured pairs: \(MeasuredCoverage.source).")
    }
    return sources
  }
}
