import AlcoholKinetics
import ArgumentParser
import Foundation
import HealthData
import Reporting

/// How an export of Apple Health is taken.
struct HealthArguments: ParsableArguments {
  @Option(
    name: .customLong("grams-per-drink"),
    help: ArgumentHelp(
      "Ethanol in g per alcoholic beverage (standard drink) in Apple Health.",
      valueName: "g"))
  var gramsPerDrink = 14.0

  func validate() throws {
    guard gramsPerDrink > 0, gramsPerDrink <= 100 else {
      throw ValidationError(
        "--grams-per-drink is \(gramsPerDrink); it must be above 0 and at most 100.")
    }
  }

  /// Where the export of Apple Health is, if that is what a study is: a file, or standard input, that
  /// begins as XML does, or the folder that Apple's archive holds; nil for any other study.
  ///
  /// - Throws: ``HealthFinding`` for the archive itself.
  static func place(of study: String) throws(HealthFinding) -> String? {
    if study == "-" { return try isExport(StandardInput.beginning(), study) ? study : nil }
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

  /// Opens an export.
  static func stream(of study: String) throws -> InputStream {
    let path = study == "-" ? "/dev/stdin" : study
    guard access(path, R_OK) == 0, let stream = InputStream(fileAtPath: path) else {
      let reason = String(cString: strerror(errno))
      throw HealthFinding(
        code: .unreadable, file: study, message: "the file cannot be read: \(reason)")
    }
    return stream
  }

  /// An export says nowhere whose it is.
  func requireSubject(_ subjects: [String]) throws {
    guard subjects.count == 1 else {
      throw ValidationError("Apple Health does not name the subject: add one --subject.")
    }
  }

  /// The options as the library takes them.
  func options(_ subjects: [String]) -> HealthOptions {
    HealthOptions(subject: subjects.first ?? "", ethanolPerBeverage: Grams(gramsPerDrink))
  }

  /// The option as results carry it.
  var values: [(name: String, value: JSONValue)] {
    [("grams_per_drink", .number(gramsPerDrink))]
  }
}
