import AlcoholKinetics
import ArgumentParser
import Foundation
import Reporting
import StudyStore

/// How an export of Apple Health is taken.
struct HealthArguments: ParsableArguments {
  @Option(
    name: .customLong("grams-per-drink"),
    help: ArgumentHelp(
      "Ethanol in g in one of Apple's alcoholic beverages, which are standard drinks.",
      valueName: "g"))
  var gramsPerDrink = 14.0

  func validate() throws {
    guard gramsPerDrink > 0, gramsPerDrink <= 100 else {
      throw ValidationError(
        "--grams-per-drink is \(gramsPerDrink); it must be above 0 and at most 100.")
    }
  }

  /// Whether a study is an export of Apple Health: a file, or standard input, that begins as XML
  /// does.
  static func accepts(_ study: String) -> Bool {
    if study == "-" { return StandardInput.beginsAsXML() }
    var status = stat()
    guard stat(study, &status) == 0 else { return study.lowercased().hasSuffix(".xml") }
    guard status.st_mode & S_IFMT == S_IFREG, let file = FileHandle(forReadingAtPath: study) else {
      return false
    }
    defer { try? file.close() }
    return study.lowercased().hasSuffix(".xml")
      || StandardInput.isXML((try? file.read(upToCount: 256)) ?? Data())
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
      throw ValidationError("Apple Health does not say whose it is: name one --subject.")
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
