import Foundation
import TestSupport

/// The exit status and output of a run.
struct Outcome: Equatable {
  var status: Int32
  var output: String
  var errors: String

  /// The lines of standard error.
  var complaints: [String] {
    errors.split(separator: "\n").map { String($0) }
  }

  /// Standard output as rows of CSV.
  var rows: [[String: String]] {
    get throws { try CSVText.rows(output) }
  }

  /// Standard output as a JSON object.
  var json: [String: Any] {
    get throws {
      let document = try JSONSerialization.jsonObject(with: Data(output.utf8))
      guard let object = document as? [String: Any] else {
        throw CocoaError(.propertyListReadCorrupt)
      }
      return object
    }
  }
}
