import Foundation
import TestSupport
import Testing

/// `promille init --from` at a terminal: it asks what the headers do not say, and keeps the answers.
@Suite struct GuidedInitTests {
  private let folder: TemporaryFolder

  private static let sheet = """
    Participant,Sex,Weight (kg),Time (min),Ethanol (g),Result
    Eve,0,62,0,30,
    Eve,0,62,60,,0.32
    Eve,0,62,120,,0.25
    Eve,0,62,180,,0.18
    Jon,1,80,0,40,
    Jon,1,80,60,,0.30
    Jon,1,80,120,,0.24
    Jon,1,80,180,,0.17

    """

  init() throws {
    folder = try TemporaryFolder()
    try folder.write(Self.sheet, to: "night.csv")
  }

  private func ask(
    _ typed: String, _ arguments: [String] = [], columns: Int = 100,
    environment: [String: String] = [:]
  ) async throws -> Outcome {
    try await Command.atTerminal(
      ["init", folder("study"), "--from", folder("night.csv"), "--format", "table"] + arguments,
      typing: typed,
      columns: columns, environment: environment)
  }

  private var isMade: Bool { FileManager.default.fileExists(atPath: folder("study")) }

  @Test func questionsAreAskedOneByOneAndAnswersKept() async throws {
    let run = try await ask("brac_mg_per_l\n1\n")
    #expect(run.status == 0, "\(run.errors)")
    let asked = run.errors.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    #expect(asked.contains("the column \"Result\" states no unit: 0.32, 0.25, 0.18"))
    #expect(
      run.errors.contains("mg/L of breath") && run.errors.contains("sex: 0 is male, 1 is female"))
    #expect(
      run.output.contains("2 subjects, 2 series")
        && run.output.contains("--like \(folder("study"))"))
    let descriptor = try folder.read("study/datapackage.json")
    #expect(descriptor.contains("\"source_columns\": {"))
    #expect(
      descriptor.contains("\"Result\": \"brac_mg_per_l\"")
        && descriptor.contains("\"Sex\": \"sex_0m1f\""))
    let subjects = try folder.read("study/subjects.csv")
    #expect(subjects.contains("Eve,male") && subjects.contains("Jon,female"))
    let check = try await Command.promille("check", folder("study"), "--format", "table")
    #expect(check.status == 0 && check.output.contains("errors: 0"), "\(check.output)")
  }

  @Test func savedAnswersApplyToTheNextTable() async throws {
    _ = try await ask("brac_mg_per_l\n1\n")
    try folder.write(
      Self.sheet.replacing("Eve", with: "Zoe").replacing(",Weight (kg)", with: ",Mass (kg)"),
      to: "next.csv")
    for like in [folder("study"), folder("study/datapackage.json")] {
      let made = folder("next\(like.hasSuffix("json"))")
      let run = try await Command.promille(
        "init", made, "--from", folder("next.csv"), "--like", like)
      #expect(run.status == 0, "\(run.errors)")
      #expect(
        try folder.read(made.hasSuffix("true") ? "nexttrue/subjects.csv" : "nextfalse/subjects.csv")
          .contains("Zoe,male"))
    }
    // And so on: what was taken over is kept. --map counts more.
    let third = try await Command.promille(
      "init", folder("third"), "--from", folder("next.csv"), "--like", folder("nexttrue"), "--map",
      "Sex=sex_0f1m")
    #expect(third.status == 0, "\(third.errors)")
    #expect(try folder.read("third/subjects.csv").contains("Zoe,female"))
    #expect(try folder.read("third/datapackage.json").contains("\"Sex\": \"sex_0f1m\""))
  }

  @Test(arguments: ["q\n", "1\nq\n", "\u{4}", "1\n\u{4}", "brac_mg\u{4}\u{4}", "99\nx\nq\n"])
  func abortedDialogueMakesNoStudy(typed: String) async throws {
    let run = try await ask(typed)
    #expect(run.status == 65 && !isMade && run.output.isEmpty, "\(run.errors)")
    #expect(try folder.contents == ["night.csv"])
    if typed.hasPrefix("1\n") { #expect(run.errors.contains("--map \"Result=bac_g_per_kg\"")) }
  }

  @Test func interruptLeavesNoStudy() async throws {
    let run = try await Command.atTerminal(
      ["init", folder("study"), "--from", folder("night.csv")], typing: "1\n", isInterrupted: true)
    #expect(run.status == 128 + SIGINT && !isMade, "\(run.errors)")
    #expect(try folder.contents == ["night.csv"])
  }

  @Test func nonInteractiveRunAsksNoQuestions() async throws {
    for arguments in [["--no-input"], ["--no-questions"], ["--quiet"]] {
      let run = try await ask("1\n1\n", arguments)
      #expect(run.status == 65 && !isMade)
      #expect(run.errors.contains("E_COLUMN_UNIT") && !run.errors.contains("Number or name"))
    }
    let built = try await ask("1\n1\n", environment: ["CI": "true"])
    #expect(built.status == 65 && !built.errors.contains("Number or name"))
    let pipe = try await Command.shell(
      "printf '1\\n1\\n' | promille init \"$1\" --from \"$2\"", folder("study"), folder("night.csv")
    )
    #expect(pipe.status == 65 && !isMade && !pipe.errors.contains("Number or name"))
  }

  /// An answer may raise another question, and one that settles nothing is not asked for ever.
  @Test func answersMayRaiseQuestions() async throws {
    try folder.write(
      """
      Participant,Weight (kg),Time (min),Ethanol (g),Result,Other
      Eve,62,0,30,,
      Eve,62,60,,0.32,0.7
      Eve,62,120,,0.25,0.5

      """, to: "night.csv")
    let run = try await ask("brac_mg_per_l\n\u{4}", ["--map", "Other=bac_g_per_kg"])
    #expect(run.status == 65 && run.errors.contains("leave out"), "\(run.errors)")
    let both = try await ask("brac_mg_per_l\n1\n", ["--map", "Other=bac_g_per_kg"])
    #expect(both.status == 0, "\(both.errors)")
    #expect(try folder.read("study/readings.csv").contains("brac_mg_per_l"))
  }

  @Test func columnCanBeChosen() async throws {
    try folder.write(
      Self.sheet.replacing("Result", with: "Xyz").replacing(",Sex", with: ",Sex (0=f; 1=m)"),
      to: "night.csv")
    let run = try await ask("Xyz\nbrac_mg_per_l\n")
    #expect(run.status == 0, "\(run.errors)")
    #expect(run.errors.contains("Which column is it"))
    #expect(try folder.read("study/datapackage.json").contains("\"Xyz\": \"brac_mg_per_l\""))
  }

  @Test(arguments: [20, 40]) func questionsFitANarrowTerminal(columns: Int) async throws {
    let run = try await ask("q\n", columns: columns)
    let question = run.errors.prefix(
      upTo: run.errors.firstRange(of: "Number")?.lowerBound ?? run.errors.endIndex)
    let choices = question.split(separator: "\n").filter { $0.hasPrefix("  ") }
    #expect(choices.count > 8)
    #expect(choices.allSatisfy { $0.count <= columns }, "\(choices)")
  }

  @Test func wrongUsesAreRefused() async throws {
    for (arguments, text) in [
      (["--like", folder("night.csv")], "--from"),
      (["--from", folder("night.csv"), "--like", folder("study")], "no such"),
      (["--from", folder("night.csv"), "--like", folder("night.csv")], "neither a study folder"),
      (["--from", folder("night.csv"), "--map", "Result=brac", "-q"], "\"Result=brac\""),
      (
        ["--from", folder("night.csv"), "--map", "Sex=sex", "--map", "Sex=age_y"], "Say one of them"
      ),
    ] {
      let run = try await Command.promille(["init", folder("study")] + arguments)
      #expect(
        run.status != 0 && !isMade && run.errors.contains(text), "\(arguments): \(run.errors)")
    }
  }
}
