import CSheets
import Foundation
@_spi(StudyDay) import StudyData

/// Reads an export of Apple Health element by element, so that it may be of any size.
///
/// expat, since it takes any bytes and says where it stopped: Foundation's parser on Linux ends the process at names
/// that are not UTF-8, at `<?x?>` and at declarations of attributes without a default.
final class HealthParser {
  /// The person whose export it is.
  struct Person {
    var sex: String?
    var dateOfBirth: String?
  }

  /// The longest tag or comment, in bytes; those of real exports have a few hundred.
  static let limit = 1 << 16
  /// Maximum depth of nested elements; real exports have four.
  private static let depthLimit = 256

  private let stream: InputStream
  private let file: String
  private let onPerson: (Person) throws -> Void
  private let onRecord: ([String: String], _ line: Int) throws -> Void

  private let parser: XML_Parser
  private var depth = 0
  private var failure: (any Error)?
  /// The bytes that may begin a character which the last block ended in.
  private var rest: [UInt8] = []
  private var blocks = UTF8Blocks()
  /// Offset of the first byte that expat has not seen.
  private var offset = 0

  /// Makes a parser of a stream that passes persons and records to handlers as they come.
  init(
    _ stream: InputStream, file: String,
    person: @escaping (Person) throws -> Void,
    record: @escaping ([String: String], _ line: Int) throws -> Void
  ) throws {
    // Whatever encoding is declared, the text is checked to be UTF-8.
    guard let parser = XML_ParserCreate("UTF-8") else {
      throw HealthFinding(code: .unreadable, file: file, message: "there is no memory to read it")
    }
    self.parser = parser
    self.stream = stream
    self.file = file
    onPerson = person
    onRecord = record
    XML_SetUserData(parser, Unmanaged.passUnretained(self).toOpaque())
    setHandlers()
  }

  deinit { XML_ParserFree(parser) }

