import AlcoholKinetics
import Foundation
import StudySupport
import TestSupport
import Testing

@testable import StudyData
@testable import StudyFiles

/// Tables that are read in step, a subject at a time, give what tables give that are read one after the
/// other.
@Suite struct TablesInStepTests {
  private static let sample = StudySample(
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

  /// The people of a study are its rows of subjects, also where series are not counted before the last.
  @Test func peopleAreCountedBeforeTheyAreRead() throws {
    let reader = try StudyFolderReader(Self.sample.folder())
    #expect(reader.people == 4 && reader.count == nil)
    #expect(try reader.next()?.subject.id == "s1")
  }

  /// The first subject is odd, for one reason each.
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
  func oneOddTableGivesTheSameSeries(file: StudyFile, text: String, other: String) throws {
    var sample = Self.sample
    switch file {
    case .subjects: sample.subjects.replace(text, with: other)
    case .drinks: sample.drinks.replace(text, with: other)
    default: sample.readings?.replace(text, with: other)
    }
    let input = sample.folder()
    #expect(try Self.inStep(input).series == input.seriesAtOnce())
  }

  /// Two ways to write a name that are the same text: the bytes differ, the subject does not.
  @Test func subjectsAreComparedAsText() throws {
    let sample = StudySample(
      subjects: "subject\nK\nb\nc\n", drinks: "subject,time_min,ethanol_g\nK,0,1\nb,0,1\nc,0,1\n",
      readings: "subject,time_min,bac_g_per_kg\nK,1,0.1\n\u{212A},2,0.1\nb,1,0.1\nc,1,0.1\n")
    let input = sample.folder()
    let series = Self.inStep(input).series
    #expect(try series == input.seriesAtOnce())
    #expect(series.map(\.readings.count) == [2, 1, 1])
  }

  @Test(arguments: 0..<20)
  func steppedReadingMatchesReadingAtOnce(seed: Int) {
    var generator = SeededGenerator(seed: UInt64(seed))
    for _ in 0..<100 {
      let input = Self.spoiltFolder(using: &generator)
      let whole = Result { () throws(StudyError) in try input.seriesAtOnce() }
      let (series, error) = Self.inStep(input)
      let isApart = error?.diagnostics.contains { $0.code == .subjectApart } == true
      if error == nil {
        #expect(whole == .success(series))
      } else {
        // Rows in no order make a study that cannot be read in step; else it cannot be read at all.
        #expect(isApart || (try? whole.get()) == nil)
      }
      let study = Result { () throws(StudyError) in try input.study().series }
      #expect((try? study.get()) == (try? whole.get()))
    }
  }

  @Test func subjectsWithoutRowsKeepTheOrder() throws {
    let sample = StudySample(
      subjects: "subject\na\nb\nc\nd\ne\n",
      drinks: "subject,time_min,ethanol_g\nb,0,1\nd,0,1\n",
      readings: "subject,time_min,bac_g_per_kg\na,1,0.1\ne,1,0.1\n")
    let (series, error) = Self.inStep(sample.folder())
    #expect(error == nil)
    #expect(series.map(\.subject.id) == ["a", "b", "c", "d", "e"])
    #expect(series.map(\.drinks.count) == [0, 1, 0, 1, 0])
    #expect(try series == sample.folder().seriesAtOnce())
  }

  /// Series that were given out are whole; no series is made of the rows that follow an error.
  @Test(arguments: [
    (StudyFile.drinks, "s3,0,20\n", "s3,0,20\ns1,20,10\n", 3),
    (.drinks, "s2,0,20\n", "nobody,0,1\ns2,0,20\n", 0),
    (.readings, "s2,0,0,,\n", "", 4),
    (.readings, "s3,0,0,,\n", "s3,0,0,,\ns2,5,0.1,,\n", 3),
    (.subjects, "s3,male,30,180,80,x\n", "s1,male,30,180,80,x\n", 2),
    (.readings, "s2,0,0,,\n", "s2,0,0,\n", 0),
    (.readings, "s3,0,0,,\n", "s3,0,0,,\n,1,1,,\n", 3),
    (.subjects, "s2,female,,,70,\n", "s2,female,,,70\n", 0),
    (.drinks, "s2,0,20\n", "\"s2\"x,0,20\n", 0),
  ])
  func incompleteSeriesAreNotGivenOut(
    file: StudyFile, text: String, other: String, count: Int
  ) throws {
    var sample = Self.sample
    switch file {
    case .subjects: sample.subjects.replace(text, with: other)
    case .drinks: sample.drinks.replace(text, with: other)
    default: sample.readings?.replace(text, with: other)
    }
    let (series, error) = Self.inStep(sample.folder())
    let whole = try Self.sample.folder().seriesAtOnce()
    #expect(series.count == count)
    #expect((error == nil) == (count == whole.count))
    for (one, other) in zip(series, whole) where file != .readings || text != "s2,0,0,,\n" {
      #expect(one == other)
    }
  }

  /// All series that are given out where nothing is read ahead, and what ended it.
  private static func inStep(_ input: StudyInput) -> (series: [Series], error: StudyError?) {
    var all: [Series] = []
    do throws(StudyError) {
      let reader = try input.inOrder()
      while let series = try reader.next() { all.append(series) }
    } catch {
      return (all, error)
    }
    return (all, nil)
  }

  /// The plain study with nothing or a few things spoilt, read in blocks of any size.
  private static func spoiltFolder(using generator: inout SeededGenerator) -> StudyInput {
    let spoilt = Int.random(in: 0..<4, using: &generator)
    let texts = [sample.subjects, sample.drinks, sample.readings ?? ""].enumerated()
    let files = texts.map { index, text in
      var bytes = Array(text.utf8)
      if index == spoilt {
        for _ in 0..<Int.random(in: 1...3, using: &generator) {
          Spoiling.mutate(&bytes, using: &generator)
        }
      }
      return Data(bytes)
    }
    let blockSize = Int.random(in: 1...400, using: &generator)
    return StudyInput(
      Array(zip([.subjects, .drinks, .readings], files)), blockSize: blockSize)
  }
}

extension StudyInput {
  /// All series, of all rows read at once, a table after the other.
  func seriesAtOnce() throws(StudyError) -> [Series] {
    let reader = try inOrder()
    try reader.readAtOnce()
    return reader.ready
  }
}
