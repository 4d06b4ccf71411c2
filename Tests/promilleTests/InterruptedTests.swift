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

  /// Waits until the command has begun to write.
  private func draftIsThere() async throws -> Bool {
    for _ in 0..<3000 {
      if try folder.contents.contains(where: { $0.hasSuffix(".part") }) { return true }
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
    var study = SmallStudy()
    let names = (0..<2000).map { "s\($0)" }
    study.subjects = "subject,sex,age_y,height_cm,weight_kg\n"
    study.subjects += names.map { "\($0),male,40,180,70\n" }.joined()
    study.drinks = "subject,time_min,ethanol_g\n" + names.map { "\($0),0,40\n" }.joined()
    study.readings = "subject,time_min,bac_g_per_kg\n"
    study.readings += names.map { "\($0),30,0.6\n\($0),60,0.7\n\($0),240,0.2\n" }.joined()
    let process = try Command.starting(
      "fit", try study.write(to: folder), "--jobs", "4", "-o", folder("fits.csv"))
    #expect(try await draftIsThere())
    process.kill(SIGTERM)
    #expect(await process.status() == 128 + SIGTERM)
    #expect(try folder.contents == ["study"])
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
