import Foundation
import TestSupport
import Testing

/// What is begun and not finished does not stay behind when somebody ends the command.
@Suite struct InterruptedTests {
  /// Starts a command that takes long, ends it when its draft is there, and lists the folder.
  private static let script = """
    name=$1; cd "$2"; shift 2
    "$command" "$@" & running=$!
    for try in $(seq 600); do
      ls -A | grep -q '[.]part$' && break
      sleep 0.05
    done
    ls -A | grep -c '[.]part$'
    kill -$name $running; wait $running; echo $?
    ls -A
    """

  @Test(arguments: [("TERM", 143), ("HUP", 129)])
  func draftsGoWithTheCommand(signal: String, status: Int) async throws {
    let folder = try TemporaryFolder()
    let run = try await Command.shell(
      Self.script, signal, folder.path, "simulate", "--cohort", "100000000", "-o", "cohort")
    #expect(run.output == "1\n\(status)\n")
  }

  @Test func soDoFilesThatAreWrittenRowByRow() async throws {
    let folder = try TemporaryFolder()
    var study = SmallStudy()
    let names = (0..<2000).map { "s\($0)" }
    study.subjects = "subject,sex,age_y,height_cm,weight_kg\n"
    study.subjects += names.map { "\($0),male,40,180,70\n" }.joined()
    study.drinks = "subject,time_min,ethanol_g\n" + names.map { "\($0),0,40\n" }.joined()
    study.readings = "subject,time_min,bac_g_per_kg\n"
    study.readings += names.map { "\($0),30,0.6\n\($0),60,0.7\n\($0),240,0.2\n" }.joined()
    _ = try study.write(to: folder)
    let run = try await Command.shell(
      Self.script, "TERM", folder.path, "fit", "study", "-o", "fits.csv")
    #expect(run.output == "1\n143\nstudy\n")
  }

  /// As `nohup` has it.
  @Test func whatIsIgnoredStaysIgnored() async throws {
    let folder = try TemporaryFolder()
    _ = try SmallStudy().write(to: folder)
    let script = "trap '' HUP; \(Self.script)"
    let run = try await Command.shell(
      script + "; kill -TERM $running 2>/dev/null", "HUP", folder.path, "fit", "study",
      "--interval", "bootstrap", "--replicates", "3000", "-o", "fits.csv")
    #expect(run.output == "1\n0\nfits.csv\nstudy\n")
  }
}
