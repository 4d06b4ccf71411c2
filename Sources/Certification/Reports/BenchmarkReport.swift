package import Reporting

extension Report {
  /// The report of a benchmark: speeds, with references and targets.
  ///
  /// - `isQuick`: Whether tasks were run only once, so that targets are not judged.
  package static func benchmark(
    _ results: [BenchmarkResult], isQuick: Bool = false, on machine: Machine, provenance: Provenance
  ) -> Report {
    let sections = [Section(benchmarks, rows: results), Section(Self.machine, rows: [machine])]
    let shown = benchmarks.columns.filter { !isQuick || !["target", "met"].contains($0.heading) }
    return Report(
      sections: sections, provenance: provenance,
      firstScreen: FirstScreen(
        question: "How fast is this machine?",
        answer: [isQuick ? quickNote(on: results) : verdict(on: results)],
        tables: [Table(shown, rows: results), sections[1].table],
        remarks: (machine.build == "debug" ? [debugNote] : []) + [
          "Median throughput per core; ratio = Promille / reference, measured in the same run.",
          "Ratios differ less between machines than speeds do.",
        ]))
  }

  private static let debugNote =
    "This is a debug build; its speeds are meaningless. Build with -c release."

  private static func quickNote(on results: [BenchmarkResult]) -> String {
    "All \(results.count) tasks ran, once each: they work. These speeds are rough and judge no target; for that, run "
      + "promille bench on an idle machine."
  }

  private static func verdict(on results: [BenchmarkResult]) -> String {
    let judged = results.filter { $0.target != nil }
    let missed = judged.filter { $0.isTargetMet == false }
    let met = "Targets met: \(judged.count - missed.count) of \(judged.count)"
    guard !missed.isEmpty else { return met + "." }
    return met + "; missed: "
      + missed.map { "\($0.name) (\(shortfall(of: $0)))" }
      .joined(separator: ", ") + "."
  }

  private static func shortfall(of result: BenchmarkResult) -> String {
    switch result.target {
    case .ratio(let target):
      "\(NumberStyle.significant(3).format(result.ratio ?? 0)) of \(NumberStyle.exact(target)) x"
    case .rate(let target):
      "\(speed(result.rate, NumberStyle.significant(3).format)) of \(speed(target, NumberStyle.exact))"
    case nil: ""
    }
  }

  /// A rate with an SI prefix.
  private static func speed(
    _ rate: Double, _ text: (Double) -> String = NumberStyle.significant(4).format
  ) -> String {
    let (scale, prefix) =
      [(1e9, "G"), (1e6, "M"), (1e3, "k")].first { rate >= $0.0 } ?? (1, "")
    return "\(text(rate / scale)) \(prefix)/s"
  }

  package static let benchmarks = TableLayout<BenchmarkResult>(
    "benchmark",
    columns: [
      Column("work", heading: "task", \.name),
      Column("unit", heading: "unit", \.unit),
      Column("per_s", \.rate),
      Column(forPeople: "speed") { speed($0.rate) },
      Column("reference", heading: "reference", \.reference),
      Column("reference_per_s", \.referenceRate),
      Column(forPeople: "ref. speed") { $0.referenceRate.map { speed($0) } },
      Column("ratio", heading: "ratio", \.ratio),
      Column("target_ratio", \.targetRatio),
      Column("target_per_s", \.targetRate),
      Column(forPeople: "target") { result in
        result.targetRatio.map { "\(NumberStyle.exact($0)) x" }
          ?? result.targetRate.map { speed($0, NumberStyle.exact) }
      },
      Column("met", heading: "met", \.isTargetMet),
    ])

  package static let machine = TableLayout<Machine>(
    "machine",
    columns: [
      Column("cpu", heading: "cpu", \.cpu),
      Column("cores", heading: "cores", \.cores),
      Column("architecture", heading: "arch", \.architecture),
      Column("lanes_at_once", heading: "lanes", \.lanesAtOnce),
      Column("system", heading: "system", \.system),
      Column("compiler", heading: "compiler", \.compiler),
      Column("build", heading: "build", \.build),
    ])
}

extension BenchmarkResult {
  fileprivate var targetRatio: Double? { if case .ratio(let ratio) = target { ratio } else { nil } }
  fileprivate var targetRate: Double? { if case .rate(let rate) = target { rate } else { nil } }
}
