public import Certification

extension Report {
  /// The report of how well the least-squares engine solves the problems of NIST.
  ///
  /// - Parameters:
  ///   - certification: The scores.
  ///   - provenance: How the result was made.
  public static func certification(
    _ certification: NISTCertification, provenance: Provenance
  ) -> Report {
    Report(
      introduction: [
        "Correct digits (log relative error, 0 to 11) against NIST's certified values.",
        "params: worst parameter; SDs: worst standard deviation; rss: residual sum of squares.",
      ],
      sections: [
        Section(
          name: "certification", table: Table(scoreColumns, rows: certification.scores)),
        Section(name: "averages", table: Table(averageColumns, rows: certification.averages)),
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

  private static let scoreColumns: [Column<NISTScore>] = [
    Column("problem", heading: "problem") { .text($0.problem.name) },
    Column("difficulty", heading: "difficulty") { .text($0.problem.difficulty.rawValue) },
    Column("start", heading: "start") { .integer($0.start) },
    Column("lre_min", heading: "params", style: .decimals(1)) { .number($0.digits) },
    Column("lre_sd_min", heading: "SDs", style: .decimals(1)) {
      .number($0.standardDeviationDigits)
    },
    Column("lre_rss", heading: "rss", style: .decimals(1)) { .number($0.rssDigits) },
    Column("iterations", heading: "iterations") { .integer($0.iterations) },
    Column("method", heading: "method") { .text($0.method) },
    Column("status", heading: "status") { .text($0.status.rawValue) },
  ]

  private static let averageColumns: [Column<NISTAverage>] = [
    Column("difficulty", heading: "difficulty") { .text($0.difficulty?.rawValue ?? "all") },
    Column("n", heading: "n") { .integer($0.count) },
    Column("solved", heading: "solved") { .integer($0.solved) },
    Column("lre_min", heading: "params", style: .decimals(1)) { .number($0.digits) },
    Column("lre_min_lowest", heading: "worst", style: .decimals(1)) { .number($0.fewestDigits) },
    Column("lre_sd_min", heading: "SDs", style: .decimals(1)) {
      .number($0.standardDeviationDigits)
    },
    Column("lre_rss", heading: "rss", style: .decimals(1)) { .number($0.rssDigits) },
  ]
}
