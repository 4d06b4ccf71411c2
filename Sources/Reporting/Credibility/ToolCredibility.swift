import AlcoholKinetics
public import Certification
import Estimation
import Validation

extension Page {
  /// How far the program itself can be relied on, on one page: what one run of its checks found.
  public static func credibility(_ evidence: ToolEvidence, provenance: Provenance) -> Page {
    let title = "Credibility of Promille \(provenance.version)"
    return Page(
      title: title,
      blocks: [.heading(1, title)] + provenance.origin
        + CredibilityAssessment(of: evidence).blocks + provenance.blocks)
  }
}

extension CredibilityAssessment {
  fileprivate init(of evidence: ToolEvidence) {
    let subjects = evidence.studies.map(\.subjects).reduce(0, +)
    let readings = evidence.studies.map(\.readings).reduce(0, +)
    self.init(
      question:
        "Can k_a, beta and r that Promille fits to the alcohol readings of a person, and the concentrations and "
        + "times to sobriety that it predicts, be taken for those of its model and of that person?",
      context: [
        "One compartment, first-order absorption, elimination at a constant rate, of Michaelis and Menten or at first "
          + "order; doses and times known.",
        evidence.studies.isEmpty
          ? "No measured people were part of this run."
          : "Measured people of this run: \(subjects) subjects with \(readings) readings in "
            + evidence.studies.map { "\($0.name) (\($0.subjects))" }.joined(separator: "; ") + ".",
        "Made-up people of this run: \(evidence.people) of each design, of whom \(evidence.judgedPeople) were fitted by "
          + "both engines.",
      ],
      influence: [
        "A fit with readings on both sides of the peak rests on them; every number without such readings, all "
          + "predictions and all times beyond the last reading rest on the model. Each report states how many of its "
          + "series are of which kind."
      ],
      verification: [Evidence(evidence.solver), Evidence(evidence.curves)]
        + [Evidence(evidence.engines), Evidence(golden: evidence.golden)].compactMap(\.self),
      validation: evidence.tables,
      gaps: Self.gaps(evidence))
  }

  private static func gaps(_ evidence: ToolEvidence) -> [String] {
    let absent = evidence.golden.filter { $0.status == "absent" }.count
    let short = evidence.coverage.filter { !$0.isAsStated }
    let heldOut = Set(evidence.heldOut.map(\.study))
    let unpredicted = evidence.studies.map(\.name).filter { !heldOut.contains($0) }
    let found: [String?] = [
      evidence.studies.isEmpty
        ? "Without measured people nothing is known of how well people are predicted." : nil,
      unpredicted.isEmpty
        ? nil : "Nobody could be predicted from others in: \(unpredicted.joined(separator: "; ")).",
      short.isEmpty
        ? nil
        : "Intervals hold the truth less or more often than stated for: "
          + short.map { "\($0.parameter.symbol), \($0.design)" }.joined(separator: "; ") + ".",
      absent > 0
        ? "\(absent) golden tables were not compared, because their study is not there." : nil,
      evidence.people < 1000
        ? "With \(evidence.people) made-up people of each design, coverage is known only to "
          + "\(NumberStyle.significant(2).format(coverageError(evidence.people))) points." : nil,
      evidence.people > 0
        ? "Fits with Michaelis-Menten elimination were not compared with those of GSL alone; promille regress "
          + "--engines does." : nil,
      "Made-up people follow the model exactly; that their intervals hold says nothing on people who do not.",
      "The accuracy that a question needs is not known here: the errors of predicted people are not judged.",
      "The checks were written by those who wrote the program; the references were not.",
    ]
    return found.compactMap(\.self)
  }

  /// The standard error of a coverage of 95 %, in points.
  private static func coverageError(_ people: Int) -> Double {
    100 * (0.95 * 0.05 / Double(max(people, 1))).squareRoot()
  }
}

extension CredibilityAssessment.Evidence {
  /// The outcomes of golden results; nil if there are none.
  fileprivate init?(golden outcomes: [GoldenOutcome]) {
    let compared = outcomes.compactMap(\.comparison)
    guard !outcomes.isEmpty else { return nil }
    let unconfirmed = outcomes.count(where: \.isUnconfirmed)
    self.init(
      what: "Results of earlier versions", against: "golden tables, each with its tolerance",
      found: "\(unconfirmed) of \(outcomes.count) tables drifted or failed; "
        + "\(compared.map(\.comparedValues).reduce(0, +)) values compared",
      required: "none", isMet: unconfirmed == 0)
  }
}

extension IntervalCoverage {
  /// How often its intervals hold the truth, of 1.
  fileprivate var share: Double { Double(covered) / Double(max(intervals, 1)) }

  /// How far that may be from what is stated: a point, and two standard errors of the count beyond it.
  fileprivate var allowance: Double {
    0.01 + 2 * (level * (1 - level) / Double(max(intervals, 1))).squareRoot()
  }

  /// Whether intervals hold the truth as often as stated.
  fileprivate var isAsStated: Bool { intervals == 0 || abs(share - level) <= allowance }
}

extension ToolEvidence {
  /// How often intervals hold the truth, and how well people are predicted from others.
  fileprivate var tables: [Block] {
    var tables: [Block] = []
    if !coverage.isEmpty {
      tables.append(
        .table(
          Table(
            [
              Column(forPeople: "design", \.design),
              Column(forPeople: "parameter", \.parameter.symbol),
              Column(forPeople: "intervals", \.intervals),
              Column(forPeople: "hold the truth %", style: .decimals(1)) { 100 * $0.share },
              Column(forPeople: "required %", style: .decimals(1)) { 100 * $0.level },
              Column(forPeople: "within", style: .decimals(1)) { 100 * $0.allowance },
              Column(forPeople: "met") { $0.isAsStated ? "yes" : "no" },
            ], rows: coverage),
          caption: "Intervals of made-up people, whose true values are known."))
    }
    if !heldOut.isEmpty {
      tables.append(
        .table(
          Table(
            [
              Column(forPeople: "study", \.study),
              Column(forPeople: "method", \.concentrations.method),
              Column(forPeople: "subjects", \.concentrations.subjects),
              Column(forPeople: "bias g/kg", style: .decimals(3), \.concentrations.errors.bias),
              Column(forPeople: "MAE g/kg", style: .decimals(3), \.concentrations.errors.mae),
              Column(
                forPeople: "sobriety MAE min, least", style: .decimals(0),
                \.sobriety?.errors?.mae.least),
              Column(forPeople: "most", style: .decimals(0), \.sobriety?.errors?.mae.most),
              Column(forPeople: "90 % intervals", \.intervals),
              Column(forPeople: "agree", \.held),
            ], rows: heldOut),
          caption:
            "Held-out people: each predicted with the median k_a and beta of all others and the method's r. MAE: mean "
            + "absolute error; that of the time to sobriety is known between limits. Intervals of the time to sobriety "
            + "that agree with the readings before and after it."))
    }
    return tables
  }
}
