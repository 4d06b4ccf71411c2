import Foundation
import TestSupport
import Testing

/// The outputs in the README are those of the commands.
@Suite struct ReadmeTests {
  /// A command, and what stands below it in the README.
  struct Block: Sendable, CustomTestStringConvertible {
    let command: String
    let output: String
    var testDescription: String { command }
  }

  static let blocks: [Block] = {
    let file = PackageFolder.root.appending(path: "README.md")
    let text = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
    return text.components(separatedBy: "```\n").compactMap { block in
      guard block.hasPrefix("$ promille ") else { return nil }
      var lines = block.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
      var command = lines.removeFirst()
      while command.hasSuffix("\\"), !lines.isEmpty { command += "\n" + lines.removeFirst() }
      return Block(
        command: String(command.dropFirst("$ ".count)), output: lines.joined(separator: "\n"))
    }
  }()

  @Test func readmeHasAnExampleWithItsOutput() {
    #expect(!Self.blocks.isEmpty)
    #expect(Self.blocks.first?.command.contains("--predictions") == true)
  }

  @Test(arguments: blocks)
  func readmeBlockMatchesTheCommandsOutput(_ block: Block) async throws {
    let folder = try TemporaryFolder()
    let run = try await Command.shell(
      "cd '\(folder.path)' && promille init my-study --example -q > made.csv && "
        + "\(block.command) --format table")
    #expect(run.status == 0, "\(run.errors)")
    #expect(run.output == block.output)
  }
}
