import Estimation
import TestSupport
import Testing

@testable import Certification
@testable import Reporting

@Suite struct BenchmarkReportTests {
  private static let results = [
    BenchmarkResult(
      name: "one_curve", unit: "minutes", rate: 7_123_400_000, reference: "thesis_engine",
      referenceRate: 100_500_000, ratio: 70.9, target: .ratio(150)),
    BenchmarkResult(
      name: "many_curves", unit: "minutes", rate: 2_400_000_000, reference: "memset",
      referenceRate: 2_700_000_000, ratio: 0.889, target: .ratio(0.8)),
    BenchmarkResult(name: "threshold", unit: "curves", rate: 9_250_000, target: .rate(12e6)),
    BenchmarkResult(name: "area", unit: "curves", rate: 31_500_000),
    BenchmarkResult(
      name: "fits", unit: "fits", rate: 1234.5, reference: "one_start", referenceRate: 999.4,
      ratio: 1.2353),
  ]

  private static func report(build: String = "release", isQuick: Bool = false) -> Report {
    .benchmark(
      results, isQuick: isQuick,
      on: Machine(
        cpu: "Abacus 3000", cores: 2, architecture: "x86_64", lanesAtOnce: 4, system: "Linux",
        compiler: "Swift 6.3", build: build), provenance: Sample.provenance)
  }

  @Test func benchmarkTableIsReadable() {
    #expect(
      Self.report().rendered(as: .table) == """
        How fast is this machine?

        Targets met: 1 of 3; missed: one_curve (70.9 of 150 x), threshold (9.25 M/s of 12 M/s).

        task         unit     speed      reference      ref. speed  ratio  target  met
        -----------  -------  ---------  -------------  ----------  -----  ------  ---
        one_curve    minutes  7.123 G/s  thesis_engine  100.5 M/s    70.9  150 x   no
        many_curves  minutes  2.400 G/s  memset         2.700 G/s   0.889  0.8 x   yes
        threshold    curves   9.250 M/s  -              -               -  12 M/s  no
        area         curves   31.50 M/s  -              -               -  -       -
        fits         fits     1.234 k/s  one_start      999.4 /s     1.24  -       -

        cpu          cores  arch    lanes  system  compiler   build
        -----------  -----  ------  -----  ------  ---------  -------
        Abacus 3000      2  x86_64      4  Linux   Swift 6.3  release

        Median throughput per core; ratio = Promille / reference, measured in the same run.
        Ratios differ less between machines than speeds do.

        """)
  }

  /// However fast the machine is: no number has more than four digits and a prefix.
  @Test func tableKeepsToTheWidth() {
    let results = [0.000123, 0.889, 99.99, 1234.6].flatMap { ratio in
      [999.96, 999_960, 9.9996e11].map { rate in
        BenchmarkResult(
          name: "michaelis_menten", unit: "parameters", rate: rate,
          reference: "michaelis_one_start",
          referenceRate: rate, ratio: ratio, target: .ratio(150))
      }
    }
    let text = Report.benchmark(
      results,
      on: Machine(
        cpu: "Abacus 3000", cores: 2, architecture: "x86_64", lanesAtOnce: 4, system: "Linux",
        compiler: "Swift 6.3", build: "release"), provenance: Sample.provenance
    ).rendered(as: .table)
    let rows = text.split(separator: "\n").filter { $0.hasPrefix("michaelis_menten  ") }
    #expect(rows.count == 12 && rows.allSatisfy { $0.count <= 100 })
  }

  /// Quick runs, which may be on a busy machine, report no failed targets.
  @Test func quickRunsReportNoTargets() {
    let text = Self.report(isQuick: true).rendered(as: .table)
    #expect(text.contains("All 5 tasks ran, once each: they work."))
    #expect(!text.contains("target  ") && !text.contains("met") && !text.contains("missed"))
    #expect(Self.report(isQuick: true).rendered(as: .csv) == Self.report().rendered(as: .csv))
  }

  @Test func csvHasFullPrecision() {
    #expect(
      Self.report().rendered(as: .csv) == """
        work,unit,per_s,reference,reference_per_s,ratio,target_ratio,target_per_s,met
        one_curve,minutes,7123400000.0,thesis_engine,100500000.0,70.9,150.0,,no
        many_curves,minutes,2400000000.0,memset,2700000000.0,0.889,0.8,,yes
        threshold,curves,9250000.0,,,,,12000000.0,no
        area,curves,31500000.0,,,,,,
        fits,fits,1234.5,one_start,999.4,1.2353,,,

        """)
  }

  @Test func jsonDescribesTheMachine() {
    let json = Self.report().rendered(as: .json)
    #expect(
      json.contains(
        """
        {"cpu": "Abacus 3000", "cores": 2, "architecture": "x86_64", "lanes_at_once": 4, \
        "system": "Linux", "compiler": "Swift 6.3", "build": "release"}
        """))
    #expect(json.contains("\"version\": \"1.2.3\""))
    #expect(json.contains("\"ratio\": 70.9, \"target_ratio\": 150.0"))
  }

  @Test func debugBuildsAreNoted() {
    #expect(Self.report(build: "debug").rendered(as: .table).contains("a debug build"))
    #expect(!Self.report().rendered(as: .table).contains("debug"))
  }
}
