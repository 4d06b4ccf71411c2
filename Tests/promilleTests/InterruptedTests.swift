import Foundation
import TestSupport
import Testing

/// What is begun and not finished does not stay behind when somebody ends the command.
///
/// By SIGTERM: tests may have been started so that SIGINT or SIGHUP are ignored, and so are then the
/// commands that they start.
@Suite struct InterruptedTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  /// Waits until the command has begun a file, or all four of a cohort.
  private func draftIsThere() async throws -> Bool {
    for _ in 0..<3000 {
      if let draft = try folder.contents.first(where: { $0.hasSuffix(".part") }) {
        let files = try? FileManager.default.contentsOfDirectory(atPath: folder(draft))
        if files.map({ $0.count == 4 }) ?? true { return true }
      }
      try await Task.sleep(for: .milliseconds(10))
    }
    return false
  }

  @Test func foldersGoWithTheCommand() async throws {
    let process = try Command.starting(
      "simulate", "--cohort", "100000000", "-o", folder("cohort"))
    #expect(try await draftIsThere())
    process.kill(SIGTERM)
    #expect(await process.status() == 128 + SIGTERM)
    #expect(try folder.contents == [])
  }

  @Test func soDoFilesThatAreWrittenRowByRow() async throws {
    let rows = Pipe()
    let process = try Command.starting(
      "fit", "-", "--interval", "none", "-o", folder("fits.csv"), input: rows.fileHandleForReading)
    try rows.fileHandleForWriting.write(contentsOf: Data(EventRows.table(of: "ann", "bob").utf8))
    #expect(try await draftIsThere())
    process.kill(SIGTERM)
    #expect(await process.status() == 128 + SIGTERM)
    #expect(try folder.contents == [])
    try rows.fileHandleForWriting.close()
  }

  /// As `nohup` has it: what ends the command is the signal that comes after.
  @Test func whatIsIgnoredStaysIgnored() async throws {
    let process = try Command.starting(
      "simulate", "--cohort", "100000000", "-o", folder("cohort"), isIgnoringHangups: true)
    #expect(try await draftIsThere())
    process.kill(SIGHUP)
    process.kill(SIGTERM)
    #expect(await process.status() == 128 + SIGTERM)
    #expect(try folder.contents == [])
  }
}
