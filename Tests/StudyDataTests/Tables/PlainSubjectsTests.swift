import Foundation
import TestSupport
import Testing

@testable import StudyData

/// Subjects who are read fast are read as all others are.
///
/// ``StudyReader`` reads everybody in the same way, ``StudyStream`` reads plain subjects fast.
@Suite struct PlainSubjectsTests {
  private static let plain = StudySample(
    subjects: """
      subject,sex,age_y,height_cm,weight_kg,note
      s1,male,30,180,80.5,left handed
      s2,female,,,70,
      a much longer name,,30,180,80,NA
      s3,male,30,180,80,x

      """,
    drinks: """
      subject,time_min,ethanol_g
      s1,0,20
      s1,10.5,20.25
      s2,0,20
      a much longer name,0,1
      s3,0,20

      """,
    readings: """
      subject,time_min,bac_g_per_kg,lod,exclude
      s1,30,0.5,0.01,0
      s1,45,0.25,,1
      s2,0,0,,
      a much longer name,1,0,,
      s3,0,0,,

      """)

  @Test func mostSubjectsAreReadFast() throws {
    #expect(try Self.plainCount(of: Self.plain) == 3)
    #expect(try Self.series(of: Self.plain) == Self.plain.read().series)
    var windows = Self.plain
    windows.subjects.replace("\n", with: "\r\n")
    windows.drinks.replace("\n", with: "\r\n")
    windows.readings?.replace("\n", with: "\r\n")
    windows.readings?.replace(",", with: ";")
    #expect(try Self.plainCount(of: windows) == 3)
    #expect(try Self.series(of: windows) == Self.plain.read().series)
  }

  @Test(arguments: [
    "subject,time_min,duration_min,ethanol_g\n#,0,,20\n",
    "subject,time_min,ethanol_g_per_kg\n#,0,0.5\n",
    "subject,volume_ml,abv_percent,time_min\n#,500,4.9,0\n",
  ])
  func dosesAreReadFast(drinks: String) throws {
    let (header, row) = (drinks.prefix { $0 != "\n" }, drinks.drop { $0 != "\n" }.dropFirst())
    let rows = ["s1", "s2", "a much longer name", "s3"].map { row.replacing("#", with: $0) }
    var sample = Self.plain
    sample.drinks = header + "\n" + rows.joined()
    #expect(try Self.plainCount(of: sample) == 3)
    #expect(try Self.series(of: sample) == sample.read().series)
  }

  /// The first subject is not plain, for one reason each; the others still are.
  @Test(arguments: [
    (StudyFile.subjects, "s1,male,30", "s1,m,30"),
    (.subjects, "s1,male,30", "s1,male,131"),
    (.subjects, "s1,male,30", "s1,male,NA"),
    (.subjects, "s1,male,30", "s1, male,30"),
    (.subjects, "left handed", "\"left handed\""),
    (.subjects, "left handed", "\u{FC}"),
    (.subjects, "left handed\n", "left handed\n\n"),
    (.subjects, "left handed\n", "left handed\ns1,male,30,180,80,\n"),
    (.drinks, "s1,0,20", "s1,0,20\ns1,0,20"),
    (.drinks, "s1,0,20", "s1,11,20"),
    (.drinks, "s1,0,20", "s1,0,5001"),
    (.drinks, "s1,0,20", "s1,0,-1"),
    (.drinks, "s1,0,20\ns1,10.5,20.25\n", ""),
    (.drinks, "s1,10.5,20.25\n", "\"s1\",10.5,20.25\n"),
    (.drinks, "s1,10.5,20.25\n", "s1 ,10.5,20.25\n"),
    (.readings, "s1,30,0.5,", "s1,50,0.5,"),
    (.readings, "s1,30,0.5,", "s1,45,0.5,"),
    (.readings, "s1,30,0.5,", "s1,-1,0.5,"),
    (.readings, "s1,30,0.5,", "s1,30,50,"),
    (.readings, "s1,30,0.5,", "s1,30,x,"),
    (.readings, "s1,30,0.5,", "s1,30,.,"),
    (.readings, "s1,45,0.25,,1\n", "s1,45,0.25,,1\n\"s1\",50,0.1,,\n"),
    (.readings, "s1,45,0.25,,1\n", "s1,45,0.25,,1\n s1,50,0.1,,\n"),
    (.readings, "s1,45,0.25,,1\n", "s1,45,0.25,,1\n\n"),
    (.readings, "s1,30,0.5,0.01,0\ns1,45,0.25,,1\n", ""),
    // What is only odd together.
    (.subjects, "180,80.5", "180,"),
    (.drinks, "s1,0,20\n", "s1,31,20\n"),
    (.readings, "s1,30,0.5,", "s1,30,4.5,"),
    (
      .readings, "s1,30,0.5,0.01,0\ns1,45,0.25,,1\n",
      "s1,0.5,0,,\ns1,1,0.1,,\ns1,2,0.2,,\ns1,12,0.1,,\n"
    ),
  ])
  func oneIsNotPlain(file: StudyFile, text: String, other: String) throws {
    var sample = Self.plain
    switch file {
    case .subjects: sample.subjects.replace(text, with: other)
    case .drinks: sample.drinks.replace(text, with: other)
    default: sample.readings?.replace(text, with: other)
    }
    #expect(try Self.plainCount(of: sample) == 2)
    #expect(try Self.series(of: sample) == sample.read().series)
  }

