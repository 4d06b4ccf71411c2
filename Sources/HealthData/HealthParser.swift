import Foundation

#if canImport(FoundationXML)
  import FoundationXML
#endif

/// Reads an export of Apple Health element by element, so that it may be of any size.
final class HealthParser: NSObject, XMLParserDelegate {
  /// The person whose export it is.
  struct Person {
    var sex: String?
    var dateOfBirth: String?
  }

  private let stream: HealthStream
  private let parser: XMLParser
  private let file: String
  private let takePerson: (Person) throws -> Void
  private let takeRecord: ([String: String], _ line: Int) throws -> Void
  private var isInside = false
  private var failure: (any Error)?

  /// Prepares to read a stream; what is found in it is handed over as it comes.
  init(
    _ stream: InputStream, file: String,
    person: @escaping (Person) throws -> Void,
    record: @escaping ([String: String], _ line: Int) throws -> Void
  ) {
    self.stream = HealthStream(stream)
    parser = XMLParser(stream: self.stream)
    self.file = file
    takePerson = person
    takeRecord = record
    super.init()
    parser.delegate = self
  }

  /// Reads to the end.
  ///
  /// - Throws: ``HealthFinding`` if it is no export, or what the handlers throw.
  func parse() throws {
    let isComplete = parser.parse()
    if let failure { throw failure }
    if let problem = stream.problem {
      throw HealthFinding(
        code: problem.code, file: file, line: problem.line, column: problem.column,
        message: problem.message)
    }
    guard !stream.isUnreadable else {
      throw HealthFinding(
        code: .unreadable, file: file, message: "the rest of the file cannot be read")
    }
    guard !isComplete || parser.parserError != nil || !isInside else { return }
    throw finding(for: parser.parserError)
  }

  func parser(
    _ parser: XMLParser, didStartElement name: String, namespaceURI: String?,
    qualifiedName: String?, attributes: [String: String]
  ) {
    do {
      switch name {
      case "Record" where isInside: try takeRecord(attributes, parser.lineNumber)
      case "Me" where isInside:
        try takePerson(
          Person(
            sex: attributes["HKCharacteristicTypeIdentifierBiologicalSex"],
            dateOfBirth: attributes["HKCharacteristicTypeIdentifierDateOfBirth"]))
      case "HealthData": isInside = true
      default:
        guard !isInside else { return }
        throw HealthFinding(
          code: .root, file: file, line: parser.lineNumber,
          message: "the file begins with \(name), not with HealthData")
      }
    } catch {
      failure = error
      parser.abortParsing()
    }
  }

  /// What libxml2 says about bytes: not UTF-8, of an encoding it has not, of another than stated.
  private static let encodingErrors = [9, 31, 32, 81, 6003]

  private func finding(for error: (any Error)?) -> HealthFinding {
    let code = (error as NSError?)?.code ?? 0
    let isEncoding = stream.isOtherEncoding || Self.encodingErrors.contains(code)
    let message =
      isEncoding
      ? "the text is not UTF-8"
      : parser.lineNumber > 0
        ? "the file is not XML from here on, or ends here" : "the file is empty or not XML"
    return HealthFinding(
      code: isEncoding ? .encoding : .notXML, file: file,
      line: parser.lineNumber > 0 ? parser.lineNumber : nil, message: message)
  }
}

/// A stream of XML without its declaration of a document type, that ends where its parser must not go
/// on.
final class HealthStream: InputStream {
  /// More than any prolog: Apple's has 15 kB.
  private static let limit = 1 << 20

  private let source: InputStream
  private var prolog: [UInt8] = []
  private var given = 0

  /// Whether the text is not in UTF-8; then it ends at once.
  private(set) var isOtherEncoding = false
  /// Why the stream ended before its end.
  private(set) var problem: MarkupCheck.Problem?
  /// Whether the source could not be read to its end.
  private(set) var isUnreadable = false

  private var check = MarkupCheck()

  init(_ source: InputStream) {
    self.source = source
    super.init(data: Data())
  }

  override func open() {
    source.open()
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while prolog.count < Self.limit {
      let count = source.read(&buffer, maxLength: buffer.count)
      isUnreadable = count < 0
      guard count > 0 else { break }
      prolog += buffer[..<count]
      switch XMLProlog.blank(&prolog) {
      case .isIncomplete: continue
      case .isBlanked: return
      case .isOtherEncoding:
        isOtherEncoding = true
        prolog = []
        return
      }
    }
    // No element comes: the rest must not be parsed, since it may declare something.
    prolog = []
    source.close()
  }

  override func close() {
    source.close()
  }

  override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength: Int) -> Int {
    guard !isOtherEncoding, !prolog.isEmpty, problem == nil else { return 0 }
    let count =
      given < prolog.count
      ? copyProlog(buffer, maxLength) : source.read(buffer, maxLength: maxLength)
    isUnreadable = count < 0
    guard count >= 0 else { return count }
    do throws(MarkupCheck.Problem) {
      let block = UnsafeRawBufferPointer(start: buffer, count: count)
      try check.check(block, isWhole: count == 0)
      return count
    } catch {
      problem = error
      return 0
    }
  }

  private func copyProlog(_ buffer: UnsafeMutablePointer<UInt8>, _ maxLength: Int) -> Int {
    let count = min(maxLength, prolog.count - given)
    prolog.withUnsafeBufferPointer { bytes in
      guard let start = bytes.baseAddress else { return }
      buffer.update(from: start + given, count: count)
    }
    given += count
    return count
  }

  override var hasBytesAvailable: Bool {
    given < prolog.count || (!prolog.isEmpty && source.hasBytesAvailable)
  }
}
