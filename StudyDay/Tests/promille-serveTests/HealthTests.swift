import AlcoholKinetics
import DayDatabase
import Foundation
import StoreSupport
import StudyData
@_spi(StudyDay) import StudyStore
import TestSupport
import Testing

/// `promille-serve import-health` and `promille-serve vitals`.
@Suite struct HealthTests {
  private let folder: TemporaryFolder
  private let database: String

  init() throws {
    folder = try TemporaryFolder()
    database = folder("study.sqlite")
    try folder.write(Self.export, to: "export.xml")
  }

  private static let export = """
    <?xml version="1.0" encoding="UTF-8"?>
    <!DOCTYPE HealthData [<!ATTLIST HealthData locale CDATA #REQUIRED>]>
    <HealthData locale="en_GB">
     <Me HKCharacteristicTypeIdentifierDateOfBirth="1990-05-02"/>
    \(record("NumberOfAlcoholicBeverages", "count", "2", at: "2024-05-01 20:00:00"))
    \(record("BloodAlcoholContent", "%", "0.0005", at: "2024-05-01 21:00:00"))
    \(record("HeartRate", "count/min", "100", at: "2024-05-01 21:00:00"))
    \(record("HeartRate", "count/min", "60", at: "2024-05-02 21:00:00"))
    \(record("BodyTemperature", "degC", "98.6", at: "2024-05-02 21:00:00"))
    </HealthData>

    """

  private static func record(
    _ type: String, _ unit: String, _ value: String, at time: String
  ) -> String {
    """
     <Record type="HKQuantityTypeIdentifier\(type)" sourceName="W" unit="\(unit)" \
    startDate="\(time) +0000" endDate="\(time) +0000" value="\(value)"/>
    """
  }

  private func importExport() async throws -> Command {
    try await Command.serve(
      "import-health", folder("export.xml"), "--into", database, "--subject", "ann",
      "--grams-per-drink", "10")
  }

  @Test func importReportsImportedAndRefusedRecords() async throws {
    let run = try await importExport()
    #expect(run.status == 1)
    #expect(try run.rows.map { $0["added"] } == ["1", "1", "1", "2"])
    #expect(try run.rows.map { $0["refused"] } == ["0", "0", "0", "1"])
    #expect(run.errors.contains("export.xml:9: error E_VITAL_RANGE: "))
    let series = try StudyStore(path: database, for: .reading).study().series
    #expect(series.map(\.occasion) == ["2024-05-01"])
    #expect(series.map(\.drinks.first?.ethanol) == [.mass(20)])
    #expect(series.map(\.subject.age) == [33])
  }

