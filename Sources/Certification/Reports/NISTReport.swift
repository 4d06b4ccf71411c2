package import Reporting

extension Report {
  /// The report of the least-squares engine's accuracy on the problems of NIST.
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

  /// Published results, from Ceres Solver's examples/nist.cc; the first five after Mondragon &
  /// Borchers (2005).
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
    "certification",
    columns: [
      Column("problem", heading: "problem", \.problem.name),
      Column("difficulty", heading: "difficulty", \.problem.difficulty),
      Column("start", heading: "start", \.start),
      Column("lre_min", heading: "params", style: .decimals(1), \.digits),
      Column("lre_sd_min", heading: "SDs", style: .decimals(1), \.standardDeviationDigits),
      Column("lre_rss", heading: "rss", style: .decimals(1), \.rssDigits),
      Column("iterations", heading: "iterations", \.iterations),
      Column("method", heading: "method", \.method),
      Column("status", heading: "status", \.status),
    ])

  package static let averages = TableLayout<NISTAverage>(
    "averages",
    columns: [
      Column(
        "difficulty", oneOf: NISTProblem.Difficulty.allCases.map(\.rawValue) + ["all"],
        heading: "difficulty"
      ) {
        $0.difficulty?.rawValue ?? "all"
      },
      Column("n", heading: "n", \.count),
      Column("solved", heading: "solved", \.solved),
      Column("lre_min", heading: "params", style: .decimals(1), \.digits),
      Column("lre_min_lowest", heading: "worst", style: .decimals(1), \.fewestDigits),
      Column("lre_sd_min", heading: "SDs", style: .decimals(1), \.standardDeviationDigits),
      Column("lre_rss", heading: "rss", style: .decimals(1), \.rssDigits),
    ])
}

extension NISTProblem.Difficulty: ColumnValue {}
extension NISTScore.Status: ColumnValue {}
