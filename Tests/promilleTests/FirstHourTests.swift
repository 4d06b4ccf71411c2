import Foundation
import TestSupport
import Testing

/// What somebody meets first: a study to try everything on, a word on what comes next, and rehearsals.
@Suite struct FirstHourTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func isThere(_ name: String) -> Bool {
    FileManager.default.fileExists(atPath: folder(name))
  }

  private func text(_ name: String) throws -> String {
    try String(
      contentsOf: PackageFolder.root.appending(path: "datasets/made-up-24/\(name)"), encoding: .utf8
    )
  }

  // MARK: The example

  @Test func exampleIsTheMadeUpStudyWithItsStory() async throws {
    let run = try await Command.promille("init", folder("try it"), "--example", "--format", "table")
    #expect(run.status == 0, "\(run.errors)")
    for name in [
      "subjects.csv", "drinks.csv", "readings.csv", "datapackage.json", "app.csv", "truth.csv",
      "truth-planted.csv", "generate.py",
    ] {
      #expect(try folder.read("try it/\(name)") == text(name))
    }
    let story = try folder.read("try it/README.md")
    #expect(story.contains("| `p05` | first measured after 2.5 h |"))
    #expect(try text("README.md").hasPrefix(story) && !story.contains("golden"))
  }

  /// The three commands are ones that a shell takes, also of a folder with a blank and a quote.
  @Test func threeCommandsOfTheExampleRun() async throws {
    let made = folder("it's mine")
    let run = try await Command.promille("init", made, "--example", "--format", "table")
    let lines = run.output.replacing("\\\n", with: " ").split(separator: "\n").filter {
      $0.hasPrefix("promille ")
    }
    #expect(lines.count == 3, "\(run.output)")
    for line in lines {
      let said = try await Command.shell("\(line) --format table --quiet 2>&1")
      // Answers speak of errors of readings; a message of one has a code.
      #expect([0, 1].contains(said.status) && !said.output.contains("error E_"), "\(said.output)")
      #expect(!said.output.contains("Error:"), "\(said.output)")
    }
  }

  @Test func exampleNeedsNoOtherTable() async throws {
    let run = try await Command.promille("init", folder("a"), "--example", "--from", folder("b"))
    #expect(run.status == 64 && run.errors.contains("choose one") && !isThere("a"))
  }

  // MARK: Rehearsals

  @Test func rehearsedInitWritesNothing() async throws {
    try folder.write(
      "Participant,Weight (kg),Time (min),Ethanol (g),BAC (g/L)\nEve,62,0,30,\nEve,62,60,,0.3\n",
      to: "night.csv")
    for arguments in [["--from", folder("night.csv")], ["--example"], []] {
      let run = try await Command.promille(
        ["init", folder("study"), "--dry-run", "--format", "table"] + arguments)
      #expect(run.status == 0, "\(run.errors)")
      #expect(run.output.contains("nothing was written (--dry-run)"))
      #expect(run.output.contains("readings.csv"))
      #expect(try folder.contents == ["night.csv"])
    }
    let sheet = try await Command.promille(
      "init", folder("study"), "--from", folder("night.csv"), "--dry-run", "--format", "table")
    #expect(sheet.output.contains("1 subjects, 1 series, 1 drinks, 1 readings"))
    // What could not be written is refused as without a rehearsal.
    try folder.makeFolder("study")
    let taken = try await Command.promille("init", folder("study"), "--example", "--dry-run")
    #expect(taken.status == 73 && taken.errors.contains("E_OUTPUT"))
    let nowhere = try await Command.promille("init", folder("no/such"), "--example", "--dry-run")
    #expect(nowhere.status == 73)
  }

  @Test func rehearsedImportLeavesTheDatabaseAsItWas() async throws {
    let study = PackageFolder.dataset("nacar-2021")
    let made = folder("study.sqlite")
    let first = try await Command.promille(
      "import", study, "--into", made, "--dry-run", "--format", "csv")
    #expect(first.status == 0 && first.errors.contains("nothing was written"), "\(first.errors)")
    #expect(try folder.contents.isEmpty)
    let real = try await Command.promille("import", study, "--into", made, "--format", "csv")
    #expect(first.output == real.output)

    try folder.makeFolder("more")
    let before = try Data(contentsOf: URL(filePath: made))
    try folder.write(
      "subject,sex,age_y,height_cm,weight_kg\n1,m,25,190,99\nnew,m,25,190,99\n",
      to: "more/subjects.csv")
    try folder.write("subject,time_min,ethanol_g\nnew,0,20\n", to: "more/drinks.csv")
    let again = try await Command.promille(
      "import", folder("more"), "--into", made, "--dry-run", "--format", "csv")
    #expect(again.output.contains("subjects,1,1,0"), "\(again.output)\(again.errors)")
    #expect(again.errors.contains("their measures would be changed"))
    #expect(try Data(contentsOf: URL(filePath: made)) == before)
    let check = try await Command.promille("check", made, "--format", "table")
    #expect(check.output.contains("subjects: 4"))
  }

  @Test func rehearsedImportRefusesWhatTheImportWould() async throws {
    try folder.write("no database", to: "text.sqlite")
    let study = PackageFolder.dataset("nacar-2021")
    for target in ["text.sqlite", "no/such.sqlite"] {
      let run = try await Command.promille("import", study, "--into", folder(target), "--dry-run")
      let real = try await Command.promille("import", study, "--into", folder(target))
      #expect(run.status == real.status && run.status != 0, "\(run.errors)")
    }
    #expect(try folder.read("text.sqlite") == "no database")
  }

  // MARK: What comes next

  private static let study = PackageFolder.dataset("nacar-2021")

  @Test(arguments: [
    (["check", study], "promille fit \(study) --estimate ka,beta,r"),
    (
      ["compare", study, "--ka", "18", "--summary"],
      "the same as a page: promille report \(study) --ka 18 -o report.html"
    ),
    (
      [
        "case", "sober", "--measured", "95", "--unit", "mg%", "--measured-at", "23:30", "--limit",
        "50",
      ],
      "the same as a page: promille case sober --measured 95 --unit mg% --measured-at 23:30 --limit 50 "
        + "--statement statement.html"
    ),
  ])
  func terminalIsToldWhatComesNext(arguments: [String], line: String) async throws {
    let shown = try await Command.watched(arguments, columns: 200)
    #expect(
      shown.output.split(whereSeparator: \.isNewline).last?.hasSuffix(line) == true, "\(shown)")
    let pipe = try await Command.alone(arguments)
    let quiet = try await Command.watched(arguments + ["--quiet"], columns: 200)
    for run in [pipe, quiet] { #expect(!(run.output + run.errors).contains(line), "\(run)") }
  }

  /// Lines that are suggested are lines that the parser takes.
  @Test func suggestedLineRuns() async throws {
    let made = folder("a b")
    _ = try await Command.promille("init", made, "--example")
    let told = try await Command.watched(
      ["sober", made, "--blood-breath-ratio", "2100", "--summary"], columns: 200)
    let line = try #require(
      told.output.split(whereSeparator: \.isNewline).last { $0.contains("the same as a page: ") }
    ).split(separator: "the same as a page: ").joined()
    let page = line.replacing("-o report.html", with: "-o '\(folder("r.html"))'")
    let report = try await Command.shell("\(page) --quiet")
    #expect([0, 1].contains(report.status) && isThere("r.html"), "\(page)\(report.errors)")
  }

  // MARK: Files of other kinds

  @Test(arguments: [
    ("study.parquet", Array("PAR1".utf8) + [0x15, 4], "a Parquet file", "to_csv"),
    ("study.csv.gz", [0x1F, 0x8B, 8, 0], "compressed by gzip", "gunzip"),
    ("study.arrow", Array("ARROW1".utf8) + [0, 0], "an Arrow file", "add --input-format arrow"),
    ("study.zip", [0x50, 0x4B, 3, 4, 0, 0], "a zip archive", ".xlsx"),
    ("study.csv", [0xD0, 0xCF, 0x11, 0xE0, 0xA1], "Excel 97", "save it as .xlsx"),
  ])
  func filesOfOtherKindsSayWhatToDo(
    name: String, bytes: [UInt8], what: String, remedy: String
  ) async throws {
    try Data(bytes).write(to: URL(filePath: folder(name)))
    for command in ["check", "fit"] {
      let run = try await Command.promille(command, folder(name), "--format", "csv")
      #expect(run.status == 65, "\(run)")
      let said = run.output + run.errors
      #expect(
        said.contains("E_FILE_FORMAT") && said.contains(what) && said.contains(remedy), "\(said)")
    }
    let pipe = try await Command.shell(
      "promille fit - --format csv < \"$1\"", folder(name))
    #expect(pipe.status == 65 && (pipe.errors.contains(what) || bytes[0] == 0x50), "\(pipe.errors)")
  }

  /// A header may begin like a file of another kind.
  @Test func headerMayBeginWithTheLettersOfAFormat() async throws {
    try folder.write(
      "PAR1,Participant,Weight (kg),Time (min),Ethanol (g),BAC (g/L)\n1,Eve,62,0,30,\n1,Eve,62,60,,0.3\n",
      to: "night.csv")
    let run = try await Command.promille("check", folder("night.csv"), "--format", "csv")
    #expect(run.status == 0, "\(run.errors)")
  }

  // MARK: Names and findings

  @Test func namesThatDifferInCaseAreNamed() async throws {
    try folder.makeFolder("s")
    try folder.write("subject,sex,weight_kg\na1,m,80\nA1,m,81\nb,m,70\n", to: "s/subjects.csv")
    try folder.write(
      "subject,time_min,ethanol_g\na1,0,20\nA1,0,20\nb,0,20\n", to: "s/drinks.csv")
    let run = try await Command.promille("check", folder("s"), "--format", "csv")
    #expect(run.errors.contains("subjects.csv:3:1: warning W_SUBJECT_CASE"), "\(run.errors)")
    #expect(run.errors.contains("\"A1\" only in upper and lower case"))
    #expect(!run.errors.contains("\"b\""))
  }

  /// A table of events that holds only numbers, as NONMEM's, is read with one statement.
  @Test func numbersForSexAndFoodAreStatedInOneCommand() async throws {
    try folder.write(
      "ID,TIME,AMT,DV,EVID,MDV,WT,SEX,FOOD\n1,0,30,.,1,1,80,1,0\n1,1,.,0.4,0,0,80,1,0\n"
        + "2,0,30,.,1,1,60,0,1\n2,1,.,0.5,0,0,60,0,1\n", to: "etoh.csv")
    let plain = try await Command.promille("check", folder("etoh.csv"), "--format", "csv")
    #expect(plain.status == 65 && plain.errors.contains("--map \"SEX=sex_0f1m\""))
    #expect(plain.errors.contains("--map \"FOOD=covariate\""), "\(plain.errors)")
    let run = try await Command.promille(
      "check", folder("etoh.csv"), "--map", "SEX=sex_0f1m,FOOD=covariate", "--format", "csv")
    #expect(run.status == 0, "\(run.errors)")
    #expect(try run.rows.map { $0["sex"] } == ["male", "female"])
    let copy = try await Command.promille(
      "export", folder("etoh.csv"), "--map", "SEX=sex_0f1m,FOOD=covariate", "--to", "csv", "-o",
      folder("study"))
    #expect(copy.status == 0, "\(copy.errors)")
    let again = try await Command.promille("check", folder("study"), "--format", "csv")
    #expect(again.status == 0, "\(again.errors)")
  }

  /// A log is as short as a terminal: what repeats is one line, of every format.
  @Test func repeatedFindingsAreOneLineInALog() async throws {
    var subjects = "subject,sex,weight_kg\n"
    var drinks = "subject,time_min,volume_ml,abv_percent\n"
    var readings = "subject,time_min,bac_g_per_kg\n"
    for number in 1...20 {
      subjects += "p\(number),m,80\n"
      drinks += "p\(number),0,500,0.05\n"
      for time in [30, 60, 90] { readings += "p\(number),\(time),0.2\n" }
    }
    try folder.makeFolder("s")
    try folder.write(subjects, to: "s/subjects.csv")
    try folder.write(drinks, to: "s/drinks.csv")
    try folder.write(readings, to: "s/readings.csv")
    let log = try await Command.promille("fit", folder("s"), "--format", "csv", "--starts", "1")
    let table = try await Command.promille("fit", folder("s"), "--format", "table", "--starts", "1")
    for run in [log, table] {
      let lines = run.complaints.filter { $0.contains("W_ABV_FRACTION") }
      #expect(lines.count == 1 && lines[0].contains("20 like this"), "\(run.errors)")
    }
  }
}
