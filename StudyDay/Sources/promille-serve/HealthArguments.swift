import AlcoholKinetics
public import ArgumentParser
import Foundation
public import HealthData
import Spreadsheets
import StudyData
import StudyStore

/// How an export of Apple Health is taken.
struct HealthArguments: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Ethanol in g per alcoholic beverage (standard drink) in Apple Health.",
      valueName: "g"))
  var gramsPerDrink = HealthOptions(subject: "").ethanolPerBeverage.value

  func validate() throws {
    try require(
      gramsPerDrink > 0 && gramsPerDrink <= 100,
      "--grams-per-drink is \(gramsPerDrink); it must be above 0 and at most 100.")
  }

  /// Where the export of Apple Health is, if that is what a study is: a file, or standard input, that
  /// begins as XML does, or the folder that Apple's archive holds; nil for any other study.
  ///
  /// - Throws: ``HealthFinding`` for the archive itself.
  static func place(of study: String) throws(HealthFinding) -> String? {
    if study == StudyReader.standardInputPath {
      return try isExport(StandardInput.beginning(), study) ? study : nil
    }
    var status = stat()
    guard stat(study, &status) == 0 else { return hasSuffix(study) ? study : nil }
    guard status.st_mode & S_IFMT != S_IFDIR else { return export(inFolder: study) }
    guard status.st_mode & S_IFMT == S_IFREG, let file = FileHandle(forReadingAtPath: study) else {
      return nil
    }
    defer { try? file.close() }
    let isExport = try isExport((try? file.read(upToCount: 256)) ?? Data(), study)
    return isExport || hasSuffix(study) ? study : nil
  }

  private static func hasSuffix(_ study: String) -> Bool { study.lowercased().hasSuffix(".xml") }

  private static func isExport(_ start: Data, _ study: String) throws(HealthFinding) -> Bool {
    guard !StandardInput.isArchive(start) else {
      throw HealthFinding(code: .archive, file: study, message: "this is an archive")
    }
    return StandardInput.isXML(start)
  }

  private static func export(inFolder folder: String) -> String? {
    let files = FileManager.default
    guard !files.fileExists(atPath: "\(folder)/subjects.csv") else { return nil }
    let export = "\(folder)/export.xml"
    return files.fileExists(atPath: export) ? export : nil
  }

  static func stream(of study: String) throws -> InputStream {
    let path = study == StudyReader.standardInputPath ? "/dev/stdin" : study
    guard access(path, R_OK) == 0, let stream = InputStream(fileAtPath: path) else {
      let reason = String(cString: strerror(errno))
      throw HealthFinding(
        code: .unreadable, file: study, message: "the file cannot be read: \(reason)")
    }
    return stream
  }

  /// An export does not say whose it is.
  func requireSubject(_ subjects: [String]) throws {
    try require(subjects.count == 1, "Apple Health does not name the subject: add one --subject.")
  }

  func options(_ subjects: [String]) -> HealthOptions {
    HealthOptions(subject: subjects.first ?? "", ethanolPerBeverage: Grams(gramsPerDrink))
  }
}

/// Which occasions are left out for the vital signs of their day.
struct DayExclusionOption: ParsableArguments {
  @Option(
    parsing: .singleValue,
    help: ArgumentHelp(
      "Leave out occasions on days when the mean of a vital sign is beyond a value, for example "
        + "'HeartRate>100'. Needs a database; may be repeated.",
      valueName: "rule"))
  var excludeDayWith: [DayRule] = []

  /// Reads the study without the occasions that are left out, and says which these are.
  func read(_ input: StudyOptions, _ console: Console) throws -> Study {
    guard !excludeDayWith.isEmpty else { return try input.read(console) }
    try require(
      StudyStore.accepts(input.study), "--exclude-day-with needs a database with vital signs.")
    let store = try StudyStore(path: input.study, for: .reading)
    let (study, excluded) = try store.study(excludingDaysWith: excludeDayWith)
    console.tell(study.allDiagnostics)
    try warnOfRulesWithoutVitals(store, console)
    for (series, rule) in excluded {
      let name = [series.subject.id, series.occasion].compactMap(\.self).joined(separator: "/")
      console.warning("W_DAY_EXCLUDED", "\(name) is left out by \(rule)", at: input.study)
    }
    return study
  }

  /// A rule about something that was not measured leaves nothing out, which may not be what was meant.
  private func warnOfRulesWithoutVitals(
    _ store: StudyStore, _ console: Console
  ) throws(StoreError) {
    for rule in excludeDayWith
    where try store.vitalDays(VitalFilter(kinds: [rule.kind])).isEmpty {
      console.warning(
        "W_NO_VITALS",
        "no day has a value of \(rule.kind.rawValue), so \(rule) leaves nothing out", at: store.path
      )
    }
  }
}

extension DayRule: ExpressibleByArgument, TypedValue {
  var text: String { description }

  public init?(argument: String) {
    self.init(argument)
  }
}