  /// Reads to the end; throws ``HealthFinding`` if it is no export, or what the handlers throw.
  func parse() throws {
    stream.open()
    defer { stream.close() }
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = stream.read(&buffer, maxLength: buffer.count)
      guard count >= 0 else {
        throw finding(.unreadable, "the rest of the file cannot be read")
      }
      guard count > 0 else { return try finish() }
      try parse(buffer[..<count])
    }
  }

  /// Parses the next bytes.
  func parse(_ block: ArraySlice<UInt8>) throws {
    try feed(rest + block, isFinal: false)
  }

  /// Ends the document, which must be whole.
  func finish() throws {
    try feed(rest, isFinal: true)
  }

  private func feed(_ bytes: [UInt8], isFinal: Bool) throws {
    // UTF-16 and UTF-32 have a byte order mark, or NUL in every character of the markup.
    if offset == 0,
      bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF])
        || bytes.prefix(4).contains(0)
    {
      throw otherEncoding
    }
    try bytes.withUnsafeBytes { bytes in
      let length: Int
      do throws(UTF8Blocks.InvalidText) {
        length = try blocks.validate(bytes, isLast: isFinal)
      } catch {
        throw finding(.encoding, at: (error.line, error.column), error.message)
      }
      let text = UnsafeRawBufferPointer(rebasing: bytes[..<length])
      rest = Array(bytes[length...])
      offset += length
      let status = XML_Parse(
        parser, text.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(length),
        isFinal ? 1 : 0)
      if let failure { throw failure }
      guard status == XML_STATUS_OK else { throw notXML }
      // expat keeps markup until it ends, and looks for the end only when what it keeps has doubled; until then it
      // does not know where it is.
      let begin = Int(XML_GetCurrentByteIndex(parser))
      guard isFinal || begin < 0 || offset - begin <= 4 * Self.limit else {
        throw tooLong
      }
    }
  }

  // MARK: Findings

  private typealias Position = (line: Int, column: Int)

  private var position: Position {
    (
      line: Int(XML_GetCurrentLineNumber(parser)),
      column: Int(XML_GetCurrentColumnNumber(parser)) + 1
    )
  }

  private func finding(
    _ code: HealthFinding.Code, at position: Position? = nil, _ message: String
  ) -> HealthFinding {
    HealthFinding(
      code: code, file: file, line: position?.line, column: position?.column, message: message)
  }

  private var otherEncoding: HealthFinding { finding(.encoding, "the text is not UTF-8") }

  private var tooLong: HealthFinding {
    finding(.markup, at: position, "an element or a comment is longer than \(Self.limit) bytes")
  }

  private var notXML: HealthFinding {
    XML_GetErrorCode(parser) == XML_ERROR_NO_ELEMENTS
      ? finding(.notXML, "the file is empty or not XML")
      : finding(.notXML, at: position, "the file is not XML from here on, or ends here")
  }

  // MARK: Handlers

  private func setHandlers() {
    XML_SetElementHandler(
      parser,
      { user, name, attributes in
        guard let name, let attributes else { return }
        HealthParser.handle(user) { try $0.start(String(cString: name), attributes) }
      },
      { user, _ in HealthParser.handle(user) { $0.depth -= 1 } })
    XML_SetCommentHandler(parser) { user, _ in
      HealthParser.handle(user) { try $0.checkLength() }
    }
    XML_SetProcessingInstructionHandler(parser) { user, _, _ in
      HealthParser.handle(user) { parser in
        throw parser.finding(
          .markup, at: parser.position, "there is a processing instruction, as in no export")
      }
    }
    // Nothing outside of the file is read.
    XML_SetExternalEntityRefHandler(parser) { _, _, _, _, _ in 0 }
    XML_SetXmlDeclHandler(parser) { user, _, encoding, _ in
      // Encodings whose markup is that of UTF-8 byte by byte.
      guard let encoding, !["utf-8", "us-ascii"].contains(String(cString: encoding).lowercased())
      else { return }
      HealthParser.handle(user) { throw $0.otherEncoding }
    }
  }

  /// Does something for an event; if that fails, the parser stops.
  private static func handle(
    _ user: UnsafeMutableRawPointer?, _ body: (HealthParser) throws -> Void
  ) {
    guard let user else { return }
    let parser = Unmanaged<HealthParser>.fromOpaque(user).takeUnretainedValue()
    guard parser.failure == nil else { return }
    do {
      try body(parser)
    } catch {
      parser.failure = error
      XML_StopParser(parser.parser, XML_Bool(XML_FALSE))
    }
  }

  private func checkLength() throws {
    guard XML_GetCurrentByteCount(parser) <= Self.limit else { throw tooLong }
  }

  private func start(
    _ name: String, _ list: UnsafeMutablePointer<UnsafePointer<XML_Char>?>
  ) throws {
    try checkLength()
    guard depth > 0 || name == "HealthData" else {
      throw HealthFinding(
        code: .root, file: file, line: position.line,
        message: "the file begins with \(name), not with HealthData")
    }
    depth += 1
    guard depth <= Self.depthLimit else {
      throw finding(.notXML, at: position, "elements lie in each other \(depth) deep")
    }
    switch name {
    case "Record": try onRecord(Self.attributes(list), position.line)
    case "Me":
      let attributes = Self.attributes(list)
      try onPerson(
        Person(
          sex: attributes["HKCharacteristicTypeIdentifierBiologicalSex"],
          dateOfBirth: attributes["HKCharacteristicTypeIdentifierDateOfBirth"]))
    default: break
    }
  }

  private static func attributes(
    _ list: UnsafeMutablePointer<UnsafePointer<XML_Char>?>
  ) -> [String: String] {
    var attributes: [String: String] = [:]
    var index = 0
    while let name = list[index], let value = list[index + 1] {
      attributes[String(cString: name)] = String(cString: value)
      index += 2
    }
    return attributes
  }
}
