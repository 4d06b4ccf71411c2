import TestSupport
import Testing

/// `--quiet` silences warnings and never an error.
@Suite struct QuietTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  @Test(arguments: Command.names)
  func quietSilencesWarnings(_ command: String) async throws {
    let study = try SmallStudy.withWarning.write(to: folder)
    let loud = try await Command.promille(command, study)
    let quiet = try await Command.promille(command, study, "--quiet")
    #expect(loud.errors.contains("W_TIME_ORDER"))
    #expect(quiet.errors.isEmpty)
    #expect(quiet.output == loud.output)
    #expect(quiet.status == loud.status)
  }

  @Test(arguments: Command.names)
  func quietKeepsDataErrors(_ command: String) async throws {
    let study = try SmallStudy.withBadSubject.write(to: folder)
    let run = try await Command.promille(command, study, "-q")
    #expect(run.complaints.count == 1)
    #expect(run.errors.contains("error E_RANGE"))
  }

  /// The errors are printed, though the warnings beside them are not.
  @Test(arguments: Command.names)
  func quietKeepsErrorsOfUnreadableStudies(_ command: String) async throws {
    var small = SmallStudy.malformed
    small.drinks = "subject,time_min,ethanol_g,colour\nann,0,30,red\nbob,0,40,\ncem,0,40,\n"
    let study = try small.write(to: folder)
    let loud = try await Command.promille(command, study)
    #expect(loud.errors.contains("W_COLUMN_IGNORED") && loud.errors.contains("E_CSV"))
    let quiet = try await Command.promille(command, study, "--quiet")
    #expect(quiet.status == 65)
    #expect(quiet.complaints.count == 1)
    #expect(quiet.errors.contains("error E_CSV"))
  }

  @Test func quietKeepsOtherErrors() async throws {
    let study = try SmallStudy().write(to: folder)
    let missing = try await Command.promille("check", folder("nowhere"), "--quiet")
    #expect(missing.errors.contains("E_NO_SUCH_STUDY"))
    let output = try await Command.promille("check", study, "-q", "-o", folder("no/where"))
    #expect(output.errors.contains("E_OUTPUT"))
  }
}
