import CSheets
import StudyData
import StudyFiles

/// A handler for the elements of a part of a workbook. Names are without the prefix of their namespace, which programs
/// choose freely; no two elements in use differ by it alone.
protocol XMLPart: AnyObject {
  /// Whether characters are collected at the current position.
  var isCollecting: Bool { get }
  func start(_ element: String, _ attributes: XMLAttributes) throws(WorkbookProblem)
  /// Ends an element, with the characters collected since the last start or end of an element.
  func end(_ element: String, _ text: String) throws(WorkbookProblem)
}

extension XMLPart {
  var isCollecting: Bool { false }
  func end(_ element: String, _ text: String) throws(WorkbookProblem) {}
}

struct XMLAttributes {
  fileprivate let list: UnsafeMutablePointer<UnsafePointer<XML_Char>?>?

  /// The value of an attribute, which is named without the prefix of its namespace.
  subscript(_ name: String) -> String? {
    guard let list else { return nil }
    var index = 0
    while let key = list[index], let value = list[index + 1] {
      if String(localName: key) == name { return String(cString: value) }
      index += 2
    }
    return nil
  }
}

/// Reads a part of a workbook with expat.
///
/// Foundation's parser on Linux ends the process on some bytes that are not UTF-8; expat accepts any. Document types are
/// rejected, so that no part can declare entities that expand without limit.
final class XMLReader {
  private let part: any XMLPart
  private let name: String
  private var text = ""
  private var problem: WorkbookProblem?
  private let parser: XML_Parser

  /// Reads an entry of an archive.
  static func read(
    _ name: String, of archive: ZipArchive, as part: some XMLPart
  ) throws(WorkbookProblem) {
    guard let reader = XMLReader(name, part) else {
      throw WorkbookProblem("there is no memory to read the workbook", remedy: "free some memory")
    }
    try archive.read(name) { bytes throws(WorkbookProblem) in
      try reader.parse(bytes, isFinal: false)
    }
    try reader.parse(UnsafeRawBufferPointer(start: nil, count: 0), isFinal: true)
  }

  private init?(_ name: String, _ part: some XMLPart) {
    guard let parser = XML_ParserCreate(nil) else { return nil }
    self.name = name
    self.part = part
    self.parser = parser
    XML_SetUserData(parser, Unmanaged.passUnretained(self).toOpaque())
    XML_SetElementHandler(
      parser,
      { user, name, attributes in
        guard let name else { return }
        XMLReader.of(user)?.handle { reader throws(WorkbookProblem) in
          reader.text.removeAll(keepingCapacity: true)
          try reader.part.start(String(localName: name), XMLAttributes(list: attributes))
        }
      },
      { user, name in
        guard let name else { return }
        XMLReader.of(user)?.handle { reader throws(WorkbookProblem) in
          try reader.part.end(String(localName: name), reader.text)
          reader.text.removeAll(keepingCapacity: true)
        }
      })
    XML_SetCharacterDataHandler(parser) { user, characters, count in
      guard let reader = XMLReader.of(user), reader.part.isCollecting else { return }
      let bytes = UnsafeRawBufferPointer(start: characters, count: Int(count))
      reader.text += String(decoding: bytes, as: UTF8.self)
    }
    XML_SetStartDoctypeDeclHandler(parser) { user, _, _, _, _ in
      XMLReader.of(user)?.handle { reader throws(WorkbookProblem) in
        throw WorkbookProblem(
          "\(reader.name) declares a document type, as no spreadsheet program does")
      }
    }
  }

  deinit { XML_ParserFree(parser) }

  private static func of(_ user: UnsafeMutableRawPointer?) -> XMLReader? {
    user.map { Unmanaged<XMLReader>.fromOpaque($0).takeUnretainedValue() }
  }

  private func handle(_ body: (XMLReader) throws(WorkbookProblem) -> Void) {
    guard problem == nil else { return }
    do throws(WorkbookProblem) {
      try body(self)
    } catch {
      problem = error
      XML_StopParser(parser, XML_Bool(XML_FALSE))
    }
  }

  private func parse(_ bytes: UnsafeRawBufferPointer, isFinal: Bool) throws(WorkbookProblem) {
    let start = bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
    let status = XML_Parse(parser, start, Int32(bytes.count), isFinal ? 1 : 0)
    if let problem { throw problem }
    guard status == XML_STATUS_OK else {
      let reason = XML_ErrorString(XML_GetErrorCode(parser)).map { String(cString: $0) } ?? "no XML"
      throw WorkbookProblem(
        "\(name.excerpt()) is damaged at line \(XML_GetCurrentLineNumber(parser)): \(reason)")
    }
  }
}

extension String {
  /// A name without the prefix of its namespace.
  fileprivate init(localName name: UnsafePointer<XML_Char>) {
    var start = name
    var next = name
    while next.pointee != 0 {
      if next.pointee == 0x3A { start = next + 1 }
      next += 1
    }
    self.init(cString: start)
  }
}
