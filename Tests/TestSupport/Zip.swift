import CSheets

/// A zip archive of entries that are not packed, sound unless a test spoils it.
public struct Zip {
  public var bytes: [UInt8] = []

  public init(
    _ entries: [(name: String, content: [UInt8])], method: Int = 0, flags: Int = 0,
    checksumError: UInt32 = 0,
    size: Int? = nil, checksum: UInt32? = nil
  ) {
    var list: [UInt8] = []
    for entry in entries {
      let crc = checksum ?? UInt32(crc32(0, entry.content, UInt32(entry.content.count)))
      let (name, count) = (Array(entry.name.utf8), entry.content.count)
      let common =
        Self.number(20, 2) + Self.number(flags, 2) + Self.number(method, 2) + Self.number(0, 4)
        + Self.number(Int(crc ^ checksumError), 4) + Self.number(count, 4)
        + Self.number(size ?? count, 4)
        + Self.number(name.count, 2) + Self.number(0, 2)
      list += Self.number(0x0201_4B50, 4) + Self.number(20, 2) + common
      list += Self.number(0, 10) + Self.number(bytes.count, 4) + name
      bytes += Self.number(0x0403_4B50, 4) + common + name + entry.content
    }
    let end =
      Self.number(0, 4) + Self.number(entries.count, 2) + Self.number(entries.count, 2)
      + Self.number(list.count, 4) + Self.number(bytes.count, 4) + Self.number(0, 2)
    bytes += list + Self.number(0x0605_4B50, 4) + end
  }

  public init(
    _ entries: KeyValuePairs<String, String>, method: Int = 0, flags: Int = 0,
    checksumError: UInt32 = 0
  ) {
    self.init(
      entries.map { ($0.key, Array($0.value.utf8)) }, method: method, flags: flags,
      checksumError: checksumError)
  }

  /// A workbook of sheets, each with these rows, as far as it has them.
  public static func workbook(sheetBytes: [UInt8]?, count: Int = 1) -> Zip {
    let sheets = String(repeating: "<sheet name='S' id='r'/>", count: count)
    let parts: KeyValuePairs = [
      "xl/workbook.xml": "<workbook><sheets>\(sheets)</sheets></workbook>",
      "xl/_rels/workbook.xml.rels":
        "<Relationships><Relationship Id='r' Type='x/worksheet' Target='s.xml'/></Relationships>",
    ]
    let rows = sheetBytes.map {
      Array("<worksheet><sheetData>".utf8) + $0 + Array("</sheetData></worksheet>".utf8)
    }
    return Zip(
      parts.map { ($0.key, Array($0.value.utf8)) } + (rows.map { [("xl/s.xml", $0)] } ?? []))
  }

  public static func workbook(sheet: String?, count: Int = 1) -> Zip {
    workbook(sheetBytes: sheet.map { Array($0.utf8) }, count: count)
  }

  /// A workbook whose first part is so many blanks, deflated.
  public static func packedBlanks(_ count: Int) throws -> [UInt8] {
    let blanks = [UInt8](repeating: 0x20, count: count)
    var packed = [UInt8](repeating: 0, count: count / 100)
    var size = UInt(packed.count)
    guard compress2(&packed, &size, blanks, UInt(count), 9) == Z_OK else { throw NoRoom() }
    // zlib's own frame around the deflated data has two bytes before and four behind.
    let deflated = Array(packed[2..<Int(size) - 4])
    let crc = UInt32(crc32(0, blanks, UInt32(count)))
    return Zip([("xl/workbook.xml", deflated)], method: 8, size: count, checksum: crc).bytes
  }

  private struct NoRoom: Error {}

  private static func number(_ number: Int, _ count: Int) -> [UInt8] {
    (0..<count).map { $0 < 8 ? UInt8(truncatingIfNeeded: number >> (8 * $0)) : 0 }
  }
}
