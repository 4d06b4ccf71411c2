import ArgumentParser
import Foundation
import Reporting
import StudyData
import StudyFiles

struct Merge: ParsableCommand, ResultWriting {
  static let configuration = Help.configuration("merge")

  @Argument(
    help: ArgumentHelp("The results of all parts, in any order.", valueName: "files"),
    completion: .file())
  var files: [String]

  @OptionGroup(title: "Output") var output: FileOptions

  var namedFiles: [NamedFile] { (files + files.map(PartRecord.path)).map(NamedFile.read) }

  func run() throws {
    // Every part keeps two files open.
    Descriptors.raiseLimit(to: 64 + 2 * files.count)
    let merging = try Merging(files)
    if let format = merging.format { try output.requireName(of: format) }
    let isFile = output.path.map(OutputName.ending(of:)) == "arrow"
    BrokenPipe.expect()
    let place = output.path ?? Console.standardOutput
    let target = try console.open(output.path, option: "-o")
    let (failed, rows) = try merging.run(asFile: isFile) { bytes in
      try console.attempt(place, "-o") { try target.write(bytes) }
    }
    try console.attempt(place, "-o") { try target.finish() }
    try console.endIfFailed(failed, of: rows)
  }
}

/// Why parts do not make a whole.
private func refusal(_ message: String) -> Refusal {
  Refusal("E_PARTS", message, ExitStatus.badData)
}

/// A result of a part that is being read.
private final class Part {
  let path: String
  let head: PartRecord.Head
  /// The place of the next series in the whole study, and its rows; nil after the last.
  private(set) var next: (place: Int, rows: Int)?
  /// What the part says at its end, once that has been read.
  private(set) var end: PartRecord.End?

  private let record: ResultRecords
  private let rows: Rows
  private var rowCount = 0

  private enum Rows {
    case text(ResultRecords)
    case arrow(ResultStream)
  }

  /// Opens a result and its record.
  init(_ path: String) throws {
    self.path = path
    let recordPath = PartRecord.path(of: path)
    guard let record = try ResultRecords(recordPath, quoted: false) else {
      throw refusal(
        "there is no \(recordPath), which says what part \(path) is; make it with --subjects-part and -o"
      )
    }
    guard let line = try record.next(),
      let head = try? JSONDecoder().decode(PartRecord.Head.self, from: Data(line))
    else { throw Self.damage(recordPath) }
    self.record = record
    self.head = head
    let missing = refusal("there is no \(path); name the results of all parts")
    if ReportFormat(rawValue: head.format)?.isArrow == true {
      guard let stream = try ResultStream(path) else { throw missing }
      rows = .arrow(stream)
    } else {
      let isCSV = head.format == ReportFormat.csv.rawValue
      guard let records = try ResultRecords(path, quoted: isCSV) else { throw missing }
      rows = .text(records)
    }
  }

  private static func damage(_ path: String) -> Refusal {
    refusal("\(path) is damaged, or its run has not ended; make the part again")
  }

  /// What stands before the rows: the header of CSV, the schema of Arrow.
  ///
  /// - Parameter isFile: Whether Arrow becomes a file or a stream.
  func start(asFile isFile: Bool) throws -> (bytes: [UInt8], arrow: ArrowWriter?) {
    switch rows {
    case .text(let records):
      guard head.format == ReportFormat.csv.rawValue else { return ([], nil) }
      return (Array(try records.next() ?? []), nil)
    case .arrow(let stream):
      let writer = ArrowWriter(stream.columns, metadata: stream.metadata, asFile: isFile)
      return (writer.start, writer)
    }
  }

  func advance() throws {
    guard let line = try record.next() else { throw Self.damage(PartRecord.path(of: path)) }
    let words = String(decoding: line, as: UTF8.self).split(separator: " ")
    if words.count == 2, let place = Int(words[0]), let rows = Int(words[1].dropLast()), place >= 0,
      rows >= 0
    {
      next = (place, rows)
      return
    }
    next = nil
    end = try? JSONDecoder().decode(PartRecord.End.self, from: Data(line))
    guard end != nil, try record.next() == nil else { throw Self.damage(PartRecord.path(of: path)) }
  }

  /// Passes the rows of the next series on.
  func take(to writer: inout ArrowWriter?, _ write: (ArraySlice<UInt8>) throws -> Void) throws {
    for _ in 0..<(next?.rows ?? 0) {
      switch rows {
      case .text(let records):
        guard let line = try records.next() else { throw changed }
        try write(line)
      case .arrow(let stream):
        guard var copy = writer.take(), try stream.next(to: &copy) else { throw changed }
        writer = copy
      }
      rowCount += 1
    }
  }

