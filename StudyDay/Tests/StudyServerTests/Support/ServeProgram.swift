import Foundation
import TestSupport
import Testing

/// The program `promille-serve`, beside the tests.
struct ServeProgram {
  let process = Process()
  private let output = Pipe()
  private let errors = Pipe()

  /// Starts it on a database, on a free port.
  init(_ database: String, _ arguments: String...) throws {
    let program =
      Bundle.main.executableURL?.deletingLastPathComponent()
      .appending(path: "promille-serve").path ?? ""
    process.executableURL = URL(
      filePath: [program, "\(PackageFolder.root.path)/.build/debug/promille-serve"].first {
        FileManager.default.isExecutableFile(atPath: $0)
      } ?? program)
    process.arguments = [database, "--port", "0", "--quiet"] + arguments
    (process.standardOutput, process.standardError) = (output, errors)
    try process.run()
  }

  /// The port that it says it listens on.
  func port() throws -> Int {
    var text = ""
    while !text.contains("\n") {
      let data = output.fileHandleForReading.availableData
      try #require(!data.isEmpty, "the server did not start")
      text += String(decoding: data, as: UTF8.self)
    }
    return try #require(text.firstMatch(of: /127\.0\.0\.1:(\d+)/).flatMap { Int($0.1) })
  }

  /// Returns its last output and its exit code, once it ends by itself.
  func failure() throws -> (text: String, code: Int32) {
    let data = try #require(try errors.fileHandleForReading.readToEnd())
    process.waitUntilExit()
    return (String(decoding: data, as: UTF8.self), process.terminationStatus)
  }

  /// Number of the heaps of glibc's arenas, beside the main one: each begins at a multiple of 64 MiB.
  func heapCount() throws -> Int {
    let maps = try String(
      contentsOfFile: "/proc/\(process.processIdentifier)/maps", encoding: .utf8)
    return maps.split(separator: "\n").count { line in
      let fields = line.split(separator: " ")
      let start = Int(fields[0].prefix { $0 != "-" }, radix: 16) ?? 1
      return fields.count == 5 && fields[1] == "rw-p" && start % (64 << 20) == 0
    }
  }

  /// Ends it, gracefully or not.
  func stop(_ signal: Int32 = SIGTERM) -> Int32 {
    kill(process.processIdentifier, signal)
    process.waitUntilExit()
    return process.terminationStatus
  }
}
