import AlcoholKinetics
import GRDB
import StoreSupport
import StudyData
import StudyFiles
@_spi(StudyDay) import StudyStore
import TestSupport
import Testing

/// A study in a database is read a series at a time as it is read at once.
@Suite struct StoredStreamTests {
  private let folder: TemporaryFolder
  private let path: String

  init() throws {
    folder = try TemporaryFolder()
    path = folder("study.sqlite")
    _ = try StudyStore.change(path) { try $0.add(SmallStudy.study()) }
  }

  @Test func streamGivesTheWholeStudy() throws {
    let study = try StudyStore(path: path, for: .reading).study()
    var stream = try StudyStore(path: path, for: .reading).stream()
    #expect(stream.name == study.name)
    #expect(stream.title == study.title)
    #expect(stream.instrument == study.instrument)
    #expect(stream.count == study.series.count)
    #expect(!stream.isLive)
    #expect(try rest(of: &stream) == study.series)
    #expect(stream.diagnostics == study.diagnostics)
    #expect(stream.inputs == study.inputs)
    #expect(try stream.next() == nil)
    #expect(try StudyReader(database: path).study() == study)
  }

  /// A reader sees one state of the database during concurrent writes.
  @Test func streamIgnoresConcurrentWrites() throws {
    let study = try StudyStore(path: path, for: .reading).study()
    var stream = try StudyReader(database: path).stream()
    #expect(try stream.next() == study.series[0])
    try StudyStore(path: path, for: .changing).write([]) { db in
      try db.execute(sql: "DELETE FROM readings; DELETE FROM drinks")
    }
    #expect(try rest(of: &stream) == Array(study.series.dropFirst()))
    #expect(try StudyStore(path: path, for: .reading).study() != study)
  }

  /// Damage ends the stream before anything is given out.
  @Test func damageIsReportedBeforeTheFirstSeries() throws {
    try StudyStore(path: path, for: .changing).write([]) { db in
      try db.execute(sql: "PRAGMA ignore_check_constraints = ON")
      try db.execute(sql: "UPDATE drinks SET uuid = x'00'")
    }
    let error = try #require(throws: StoreError.self) {
      try StudyReader(database: path).stream()
    }
    #expect(error.code == .corrupt)
  }

  private func rest(of stream: inout StudyStream) throws -> [Series] {
    var all: [Series] = []
    while let series = try stream.next() { all.append(series) }
    return all
  }
}
