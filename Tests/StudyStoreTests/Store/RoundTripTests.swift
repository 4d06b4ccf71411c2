import AlcoholKinetics
import StoreSupport
import StudyData
import StudyFiles
@_spi(StudyDay) import StudyStore
import TestSupport
import Testing

/// A study that is stored is read back to the last bit.
@Suite struct RoundTripTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  @Test(arguments: 0..<40 as Range<UInt64>)
  func aStudyReadBackEqualsTheOneWritten(seed: UInt64) throws {
    var random = RandomStudy(seed: seed)
    let study = random.make()
    try StudyStore(path: folder("study.sqlite"), for: .writing).add(study)
    let read = try StudyStore(path: folder("study.sqlite"), for: .reading).study()
    #expect(read.asAdded(to: folder("study.sqlite")) == study)
    // All of it is possible; at most a drink is missing.
    for finding in read.allDiagnostics where finding.location.file == folder("study.sqlite") {
      #expect(finding.severity == .warning || finding.code == .doseMissing)
    }
  }

  @Test func shippedStudySurvivesRoundTrip() throws {
    let study = try StudyReader.read(PackageFolder.dataset("nacar-2021"))
    try StudyStore(path: folder("study.sqlite"), for: .writing).add(study)
    #expect(try StudyStore(path: folder("study.sqlite"), for: .reading).study() == study)
  }

  @Test func subjectWithoutRowsSurvivesRoundTrip() throws {
    var study = SmallStudy.study()
    study.series.append(Series(subject: Subject(id: "cem"), drinks: [], readings: []))
    try StudyStore(path: folder("study.sqlite"), for: .writing).add(study)
    var read = try StudyStore(path: folder("study.sqlite"), for: .reading).study()
    #expect(read.series[2].diagnostics.map(\.code) == [.doseMissing])
    read.series[2].diagnostics = []
    #expect(read == study)
  }

  @Test func unorderedReadingsAreReadInOrder() throws {
    var study = SmallStudy.study()
    study.series[0].readings.reverse()
    try StudyStore(path: folder("study.sqlite"), for: .writing).add(study)
    let read = try StudyStore(path: folder("study.sqlite"), for: .reading).study()
    #expect(read == SmallStudy.study())
  }

  @Test func copyDoesNotOverwrite() throws {
    let store = try StudyStore(path: folder("study.sqlite"), for: .writing)
    try folder.write("mine", to: "other")
    let error = #expect(throws: StoreError.self) { try store.copy(to: folder("other")) }
    #expect(error?.code == .notWritable)
    #expect(try folder.read("other") == "mine")
  }

  @Test func nanIsRefused() throws {
    var study = SmallStudy.study()
    study.series[1].readings[2].value = .nan
    let error = try #require(throws: StoreError.self) {
      try StudyStore(path: folder("study.sqlite"), for: .writing).add(study)
    }
    #expect(error.code == .value)
    #expect(try StudyStore(path: folder("study.sqlite"), for: .reading).study().series.isEmpty)
  }
}
