import ArgumentParser
import Foundation
import StrictOptions
import TestSupport
import Testing

@testable import promille

/// No option of a command line is ignored: lists may be given in several options, single values once.
@Suite struct StrictLineTests {
  @Test func listOptionsMayBeRepeated() throws {
    let line = try StrictLine(
      [
        "study", "--estimate", "ka", "-q", "--estimate=beta", "--fix", "r=1", "--fix", "lag=2",
        "-q",
      ],
      of: Fit.self)
    #expect(
      line.words == [
        "study", "--estimate", "ka,beta", "-q", "--fix", "r=1", "--fix", "lag=2", "-q",
      ])
    #expect(
      try StrictLine(["s", "--r-factor=watson", "--r-factor", "0.6"], of: Compare.self).words
        == ["s", "--r-factor=watson,0.6"])
  }

  @Test func unknownWordsAreLeftToTheParser() throws {
    for words in [
      ["s", "--nobody", "1", "--nobody", "2"], ["--", "--lod", "--lod"], ["s", "--lod"],
    ] {
      #expect(try StrictLine(words, of: Fit.self).words == words)
    }
    #expect(throws: ValidationError.self) {
      try StrictLine(["s", "--lod", "1", "--lod", "2", "--", "--lod"], of: Fit.self)
    }
  }

  /// Exactly the options whose help mentions commas are joined.
  @Test func onlyListOptionsAreJoined() throws {
    let lists = [
      ("fit", "--estimate"), ("fit", "--derived"), ("compare", "--r-factor"),
      ("compare", "--within"),
      ("population", "--random"), ("population", "--common"), ("population", "--occasional"),
      ("population", "--study-level"), ("population", "--r-factor"), ("report", "--methods"),
      ("report", "--derived"), ("import", "--types"), ("simulate", "--drinks"),
    ]
    for (name, option) in lists {
      let command = try #require(Promille.configuration.subcommands.first { $0.name == name })
      #expect(try StrictLine([option, "a", option, "b"], of: command).words == [option, "a,b"])
    }
    for (name, option) in [
      ("fit", "--r-factor"), ("fit", "--starts"), ("fit", "--jobs"), ("forecast", "--after"),
      ("population", "--residuals"), ("simulate", "--readings"),
    ] {
      let command = try #require(Promille.configuration.subcommands.first { $0.name == name })
      #expect(throws: ValidationError.self) {
        try StrictLine([option, "1", option, "2"], of: command)
      }
    }
  }

  /// The rules of unused options name options that the command has.
  @Test func unusedOptionsAreDeclaredOptions() throws {
    for (command, words) in [
      ("fit", ["s", "--method", "elimination-line"]), ("fit", ["s", "--prior", "fed"]),
      ("fit", ["s"]),
      ("sober", ["s"]), ("export", ["s", "--to", "json"]),
      ("simulate", ["--cohort", "3", "-o", "x"]),
      ("population", ["s", "--evaluate", "f"]), ("case", ["back"]),
    ] {
      let parsed = try #require(
        try Promille.command(from: [command] + words) as? any StrictCommand)
      let names = Set(type(of: parsed).optionNames)
      let rules = parsed.unused.compactMap(\.self)
      #expect(!rules.isEmpty)
      for rule in rules {
        #expect(names.isSuperset(of: rule.names), "\(command): \(rule.names)")
      }
    }
  }

  @Test(arguments: [
    ("x.ndjson", "{"), ("x.jsonl", "{"), ("x.json", "{\n"), ("x.csv", "subject,"),
    ("x", "subject,"),
  ])
  func fileExtensionDecidesTheFormat(name: String, beginning: String) async throws {
    let folder = try TemporaryFolder()
    let run = try await Command.promille("check", "datasets/nacar-2021", "-q", "-o", folder(name))
    #expect(run.status == 0, "\(run.errors)")
    let text = try folder.read(name)
    #expect(text.hasPrefix(beginning))
    #expect(name == "x.json" || !text.hasPrefix("{") || !text.hasPrefix("{\n"))
  }

  /// A manifest's command is held to the same.
  @Test func goldenCommandsAreParsedStrictly() {
    #expect(throws: ValidationError.self) {
      try Promille.command(from: ["fit", "{study}", "--lod", "1", "--lod", "2"])
    }
  }
}
