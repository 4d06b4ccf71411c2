import AlcoholKinetics
import Foundation
import StudySupport
import TestSupport
import Testing

@testable import StudyData
@testable import StudyFiles

/// Tables of events as Arrow streams: read as the same table of text is, and refused where they are damaged.
/// `Tests/Tools/arrow.py` does the same with the streams of other programs.
@Suite struct ArrowTests {
  private static let text = """
    ID,TIME,AMT,DV,EVID,SEX,WEIGHT_KG,AGE,HT
    a,0,40,,1,male,80,30,180
    a,1,,0.5,0,male,80,30,180
    a,2,,0.25,0,male,80,30,180
    ü,0,20.5,,1,female,60,25.5,165
    ü,1.5,,0.125,0,female,60,25.5,165

    """

  /// The table as a stream: names and sexes are texts, all else numbers.
  static func stream(_ text: String = text, rowsPerBatch: Int = 2) -> [UInt8] {
    let lines = text.split(separator: "\n").map {
      $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    }
    let isText = lines[0].map { ["ID", "SEX"].contains($0) }
    var writer = ArrowWriter(
      zip(lines[0], isText).map { ($0, $1 ? .text : .number) }, metadata: [("maker", "test")])
    var bytes = writer.start
    for (number, line) in lines.dropFirst().enumerated() {
      for (index, cell) in line.enumerated() {
        let value: ArrowWriter.Value =
          isText[index] ? .text(cell) : Double(cell).map { .number($0) } ?? .missing
        writer.add(value, to: index)
      }
      writer.endRow()
      if number % rowsPerBatch == rowsPerBatch - 1 { bytes += writer.takeBatch() }
    }
    return bytes + writer.takeBatch() + ArrowWriter.end
  }

  static func read(_ bytes: [UInt8], blockSize: Int = 1 << 18) throws(StudyError) -> Study {
    let file = InputFile(path: "events.arrow", bytes: Data(bytes), blockSize: blockSize)
    file.isArrow = true
    return try StudyInput(events: file, dvUnit: .bloodGramsPerKilogram).study()
  }

  private static func findings(_ bytes: [UInt8]) -> [Diagnostic] {
    do throws(StudyError) {
      return try read(bytes).allDiagnostics
    } catch {
      return error.diagnostics
    }
  }

  @Test(arguments: [1, 2, 3, 100])
  func arrowStreamIsReadLikeCSV(rowsPerBatch: Int) throws {
    let expected = try EventSample(Self.text).read()
    let bytes = Self.stream(rowsPerBatch: rowsPerBatch)
    for blockSize in [1, 7, 1 << 18] {
      let study = try Self.read(bytes, blockSize: blockSize)
      #expect(study.series.map(\.subject) == expected.series.map(\.subject))
      #expect(study.series.map(\.drinks) == expected.series.map(\.drinks))
      #expect(study.series.map(\.readings) == expected.series.map(\.readings))
      #expect(study.allDiagnostics.map(\.code) == expected.allDiagnostics.map(\.code))
    }
  }

  /// Descriptions of every length are a multiple of 8 bytes, and are read back.
  @Test func metadataIsAlignedForAnyLength() throws {
    for length in 0..<40 {
      let name = String(repeating: "x", count: length)
      for count in 0..<4 {
        let numbers = [Int64](repeating: 7, count: count)
        let bytes = FlatValue.buffer([
          .text(name), .byte(1), .integers(numbers, by: 1),
          .tables([[.text(name)], [nil, .short(3)]]),
        ])
        #expect(bytes.count % 8 == 0 && bytes.count < 200 + 3 * length)
        try bytes.withUnsafeBytes { bytes in
          let table = try FlatTable(rootOf: bytes)
          #expect(try table.text(0) == name)
          #expect(try table.integers(2, by: 1) == numbers)
          #expect(try table.tables(3).last?.number(1, Int16.self) == 3)
        }
      }
    }
  }

  @Test func errorsHaveRowAndColumn() throws {
    let spoilt = Self.text.replacing("0.25", with: "-1")
    let finding = try #require(Self.findings(Self.stream(spoilt)).first)
    #expect(finding.code == .range)
    #expect(finding.location.line == 3 && finding.location.column == 4)
    #expect(finding.message.contains("DV is \"-1\""))
  }

  @Test func nanReadingsAreRefused() {
    let codes = Self.findings(Self.stream(Self.text.replacing("0.25", with: "nan"))).map(\.code)
    #expect(codes == [.number])
  }

