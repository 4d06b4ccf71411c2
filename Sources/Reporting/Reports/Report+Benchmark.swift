public import Certification

extension Report {
  /// The report of how fast works were, beside their references and targets.
  ///
  /// - Parameters:
  ///   - results: The works, in order.
  ///   - machine: What they were measured on.
  ///   - provenance: How the result was made.
  public static func benchmark(
    _ results: [BenchmarkResult], on machine: Machine, provenance: Provenance
  ) -> Report {
    Report(
      introduction: [
        "Median throughput per core; ratio = Promille / reference, measured in the same run.",
        "Ratios differ less between machines than speeds do.",
      ],
      sections: [
        Section(name: "benchmark", table: Table(benchmarkColumns, rows: results)),
        Section(name: "machine", table: Table(machineColumns, rows: [machine])),
      ],
      notes: [verdict(on: results)] + (machine.build == "debug" ? [debugNote] : []),
      provenance: provenance)
  }

  private static let debugNote =
    "This is a debug build; its speeds are meaningless. Build with -c release."

  private static func verdict(on results: [BenchmarkResult]) -> String {
    let judged = results.filter { $0.target != nil }
    let missed = judged.filter { $0.isTargetMet == false }
    let met = "targets met: \(judged.count - missed.count) of \(judged.count)"
    guard !missed.isEmpty else { return met }
    return met + "; missed: "
      + missed.map { "\($0.name) (\(shortfall(of: $0)))" }
      .joined(separator: ", ")
  }

  private static func shortfall(of result: BenchmarkResult) -> String {
    switch result.target {
    case .ratio(let wanted):
      "\(NumberStyle.significant(3).format(result.ratio ?? 0)) of \(NumberStyle.exact(wanted)) x"
    case .rate(let wanted):
      "\(speed(result.rate, NumberStyle.significant(3).format)) of \(speed(wanted, NumberStyle.exact))"
    case nil: ""
    }
  }

  /// A rate as people read it: thousands as k, and so on.
  private static func speed(
    _ rate: Double, _ text: (Double) -> String = NumberStyle.significant(4).format
  ) -> String {
    let (scale, prefix) =
      [(1e9, "G"), (1e6, "M"), (1e3, "k")].first { rate >= $0.0 } ?? (1, "")
    return "\(text(rate / scale)) \(prefix)/s"
  }

  private static let benchmarkColumns: [Column<BenchmarkResult>] = [
    Column("work", heading: "task") { .text($0.name) },
    Column("unit", heading: "unit") { .text($0.unit) },
    Column("per_s") { .number($0.rate) },
    Column(forPeople: "speed") { .text(speed($0.rate)) },
    Column("reference", heading: "reference") { .words($0.reference) },
    Column("reference_per_s") { .number($0.referenceRate) },
    Column(forPeople: "ref. speed") { .words($0.referenceRate.map { speed($0) }) },
    Column("ratio", heading: "ratio") { .number($0.ratio) },
    Column("target_ratio") { result in
      if case .ratio(let wanted) = result.target { .number(wanted) } else { .missing }
    },
    Column("target_per_s") { result in
      if case .rate(let wanted) = result.target { .number(wanted) } else { .missing }
    },
    Column(forPeople: "target") { result in
      switch result.target {
      case .ratio(let wanted): .text("\(NumberStyle.exact(wanted)) x")
      case .rate(let wanted): .text(speed(wanted, NumberStyle.exact))
      case nil: .missing
      }
    },
    Column("met", heading: "met") { .words($0.isTargetMet.map { $0 ? "yes" : "no" }) },
  ]

  private static let machineColumns: [Column<Machine>] = [
    Column("cpu", heading: "cpu") { .words($0.cpu) },
    Column("cores", heading: "cores") { .integer($0.cores) },
    Column("architecture", heading: "architecture") { .text($0.architecture) },
    Column("system", heading: "system") { .text($0.system) },
    Column("compiler", heading: "compiler") { .text($0.compiler) },
    Column("build", heading: "build") { .text($0.build) },
  ]
}
