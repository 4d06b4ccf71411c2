package import Reporting

extension Report {
  /// The report of how well the least-squares engine solves the problems of NIST.
  package static func certification(
    _ certification: NISTCertification, provenance: Provenance
  ) -> Report {
    Report(
      introduction: [
        "Correct digits (log relative error, 0 to 11) against NIST's certified values.",
        "params: worst parameter; SDs: worst standard deviation; rss: residual sum of squares.",
      ],
      sections: [
        Section(scores, rows: certification.scores),
        Section(averages, rows: certification.averages),
      ],
      notes: [verdict(on: certification), published],
      provenance: provenance)
  }

  /// What Ceres Solver's examples/nist.cc states; the first five after Mondragon & Borchers (2005).
  private static let published =
    "Published averages of the same score: Excel 2.3, GaussFit 4.0, Gnuplot 4.3, MINPACK 4.4, "
    + "HBN 6.8, Ceres 9.4."

  private static func verdict(on certification: NISTCertification) -> String {
    let average = certification.average
    return "solved: \(average.solved) of \(average.count), average "
      + NumberStyle.decimals(1).format(average.digits) + ", required "
      + NumberStyle.decimals(1).format(NISTCertification.averageToReach)
      + (certification.isPassed ? ": passed" : ": failed")
  }

  package static let scores = TableLayout<NISTScore>(
    "certification", "`--nist`: a row per problem and start.",
    columns: [
      Column("problem", heading: "problem", "the problem's name", \.problem.name),
      Column(
        "difficulty", heading: "difficulty", "difficulty according to NIST", \.problem.difficulty),
      Column("start", heading: "start", "NIST's start 1 or 2", \.start),
      Column(
        "lre_min", in: "digits", heading: "params", style: .decimals(1),
        "correct digits of the worst parameter", \.digits),
      Column(
        "lre_sd_min", in: "digits", heading: "SDs", style: .decimals(1),
        "correct digits of the worst standard deviation", \.standardDeviationDigits),
      Column(
        "lre_rss", in: "digits", heading: "rss", style: .decimals(1),
        "correct digits of the residual sum of squares", \.rssDigits),
      Column("iterations", heading: "iterations", "iterations", \.iterations),
      Column("method", heading: "method", "solver method that found the solution", \.method),
      Column("status", heading: "status", "outcome", \.status),
    ])

  package static let averages = TableLayout<NISTAverage>(
    "averages", "In JSON, with `--nist`: a row per difficulty, and one for all.",
    columns: [
      Column(
        "difficulty", oneOf: NISTProblem.Difficulty.allCases.map(\.rawValue) + ["all"],
        heading: "difficulty", "difficulty of the problems"
      ) { $0.difficulty?.rawValue ?? "all" },
      Column("n", heading: "n", "number of solves", \.count),
      Column("solved", heading: "solved", "solves correct to 4 digits", \.solved),
      Column(
        "lre_min", in: "digits", heading: "params", style: .decimals(1), "mean of `lre_min`",
        \.digits),
      Column(
        "lre_min_lowest", in: "digits", heading: "worst", style: .decimals(1), "lowest `lre_min`",
        \.fewestDigits),
      Column(
        "lre_sd_min", in: "digits", heading: "SDs", style: .decimals(1), "mean of `lre_sd_min`",
        \.standardDeviationDigits),
      Column(
        "lre_rss", in: "digits", heading: "rss", style: .decimals(1), "mean of `lre_rss`",
        \.rssDigits),
    ])
}

extension NISTProblem.Difficulty: ColumnValue {}
extension NISTScore.Status: ColumnValue {}
