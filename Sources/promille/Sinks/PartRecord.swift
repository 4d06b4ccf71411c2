import Foundation
import Reporting
import StudyData
import StudyFiles

/// What a result of a part of the subjects says of itself, in a file beside it: a line of JSON about the run, a line
/// for each series, with its place in the whole study and how many rows it has, and a line of JSON about the result.
struct PartRecord {
  /// The line that it begins with: equal for all parts, but for the number of the part.
  struct Head: Codable, Equatable {
    var part: Int
    var parts: Int
    var version: String
    var command: String
    /// The options in JSON, in a line.
    var options: String
    var format: String
  }

  struct End: Codable {
    /// How many series the whole study has.
    var series: Int
    /// How many rows there are, and how many of them have no result.
    var (rows, failed): (Int, Int)
    var inputs: [InputDigest]
    var sha256: String
  }

  private let output: Output
  private let places: SeriesPlaces
  private var digest = RunningDigest()

  /// Where it is, beside a result.
  static func path(of result: String) -> String { result + ".part" }

  /// Begins it beside a result.
  init(_ head: Head, beside result: String, _ places: SeriesPlaces) throws {
    self.places = places
    output = try Output(to: Self.path(of: result))
    try output.write(Self.line(head))
  }

  /// Takes in what is written to the result.
  mutating func pass(_ bytes: [UInt8]) {
    bytes.withUnsafeBytes { digest.add($0) }
  }

  /// Notes the rows of the next series.
  func add(rows: Int) throws {
    guard let place = places.next() else { return }
    try output.write("\(place) \(rows)\n".utf8)
  }

  /// Ends it; the result is complete.
  func finish(rows: Int, failed: Int) throws {
    try output.write(
      Self.line(
        End(
          series: places.count, rows: rows, failed: failed, inputs: places.inputs,
          sha256: digest.sha256)))
    try output.finish()
  }

  private static func line(_ value: some Encodable) throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return try encoder.encode(value) + Data("\n".utf8)
  }
}

extension RecordedCommand {
  /// The record's head, which says which part of the subjects a result has; nil if it has all.
  func partHead(_ part: PartOption, _ format: ReportFormat) -> PartRecord.Head? {
    guard let part = part.subjectsPart else { return nil }
    let options = JSONValue.object(options.map { ($0.name, $0.value) })
    return PartRecord.Head(
      part: part.number, parts: part.count, version: Release.version, command: Self.name,
      options: options.line, format: format.isCSV ? ReportFormat.csv.rawValue : format.rawValue)
  }
}

extension PartOption {
  /// What is written beside a result.
  func record(beside output: String?) -> NamedFile {
    .written(subjectsPart == nil ? nil : output.map(PartRecord.path), by: "-o")
  }
}
