import Foundation
import StudySupport
import TestSupport
import Testing

@testable import StudyData
@testable import StudyFiles

/// Reading of folders on disk, with missing and unreadable files.
@Suite struct StudyFolderTests {
  @Test func readsAFolder() throws {
    let folder = try TemporaryFolder()
    try folder.write(StudySample(descriptor: "{\"title\": \"T\"}"))
    let study = try StudyReader.read(folder.path)
    #expect(study.name == URL(fileURLWithPath: folder.path).lastPathComponent)
    #expect(study.title == "T")
    #expect(study.series.count == 1)
    #expect(study.allDiagnostics.isEmpty)
  }

  @Test func digestsEveryFileItReads() throws {
    let folder = try TemporaryFolder()
    try folder.write(StudySample(subjects: "subject\na\n", descriptor: "{}"))
    let inputs = try StudyReader.read(folder.path + "/").inputs
    let names = ["subjects.csv", "drinks.csv", "readings.csv", "datapackage.json"]
    #expect(inputs.map(\.file) == names.map { "\(folder.path)/\($0)" })
    // From coreutils' sha256sum.
    #expect(
      inputs.first?.sha256
        == "b805ea09b3e34d1a78cd347dfb060bb480d76c13d5fe93049cf12779699aad71")
  }

  @Test func readingsAreOptional() throws {
    let folder = try TemporaryFolder()
    try folder.write(StudySample(readings: nil))
    let study = try StudyReader.read(folder.path)
    #expect(study.diagnostics.map(\.code) == [.noReadings])
    #expect(study.diagnostics.first?.location.file == "\(folder.path)/readings.csv")
    #expect(study.series.map(\.readings.count) == [0])
  }

  @Test func missingFolderIsReported() throws {
    let folder = try TemporaryFolder()
    let error = Self.error(of: folder.path + "/nowhere")
    #expect(error?.kind == .noInput)
    #expect(error?.diagnostics.map(\.code) == [.noSuchStudy])
    #expect(error?.diagnostics.first?.location.file == folder.path + "/nowhere")
  }

  @Test func fileInPlaceOfAFolderIsReported() throws {
    let folder = try TemporaryFolder()
    try folder.write("subject\n", to: "subjects.csv")
    let error = Self.error(of: folder.path + "/subjects.csv")
    #expect(error?.kind == .badData)
    #expect(error?.diagnostics.map(\.code) == [.notAFolder])
  }

  @Test func missingSubjectsAndDrinksAreReported() throws {
    let folder = try TemporaryFolder()
    let error = Self.error(of: folder.path)
    #expect(error?.kind == .noInput)
    #expect(error?.diagnostics.map(\.code) == [.fileMissing, .fileMissing])
    let files = error?.diagnostics.map(\.location.file)
    #expect(files == ["subjects.csv", "drinks.csv"].map { "\(folder.path)/\($0)" })
  }

  @Test func refusesAFolderInPlaceOfAFile() throws {
    let folder = try TemporaryFolder()
    try folder.write(StudySample(readings: nil))
    try FileManager.default.createDirectory(
      atPath: folder.path + "/readings.csv", withIntermediateDirectories: false)
    let error = Self.error(of: folder.path)
    #expect(error?.kind == .noInput)
    #expect(error?.diagnostics.map(\.code) == [.fileUnreadable])
  }

  @Test func refusesAPipeWithoutWaitingForIt() throws {
    let folder = try TemporaryFolder()
    try folder.write(StudySample(readings: nil))
    #expect(mkfifo(folder.path + "/readings.csv", 0o600) == 0)
    #expect(Self.error(of: folder.path)?.diagnostics.map(\.code) == [.fileUnreadable])
  }

  /// Without it there would be no readings, and no word of what was meant.
  @Test func refusesALinkToNothing() throws {
    let folder = try TemporaryFolder()
    try folder.write(StudySample(readings: nil))
    try folder.link("readings.csv", to: "gone.csv")
    #expect(Self.error(of: folder.path)?.diagnostics.map(\.code) == [.fileUnreadable])
  }

  @Test func pipeInPlaceOfAFolderIsReported() throws {
    let folder = try TemporaryFolder()
    try folder.makePipe("pipe")
    let error = #expect(throws: StudyError.self) { try StudyReader.read(folder("pipe")) }
    #expect(error?.diagnostics.map(\.code) == [.notAFolder])
    #expect(error?.diagnostics.first?.remedy.contains("standard input") == true)
  }

  @Test(.disabled(if: geteuid() == 0, "root may read everything"))
  func unreadableFilesAreNamed() throws {
    let folder = try TemporaryFolder()
    try folder.write(StudySample())
    #expect(chmod(folder.path + "/drinks.csv", 0) == 0)
    let error = Self.error(of: folder.path)
    #expect(error?.kind == .noInput)
    #expect(error?.diagnostics.map(\.code) == [.fileUnreadable])
    #expect(error?.diagnostics.first?.location.file == folder.path + "/drinks.csv")
  }

  @Test(.disabled(if: geteuid() == 0, "root may enter everything"))
  func unreadableFoldersAreNamed() throws {
    let folder = try TemporaryFolder()
    try folder.write(StudySample())
    #expect(chmod(folder.path, 0) == 0)
    defer { chmod(folder.path, 0o700) }
    let error = Self.error(of: folder.path)
    #expect(error?.kind == .noInput)
    #expect(error.map { Set($0.diagnostics.map(\.code)) } == [.fileUnreadable])
  }

  private static func error(of path: String) -> StudyError? {
    do throws(StudyError) {
      _ = try StudyReader.read(path)
      return nil
    } catch {
      return error
    }
  }
}