  /// Requires that the result is what was written, and ends where it did.
  func requireWhole() throws {
    let sha256: String?
    switch rows {
    case .text(let records):
      guard try records.next() == nil else { throw changed }
      sha256 = records.sha256
    case .arrow(let stream):
      var rest: ArrowWriter = ArrowWriter(stream.columns, metadata: [])
      guard try !stream.next(to: &rest) else { throw changed }
      sha256 = stream.sha256
    }
    guard sha256 == end?.sha256, rowCount == end?.rows else { throw changed }
  }

  private var changed: Refusal {
    refusal("\(path) is not what \(PartRecord.path(of: path)) says; make the part again")
  }
}

/// Puts the results of parts together, in the order of the whole study.
private struct Merging {
  private let parts: [Part]

  var format: ReportFormat? { parts.first.flatMap { ReportFormat(rawValue: $0.head.format) } }

  /// Opens the parts, and requires that they are those of one run.
  init(_ paths: [String]) throws {
    parts = try paths.map { try Part($0) }
    guard let first = parts.first else { throw refusal("no part is named") }
    var found: [Int: String] = [:]
    for part in parts {
      var head = part.head
      head.part = first.head.part
      guard head == first.head else {
        throw refusal(
          "\(part.path) and \(first.path) differ in \(Self.differences(head, first.head)); make all parts with "
            + "the same command line and version")
      }
      if let other = found.updateValue(part.path, forKey: part.head.part) {
        throw refusal(
          "\(other) and \(part.path) are both part \(part.head.part); name one of them")
      }
    }
    let missing = (1...max(1, first.head.parts)).filter { found[$0] == nil }
    guard missing.isEmpty else {
      let names = missing.prefix(10).map(String.init).joined(separator: ", ")
      let more = missing.count > 10 ? " and \(missing.count - 10) more" : ""
      throw refusal(
        "of \(first.head.parts) parts \(missing.count) \(missing.count == 1 ? "is" : "are") missing: \(names)\(more); "
          + "name the results of all parts")
    }
  }

  private static func differences(_ one: PartRecord.Head, _ other: PartRecord.Head) -> String {
    [
      one.parts != other.parts ? "the number of parts" : nil,
      one.version != other.version ? "the version of promille" : nil,
      one.command != other.command ? "the command" : nil,
      one.options != other.options ? "the options" : nil,
      one.format != other.format ? "the format" : nil,
    ].compactMap(\.self).joined(separator: " and ")
  }

  /// Writes all rows; how many have no result, and how many there are.
  func run(
    asFile isFile: Bool, _ write: (ArraySlice<UInt8>) throws -> Void
  ) throws -> (failed: Int, rows: Int) {
    var writer = try begin(asFile: isFile, write)
    // Whose series comes at a place: each place is one part's.
    var waiting: [Int: Part] = [:]
    let advance = { (part: Part) in
      try part.advance()
      guard let place = part.next?.place else { return }
      if let other = waiting.updateValue(part, forKey: place) {
        throw refusal(
          "\(other.path) and \(part.path) have the same subject; make one of them again")
      }
    }
    for part in parts { try advance(part) }
    var place = 0
    while let part = waiting.removeValue(forKey: place) {
      try part.take(to: &writer, write)
      if writer?.isFull == true, let batch = writer?.takeBatch() { try write(batch[...]) }
      try advance(part)
      place += 1
    }
    let ends = parts.compactMap(\.end)
    guard waiting.isEmpty, ends.count == parts.count, ends.allSatisfy({ $0.series == place }) else {
      throw refusal(
        "the parts are not of one study: series \(place + 1) is in none of them; make all from the same files"
      )
    }
    for part in parts {
      try part.requireWhole()
      guard part.end?.inputs.map(\.sha256) == parts[0].end?.inputs.map(\.sha256) else {
        throw refusal(
          "\(part.path) and \(parts[0].path) were made from different files; make all from the same files"
        )
      }
    }
    if let batch = writer?.takeBatch() { try write((batch + (writer?.ending ?? []))[...]) }
    return (ends.map(\.failed).reduce(0, +), ends.map(\.rows).reduce(0, +))
  }

  /// Writes what stands before the rows, which all parts have.
  private func begin(
    asFile isFile: Bool, _ write: (ArraySlice<UInt8>) throws -> Void
  ) throws -> ArrowWriter? {
    let starts = try parts.map { try $0.start(asFile: isFile) }
    for (part, start) in zip(parts, starts) where start.bytes != starts[0].bytes {
      throw refusal(
        "\(part.path) and \(parts[0].path) do not have the same columns; make all with the same command line"
      )
    }
    try write(starts[0].bytes[...])
    return starts[0].arrow
  }
}
