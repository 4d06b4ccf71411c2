import Certification
import Estimation
import Validation

/// Whether a calculation can be relied on for a question: what the question is, where the answer holds, how much of
/// it is the model's, what speaks for it, and what is missing.
///
/// The terms are those of ASME V&V 40 (2018) and of the guideline ICH M15 on model-informed drug development. All of it
/// is made from what a run computed; what a run cannot know, it lists as a gap.
struct CredibilityAssessment: Sendable {
  /// A piece of evidence that the program calculates rightly.
  struct Evidence: Sendable {
    let what: String
    let against: String
    let found: String
    let required: String
    let isMet: Bool

    var line: String {
      "\(what), against \(against): \(found). Required: \(required); \(isMet ? "met" : "not met")."
    }
  }

  /// What the calculation is to answer.
  let question: String
  /// For whom and under which conditions it answers.
  let context: [String]
  /// How much of the answer comes from the model, and how much from readings.
  let influence: [String]
  /// Whether the program solves its model correctly.
  let verification: [Evidence]
  /// Whether the model predicts people; empty if nothing was predicted.
  let validation: [Block]
  /// What speaks against relying on it, or is not known.
  let gaps: [String]

  var blocks: [Block] {
    [
      .heading(2, "Credibility"),
      .paragraph(
        "In the terms of ASME V&V 40 (2018) and ICH M15, from what this run computed. The consequence of a wrong "
          + "decision is for those to judge who decide."),
      .columns([
        [
          .heading(3, "Question of interest"), .paragraph(question),
          .heading(3, "Context of use"), .list(context),
          .heading(3, "Model influence"), .list(influence),
        ],
        [.heading(3, "Verification"), .list(verification.map(\.line))],
        [.heading(3, "Validation")]
          + (validation.isEmpty
            ? [.paragraph("Nothing was predicted that could be compared with readings.")]
            : validation),
        [
          .heading(3, "Gaps"),
          gaps.isEmpty ? .paragraph("This run found none.") : .list(gaps),
        ],
      ]),
    ]
  }
}

extension CredibilityAssessment.Evidence {
  /// How the least-squares engine does on NIST's problems.
  init(_ solver: NISTCertification) {
    let average = solver.average
    self.init(
      what: "Least squares", against: "27 problems of NIST StRD from both starts",
      found: "\(average.solved) of \(average.count) solved, "
        + "\(NumberStyle.decimals(1).format(average.digits)) digits on average",
      required: "all, \(NumberStyle.exact(NISTCertification.averageToReach)) digits",
      isMet: solver.isPassed)
  }

  /// How far curves are from an integration.
  init(_ curves: CurveVerification) {
    self.init(
      what: "Fitted curves", against: "their differential equations integrated by GSL (odeiv2)",
      found: curves.missed > 0
        ? "\(curves.missed) of \(curves.missed + curves.curves) could not be integrated"
        : "at most \(NumberStyle.significant(2).format(curves.largestDifference)) g/kg apart at "
          + "\(curves.points) readings of \(curves.curves) series",
      required: "\(NumberStyle.exact(CurveVerification.allowedDifference)) g/kg",
      isMet: curves.isPassed)
  }

  /// How fits compare with those of GSL alone; nil for no fits.
  init?(_ engines: [EngineComparison]) {
    let series = engines.map(\.series).reduce(0, +)
    guard series > 0 else { return nil }
    let worse = engines.map { $0.missed + $0.higher }.reduce(0, +)
    let ends = engines.map { $0.narrower + $0.verdictsApart }.reduce(0, +)
    self.init(
      what: "Minima and intervals", against: "the same fits by GSL alone",
      found: "\(worse) of \(series) minima higher or missed; \(ends) of "
        + "\(engines.map(\.ends).reduce(0, +)) interval ends narrower or undecided",
      required: "none", isMet: engines.allSatisfy(\.isPassed))
  }
}
