import Foundation
import TestSupport
import Testing

@testable import StudyData

/// What is read from a file is of one version of it, or refused.
@Suite struct InputFileTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try folder.write(StudySample())
  }

  private func stream() throws -> StudyStream { try StudyStream(folder.path) }

  /// Writes into a file that is there, as an editor that keeps it does.
  private func overwrite(_ name: String, at offset: UInt64, with text: String) throws {
    let file = try FileHandle(forUpdating: URL(filePath: folder(name)))
    try file.seek(toOffset: offset)
    try file.write(contentsOf: Data(text.utf8))
    try file.close()
  }

  private func end(of stream: StudyStream) -> StudyError? {
    var stream = stream
    do throws(StudyError) {
      while try stream.next() != nil {}
      return nil
    } catch {
      return error
    }
  }

  @Test(arguments: ["subjects.csv", "drinks.csv", "readings.csv"])
  func aFileThatIsWrittenToEndsAStream(_ name: String) throws {
    let stream = try stream()
    let size = try folder.read(name).utf8.count
    try overwrite(name, at: UInt64(size - 2), with: "7")
    let error = end(of: stream)
    #expect(error?.kind == .changed)
    #expect(error?.diagnostics.map(\.code) == [.inputChanged])
    #expect(error?.diagnostics.first?.location.file == folder(name))
  }

  /// A reading that is not one any more would be another error.
  @Test func thatItWasWrittenToIsWhatIsWrong() throws {
    let stream = try stream()
    try overwrite("readings.csv", at: 0, with: "\"")
    #expect(end(of: stream)?.diagnostics.map(\.code) == [.inputChanged])
  }

  /// Size and time are as they were, as after `rsync --times --inplace`.
  @Test func contentsTellWhereTheTimeDoesNot() throws {
    let file = URL(filePath: folder("readings.csv"))
    let time = try #require(
      try file.resourceValues(forKeys: [.contentModificationDateKey]).contentModificationDate)
    // To the second: dates carry no nanoseconds.
    let whole = Date(timeIntervalSince1970: time.timeIntervalSince1970.rounded(.down))
    let keepTime = {
      try FileManager.default.setAttributes([.modificationDate: whole], ofItemAtPath: file.path)
    }
    try keepTime()
    let input = try #require(try InputFile(opening: file.path))
    _ = try input.digest()
    let text = try folder.read("readings.csv")
    try overwrite("readings.csv", at: 0, with: text.replacing("0.4", with: "0.3"))
    try keepTime()
    let error = #expect(throws: StudyError.self) { try input.digest() }
    #expect(error?.diagnostics.map(\.code) == [.inputChanged])
  }

  /// What is open is the version that was there: all of it.
  @Test func aFileThatIsReplacedIsNotWrittenTo() throws {
    let stream = try stream()
    let text = try folder.read("readings.csv")
    try folder.write(text.replacing("0.4", with: "0.3"), to: "new.csv")
    try FileManager.default.removeItem(atPath: folder("readings.csv"))
    try FileManager.default.moveItem(atPath: folder("new.csv"), toPath: folder("readings.csv"))
    #expect(end(of: stream) == nil)
  }

  @Test func nothingIsSaidOfFilesThatAreLeftAlone() throws {
    #expect(end(of: try stream()) == nil)
    let file = try #require(try InputFile(opening: folder("readings.csv")))
    _ = try file.digest()
    _ = try file.contents()
    try file.requireUnchanged()
  }

  @Test func everyReaderOfAFileThatIsWrittenToIsTold() throws {
    let file = try #require(try InputFile(opening: folder("drinks.csv")))
    try overwrite("drinks.csv", at: 0, with: "S")
    #expect(throws: StudyError.self) { try file.requireUnchanged() }
    #expect(throws: StudyError.self) { try file.digest() }
    #expect(throws: StudyError.self) { try file.contents() }
    let vitals = try #require(try InputFile(opening: folder("subjects.csv")))
    try overwrite("subjects.csv", at: 0, with: "S")
    #expect(throws: StudyError.self) { try VitalFile.read(vitals) }
  }

  // MARK: Marks

  @Test func marksDoNotDependOnBlocks() {
    var generator = SeededGenerator(seed: 5)
    let bytes = (0..<333).map { _ in UInt8.random(in: 0...255, using: &generator) }
    func mark(_ bytes: [UInt8], blockSize: Int) -> ContentMark {
      var mark = ContentMark()
      for start in stride(from: 0, to: bytes.count, by: blockSize) {
        bytes[start..<min(bytes.count, start + blockSize)].withUnsafeBytes { mark.update(with: $0) }
      }
      return mark
    }
    let whole = mark(bytes, blockSize: 333)
    for blockSize in [1, 3, 7, 8, 9, 64, 100] {
      #expect(mark(bytes, blockSize: blockSize) == whole)
    }
    for index in bytes.indices {
      var other = bytes
      other[index] ^= 1
      #expect(mark(other, blockSize: 64) != whole)
    }
    #expect(mark(Array(bytes.dropLast()), blockSize: 64) != whole)
    #expect(mark(bytes + [0], blockSize: 64) != whole)
    #expect(mark([], blockSize: 8) != mark([0], blockSize: 8))
  }
}
