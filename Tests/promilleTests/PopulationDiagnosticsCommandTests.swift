import Foundation
import TestSupport
import Testing

/// `promille population` with diagnostics.
@Suite struct PopulationDiagnosticsCommandTests {
  private let folder: TemporaryFolder
  private let study: String

  init() throws {
    folder = try TemporaryFolder()
    var small = SmallStudy()
    // People who differ: nobody's readings are another's.
    small.readings = "subject,time_min,bac_g_per_kg\n"
    for (name, factor) in [("ann", 1.2), ("bob", 1), ("cem", 0.9)] {
      for (minute, level) in [
        (15, 0.35), (30, 0.652), (60, 0.675), (120, 0.540), (180, 0.390), (240, 0.240), (300, 0.12),
      ] { small.readings += "\(name),\(minute),\(factor * level)\n" }
    }
    study = try small.write(to: folder)
  }

  private func run(_ arguments: String...) async throws -> Outcome {
    try await Command.promille(
      ["population", study, "--random", "beta,r", "--common", "ka", "--starts", "1"] + arguments)
  }

  @Test func threadCountDoesNotChangeDiagnostics() async throws {
    let one = try await run("--diagnostics", "--format", "json", "--jobs", "1")
    let four = try await run("--diagnostics", "--format", "json", "--jobs", "4")
    #expect(one.status == 0, "\(one.errors)")
    #expect(one.output == four.output)
    let other = try await run("--diagnostics", "--format", "json", "--seed", "2")
    #expect(one.output != other.output)
    #expect(one.errors.contains("predictive check (concentration)"))
  }

  /// A report shows everybody at once beside everybody alone, and the same by any number of threads.
  @Test func reportShowsThePopulationOnRequest() async throws {
    let report = ["report", study, "--estimate", "ka,beta,r", "-q", "-o"]
    let environment = ["SOURCE_DATE_EPOCH": "1700000000"]
    let plain = try await Command.promille(
      report + [folder("plain.html")], environment: environment)
    let whole = try await Command.promille(
      report + [folder("whole.html"), "--population"], environment: environment)
    #expect(plain.status == 0 && whole.status == 0, "\(whole.errors)")
    let (short, long) = (try folder.read("plain.html"), try folder.read("whole.html"))
    for heading in ["Population", "Predictions and residuals", "Predictive check"] {
      #expect(
        long.contains(">\(heading)</h2>") && !short.contains(">\(heading)</h2>"), "\(heading)")
    }
    #expect(
      long.ranges(of: "<figure class=\"picture\">").count
        > short.ranges(of: "<figure class=\"picture\">").count)
    let refused = try await Command.promille(
      report + [folder("no.html"), "--population", "--censor", "one-sided"])
    #expect(refused.status == 64)
    #expect(refused.errors.contains("--censor one-sided has no likelihood"))
  }

  @Test func allOutputsAreWrittenTogether() async throws {
    let made = try await run(
      "--residuals", folder("r.csv"), "--report", folder("p.html"),
      "--simulations", "100", "--bins", "3", "--format", "table")
    #expect(made.status == 0, "\(made.errors)")
    #expect(made.output.contains("predictive check"))
    let rows = try CSVText.rows(try folder.read("r.csv"))
    #expect(rows.count == 21 && rows.allSatisfy { $0["npde"] != "" })
    let page = try folder.read("p.html")
    for heading in ["Population", "Predictions and residuals", "Predictive check", "Provenance"] {
      #expect(page.contains(">\(heading)</h2>"), "\(heading)")
    }
    #expect(page.ranges(of: "<figure class=\"picture\">").count == 3)
    for loading in ["<script", "src=", "<link", "@import", "href=\"http"] {
      #expect(!page.contains(loading), "\(loading)")
    }
  }

  @Test(arguments: [
    ["--diagnostics", "--simulations", "99"], ["--diagnostics", "--bins", "0"],
    ["--simulations", "500"], ["--seed", "2"], ["--bins", "3"],
  ])
  func impossibleOptionsAreRefused(_ arguments: [String]) async throws {
    let run = try await Command.promille(["population", study] + arguments)
    #expect(run.status == 64 && run.output.isEmpty)
  }

  @Test(arguments: ["--residuals", "--report", "-o"])
  func studyFilesAreNotOverwritten(_ option: String) async throws {
    let before = try folder.read("study/readings.csv")
    let run = try await run(option, folder("study/readings.csv"))
    #expect(run.status == 73 && run.errors.contains("E_OUTPUT"))
    #expect(try folder.read("study/readings.csv") == before)
    let same = try await self.run(
      "--residuals", folder("x"), "--report", folder("x"), "--simulations", "100")
    #expect(same.status == 73)
  }

  @Test(arguments: [false, true])
  func picturesAreDrawnIntoAFolderOfAnyName(isThere: Bool) async throws {
    let name = folder("a 'b' $(touch x); \u{202e}c")
    if isThere {
      try FileManager.default.createDirectory(atPath: name, withIntermediateDirectories: false)
    }
    let run = try await run("--plot", name, "--simulations", "100")
    #expect(run.status == 0, "\(run.errors)")
    let files = try FileManager.default.contentsOfDirectory(atPath: name)
    #expect(
      Set(files).isSuperset(of: ["population-fit.svg", "population-vpc.svg", "population-vpc.csv"]))
    #expect(!FileManager.default.fileExists(atPath: folder("x")))
  }
}
