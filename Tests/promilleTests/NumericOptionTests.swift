import Foundation
import TestSupport
import Testing

/// Extreme numbers in options, and the messages about them.
@Suite struct NumericOptionTests {
  private static let design = [
    "design", "--drinks", "0:40g", "--weight", "70", "--r-factor", "0.7", "--simulations", "0",
    "-q",
  ]

  @Test(arguments: ["--apart", "--every", "--until", "--resolution", "--lod", "--level"])
  func extremeDesignNumbersDoNotCrash(_ option: String) async throws {
    for value in ["1e19", "-1e19", "nan", "1e-320", "inf"] {
      let run = try await Command.promille(Self.design + ["\(option)=\(value)"])
      #expect([0, 64].contains(run.status), "\(option) \(value): \(run.status) \(run.errors)")
    }
  }

  /// A command line and its numeric options.
  private static let lines: [(line: [String], options: [String])] = [
    (
      ["forecast", "STUDY", "--prior", "fed", "--draws", "100"],
      ["--threshold", "--at", "--every", "--draws", "--seed", "--after", "--lod"]
    ),
    (["fit", "STUDY"], ["--level", "--replicates", "--lod", "--jobs", "--seed", "--threshold"]),
    (["sober", "STUDY"], ["--threshold", "--level", "--jobs", "--within", "--beta", "--ka"]),
    (["check", "STUDY"], ["--blood-breath-ratio", "--blood-density", "--serum-blood-ratio"]),
    (
      ["case", "sober", "--weight", "70", "--sex", "male", "--drink", "0:40g"],
      ["--weight", "--height", "--age", "--beta", "--absorbed", "--limit", "--draws", "--level"]
    ),
  ]

  /// Every command accepts or refuses extreme numbers with a usual exit status.
  @Test func extremeNumbersDoNotCrashAnyCommand() async throws {
    let folder = try TemporaryFolder()
    let study = try SmallStudy().write(to: folder)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for (line, options) in Self.lines {
        let whole = line.map { $0 == "STUDY" ? study : $0 }
        group.addTask {
          for option in options {
            for value in ["1e19", "nan"] {
              let run = try await Command.promille(whole + ["\(option)=\(value)", "-q"])
              #expect(
                [0, 1, 64, 65].contains(run.status) && !run.errors.contains("Fatal error"),
                "\(line[0]) \(option)=\(value): \(run.status) \(run.errors)")
            }
          }
        }
      }
      try await group.waitForAll()
    }
  }

  /// An error with more noise makes nothing more certain, and the answer says what is taken as known.
  @Test func moreNoiseWidensDesignedIntervals() async throws {
    var widths: [Double] = []
    for error in ["additive:0.02", "combined:0.02,0.0467"] {
      let run = try await Command.promille(
        Self.design + ["--readings", "30,60,120,180,240,300", "--error", error, "--format", "csv"])
      let rows = try CSVText.rows(run.output).filter { $0["design"] == "planned" }
      widths.append(Double(rows.first { $0["quantity"] == "beta" }?["width"] ?? "") ?? .nan)
      let table = try await Command.promille(Self.design + ["--error", error, "--format", "table"])
      #expect(table.output.contains("estimated from each person's readings"), "\(table.output)")
    }
    #expect(widths[1] > widths[0])
    let known = try await Command.promille(
      Self.design + ["--error", "combined:0.02,0.0467", "--known-error", "--format", "table"])
    #expect(known.output.contains("The size of errors is taken as known."))
  }

  /// The error that a prior states is that of the plan.
  @Test func priorErrorIsUsedByThePlan() async throws {
    let folder = try TemporaryFolder()
    try folder.write(
      populationText(
        typical: ["ka": 3, "beta": 0.15, "r": 0.7],
        between: ["ka": 0.1, "beta": 0.04, "r": 0.02], residual: ["sd": 0.05]),
      to: "prior.json")
    let run = try await Command.promille(
      "design", "--drinks", "0:40g", "--weight", "70", "--sex", "male", "--prior",
      folder("prior.json"), "--simulations", "0", "--every", "20", "--format", "table")
    let words = run.output.split { $0.isWhitespace }.joined(separator: " ")
    #expect(words.contains("errors of readings: SD 0.050 g/kg"), "\(run.output)\(run.errors)")
  }
}

/// Tables of events of numbers alone, as NONMEM has them.
@Suite struct NumericEventTests {
  private static let events = """
    ID,TIME,AMT,DV,EVID,SEX,AGE,HT,WT,FOOD
    1,0,40,.,1,1,30,180,80,1
    1,1,.,0.5,0,1,30,180,80,1
    1,2,.,0.35,0,1,30,180,80,1
    1,3,.,0.2,0,1,30,180,80,1

    """

  @Test func messagesNameARemedy() async throws {
    let folder = try TemporaryFolder()
    try folder.write(Self.events, to: "events.csv")
    let plain = try await Command.promille("check", folder("events.csv"))
    #expect(
      plain.errors.contains("SEX=sex_0f1m")
        && plain.errors.contains("--map \"FOOD=covariate\""), "\(plain.errors)")
    for food in ["covariate", "ignore"] {
      let mapped = try await Command.promille(
        "check", folder("events.csv"), "--map", "SEX=sex_0f1m,FOOD=\(food)", "--format", "csv")
      #expect(mapped.status == 0 && mapped.errors.isEmpty, "\(food): \(mapped.errors)")
    }
    for map in ["WT=weight_lb", "NOBODY=sex_0f1m"] {
      let refused = try await Command.promille("check", folder("events.csv"), "--map", map)
      #expect(
        refused.status == 65 && refused.errors.contains("E_COLUMN_MAP"), "\(map): \(refused.errors)"
      )
    }
  }

  /// Readings that `population` leaves out have no influence in NONMEM either.
  @Test func nonmemTablesMatchReadingsOfPopulationFits() async throws {
    let folder = try TemporaryFolder()
    var small = SmallStudy()
    small.subjects += "dan,male,30,180,80\n"
    small.drinks += "dan,0,40\n"
    small.readings += "dan,60,0\ndan,120,0\n"
    let study = try small.write(to: folder)
    try folder.write(
      #"{"name": "study", "resources": [], "promille": {"instrument": {"mouth_alcohol_window_min": 40}}}"#,
      to: "study/datapackage.json")
    let table = folder("t.csv")
    let run = try await Command.promille("export", study, "--to", "nonmem", "-o", table)
    #expect(run.status == 0 && run.errors.contains("have MDV 1"), "\(run.errors)")
    let rows = try CSVText.rows(try folder.read("t.csv"))
    #expect(run.errors.contains("leaves out subject \"dan\", whose rows are written: E_"))
    #expect(rows.contains { $0["EVID"] == "0" && $0["MDV"] == "1" })
    #expect(rows.contains { $0["EVID"] == "0" && $0["MDV"] == "0" })
  }
}
