import AlcoholKinetics
import Foundation

/// A study that is a single table of events: a file, or standard input.
struct EventFile {
  let file: InputFile
  /// The unit of `DV`, unless the table says otherwise.
  let unit: ConcentrationUnit

  /// The file's name; that of standard input is `<stdin>`.
  var name: String {
    URL(fileURLWithPath: file.path).lastPathComponent
  }
}
