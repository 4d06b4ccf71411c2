import Foundation
import TestSupport
import Testing

/// `promille export --notebook`
@Suite struct NotebookExportTests {
  private let folder: TemporaryFolder
  private let study: String

  init() throws {
    folder = try TemporaryFolder()
    study = try SmallStudy().write(to: folder)
  }

  @Test func exportWritesResultsAndNotebook() async throws {
    let target = folder("a/b")
    let run = try await Command.promille("export", study, "--notebook", "-o", target)
    #expect(run.status == 0)
    #expect(run.output.isEmpty && run.errors.isEmpty)
    let fits = try await Command.promille("fit", study, "--details", "--format", "csv")
    #expect(try folder.read("a/b/results/fit.csv") == fits.output)
    let times = try await Command.promille("sober", study, "--format", "csv")
    #expect(try folder.read("a/b/results/sober.csv") == times.output)
    let errors = try await Command.promille("compare", study, "--format", "csv")
    #expect(try folder.read("a/b/results/compare.csv") == errors.output)
    #expect(try folder.read("a/b/results.ipynb").contains("\"nbformat\": 4"))
    let data = try await Command.promille("export", study, "--to", "json")
    #expect(try folder.read("a/b/study.json") == data.output)
    // A second export replaces the first.
    let again = try await Command.promille("export", study, "--notebook", "-o", target)
    #expect(again.status == 0)
  }

  @Test func fitOptionsAreKeywordsOfThePythonPackage() async throws {
    let run = try await Command.promille(
      "export", study, "--notebook", "--estimate", "ka,beta", "--fix=r=0.7", "--threshold", "0.2",
      "--start-seed", "3",
      "--fix", "lag=5", "-o", folder("out"))
    #expect(run.status == 0, "\(run.errors)")
    let options =
      #"OPTIONS = {"estimate": ["ka,beta"], "fix": ["r=0.7", "lag=5"], "start_seed": ["3"]}"#
    #expect(try folder.read("out/results.ipynb").contains(options.replacing("\"", with: "\\\"")))
  }

  /// The first cell names the wheel. A notebook that cannot be run stays as it was written, with a word.
  @Test func notebookIsWrittenWhereItCannotRun() async throws {
    try folder.makeFolder("bin")
    try folder.write(
      "#!/bin/sh\necho \"No module named nbconvert\" >&2\nexit 1\n", to: "bin/python3")
    #expect(chmod(folder("bin/python3"), 0o755) == 0)
    let plain = try await Command.promille(
      "export", study, "--notebook", "-o", folder("plain"), "-q")
    #expect(plain.status == 0)
    for (path, reason) in [("bin", "No module named nbconvert"), ("none", "there is no python3")] {
      let run = try await Command.promille(
        ["export", study, "--notebook", "--execute", "-o", folder("out")],
        environment: ["PATH": folder(path)])
      #expect(run.status == 0)
      #expect(
        run.errors.contains("results.ipynb is written, but not run: \(reason); its first cell says")
      )
      #expect(try folder.read("out/results.ipynb") == folder.read("plain/results.ipynb"))
    }
    #expect(try folder.read("out/results.ipynb").contains("requirements.txt promille-0"))
    let alone = try await Command.promille("export", study, "--to", "json", "--execute")
    #expect(alone.status == 64)
  }

  @Test func badSubjectDoesNotStopTheExport() async throws {
    let study = try SmallStudy.withBadSubject.write(to: folder, as: "bad")
    let run = try await Command.promille("export", study, "--notebook", "-o", folder("out"))
    #expect(run.status == 1)
    #expect(try folder.read("out/results/fit.csv").contains("bob,,failed,"))
  }

  @Test func unwritablePlaceLeavesNoNotebook() async throws {
    try folder.write("", to: "file")
    let run = try await Command.promille("export", study, "--notebook", "-o", folder("file"))
    #expect(run.status == 73)
    #expect(run.errors.contains("E_OUTPUT: "))
    #expect(try folder.contents == ["file", "study"])
  }

  @Test func exportNeedsAForm() async throws {
    let run = try await Command.promille("export", study, "-o", folder("out"))
    #expect(run.status == 64)
    #expect(run.errors.contains("--notebook"))
    let all = try await Command.promille(
      "export", study, "--notebook", "--model", "all", "-o", folder("out"))
    #expect(all.status == 64)
    #expect(try folder.contents == ["study"])
  }
}
