import Foundation
import TestSupport

/// A run of `promille-serve` as its users run it: a process of its own.
struct Command {
  var status: Int32
  var output: String
  var errors: String

  /// The program beside the tests.
  private static let program =
    Bundle.main.executableURL?.deletingLastPathComponent().appending(path: "promille-serve").path
    ?? ""

  /// Runs the program and waits for it.
  static func serve(_ arguments: String...) async throws -> Command { try await serve(arguments) }

  /// Runs the program and waits for it.
  static func serve(_ arguments: [String]) async throws -> Command {
    try await run(program, arguments)
  }

  /// Runs a script in which `serve` stands for the program and `"$@"` for the arguments.
  static func shell(_ script: String, _ arguments: String...) async throws -> Command {
    let function = "command=$0; serve() { \"$command\" \"$@\"; }; "
    return try await run("/bin/sh", ["-c", function + script, program] + arguments)
  }

  /// Both outputs go to files: a pipe that nobody empties would stop the program.
  private static func run(_ program: String, _ arguments: [String]) async throws -> Command {
    let folder = try TemporaryFolder()
    for name in ["output", "errors"] { try folder.write("", to: name) }
    let process = Process()
    process.executableURL = URL(filePath: program)
    process.arguments = arguments
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = try FileHandle(forWritingTo: URL(filePath: folder("output")))
    process.standardError = try FileHandle(forWritingTo: URL(filePath: folder("errors")))
    await withCheckedContinuation { continuation in
      process.terminationHandler = { _ in continuation.resume() }
      do { try process.run() } catch { continuation.resume() }
    }
    return Command(
      status: process.terminationStatus, output: try folder.read("output"),
      errors: try folder.read("errors"))
  }

  /// Standard output as rows of CSV.
  var rows: [[String: String]] {
    get throws { try CSVText.rows(output) }
  }

  /// Standard output as a JSON object.
  var json: [String: Any] {
    get throws {
      let document = try JSONSerialization.jsonObject(with: Data(output.utf8))
      return document as? [String: Any] ?? [:]
    }
  }
}
