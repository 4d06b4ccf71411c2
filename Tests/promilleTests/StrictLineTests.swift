import ArgumentParser
import Foundation
import StrictOptions
import TestSupport
import Testing

@testable import promille

/// Every option of a command line counts: a list may be given in several, and what takes one value is given once.
@Suite struct StrictLineTests {
  @Test func listsMayBeGivenInSeveralOptions() throws {
    let line = try StrictLine(
      ["study", "--estimate", "ka", "-q", "--estimate=beta", "--fix", "r=1", "--fix", "lag=2", "-q"],
      of: Fit.self)
    #expect(
      line.words == ["study", "--estimate", "ka,beta", "-q", "--fix", "r=1", "--fix", "lag=2", "-q"])
    #expect(
      try StrictLine(["s", "--r-factor=watson", "--r-factor", "0.6"], of: Compare.self).words
        == ["s", "--r-factor=watson,0.6"])
  }

  @Test func whatIsNoOptionIsLeftToTheParser() throws {
    for words in [["s", "--nobody", "1", "--nobody", "2"], ["--", "--lod", "--lod"], ["s", "--lod"]] {
      #expect(try StrictLine(words, of: Fit.self).words == words)
    }
    #expect(throws: ValidationError.self) {
      try StrictLine(["s", "--lod", "1", "--lod", "2", "--", "--lod"], of: Fit.self)
    }
  }

  /// A list is known by the name of its value, a plural.
  @Test func optionsWithPluralValuesAreLists() async throws {
    for command in Promille.configuration.subcommands {
      let help = Promille.helpMessage(for: command, columns: 500)
      for line in help.split(separator: "\n") where line.contains(/^ +--[a-z-]+ <[a-z]+s>/) {
        #expect(
          line.contains("separated by commas") || line.contains("names as for") || line.contains("any of")
            || line.contains("percent") || line.contains("further"), "\(command.name): \(line)")
      }
    }
  }

  /// What a command refuses it knows by the names of its options.
  @Test func unusedOptionsAreOptions() throws {
    for (command, words) in [
      ("fit", ["s", "--method", "elimination-line"]), ("fit", ["s", "--prior", "fed"]), ("fit", ["s"]),
      ("sober", ["s"]), ("export", ["s", "--to", "json"]), ("simulate", ["--cohort", "3", "-o", "x"]),
      ("population", ["s", "--evaluate", "f"]), ("case", ["back"]),
    ] {
      let parsed = try #require(
        try Promille.command(from: [command] + words) as? any StrictCommand)
      let names = Set(type(of: parsed).optionNames)
      #expect(!parsed.unused.isEmpty)
      for rule in parsed.unused { #expect(names.isSuperset(of: rule.names), "\(command): \(rule.names)") }
    }
  }

  @Test(arguments: [("x.ndjson", "{"), ("x.jsonl", "{"), ("x.json", "{\n"), ("x.csv", "subject,"), ("x", "subject,")])
  func theNameOfAFileSaysItsFormat(name: String, beginning: String) async throws {
    let folder = try TemporaryFolder()
    let run = try await Command.promille("check", "datasets/nacar-2021", "-q", "-o", folder(name))
    #expect(run.status == 0, "\(run.errors)")
    let text = try folder.read(name)
    #expect(text.hasPrefix(beginning))
    #expect(name == "x.json" || !text.hasPrefix("{") || !text.hasPrefix("{\n"))
  }

  /// A manifest's command is held to the same.
  @Test func goldenCommandsAreStrict() {
    #expect(throws: ValidationError.self) {
      try Promille.command(from: ["fit", "{study}", "--lod", "1", "--lod", "2"])
    }
  }
}
