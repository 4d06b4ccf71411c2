import AlcoholKinetics
public import Casework
import StudyData

/// The answer to a case on one page: inputs, assumptions, formulas with their sources, the result in words
/// that claim no more than was computed, and the curves behind it.
public struct CaseStatement: Sendable {
  private let page: Page

  /// Lays a statement out.
  public init(_ answer: CaseAnswer, provenance: Provenance) {
    page = StatementContents(answer: answer, provenance: provenance, words: CaseWords(answer)).page
  }

  /// The figures.
  public var figures: [Figure] { page.figures }

  /// The statement in HTML, complete in itself.
  public var html: String { page.html }

  /// The statement in Markdown.
  ///
  /// - Parameter folder: Where the pictures are, seen from the statement.
  public func markdown(picturesIn folder: String) -> String { page.markdown(picturesIn: folder) }
}

private struct StatementContents {
  let answer: CaseAnswer
  let provenance: Provenance
  let words: CaseWords
  private var one: Case { answer.one }

  var page: Page {
    let title = one.name ?? "Blood alcohol: a case"
    return Page(
      title: title,
      blocks: [.heading(1, title)] + provenance.origin + [.paragraph(words.question)] + resultBlocks
        + factBlocks
        + formulaBlocks
        + inputBlocks + limitBlocks + sourceBlocks)
  }

  private var resultBlocks: [Block] {
    let rows = answer.values.map { CaseRow(answer: answer, value: $0) }
    var blocks: [Block] = [.heading(2, "Answer")] + words.conclusions.map(Block.paragraph)
    if !answer.warnings.isEmpty {
      blocks.append(.list(answer.warnings.map { "\($0.code): \($0.message)." }))
    }
    blocks += [
      .figure(.band(of: answer)),
      .table(Table(Report.caseAnswers.columns, rows: rows), caption: words.how),
    ]
    if !answer.limits.isEmpty {
      let limits = answer.limits.map { CaseLimitRow(unit: one.unit.rawValue, limit: $0) }
      blocks.append(.table(Table(Report.caseLimits.columns, rows: limits), caption: "Limits"))
    }
    return blocks
  }

  private var factBlocks: [Block] {
    let clock = one.clock
    var facts: [(name: String, value: String)] = []
    if let sex = one.person.sex { facts.append(("Sex", sex.rawValue)) }
    if let age = one.person.age { facts.append(("Age", "\(NumberStyle.exact(age.value)) years")) }
    if let height = one.person.height {
      facts.append(("Height", "\(NumberStyle.exact(height.centimetres)) cm"))
    }
    if let weight = one.person.weight {
      facts.append(("Weight", "\(NumberStyle.exact(weight.value)) kg"))
    }
    if let measured = one.measurement {
      facts.append(
        (
          "Measured at \(clock.text(measured.time))",
          "\(NumberStyle.exact(measured.value)) \(measured.unit.symbol) in \(measured.unit.matrix)"
            + (measured.sd > 0 ? ", SD \(NumberStyle.exact(measured.sd))" : "")
        ))
    }
    for drink in one.drinks {
      let until = drink.duration > 0 ? " to \(clock.text(drink.end))" : ""
      facts.append(
        (
          "Drink at \(clock.text(drink.start))\(until)",
          (drink.text.hasSuffix("ethanol")
            ? drink.text
            : "\(drink.text) (\(NumberStyle.significant(3).format(drink.ethanol.value)) g of ethanol)")
            + (drink.isLater ? ", after the event" : "")
        ))
    }
    if let began = one.drinkingBegan { facts.append(("Drinking began", clock.text(began))) }
    if let ended = one.drinkingEnded { facts.append(("Drinking ended", clock.text(ended))) }
    if let at = one.at { facts.append(("Time asked about", clock.text(at))) }
    let inputs = answer.inputs.map { input in
      (
        name: "\(input.name.words)\(input.unit.isEmpty ? "" : ", \(input.unit)")",
        value: "\(input.value.text). Source: \(input.source)"
      )
    }
    return [
      .heading(2, "What was stated"), .facts(facts), .heading(2, "What was assumed"),
      .facts(inputs),
      .paragraph(
        "Inputs are taken as independent of each other"
          + (one.assumptions.posterior == nil
            ? "." : ", but for the parameters from the person's readings.") + independentDrinks),
    ]
  }

  /// What the draws of volumes and strengths leave out.
  private var independentDrinks: String {
    let isDrawn = answer.inputs.contains {
      [.volumes, .strengths].contains($0.name) && !$0.value.isExact
    }
    guard isDrawn, answer.options.mode == .monteCarlo else { return "" }
    return
      " Volumes and strengths are drawn for each drink on its own, so that errors of several drinks partly "
      + "cancel; an error that all drinks have in common, such as a glass that is always filled higher, is not in "
      + "the interval."
  }