  @Test func quotesAndHashesInNamesAreKept() throws {
    let study = try Self.read(Self.stream(Self.text.replacing("ü", with: "#\"x")))
    #expect(study.series.map(\.subject.id) == ["a", "#\"x"])
  }

  @Test func arrowFileIsReadLikeAStream() throws {
    let frame = Array("ARROW1\0\0".utf8)
    #expect(try Self.read(frame + Self.stream() + Array("footer".utf8)).series.count == 2)
  }

  /// The people of a second stream would be missing; a file has more behind its end mark.
  @Test func dataAfterTheEndMarkIsRefused() throws {
    for rest in [Self.stream(), [0], Array("ARROW1".utf8)] {
      let finding = try #require(
        Self.findings(Self.stream() + rest).first { $0.code == .fileFormat })
      #expect(finding.message.contains("follows the end mark"))
      #expect(finding.location.line == 6)
    }
  }

  /// Without a sign 64 bits hold twice as much: the rest is neither 0 nor another name.
  @Test(arguments: [(UInt64(1) << 63, false), (.max, false), ((1 << 63) - 1, true), (40, true)])
  func numbersBeyond64BitsWithASignAreRefused(number: UInt64, isRead: Bool) throws {
    let field: [FlatValue?] = [
      .text("ID"), .byte(1), .byte(2), .table([.int(64), .byte(0)]),
    ]
    var body: [UInt8] = []
    body.put(number)
    let header: [FlatValue?] = [
      .long(1), .integers([1, 0], by: 2), .integers([0, 0, 0, 8], by: 2),
    ]
    let bytes =
      Self.message(1, [.short(0), .tables([field])], body: []) + Self.message(3, header, body: body)
      + ArrowWriter.end
    let file = InputFile(path: "x.arrow", bytes: Data(bytes), blockSize: 64)
    file.isArrow = true
    let rows = CSVTable(file)
    #expect(try rows.nextRecord())
    guard !isRead else {
      #expect(try rows.nextRecord() && !rows.nextRecord())
      return
    }
    let problem = #expect(throws: CSVProblem.self) { try rows.nextRecord() }
    #expect(problem?.place == Place(line: 1, column: 1))
    #expect(problem?.code == .fileFormat)
    let found = problem?.message ?? ""
    #expect(found.contains("column \"ID\" has 9.2") || found.contains("column \"ID\" has 1.8"))
  }

  @Test func truncatedStreamsAreRefused() {
    let bytes = Self.stream()
    for count in 0..<bytes.count {
      #expect(Self.findings(Array(bytes[..<count])).contains { $0.code == .fileFormat }, "\(count)")
    }
  }

  @Test func otherDataThanArrowIsRefused() {
    for bytes in [
      Array(Self.text.utf8), [], [0xFF], Array(repeating: 0xFF, count: 64),
      Array(repeating: 0, count: 64),
    ] {
      #expect(Self.findings(bytes).first?.code == .fileFormat)
    }
  }

  /// Descriptions that are well formed and lie.
  @Test(
    arguments: [
      ("rows", .long(.max), [Int64](), [Int64]()), ("rows below 0", .long(-1), [], []),
      ("no columns", .long(1), [], []), ("another length", .long(1), [2, 0], [0, 0, 0, 8]),
      ("more missing than there are", .long(1), [1, 2], [0, 0, 0, 8]),
      ("an offset below 0", .long(1), [1, 0], [0, 0, -8, 8]),
      ("an offset behind the end", .long(1), [1, 0], [0, 0, .max, 8]),
      ("a length behind the end", .long(1), [1, 0], [0, 0, 0, .max]),
      ("a length below 0", .long(1), [1, 0], [0, 0, 0, -1]),
      ("too short", .long(2), [2, 0], [0, 0, 0, 8]),
      ("too few bits for what is missing", .long(8), [8, 1], [0, 0, 0, 32]),
    ] as [(String, FlatValue, [Int64], [Int64])])
  func inconsistentMetadataIsRefused(
    name: String, rows: FlatValue, nodes: [Int64], buffers: [Int64]
  ) throws {
    let header: [FlatValue?] = [rows, .integers(nodes, by: 2), .integers(buffers, by: 2)]
    let message = Self.message(3, header, body: [UInt8](repeating: 0, count: 64))
    let codes = Self.findings(Self.start + message + ArrowWriter.end).map(\.code)
    #expect(codes.contains(.fileFormat), "\(name): \(codes)")
  }

  @Test func compressedBatchesAreRefused() {
    let header: [FlatValue?] = [
      .long(1), .integers([1, 0], by: 2), .integers([0, 0, 0, 8], by: 2), .table([.byte(1)]),
    ]
    let message = Self.message(3, header, body: [UInt8](repeating: 0, count: 8))
    #expect(Self.findings(Self.start + message).map(\.code).contains(.fileFormat))
  }

  @Test(arguments: [7, 8, 10, 12, 13, 23, 99] as [UInt8])
  func unsupportedTypesAreNamed(code: UInt8) throws {
    let field: [FlatValue?] = [.text("DV"), .byte(1), .byte(code), .table([])]
    let message = Self.message(1, [.short(0), .tables([field])], body: [])
    let finding = try #require(Self.findings(message).first)
    #expect(finding.code == .fileFormat)
    #expect(finding.message.contains("DV"))
  }

  /// A body of a huge declared size allocates no more memory than has arrived.
  @Test func hugeDeclaredBodiesAllocateNothing() {
    let description = FlatValue.buffer([
      .short(4), .byte(3), .table([.long(1)]), .long(1 << 50),
    ])
    var message: [UInt8] = [0xFF, 0xFF, 0xFF, 0xFF]
    message.put(Int32(description.count))
    #expect(Self.findings(Self.start + message + description).map(\.code).contains(.fileFormat))
  }

  /// Two thousand entries of a stream's metadata share one text of 16 kB: together they would take 32 MB out of a
  /// description of 24 kB, and with more of them any memory there is.
  @Test func sharedTextsCountTowardsTheMemoryLimit() throws {
    let (count, text) = (2000, String(repeating: "x", count: 1 << 14))
    let entries = Array(repeating: [FlatValue?](), count: count - 1) + [[.text(text)]]
    var bytes = Self.message(1, [.short(0), .tables([]), .tables(entries)], body: [])
    var mark: [UInt8] = []
    mark.put(UInt32(count))
    let first = try #require(bytes.firstRange(of: mark)).upperBound
    let last = first + 4 * (count - 1)
    let distance = bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: last, as: UInt32.self) }
    for place in stride(from: first, to: last, by: 4) {
      var shared: [UInt8] = []
      shared.put(distance + UInt32(last - place))
      bytes.replaceSubrange(place..<place + 4, with: shared)
    }
    let finding = try #require(Self.findings(bytes + ArrowWriter.end).first)
    #expect(finding.code == .fileFormat && finding.message.contains("too long"))
  }

  /// Spoilt bytes give a study or an error, and soon.
  @Test(arguments: 0..<8)
  func spoiltStreamsAreReadOrRefused(seed: Int) {
    var generator = SeededGenerator(seed: UInt64(seed))
    let whole = Self.stream()
    let odd: [UInt8] = [0, 1, 4, 8, 0x7F, 0x80, 0xFE, 0xFF]
    for _ in 0..<1000 {
      var bytes = whole
      for _ in 0...Int.random(in: 0..<4, using: &generator) {
        let place = Int.random(in: 0..<bytes.count, using: &generator)
        switch Int.random(in: 0..<5, using: &generator) {
        case 0: bytes[place] = odd.randomElement(using: &generator) ?? 0
        case 1: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
        case 2: bytes.removeSubrange(place..<min(bytes.count, place + 8))
        case 3: bytes.insert(contentsOf: bytes[max(0, place - 8)..<place], at: place)
        default:
          for index in place..<min(bytes.count, place + 4) {
            bytes[index] = odd.randomElement(using: &generator) ?? 0
          }
        }
        if bytes.isEmpty { bytes = [0] }
      }
      do throws(StudyError) {
        _ = try Self.read(bytes)
      } catch {
        #expect(error.diagnostics.hasError)
      }
    }
  }

  /// The first message of a table of numbers.
  private static let start = ArrowWriter(
    ["ID", "TIME", "AMT", "DV"].map { ($0, .number) }, metadata: []
  ).start

  private static func message(_ kind: UInt8, _ header: [FlatValue?], body: [UInt8]) -> [UInt8] {
    let description = FlatValue.buffer([
      .short(4), .byte(kind), .table(header), .long(Int64(body.count)),
    ])
    var message: [UInt8] = [0xFF, 0xFF, 0xFF, 0xFF]
    message.put(Int32(description.count))
    return message + description + body
  }
}