  /// A byte that is not UTF-8 in a name ended the process, and left a database behind.
  @Test func badBytesLeaveNothing() async throws {
    try folder.write(
      Data(Array("<HealthData><a".utf8) + [0xCB] + Array("/></HealthData>".utf8)), to: "export.xml")
    let run = try await importExport()
    #expect(run.status == 65)
    #expect(
      run.errors.contains("export.xml:1:15: error E_HEALTH_ENCODING: byte 0xCB is not UTF-8; "))
    #expect(try folder.contents == ["export.xml"])
  }

  /// A study folder, of which the database has the subjects, with vital signs beside it.
  private func writeStudy(_ vitals: String) throws -> String {
    try folder.makeFolder("study")
    try folder.write(vitals, to: "study/vitals.csv")
    try StudyStore.change(database) { try $0.add(SmallStudy.study()) }
    return folder("study")
  }

  @Test(arguments: ["2024-02-30 20:45:00 +0200", "2024-05-01 20:15:00 +9999", "2024-02-30"])
  func invalidTimesAreLeftOut(_ start: String) async throws {
    let study = try writeStudy("subject,kind,start,value\nann,HeartRate,\(start),80\n")
    let run = try await Command.serve("import-health", study, "--into", database)
    #expect(run.status == 1)
    #expect(run.errors.contains("vitals.csv:2: error E_VITAL_TIME: "))
    #expect(try await Command.serve("vitals", database).rows.isEmpty)
  }

  /// 18.96 g/kg, and what a source in percent makes of 0.08 g in 100 ml.
  @Test(arguments: ["0.02", "0.0051", "0.08", "-0.0001"])
  func bloodAlcoholThatNobodyHasIsLeftOut(_ value: String) async throws {
    try folder.write(
      Self.export.replacing("value=\"0.0005\"", with: "value=\"\(value)\""), to: "export.xml")
    let run = try await importExport()
    #expect(run.status == 1)
    #expect(run.errors.contains("export.xml:6: error E_VITAL_RANGE: the blood alcohol is \(value)"))
    #expect(run.errors.contains("Apple's % is a fraction"))
  }

  @Test func healthExportIsReadFromPipe() async throws {
    let run = try await Command.shell(
      "cat \"$1\" | serve import-health - --into \"$2\" --subject ann", folder("export.xml"),
      database)
    #expect(try run.rows.map { $0["added"] } == ["1", "1", "1", "2"])
  }

  /// Reads the file inside Apple's archive, as the documentation shows.
  @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/zip")))
  func healthExportIsReadFromArchive() async throws {
    let run = try await Command.shell(
      """
      cd "$1"; mkdir apple_health_export; cp export.xml apple_health_export
      zip -qr export.zip apple_health_export
      unzip -p export.zip '*/export.xml' | serve import-health - --into "$2" --subject ann
      """, folder.path, database)
    #expect(try run.rows.map { $0["added"] } == ["1", "1", "1", "2"])
    let again = try await Command.serve(
      "import-health", folder("apple_health_export"), "--into", database, "--subject", "ann")
    #expect(try again.rows.map { $0["unchanged"] } == ["1", "1", "1", "2"])
    let refused = try await Command.serve(
      "import-health", folder("export.zip"), "--into", folder("other.sqlite"), "--subject", "ann")
    #expect(refused.status == 65)
    #expect(refused.errors.contains("error E_HEALTH_ARCHIVE: this is an archive; "))
  }

  /// A file that is cut short, or in another encoding, is as bad through a pipe.
  @Test func badExportsThroughAPipeMakeNoDatabase() async throws {
    let utf16 = try #require(Self.export.data(using: .utf16LittleEndian))
    let cases = [
      (Data(Self.export.utf8.prefix(700)), "E_HEALTH_XML"), (utf16, "E_HEALTH_ENCODING"),
      (Data([0xFF, 0xFE]) + utf16, "E_HEALTH_ENCODING"),
      (
        Data(
          Self.export.replacing("\"W\"", with: "\"M\u{FC}\"").utf8.map { $0 == 0xC3 ? 0xFC : $0 }),
        "E_HEALTH_ENCODING"
      ),
    ]
    for (bytes, code) in cases {
      try folder.write(bytes, to: "bad.xml")
      for place in ["-", folder("bad.xml")] {
        let run = try await Command.shell(
          "serve import-health \"$1\" --into \"$2\" --subject ann <\"$3\"", place, database,
          folder("bad.xml"))
        #expect(run.status == 65)
        #expect(run.output.isEmpty)
        #expect(run.errors.contains("error \(code): "), "\(run.errors)")
        #expect(try folder.contents == ["bad.xml", "export.xml"])
      }
    }
  }

  @Test func importTakesSelectedRecords() async throws {
    let run = try await Command.serve(
      "import-health", folder("export.xml"), "--into", database, "--subject", "ann", "--types",
      "HeartRate,readings", "--from", "2024-05-01", "--to", "2024-05-01")
    #expect(run.status == 0)
    #expect(try run.rows.map { $0["added"] } == ["1", "0", "1", "1"])
    let minutes = try await Command.serve(
      "import-health", folder("export.xml"), "--into", database, "--subject", "ann", "--from", "10")
    #expect(minutes.status == 64)
  }

  /// Vital signs survive a round trip through a file.
  @Test func vitalsAreExported() async throws {
    _ = try await importExport()
    try folder.makeFolder("out")
    let export = try await Command.serve(
      "vitals", database, "--export", folder("out/vitals.csv"))
    #expect(export.status == 0, "\(export.errors)")
    let again = try await Command.serve("import-health", folder("out"), "--into", database)
    #expect(again.status == 0)
    #expect(try again.rows.map { $0["unchanged"] } == ["0", "0", "0", "2"])
    let copy = folder("other.sqlite")
    let study = try StudyStore(path: database, for: .reading).study()
    try StudyStore.change(copy) { try $0.add(study) }
    _ = try await Command.serve("import-health", folder("out"), "--into", copy)
    let vitals = try await Command.serve("vitals", database).output
    #expect(try await Command.serve("vitals", copy).output == vitals)
  }

  @Test func outputDoesNotOverwriteInput() async throws {
    let study = try writeStudy("subject,kind,start,value\nann,HeartRate,2024-05-01T20:00Z,60\n")
    let fresh = folder("fresh.sqlite")
    for place in ["study/vitals.csv", "fresh.sqlite", "fresh.sqlite-wal"] {
      let run = try await Command.serve(
        "import-health", study, "--into", fresh, "-o", folder(place))
      #expect(run.status == 73 && run.errors.contains("E_OUTPUT"), "\(run.errors)")
    }
    #expect(try folder.read("study/vitals.csv").contains(",60\n"))
    _ = try await importExport()
    try folder.write("log", to: "study.sqlite-serving")
    for place in ["study.sqlite", "study.sqlite-serving"] {
      let run = try await Command.serve("vitals", database, "--export", folder(place))
      #expect(run.status == 73 && run.errors.contains("E_OUTPUT"), "\(run.errors)")
    }
    #expect(try folder.read("study.sqlite-serving") == "log")
  }

  /// A file that only its owner may read stays that, a link stays one, and a pipe is written into.
  @Test func aPlaceStaysWhatItIs() async throws {
    _ = try await importExport()
    let run = try await Command.shell(
      """
      cd "$1"; printf x > file; chmod 600 file; ln -s file link; mkfifo pipe
      serve vitals "$2" -o link && ls -l file link | cut -c1-10
      cat pipe > piped & serve vitals "$2" -o pipe; wait; test -p pipe && cmp piped file && echo same
      """, folder.path, database)
    #expect(run.status == 0, "\(run.errors)")
    #expect(run.output == "-rw-------\nlrwxrwxrwx\nsame\n", "\(run.output)")
  }

  @Test func aTableOfVitalsLiesBesideAStudy() async throws {
    let study = try writeStudy(
      """
      subject,kind,start,value,unit
      ann,BodyTemperature,2024-05-01,98.6,degF
      ann,BodyTemperature,2024-05-02,98.6,degC
      zoe,HeartRate,2024-05-01T20:00Z,60,

      """)
    let run = try await Command.serve("import-health", study, "--into", database)
    #expect(run.status == 1)
    #expect(try run.rows.map { $0["added"] } == ["0", "0", "0", "1"])
    #expect(try run.rows.map { $0["refused"] } == ["0", "0", "0", "2"])
    #expect(run.errors.contains("study/vitals.csv:3: error E_VITAL_RANGE: "))
    #expect(run.errors.contains("study/vitals.csv:4: error E_SUBJECT: "))
    try folder.write("subject,kind\n", to: "study/vitals.csv")
    let bad = try await Command.serve("import-health", study, "--into", database)
    #expect(bad.status == 65)
    #expect(bad.errors.contains("study/vitals.csv:1: error E_COLUMN_MISSING: "))
  }

  /// Several entries a day are averaged; crossings are looked for above an importance of 3 only.
  @Test(arguments: 1...5)
  func importanceDecides(_ importance: Int) async throws {
    _ = try await importExport()
    _ = try await Command.serve(
      "vitals", database, "--set-importance", "HeartRate=\(importance)", "--set-above",
      "HeartRate=90", "--set-span", "1")
    let crossings = try await Command.serve("vitals", database, "--crossings").rows
    #expect(crossings.count == (importance > 3 ? 1 : 0))
    for least in 1...5 {
      let days = try await Command.serve("vitals", database, "--importance", "\(least)").rows
      #expect(days.count == (importance >= least ? 2 : 0))
    }
  }

  @Test func healthImportAsksForSubject() async throws {
    let run = try await Command.serve("import-health", folder("export.xml"), "--into", database)
    #expect(run.status == 64)
    #expect(run.errors.contains("--subject"))
    #expect(try folder.contents == ["export.xml"])
  }

  @Test func aTruncatedExportMakesNoDatabase() async throws {
    try folder.write(String(Self.export.prefix(700)), to: "export.xml")
    let run = try await importExport()
    #expect(run.status == 65)
    #expect(run.errors.contains("error E_HEALTH_XML: "))
    #expect(try folder.contents == ["export.xml"])
  }

  @Test func vitalsAreReportedAndThresholdsSet() async throws {
    _ = try await importExport()
    let days = try await Command.serve("vitals", database, "--kind", "HeartRate").rows
    #expect(days.map { $0["mean"] } == ["100.0", "60.0"])
    let set = try await Command.serve(
      "vitals", database, "--set-importance", "HeartRate=5", "--set-above", "HeartRate=90",
      "--set-span", "1")
    #expect(set.status == 0)
    let crossings = try await Command.serve("vitals", database, "--crossings").rows
    #expect(crossings.map { $0["first_day"] } == ["2024-05-01"])
    #expect(
      try await Command.serve("vitals", database, "--importance", "5").rows.map { $0["kind"] }
        == ["HeartRate", "HeartRate"])
  }

  @Test func daysAreSelected() async throws {
    _ = try await importExport()
    for (option, day, mean) in [("--from", "2024-05-02", "60.0"), ("--to", "2024-05-01", "100.0")] {
      let run = try await Command.serve("vitals", database, "--kind", "HeartRate", option, day)
      #expect(try run.rows.map { $0["mean"] } == [mean], "\(option)")
    }
  }

  @Test func misspeltSubjectIsReported() async throws {
    _ = try await importExport()
    let run = try await Command.serve("vitals", database, "--subject", "Ann")
    #expect(run.status == 0)
    #expect(run.errors.contains("W_NOBODY: --subject Ann is not one of its 1 subjects"))
    #expect(try await Command.serve("vitals", database, "--subject", "ann").errors.isEmpty)
  }

  @Test func thresholdsBelowAreSetAndTakenAway() async throws {
    _ = try await importExport()
    _ = try await Command.serve(
      "vitals", database, "--set-importance", "HeartRate=5", "--set-below", "HeartRate=70",
      "--set-span", "1")
    let crossings = try await Command.serve("vitals", database, "--crossings").rows
    #expect(crossings.map { $0["first_day"] } == ["2024-05-02"])
    _ = try await Command.serve("vitals", database, "--set-below", "HeartRate=none")
    #expect(try await Command.serve("vitals", database, "--crossings").rows.isEmpty)
  }

  /// Occasions that `promille fit --exclude-day-with` leaves out.
  @Test func occasionsOnBadDaysAreLeftOut() async throws {
    _ = try await importExport()
    let store = try StudyStore(path: database, for: .reading)
    let rules = ["HeartRate>90", "HeartRate>110", "Pulse>1"].compactMap { DayRule($0) }
    let exclusion = try store.study(excludingDaysWith: rules)
    #expect(exclusion.study.series.isEmpty)
    #expect(exclusion.excluded.map(\.rule) == [rules[0]])
    #expect(exclusion.idle == [rules[2]])
  }

  @Test(arguments: [
    ["--set-importance", "HeartRate=6"], ["--set-importance", "Pulse=3"], ["--importance", "0"],
    ["--set-above", "HeartRate=x"], ["--from", "2024-02-30"], ["--set-span", "0"],
  ])
  func badSettingsAreUsageErrors(_ arguments: [String]) async throws {
    let run = try await Command.serve(["vitals", database] + arguments)
    #expect(run.status == 64)
  }

  /// An import that waits for the rest of a pipe is in the middle of its transaction for sure.
  @Test func halfWrittenExportLeavesNothing() async throws {
    try StudyStore.changeDay(database) { try $0.add(SmallStudy.study()) }
    let before = try contents()
    try folder.write(
      "<?xml version=\"1.0\"?><HealthData>"
        + (0..<60).flatMap { hour in
          (10..<60).map { second in
            let time = "2024-05-01 \(10 + hour % 10):\(10 + hour % 50):\(second) +0000"
            return """
              <Record type="HKQuantityTypeIdentifierHeartRate" sourceName="W\(hour)" \
              unit="count/min" startDate="\(time)" endDate="\(time)" value="60"/>
              """
          }
        }.joined(), to: "half.xml")
    // The pipe stays open for as long as the sleeper holds it.
    let run = try await Command.shell(
      """
      mkfifo "$3"; exec 9<>"$3"
      "$command" import-health - --into "$1" --subject ann <"$3" & import=$!
      cat "$2" >&9
      sleep 2; kill -9 $import; wait $import
      """, database, folder("half.xml"), folder("pipe"))
    #expect(run.status == 128 + SIGKILL)
    #expect(try contents() == before)
  }

  /// The study, and how many vital signs and imports there are.
  private func contents() throws -> String {
    let store = try StudyStore.day(database, for: .reading)
    let counts = try store.rows(
      "SELECT (SELECT count(*) FROM vitals), (SELECT count(*) FROM imports)")
    return "\(try store.study()) \(counts)"
  }

  @Test(arguments: ["", "-wal"])
  func outputDoesNotOverwriteDatabase(_ ending: String) async throws {
    _ = try await importExport()
    let file = database + ending
    if !FileManager.default.fileExists(atPath: file) {
      try Data().write(to: URL(filePath: file))
    }
    let before = try Data(contentsOf: URL(filePath: database))
    let run = try await Command.serve("vitals", database, "-o", file)
    #expect(run.status == 73 && run.errors.contains("E_OUTPUT"), "\(run.errors)")
    #expect(try Data(contentsOf: URL(filePath: database)) == before)
  }

  @Test(arguments: [
    (["audit", "x.sqlite", "--after", "1", "--after", "2"], "'1' and '2'"),
    (["audit", "x.sqlite", "--verify", "--after", "1"], "--after: not used"),
    (["vitals", "x.sqlite", "--settings", "--subject", "a"], "--subject: not used"),
    (["vitals", "x.sqlite", "--export", "v.csv", "--crossings"], "--crossings: not used"),
    (["vitals", "x.sqlite", "--set-span", "3", "--set-span", "4"], "'3' and '4'"),
    (
      ["vitals", "x.sqlite", "--set-above", "HeartRate=3", "--set-above", "HeartRate=4"],
      "--set-above is given twice for HeartRate"
    ),
    (["vitals"], "database"), (["vitals", "", "--kind", "Pulse"], "Pulse"),
    (["import-health", "x.xml"], "--into"),
    (["import-health", "x.xml", "--into", "y", "--subject", "a", "--from", "10"], "10"),
  ])
  func badLinesAreRefused(_ line: [String], _ text: String) async throws {
    let run = try await Command.serve(line)
    #expect(run.status == 64 && run.errors.contains(text), "\(run.errors)")
    #expect(run.output.isEmpty)
  }

  @Test(arguments: [["vitals"], ["vitals", "--set-span", "3"], ["audit"], ["audit", "--verify"]])
  func fileThatIsNoDatabaseIsReported(_ command: [String]) async throws {
    let words = { [command[0], $0] + command.dropFirst() }
    let missing = try await Command.serve(words(folder("studdy.sqlite")))
    #expect(missing.status == 66 && missing.errors.contains("error E_STORE_MISSING: "))
    try folder.write("ID,TIME,AMT,DV\nann,0,40,.\n", to: "events.csv")
    let table = try await Command.serve(words(folder("events.csv")))
    #expect(table.status == 65 && table.errors.contains("error E_STORE_FOREIGN: "))
    #expect(try folder.contents == ["events.csv", "export.xml"])
  }
}
