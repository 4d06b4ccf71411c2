package import Reporting

extension Report {
  /// The report of how lanes compare with GSL.
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
    "engines", "`--engines`: a row per study or design.",
    columns: [
      Column("study", heading: "study", "the study or the simulated design", \.name),
      Column("series", heading: "series", "series that were fitted", \.series),
      Column("missed", heading: "missed", "series that only GSL could fit", \.missed),
      Column("higher", heading: "higher", "minima of lanes above GSL's", \.higher),
      Column(
        "lower", heading: "lower", "minima of lanes below GSL's; their intervals are not compared",
        \.lower),
      Column(
        "largest_rise", heading: "rise", style: .significant(2),
        "largest relative rise of a minimum above GSL's", \.largestRise),
      Column("ends", heading: "ends", "ends of intervals that were compared", \.ends),
      Column(
        "narrower", heading: "narrower",
        "ends that GSL has farther out: a fit that lanes did not meet", \.narrower),
      Column("wider", heading: "wider", "ends that lanes have farther out", \.wider),
      Column(
        "largest_distance", heading: "apart SE", style: .significant(2),
        "largest distance between two ends, in standard errors", \.largestDistance),
      Column(
        "verdicts_apart", heading: "verdicts",
        "parameters with an end by one engine and none by the other", \.verdictsApart),
      Column("status", oneOf: ["ok", "failed"], heading: "status", "outcome") {
        $0.isPassed ? "ok" : "failed"
      },
    ])
}
