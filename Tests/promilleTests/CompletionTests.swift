import Foundation
import TestSupport
import Testing

/// The completion script that is installed, asked by bash itself; `Tests/Tools/completions.py` asks zsh and fish.
@Suite struct CompletionTests {
  private static let hasBash = FileManager.default.fileExists(atPath: "/bin/bash")

  static let lines: [(line: [String], offers: [String])] = [
    (["fo"], ["forecast"]),
    (["fit", "--est"], ["--estimate"]),
    (["fit", "--model", "mich"], ["michaelis-menten"]),
    (["fit", "--estimate", "v"], ["vmax"]),
    (["compare", "--r-factor", "for"], ["forrest"]),
    (["fit", "--format", "nd"], ["ndjson"]),
    (["fit", "--color", "al"], ["always"]),
    (["fit", "data"], ["datasets"]),
    (["check", "datasets/nac"], ["datasets/nacar-2021"]),
    (
      ["fit", "datasets/nacar-2021", "--drinks-catalogue", "datasets/drinks"],
      ["datasets/drinks.json"]
    ),
    (["case", "--case", "Package."], ["Package.resolved", "Package.swift"]),
    (["regress", "Sour"], ["Sources"]),
    (["explain", "W_AT_B"], ["W_AT_BOUND"]),
  ]

  @Test(.enabled(if: hasBash), arguments: lines)
  func bashCompletesOptionsAndValues(_ line: [String], offers: [String]) async throws {
    let folder = try TemporaryFolder()
    let script = try await Command.promille("--generate-completion-script", "bash").output
    try folder.write(script, to: "promille.bash")
    let words = (["promille"] + line).map { "'\($0)'" }.joined(separator: " ")
    let run = try await Command.shell(
      """
      bash -c '. "$1"; COMP_WORDS=(\(words.replacing("'", with: ""))); COMP_CWORD=\(line.count)
      COMP_LINE="${COMP_WORDS[*]}"; COMP_POINT=${#COMP_LINE}
      _promille promille "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD-1]}"
      printf "%s\\n" "${COMPREPLY[@]}"' bash "$1"
      """, folder("promille.bash"))
    let found = run.output.split(separator: "\n").map {
      String($0).trimmingCharacters(in: CharacterSet(charactersIn: " /"))
    }
    #expect(found.sorted() == offers, "\(run.errors)")
  }
}
