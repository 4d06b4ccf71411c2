import Foundation
import TestSupport
import Testing

/// A study that is changed while a command reads it is reported, also after output has begun.
@Suite struct ChangedInputTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  private func makeCohort(readings: Int = 6) async throws -> String {
    let cohort = folder("cohort")
    let made = try await Command.promille(
      "simulate", "--cohort", "600", "--readings", "\(readings)", "--every", "5", "--seed", "3",
      "-o",
      cohort, "-q")
    #expect(made.status == 0)
    return cohort
  }

  /// The command waits for a reader who has not taken what it has printed while the file is written to.
  @Test func changedInputEndsAPipeWithAnError() async throws {
    let cohort = try await makeCohort()
    let run = try await Command.shell(
      """
      { promille sober "$1" --format csv --r-factor all 2> "$2"; echo "status $?"; } | {
        head -n 1
        printf 9 | dd of="$1/readings.csv" bs=1 seek=200 conv=notrunc 2> /dev/null
        tail -n 1
      }
      cat "$2"
      """, cohort, folder("errors"))
    #expect(run.output.hasPrefix("subject,"))
    #expect(run.output.contains("status 74\n"), "\(run.output)")
    #expect(
      run.output.contains("cohort/readings.csv: error E_INPUT_CHANGED: the file was written to"))
  }

  /// The file is written to, though nothing in it changes, all the time. Times of files are only as fine as
  /// the ticks of a kernel's clock, of which reading must last several: `check` needs more to read.
  @Test(arguments: [["fit", "--starts", "1", "--interval", "none"], ["check"], ["sober"]])
  func changedInputLeavesNoResultFile(_ arguments: [String]) async throws {
    let cohort = try await makeCohort(readings: arguments == ["check"] ? 400 : 6)
    let options = arguments.dropFirst().joined(separator: " ")
    let run = try await Command.shell(
      """
      while :; do printf s 1<> "$1/drinks.csv"; done &
      writer=$!
      promille \(arguments[0]) "$1" \(options) -o "$2"; status=$?
      kill $writer
      exit $status
      """, cohort, folder("results.csv"))
    #expect(run.status == 74, "\(run.errors)")
    #expect(run.errors.contains("E_INPUT_CHANGED"))
    #expect(try folder.contents == ["cohort"])
  }
}
