@_spi(StudyDay) import AlcoholKinetics
import ArgumentParser
import DayDatabase
import Foundation
import HealthData
import StrictOptions
@_spi(StudyDay) import StudyData
@_spi(StudyDay) import StudyFiles
@_spi(StudyDay) import StudyStore

struct ImportHealth: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import-health",
    abstract: "Import Apple Health, or the vital signs beside a study, into a database.",
    discussion: """
      HEALTH is Apple Health's export.xml, the folder that holds it, or - to read it from standard input: blood \
      alcohol, drinks, body measures and vital signs of one subject are imported. The file may have any size. Or it is a \
      study folder with a vitals.csv, whose subjects the database has: promille import brings them.

      Adds new records and updates changed ones, and reports how many of each. Old values are kept in the table \
      "changes". An import is one transaction: if it is interrupted, the database stays as it was. Exits with 1 if \
      records were left out.

      Examples:
        promille serve import-health export.xml --into study.sqlite --subject ann
        unzip -p export.zip '*/export.xml' |
          promille serve import-health - --into study.sqlite --subject ann
        promille serve import-health STUDY --into study.sqlite
      """)

  @Argument(help: "Apple Health's export, or a folder with vitals.csv.", completion: .file())
  var health: String

  @Option(
    help: ArgumentHelp("The database; created if it does not exist.", valueName: "database"),
    completion: .file())
  var into: String

  @Option(
    help: ArgumentHelp(
      "Import only these types, separated by commas: drinks, readings, vitals, or kinds of vital signs such as HeartRate.",
      valueName: "types"))
  var types: TypeList?

  @Option(
    parsing: .singleValue,
    help: ArgumentHelp(
      "Whose export it is; of vitals.csv import only this subject.", valueName: "name"))
  var subject: [String] = []

  @Option(
    help: ArgumentHelp(
      "Import nothing before this day, for example 2024-05-01.", valueName: "day"))
  var from: CalendarDay?

  @Option(help: ArgumentHelp("Import nothing after this day.", valueName: "day"))
  var to: CalendarDay?

  @Option(
    help: ArgumentHelp(
      "Ethanol in g per alcoholic beverage (standard drink) in Apple Health.",
      valueName: "g"))
  var gramsPerDrink = HealthOptions(subject: "").ethanolPerBeverage.value

  @OptionGroup(title: "Output") var output: OutputOptions

  func validate() throws {
    guard gramsPerDrink > 0, gramsPerDrink <= 100 else {
      throw ValidationError(
        "--grams-per-drink is \(gramsPerDrink); it must be above 0 and at most 100.")
    }
    if let from, let to, from.text > to.text {
      throw ValidationError("--from (\(from.text)) is after --to (\(to.text)).")
    }
  }

  func run() throws {
    try OutputOptions.require(
      output.path, apartFrom: into, health, "\(health)/\(VitalFile.name)", "\(health)/export.xml")
    if let vitals = try VitalFile.read(inFolder: health) { return try importVitals(vitals) }
    let export = try HealthExport(health)
    guard subject.count == 1, let name = subject.first else {
      throw ValidationError("Apple Health does not name the subject: add one --subject.")
    }
    let (counts, findings) = try StudyStore.changeDay(into) { store in
      try store.add(
        health: try export.stream(), file: export.path,
        HealthOptions(subject: name, ethanolPerBeverage: Grams(gramsPerDrink)),
        selection: selection)
    }
    for finding in findings { PromilleServe.say(finding.description) }
    try finish(counts)
  }

  private func importVitals(_ vitals: VitalFile) throws {
    guard from == nil, to == nil, types == nil else {
      throw ValidationError(
        "--types, --from and --to are for Apple Health; of vitals.csv --subject selects.")
    }
    for finding in vitals.diagnostics { PromilleServe.say(finding.description) }
    let (counts, refusals) = try StudyStore.changeDay(into) { store in
      try store.add(vitals: vitals.entries, from: health, selection: selection)
    }
    for finding in refusals { PromilleServe.say(finding.description) }
    try finish(counts)
  }

  private func finish(_ counts: ImportCounts) throws {
    try output.print([Self.imported.with(RecordType.ofDay.map { (type: $0, counts: counts[$0]) })])
    guard counts.total.refused > 0 else { return }
    PromilleServe.say("promille-serve: \(counts.total.refused) records were left out")
    throw ExitCode(1)
  }

  private var selection: ImportSelection {
    ImportSelection(
      types: types?.types, kinds: types?.kinds, subjects: subject.isEmpty ? nil : Set(subject),
      days: from == nil && to == nil
        ? nil : (from?.text ?? "0000-01-01")...(to?.text ?? "9999-12-31"))
  }

  /// A row per type of record.
  private static let imported = ResultTable<(type: RecordType, counts: ImportCounts.Tally)>(
    name: "imported",
    columns: [
      .init("type") { .text($0.type.rawValue) },
      .init("added") { .integer(Int64($0.counts.added)) },
      .init("changed") { .integer(Int64($0.counts.changed)) },
      .init("unchanged") { .integer(Int64($0.counts.unchanged)) },
      .init("refused") { .integer(Int64($0.counts.refused)) },
    ])
}

/// Types of records, and kinds of vital signs, separated by commas.
struct TypeList: ExpressibleByArgument {
  let types: Set<RecordType>
  /// The kinds of vital signs; nil for all.
  let kinds: Set<String>?

  init?(argument: String) {
    var types: Set<RecordType> = []
    var kinds: Set<String> = []
    for word in argument.split(separator: ",", omittingEmptySubsequences: false) {
      if let type = RecordType.ofDay.first(where: { $0.rawValue == word }) {
        types.insert(type)
      } else if let kind = VitalKind(rawValue: String(word)) {
        kinds.insert(kind.rawValue)
      } else {
        return nil
      }
    }
    self.kinds = types.contains(.vitals) || kinds.isEmpty ? nil : kinds
    self.types = kinds.isEmpty ? types : types.union([.vitals])
  }
}

/// An export of Apple Health: a file, standard input, or the folder that Apple's archive holds.
struct HealthExport {
  let path: String

  /// - Throws: ``HealthFinding`` for the archive itself.
  init(_ given: String) throws {
    var isFolder: ObjCBool = false
    let isThere = FileManager.default.fileExists(atPath: given, isDirectory: &isFolder)
    path = isThere && isFolder.boolValue ? "\(given)/export.xml" : given
    guard given != "-", !isFolder.boolValue, let file = FileHandle(forReadingAtPath: given) else {
      return
    }
    defer { try? file.close() }
    var status = stat()
    // A pipe would miss what is looked at.
    guard stat(given, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return }
    try Self.requireText((try? file.read(upToCount: 4)) ?? Data(), of: given)
  }

  private static func requireText(_ start: Data, of file: String) throws {
    guard start.starts(with: [0x50, 0x4B, 0x03, 0x04]) || start.starts(with: [0x1F, 0x8B]) else {
      return
    }
    throw HealthFinding(code: .archive, file: file, message: "this is an archive")
  }

  func stream() throws -> InputStream {
    let target = path == "-" ? "/dev/stdin" : path
    guard access(target, R_OK) == 0, let stream = InputStream(fileAtPath: target) else {
      let reason = String(cString: strerror(errno))
      throw HealthFinding(
        code: .unreadable, file: path, message: "the file cannot be read: \(reason)")
    }
    return stream
  }
}
