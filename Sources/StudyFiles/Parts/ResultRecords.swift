package import StudyData

/// The records of a file of results, as the bytes that they are: lines, or lines of CSV, whose fields in quotes may
/// hold line feeds.
package final class ResultRecords {
  private let file: InputFile
  private let hasQuotes: Bool
  private let block: UnsafeMutableRawBufferPointer
  private var bytes: [UInt8] = []
  /// Where in the bytes the next record begins, and how far they have been read.
  private var start = 0
  private var offset = 0

  package convenience init?(_ path: String, quoted: Bool) throws(StudyError) {
    guard let file = try InputFile(opening: path) else { return nil }
    self.init(file, quoted: quoted)
  }

  init(_ file: InputFile, quoted: Bool) {
    self.file = file
    hasQuotes = quoted
    block = .allocate(byteCount: file.blockSize, alignment: 16)
    file.takeDigest()
  }

  /// The next record with its line feed, if it has one; nil at the end.
  package func next() throws(StudyError) -> ArraySlice<UInt8>? {
    var (end, isQuoted) = (start, false)
    while true {
      while end < bytes.count {
        let byte = bytes[end]
        end += 1
        if hasQuotes, byte == ASCII.quote { isQuoted.toggle() }
        guard byte == ASCII.lineFeed, !isQuoted else { continue }
        defer { start = end }
        return bytes[start..<end]
      }
      bytes.removeFirst(start)
      end -= start
      start = 0
      guard try readBlock() else {
        defer { start = end }
        return end > 0 ? bytes[..<end] : nil
      }
    }
  }

  /// The SHA-256 of the file, once all of it has been read.
  package var sha256: String? { file.digest?.sha256 }

  private func readBlock() throws(StudyError) -> Bool {
    let count = try InputFile.readable(file.path) { () throws(OpenFile.Failure) in
      try file.read(into: block, at: offset)
    }
    bytes.append(contentsOf: block[..<count])
    offset += count
    return count > 0
  }

  deinit { block.deallocate() }
}

/// The rows of an Arrow stream of results, as they were written.
package final class ResultStream {
  private let file: InputFile
  private let stream: ArrowStream
  private var row = 0

  package convenience init?(_ path: String) throws(StudyError) {
    guard let file = try InputFile(opening: path) else { return nil }
    try self.init(file)
  }

  init(_ file: InputFile) throws(StudyError) {
    self.file = file
    file.takeDigest()
    do throws(FileProblem) {
      stream = try ArrowStream(file)
    } catch {
      throw error.refusal(of: file.path)
    }
  }

  /// The names of the columns and what they hold.
  package var columns: [(name: String, kind: ArrowWriter.Kind)] {
    stream.schema.fields.map { field in
      switch field.type {
      case .number(.float64): (field.name, .number)
      case .number(.int64): (field.name, .integer)
      default: (field.name, .text)
      }
    }
  }

  /// What is said of the stream.
  package var metadata: [(key: String, value: String)] { stream.schema.metadata }

  /// The SHA-256 of the file, once all of it has been read.
  package var sha256: String? { file.digest?.sha256 }

  /// Passes the next row to a writer; false at the end.
  package func next(to writer: inout ArrowWriter) throws(StudyError) -> Bool {
    do throws(FileProblem) {
      while row == stream.count {
        guard try stream.next() else { return false }
        row = 0
      }
      for (index, column) in stream.columns.enumerated() {
        guard !column.isMissing(row) else {
          writer.add(.missing, to: index)
          continue
        }
        switch column.type {
        case .number(let number):
          let place = column.values + row * number.width
          writer.add(
            number.integer(at: place).map(ArrowWriter.Value.integer)
              ?? .number(number.double(at: place)),
            to: index)
        default:
          let text = try column.text(row)
          writer.add(text.map { .text(String(decoding: $0, as: UTF8.self)) } ?? .missing, to: index)
        }
      }
    } catch {
      throw error.refusal(of: file.path)
    }
    writer.endRow()
    row += 1
    return true
  }
}