  private var formulaBlocks: [Block] {
    let text: String
    switch one.question {
    case .back: text = "c(t1) = c(t2) + beta (t2 - t1)"
    case .forward where one.assumptions.absorption == .finished:
      text = "c(t) = A / (r W) - beta (t - t0), not below zero"
    case .drinks where one.assumptions.absorption == .finished:
      text = "A = r W (c(t) + beta (t - t0))"
    case .drinks:
      text =
        "A: the ethanol that, drunk evenly from the beginning to the end of drinking,\n"
        + "   gives the measured concentration by the model below"
    case .later:
      text =
        "c(t1) = c(t2) + beta (t2 - t1) - D\n"
        + "D: what the drinks after t1 have brought into the blood by t2, by the model below"
    case .forward, .sober: text = "c(t): the curve of the model below"
    }
    let model =
      one.question == .back
        || one.assumptions.absorption == .finished && one.question != .later
          && one.question != .sober
      ? "" : "\n\nc' = k_a g - beta while c > 0;  g' = (drinks) / (r W) - k_a g"
    return [
      .heading(2, "How it was computed"),
      .preformatted(text + model),
      .paragraph(
        "c: concentration in g per kg of blood; t: time in h; beta: elimination rate in g/kg/h; A: ethanol in "
          + "g; r: distribution factor; W: body weight in kg; t0: beginning of drinking; g: ethanol not yet "
          + "absorbed, per kg of body weight and r; k_a: absorption rate constant in 1/h."),
      .paragraph(
        answer.options.mode == .guideline
          ? "The most likely value follows from the most likely inputs. The range is that of all combinations "
            + "of the inputs' ends: two standard deviations to either side, or the guideline's range. It is not "
            + "an interval with a stated probability."
          : "The inputs were drawn \(answer.options.draws) times at random from their distributions (seed "
            + "\(answer.options.seed)). Standard errors are those of the number of draws; they do not tell "
            + "whether the assumptions are true. \(quantileError)"),
    ]
  }

  private var unitOfAnswer: String {
    answer.main.quantity.name == .concentration ? one.unit.symbol : answer.main.quantity.unit
  }

  private var quantileError: String {
    let value = answer.main
    guard let low = value.distribution?.error(of: value.low),
      let high = value.distribution?.error(of: value.high)
    else { return "" }
    let text = { (value: Double) in NumberStyle.significant(2).format(value) }
    return "The ends of the interval have standard errors of \(text(low)) and \(text(high)) "
      + "\(unitOfAnswer)."
  }

  private var inputBlocks: [Block] {
    Figure.sensitivities(of: answer).map {
      [.heading(2, "Which input matters"), .figure($0)]
    } ?? []
  }

  private var limitBlocks: [Block] {
    [
      .heading(2, "What this does not say"),
      .list(
        [
          "It does not say that the stated drinks, times and measurements are true; it says what follows if they are.",
          "It does not describe everybody: a person's elimination and distribution can lie outside the ranges.",
          "It does not judge impairment or guilt.",
        ]),
    ]
  }

  private var sourceBlocks: [Block] {
    [
      .heading(2, "Sources"),
      .list([
        "E. M. P. Widmark. Die theoretischen Grundlagen und die praktische Verwendbarkeit der "
          + "gerichtlich-medizinischen Alkoholbestimmung. Urban & Schwarzenberg, 1932.",
        "A. W. Jones, L. Andersson. Influence of age, gender, and blood-alcohol concentration on the "
          + "disappearance rate of alcohol from blood in drinking drivers. J Forensic Sci 41 (1996) 922-926.",
        "A. W. Jones. Evidence-based survey of the elimination rates of ethanol from blood with applications in "
          + "forensic casework. Forensic Sci Int 200 (2010) 1-20; C. L. Winek, K. L. Murphy. The rate and kinetic "
          + "order of ethanol elimination. Forensic Sci Int 25 (1984) 159-166.",
        "United Kingdom and Ireland Association of Forensic Toxicologists. Guidelines for alcohol calculations, version 4.3, 2021.",
        "A. Saltelli et al. Variance based sensitivity analysis of model output. Comput Phys Commun 181 (2010) "
          + "259-270; M. J. W. Jansen. Analysis of variance designs for model output. Comput Phys Commun 117 "
          + "(1999) 35-43.",
      ]),
      .heading(2, "Provenance"),
      .facts(
        [(name: "Made with", value: "promille \(provenance.version), case")]
          + provenance.inputs.map { (name: $0.file, value: "SHA-256 \($0.sha256)") }),
    ]
  }
}
