import Foundation
import TestSupport
import Testing

/// Unfinished outputs are removed when the command is interrupted.
///
/// By SIGTERM: tests may have been started so that SIGINT or SIGHUP are ignored, and so are then the
/// commands that they start.
@Suite struct InterruptedTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  /// Waits until the command has begun some files, without names or, where the file system has no such files, under
  /// hidden ones.
  private func hasBegun(
    _ count: Int = 1, _ process: RunningProcess, while isWaiting: () throws -> Bool = { true }
  ) async throws -> Bool {
    for _ in 0..<3000 where try isWaiting() {
      if try hiddenFiles + process.namelessFiles(in: folder.path) >= count { return true }
      try await Task.sleep(for: .milliseconds(5))
    }
    return false
  }

  private var hiddenFiles: Int {
    get throws { try folder.contents.count { $0.hasSuffix(".part") } }
  }

  /// Ends a command that has begun so many files, by a signal that it may notice or not, and expects nothing of them.
  private func expectNothing(of process: RunningProcess, _ count: Int, _ signal: Int32) async throws
  {
    #expect(try await hasBegun(count, process))
    let areNameless = try hiddenFiles == 0
    process.kill(signal)
    #expect(await process.status() == 128 + signal)
    if areNameless { #expect(try folder.contents == []) }
  }

  @Test(arguments: [SIGTERM, SIGKILL])
  func interruptRemovesUnfinishedFolders(_ signal: Int32) async throws {
    let process = try Command.starting(
      "simulate", "--cohort", "100000000", "-o", folder("cohort"))
    try await expectNothing(of: process, 4, signal)
  }

  @Test(arguments: [SIGTERM, SIGKILL])
  func interruptRemovesUnfinishedFiles(_ signal: Int32) async throws {
    let rows = Pipe()
    let process = try Command.starting(
      "fit", "-", "--interval", "none", "-o", folder("fits.csv"), input: rows.fileHandleForReading)
    try rows.fileHandleForWriting.write(contentsOf: Data(EventRows.table(of: "ann", "bob").utf8))
    try await expectNothing(of: process, 1, signal)
    try rows.fileHandleForWriting.close()
  }

  /// A study that takes a while to be written into a database.
  private func writeLargeStudy() throws -> String {
    try SmallStudy.large(subjects: 2000, readings: 20, every: 10).write(to: folder, as: "large")
  }

  /// Whether a command was ended while it made a database; on a busy machine it may be done before
  /// anybody notices that it has begun.
  private func ends(_ signal: Int32, _ arguments: [String]) async throws -> Bool {
    let process = try Command.starting(arguments)
    let isBegun = try await hasBegun(1, process) { try !folder.contents.contains("new.sqlite") }
    if isBegun { process.kill(signal) }
    return await process.status() == 128 + signal
  }

  @Test(arguments: [SIGTERM, SIGKILL], [true, false])
  func interruptLeavesAWholeDatabaseOrNone(_ signal: Int32, isExport: Bool) async throws {
    let large = try writeLargeStudy()
    let arguments =
      isExport
      ? ["export", large, "--to", "sqlite", "-o", folder("new.sqlite"), "-q"]
      : ["import", large, "--into", folder("new.sqlite"), "-q"]
    var isEnded = false
    for _ in 0..<20 where !isEnded {
      try? FileManager.default.removeItem(atPath: folder("new.sqlite"))
      isEnded = try await ends(signal, arguments)
    }
    #expect(isEnded)
    #expect(try !folder.contents.contains { $0.hasPrefix("new.sqlite") })
    if signal == SIGTERM { #expect(try folder.contents == ["large"]) }
    let again = try await Command.promille(arguments)
    #expect(again.status == 0, "\(again.errors)")
    #expect(try await Command.promille("check", folder("new.sqlite"), "-q").status == 0)
  }

  /// Signals that `nohup` ignores stay ignored; a later one ends the command.
  @Test func ignoredSignalsStayIgnored() async throws {
    let process = try Command.starting(
      "simulate", "--cohort", "100000000", "-o", folder("cohort"), isIgnoringHangups: true)
    #expect(try await hasBegun(4, process))
    process.kill(SIGHUP)
    try await expectNothing(of: process, 4, SIGTERM)
  }
}