  /// Two ways to write a name that are the same text: the bytes differ, the subject does not.
  @Test func namesAreTextAndNotBytes() throws {
    let sample = StudySample(
      subjects: "subject\nK\nb\nc\n", drinks: "subject,time_min,ethanol_g\nK,0,1\nb,0,1\nc,0,1\n",
      readings: "subject,time_min,bac_g_per_kg\nK,1,0.1\n\u{212A},2,0.1\nb,1,0.1\nc,1,0.1\n")
    let series = try Self.series(of: sample)
    #expect(try series == sample.read().series)
    #expect(series.map(\.readings.count) == [2, 1, 1])
  }

  @Test func manyReadingsAreLeftToTheTables() throws {
    for count in [PlainReadings.few, PlainReadings.few + 1] {
      let names = ["a", "b", "c", "d"]
      let rows = names.flatMap { name in (0..<count).map { "\(name),\($0),0.5\n" } }
      let sample = StudySample(
        subjects: "subject\n" + names.joined(separator: "\n") + "\n",
        drinks: "subject,time_min,ethanol_g\n" + names.map { "\($0),0,20\n" }.joined(),
        readings: "subject,time_min,bac_g_per_kg\n" + rows.joined())
      #expect(try Self.plainCount(of: sample) == (count == PlainReadings.few ? 3 : 0))
      #expect(try Self.series(of: sample) == sample.read().series)
    }
  }

  @Test func aSubjectWhoComesAgainBreaksTheOrder() throws {
    var sample = Self.plain
    sample.subjects += "s2,male,30,180,80,x\ns4,male,30,180,80,\n"
    var stream = try StudyStream(.folder(sample.folder()))
    #expect(stream.diagnostics.last?.code == .subjectOrder)
    #expect(try Self.all(of: &stream) == sample.read().series)
  }

  @Test(arguments: 0..<20)
  func anyFolderIsReadInTheSameWay(seed: Int) throws {
    var generator = SeededGenerator(seed: UInt64(seed))
    for _ in 0..<100 {
      let folder = Self.spoiltFolder(using: &generator)
      let whole = Result { () throws(StudyError) in try StudyReader.read(folder) }
      do throws(StudyError) {
        var stream = try StudyStream(.folder(folder))
        #expect(try Self.all(of: &stream) == whole.get().series)
        let added = stream.diagnostics.last?.code == .subjectOrder ? 1 : 0
        #expect(try stream.diagnostics.dropLast(added) == whole.get().diagnostics[...])
      } catch {
        #expect(whole == .failure(error))
      }
    }
  }

  /// The plain study with nothing or a few things spoilt, read in blocks of any size.
  private static func spoiltFolder(using generator: inout SeededGenerator) -> StudyFolder {
    let spoilt = Int.random(in: 0..<4, using: &generator)
    let texts = [plain.subjects, plain.drinks, plain.readings ?? ""].enumerated()
    let files = texts.map { index, text in
      var bytes = Array(text.utf8)
      if index == spoilt {
        for _ in 0..<Int.random(in: 1...3, using: &generator) {
          FuzzTests.mutate(&bytes, using: &generator)
        }
      }
      return Data(bytes)
    }
    let blockSize = Int.random(in: 1...400, using: &generator)
    return StudyFolder(
      Array(zip([.subjects, .drinks, .readings], files)), blockSize: blockSize)
  }

  private static func series(of sample: StudySample) throws -> [Series] {
    var stream = try StudyStream(.folder(sample.folder()))
    #expect(stream.diagnostics.allSatisfy { $0.code != .subjectOrder })
    return try all(of: &stream)
  }

  private static func all(of stream: inout StudyStream) throws(StudyError) -> [Series] {
    var all: [Series] = []
    while let series = try stream.next() { all.append(series) }
    return all
  }

  /// How many subjects are read fast. The last never is, as nobody follows.
  private static func plainCount(of sample: StudySample) throws -> Int {
    var tables = FolderTables(sample.folder())
    var count = 0
    while true {
      if tables.readPlainSubject() {
        count += 1
      } else {
        var draft = StudyDraft()
        guard tables.readSubject(into: &draft) else { return count }
      }
    }
  }
}
