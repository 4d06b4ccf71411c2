/// CSV taken apart byte by byte as RFC 4180 says, by nobody who wrote it.
public struct CSVText {
  /// Thrown for texts that are not CSV.
  public struct Malformed: Error {
    /// The number of bytes before it.
    public let offset: Int
  }

  /// A header with a name twice, or a record that is longer or shorter than it.
  public struct Uneven: Error {
    /// The record, which is the header itself if a name is there twice.
    public let record: [String]
  }

  private let bytes: [UInt8]
  private var position = 0

  private init(_ text: String) {
    bytes = Array(text.utf8)
  }

  /// The records of a text, each of which must end in a line feed.
  public static func records(_ text: String) throws -> [[String]] {
    var csv = CSVText(text)
    var records: [[String]] = []
    while csv.position < csv.bytes.count { records.append(try csv.record()) }
    return records
  }

  /// The records after the first as dictionaries with the first's names as keys, each of which must
  /// have every column.
  public static func rows(_ text: String) throws -> [[String: String]] {
    let records = try records(text)
    guard let header = records.first else { return [] }
    guard Set(header).count == header.count else { throw Uneven(record: header) }
    return try records.dropFirst().map { record in
      guard record.count == header.count else { throw Uneven(record: record) }
      return Dictionary(uniqueKeysWithValues: zip(header, record))
    }
  }

  private mutating func record() throws -> [String] {
    var fields = [try field()]
    while take(",") { fields.append(try field()) }
    guard take("\n") else { throw Malformed(offset: position) }
    return fields
  }

  private mutating func field() throws -> String {
    guard take("\"") else { return plainField() }
    var content: [UInt8] = []
    while position < bytes.count {
      if take("\"") {
        guard take("\"") else { return String(decoding: content, as: UTF8.self) }
        content.append(UInt8(ascii: "\""))
      } else {
        content.append(bytes[position])
        position += 1
      }
    }
    throw Malformed(offset: position)
  }

  private mutating func plainField() -> String {
    let start = position
    let ends: [UInt8] = Array(",\"\r\n".utf8)
    while position < bytes.count, !ends.contains(bytes[position]) { position += 1 }
    return String(decoding: bytes[start..<position], as: UTF8.self)
  }

  private mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard position < bytes.count, bytes[position] == UInt8(ascii: character) else { return false }
    position += 1
    return true
  }
}
