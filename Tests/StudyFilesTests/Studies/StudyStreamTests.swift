import Foundation
import StudySupport
import TestSupport
import Testing

@testable import StudyData
@testable import StudyFiles

/// A study read a series at a time is the same study.
@Suite struct StudyStreamTests {
  private static let ordered = StudySample(
    subjects: """
      subject,sex,age_y,height_cm,weight_kg,note
      ann,female,30,165,60,"a
      b"
      bob,male,40,180,80,
      cem,male,50,175,x,c
      d\u{FC},female,35,170,65,\u{20AC}\u{20AC}

      """,
    drinks: """
      subject,occasion,time_min,ethanol_g
      ann,1,0,40
      ann,1,0,40
      ann,2,0,30
      bob,1,10,20
      bob,1,0,20
      "d\u{FC}",1,0,40

      """,
    readings: """
      subject,occasion,time_min,bac_g_per_kg
      ann,2,30,0.5
      ann,1,60,0.4
      ann,1,45,0.45\r
      bob,1,30,-1
      bob,1,40,0.3
      bob,1,40,0.2
      cem,1,40,0.2
      d\u{FC},1,40,0.2
      d\u{FC},1,50,0.1
      """)

  @Test(arguments: [1, 2, 3, 7, 16, 61, 4096])
  func blockSizeDoesNotChangeTheStudy(blockSize: Int) throws {
    let folder = Self.ordered.folder(blockSize: blockSize)
    let whole = try Self.ordered.read()
    #expect(try folder.study() == whole)
    try Self.expect(StudyStream(folder), toGive: whole)
  }

  @Test func brokenSubjectOrderIsReported() throws {
    var sample = Self.ordered
    sample.drinks = """
      subject,occasion,time_min,ethanol_g
      bob,1,10,20
      ann,1,0,40
      """
    let whole = try sample.read()
    var stream = try StudyStream(sample.folder())
    let added = try #require(stream.diagnostics.last)
    #expect(added.code == .subjectOrder)
    #expect(added.location == SourceLocation(file: "study"))
    #expect(stream.diagnostics.dropLast() == whole.diagnostics[...])
    #expect(try stream.rest().series == whole.series)
  }

  @Test func aSubjectWithTwoRowsApartBreaksTheOrder() throws {
    let sample = StudySample(
      subjects: "subject\nann\nbob\nann\n", drinks: "subject,time_min,ethanol_g\nann,0,1\n",
      readings: nil)
    var stream = try StudyStream(sample.folder())
    #expect(stream.diagnostics.last?.code == .subjectOrder)
    #expect(try stream.rest().series == sample.read().series)
  }

  @Test(arguments: [16, 4096])
  func copiesOfAStreamShareItsPosition(blockSize: Int) throws {
    let whole = try Self.ordered.read()
    var streams = [try StudyStream(Self.ordered.folder(blockSize: blockSize))]
    streams.append(streams[0])
    var all: [Series] = []
    while let series = try streams[all.count % 2].next() { all.append(series) }
    #expect(all == whole.series)
    #expect(try streams[0].next() == nil)
    #expect(try streams[1].next() == nil)
  }

  @Test func refusesStudiesThatTheReaderRefuses() throws {
    var sample = Self.ordered
    sample.readings? += "\n,1,2,0.1\nann,1"
    let refusal = try #require(throws: StudyError.self) { try sample.read() }
    #expect(throws: refusal) { try StudyStream(sample.folder()) }
  }

  @Test(arguments: 0..<8)
  func streamAgreesWithTheReaderOnSpoiltFiles(seed: Int) throws {
    var generator = SeededGenerator(seed: UInt64(seed))
    for _ in 0..<200 {
      let blockSize = Int.random(in: 1...80, using: &generator)
      let folder = FuzzTests.spoiltFolder(blockSize: blockSize, using: &generator)
      let whole = Result { () throws(StudyError) in try folder.study() }
      do {
        try Self.expect(StudyStream(folder), toGive: whole.get())
      } catch let error as StudyError {
        #expect(whole == .failure(error))
      }
    }
  }

  @Test(arguments: [1, 5, 64, 4096])
  func eventTablesStreamTheSameStudy(blockSize: Int) throws {
    let rows = "a,0,30,.\na,1,.,0.4\n\"b\nc\",0,20,.\n\"b\nc\",1,x,0.4\nd,1,,0.2\n"
    let sample = EventSample("ID,TIME,AMT,DV\n" + rows)
    try Self.expect(StudyStream(sample.input(blockSize: blockSize)), toGive: sample.read())
    let mixed = EventSample("ID,TIME,AMT,DV\n" + rows + "a,2,.,0.3\n")
    let stream = try StudyStream(mixed.input(blockSize: blockSize))
    #expect(stream.diagnostics.last?.code == .subjectOrder)
    try Self.expect(stream, toGive: mixed.read())
  }

  // MARK: Beyond what is read ahead

  /// A cohort with more rows than are read ahead, and something in the place of one of its lines.
  private static func large(_ line: Int, _ text: String) -> EventSample {
    var rows: [String] = ["ID,TIME,AMT,DV,SEX,AGE,HT,WT"]
    for subject in 0..<800 {
      rows.append("s\(1000 + subject),0,40,.,m,30,180,80")
      for reading in 1...100 {
        rows.append("s\(1000 + subject),\(Double(reading) / 20),.,0.5,m,30,180,80")
      }
    }
    if line > 0 { rows[line - 1] = text }
    return EventSample(rows.joined(separator: "\n") + "\n")
  }

  @Test(arguments: [
    ("s1791,x\n", DiagnosticCode.csv), ("\"s1791\"x", .csv),
    ("s1000,9,.,0.1,m,30,180,80", .subjectApart),
  ])
  func seriesBeforeABrokenRowAreGivenOut(text: String, code: DiagnosticCode) throws {
    // The 50th row of the 792nd subject.
    let sample = Self.large(1 + 791 * 101 + 50, text)
    var stream = try StudyStream(sample.input())
    #expect(stream.count == nil)
    var given = 0
    let error = try #require(throws: StudyError.self) {
      while try stream.next() != nil { given += 1 }
    }
    #expect(given == 791)
    #expect(error.diagnostics.map(\.code).contains(code))
    #expect(try stream.next() == nil)
  }

  @Test func largeStudyStreamsTheSameSeries() throws {
    let sample = Self.large(0, "")
    var stream = try StudyStream(sample.input())
    #expect(stream.count == nil)
    #expect(try stream.rest().series == sample.input().seriesAtOnce())
  }

  /// Errors in the rows after a broken one are reported, too.
  @Test func errorsAfterABrokenRowAreReported() throws {
    var sample = Self.large(1 + 791 * 101 + 50, "s1791,x")
    sample.text += "s1800,0,40,.,m,30,180,80\ns1800,1,.,-1,m,30,180,80\ns1801,1\n"
    var stream = try StudyStream(sample.input())
    let error = try #require(throws: StudyError.self) { while try stream.next() != nil {} }
    #expect(
      error.diagnostics.map(\.code) == [.csv, .csv, .range])
  }

  private static func expect(_ stream: StudyStream, toGive study: Study) throws {
    var stream = stream
    let wasWhole = stream.diagnostics.last?.code == .subjectOrder
    #expect(stream.diagnostics.dropLast(wasWhole ? 1 : 0) == study.diagnostics[...])
    #expect(stream.name == study.name)
    #expect(stream.title == study.title)
    #expect(stream.instrument == study.instrument)
    #expect(stream.count == study.series.count)
    #expect(try stream.rest().series == study.series)
  }
}
