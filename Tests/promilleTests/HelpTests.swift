import Casework
import Testing

@testable import promille

@Suite struct HelpTests {
  @Test func mainHelpMatchesSnapshot() async throws {
    let run = try await Command.promille("--help")
    #expect(run.status == 0)
    #expect(run.errors.isEmpty)
    try Snapshot.expect(run.output, named: "help.txt")
  }

  /// Includes every command; a new one asks for its snapshot.
  @Test func helpOfEveryCommandMatchesSnapshot() async throws {
    let names = try await commandNames()
    #expect(names.starts(with: ["init", "check", "fit"]))
    for name in names {
      let run = try await Command.promille(name, "--help")
      #expect(run.status == 0)
      try Snapshot.expect(run.output, named: "help-\(name).txt")
      let all = try await Command.promille(name, "--help-all")
      #expect(all.status == 0 && all.errors.isEmpty)
      if all.output != run.output {
        try Snapshot.expect(all.output, named: "help-all-\(name).txt")
      }
    }
  }

  /// A list of common options names options that there are, and the short help is short.
  @Test(arguments: [
    "check", "import", "fit", "population", "prior", "forecast", "compare", "sober", "case",
    "simulate",
    "design",
    "report", "plot",
    "export",
  ])
  func shortHelpCountsOmittedOptions(_ command: String) async throws {
    let short = try await Command.promille(command, "--help").output
    let all = try await Command.promille(command, "--help-all").output
    #expect(short.split(separator: "\n").count <= 85)
    let last = try #require(short.split(separator: "\n").last)
    #expect(last.hasSuffix("promille \(command) --help-all"))
    let left = try #require(last.split(separator: " ").first.flatMap { Int($0) })
    #expect(short.optionCount + left == all.optionCount)
    #expect(try await Command.promille("help", command).output == short)
    #expect(try await Command.promille(command, "study", "-h").output == short)
  }

  /// Each question has an example that works, and options that there are.
  @Test(arguments: CaseQuestion.allCases)
  func eachCaseQuestionHasItsOwnHelp(_ question: CaseQuestion) async throws {
    let help = try await Command.promille("case", question.rawValue, "--help").output
    let page = try #require(Help.page("case \(question.rawValue)"))
    let options = try #require(page.common)
    #expect(help.hasPrefix("OVERVIEW: \(page.abstract)\n\nExample:\n"))
    #expect(help.contains("\nUSAGE: promille case \(question.rawValue) [<options>]\n"))
    #expect(try await Command.promille("help", "case", question.rawValue).output == help)
    let all = try await Command.promille("case", "--help-all").output
    for option in options {
      #expect(all.contains("  \(option) ") && help.contains("  \(option) "), "\(option)")
    }
    #expect(help.split(separator: "\n").count <= 50)
    let words = page.text.replacing("\\\n", with: "").split(separator: " ")
    let run = try await Command.promille(words.dropFirst().map(String.init) + ["--quiet"])
    #expect(run.status == 0, "\(run.errors)")
    for name in words where name.hasPrefix("--") {
      #expect(options.contains(String(name)), "\(name)")
    }
  }

  @Test func helpIsShownWithoutArguments() async throws {
    async let bare = Command.promille()
    async let asked = Command.promille("--help")
    #expect(try await bare.output == asked.output)
    #expect(try await bare.status == 0)
  }

  @Test func versionIsANumber() async throws {
    let run = try await Command.promille("--version")
    #expect(run.status == 0)
    let parts = run.output.dropLast().split(separator: ".")
    #expect(parts.count == 3 && parts.allSatisfy { Int($0) != nil })
    #expect(run.output.last == "\n")
  }

  @Test func commonOptionsAreInTheFullHelp() async throws {
    for name in Help.pages.keys {
      let page = try #require(Help.page(String(name)))
      let command = String(name.prefix { $0 != " " })
      let all = try await Command.promille(command, "--help-all").output
      for option in page.common ?? [] { #expect(all.contains("  \(option) "), "\(name) \(option)") }
    }
  }

  /// The names that the help lists.
  private func commandNames() async throws -> [String] {
    let help = try await Command.promille("--help").output
    let list = help.split(separator: "\n").drop { $0 != "SUBCOMMANDS:" }.dropFirst()
    // Descriptions that go on stand further to the right; the last line refers to more help.
    return list.compactMap { line in
      let isName = line.hasPrefix("  ") && !line.hasPrefix("   ") && !line.hasPrefix("  See ")
      return isName ? line.split(separator: " ").first.map { String($0) } : nil
    }
  }
}

extension String {
  /// The number of options that a help text describes.
  fileprivate var optionCount: Int { split(separator: "\n").count { $0.hasPrefix("  -") } }
}
