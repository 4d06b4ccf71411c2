import StudyData

/// Reads an Arrow stream row by row through the interface of CSV, without conversion of numbers to text. Rows count from
/// 1; the header has line 1, too.
final class ArrowRows {
  private let stream: ArrowStream
  /// The next row of the batch, and the number of rows read so far.
  private var position = 0
  private var line = 0
  private var isAtEnd = false
  /// The integers 0 and 1, of eight bytes each, for booleans, followed by the names of the columns.
  private let constants: UnsafeMutableRawPointer

  init(_ file: InputFile) throws(CSVProblem) {
    do throws(FileProblem) {
      stream = try ArrowStream(file)
    } catch {
      throw CSVProblem(kind: error, place: .start)
    }
    let names = stream.schema.names.flatMap(\.utf8)
    constants = .allocate(byteCount: 16 + names.count + FieldWord.capacity, alignment: 8)
    constants.storeBytes(of: 0, as: Int64.self)
    constants.storeBytes(of: 1, toByteOffset: 8, as: Int64.self)
    UnsafeMutableRawBufferPointer(start: constants + 16, count: names.count).copyBytes(from: names)
  }

  deinit { constants.deallocate() }

  func next(_ row: CSVRow) throws(CSVProblem) -> Bool {
    guard !isAtEnd else { return false }
    if line == 0 {
      fillNames(row)
      line = 1
      return true
    }
    do throws(FileProblem) {
      while position == stream.count {
        guard try stream.next() else {
          isAtEnd = true
          return false
        }
        position = 0
      }
      try fill(row)
    } catch {
      isAtEnd = true
      throw CSVProblem(kind: error, place: Place(line: line, column: 1))
    }
    position += 1
    line += 1
    return true
  }

  private func fillNames(_ row: CSVRow) {
    let names = stream.schema.names
    let fields = row.begin(line: 1, count: names.count)
    var start = UnsafeRawPointer(constants) + 16
    for (index, name) in names.enumerated() {
      fields[index] = CSVRow.Field(start: start, count: name.utf8.count, form: .cell)
      start += name.utf8.count
    }
  }

  private func fill(_ row: CSVRow) throws(FileProblem) {
    let columns = stream.columns
    let fields = row.begin(line: line, count: columns.count)
    let position = position
    let nothing = UnsafeRawPointer(constants)
    for index in columns.indices {
      let column = columns[index]
      if column.isMissing(position) {
        fields[index] = CSVRow.Field(start: nothing, count: 0, form: .cell)
        continue
      }
      switch column.type {
      case .number(let number):
        if number == .uint64, number.integer(at: column.values + position &* 8) == nil {
          throw .unsupported(
            "column \(stream.schema.names[index].quoted) has \(number.double(at: column.values + position &* 8)) in row "
              + "\(line), which is beyond whole numbers of 64 bits with a sign",
            remedy: "write the column as int64, float64 or utf8")
        }
        fields[index] = CSVRow.Field(
          start: column.values + position &* number.width, count: number.width,
          form: .number(number))
      case .bool:
        fields[index] = CSVRow.Field(
          start: nothing + (column.bool(position) ? 8 : 0), count: 8, form: .number(.int64))
      case .text, .textView, .dictionary, .null:
        let text = try column.text(position)
        fields[index] = CSVRow.Field(
          start: text?.baseAddress ?? nothing, count: text?.count ?? 0, form: .cell)
      }
    }
  }
}
