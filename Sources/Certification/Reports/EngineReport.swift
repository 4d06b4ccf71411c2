package import Reporting

extension Report {
  /// The report of the comparison of lanes with GSL.
  package static func engines(
    _ comparisons: [EngineComparison], provenance: Provenance
  ) -> Report {
    let failed = comparisons.filter { !$0.isPassed }.map(\.name)
    return Report(
      introduction: [
        "Fits by lanes beside fits by GSL alone. A minimum is higher if it is by more than 1e-9 of GSL's "
          + "(1e-8 where standard deviations come from predictions); an end of an interval is elsewhere if "
          + "it is by more than 1e-4 standard errors."
      ],
      sections: [Section(engines, rows: comparisons)],
      notes: [
        failed.isEmpty
          ? "every fit is as GSL has it, or better: passed"
          : "not as GSL has it: " + failed.joined(separator: ", ")
      ],
      provenance: provenance)
  }

  package static let engines = TableLayout<EngineComparison>(
    "engines",
    columns: [
      Column("study", heading: "study", \.name),
      Column("series", heading: "series", \.series),
      Column("missed", heading: "missed", \.missed),
      Column("higher", heading: "higher", \.higher),
      Column("lower", heading: "lower", \.lower),
      Column("largest_rise", heading: "rise", style: .significant(2), \.largestRise),
      Column("ends", heading: "ends", \.ends),
      Column("narrower", heading: "narrower", \.narrower),
      Column("wider", heading: "wider", \.wider),
      Column("largest_distance", heading: "apart SE", style: .significant(2), \.largestDistance),
      Column("verdicts_apart", heading: "verdicts", \.verdictsApart),
      Column("status", oneOf: ["ok", "failed"], heading: "status") {
        $0.isPassed ? "ok" : "failed"
      },
    ])
}
