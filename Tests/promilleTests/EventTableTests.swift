import TestSupport
import Testing

/// Tables of events, from files and through pipes.
@Suite struct EventTableTests {
  @Test func exportedStudyGivesTheSameFits() async throws {
    let folder = try TemporaryFolder()
    let study = try SmallStudy.withBadSubject.write(to: folder)
    let table = folder("events.csv")
    let export = try await Command.promille("export", study, "--to", "events", "-o", table)
    #expect(export.status == 0)
    #expect(export.output.isEmpty)
    async let fit = Command.promille("fit", study)
    async let again = Command.promille("fit", table)
    let columns = ["subject", "n", "ka_per_h", "ka_low", "beta_g_per_kg_h", "beta_high", "rss"]
    let rows = try await [fit, again].map { run in
      try run.rows.filter { $0["subject"] != "bob" }.map { row in columns.map { row[$0] } }
    }
    #expect(rows[0] == rows[1])
    #expect(rows[0].count == 2)
  }

  @Test func eventTablesPassThroughPipes() async throws {
    let folder = try TemporaryFolder()
    let study = try SmallStudy().write(to: folder)
    let piped = try await Command.shell(
      "promille export \"$1\" --to events | promille sober - --format csv", study)
    let direct = try await Command.promille("sober", study, "--format", "csv")
    #expect(piped.status == 0)
    #expect(piped.errors.isEmpty)
    #expect(piped.output == direct.output)
  }

  @Test func readingUnitIsTakenFromAnOption() async throws {
    let script = """
      printf 'ID,TIME,AMT,DV,SEX,AGE,HT,WT\\na,0,30,.,f,30,165,60\\na,1,.,0.25,f,30,165,60\\n' \
      | promille check - --format csv "$@"
      """
    let breath = try await Command.shell(script, "--dv-unit", "brac_mg_per_l")
    let blood = try await Command.shell(script)
    #expect(breath.status == 0)
    let peaks = try [breath, blood].map {
      try $0.rows.first?["max_g_per_kg"].flatMap(Double.init)
    }
    let expected = 0.25 * 2100 / 1000 / 1.055
    #expect(abs((peaks[0] ?? 0) - expected) < 1e-12)
    #expect(peaks[1] == 0.25)
  }

  @Test func findingsNameStandardInput() async throws {
    let run = try await Command.shell("printf 'ID,TIME,AMT,DV\\n1,0,30,x\\n' | promille fit -")
    #expect(run.status == 1)
    #expect(run.complaints.contains { $0.hasPrefix("<stdin>:1: warning W_COLUMN_MISSING") })
    let none = try await Command.shell("promille fit - </dev/null")
    #expect(none.status == 65)
    #expect(none.complaints.first?.contains("E_EMPTY_FILE") == true)
    #expect(none.output.isEmpty)
  }

  @Test func otherFileIsRefused() async throws {
    let run = try await Command.promille("fit", "datasets/nacar-2021/readings.csv")
    #expect(run.status == 65)
    #expect(run.complaints.first?.contains("E_NOT_A_FOLDER") == true)
  }
}
