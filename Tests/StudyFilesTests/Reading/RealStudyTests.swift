import AlcoholKinetics
import TestSupport
import Testing

@testable import StudyData
@testable import StudyFiles

/// Published studies that cannot ship with the package.
@Suite struct RealStudyTests {
  @Test(.enabled(if: PackageFolder.hasShared("wilkinson-1977-oral"), absent))
  func readsWilkinson() throws {
    let study = try StudyReader.read(PackageFolder.shared("wilkinson-1977-oral"))
    #expect(study.name == "wilkinson-1977-oral")
    #expect(study.series.count == 16)
    #expect(study.series.map(\.readings.count).reduce(0, +) == 287)
    #expect(study.series.allSatisfy { $0.drinks.count == 1 })
    #expect(study.series.first?.subject.weight == 65.9)
    #expect(study.series.first?.readings.first?.unit == .bloodGramsPerLitre)
    #expect(study.allDiagnostics.isEmpty)
  }

  @Test(.enabled(if: PackageFolder.hasShared("hip-flask"), absent))
  func readsHipFlask() throws {
    let study = try StudyReader.read(PackageFolder.shared("hip-flask"))
    #expect(study.series.map(\.subject.id) == ["man", "woman"])
    #expect(study.series.map(\.drinks.count) == [5, 5])
    #expect(study.series.map(\.readings.count).reduce(0, +) == 42)
    #expect(study.series.first?.drinks.last?.duration == 0.5)
    #expect(study.allDiagnostics.isEmpty)
  }

  @Test(.enabled(if: PackageFolder.hasShared("thierauf-emberger-2023"), absent))
  func readsThieraufEmberger() throws {
    let study = try StudyReader.read(PackageFolder.shared("thierauf-emberger-2023"))
    #expect(study.series.count == 10)
    #expect(study.series.map(\.readings.count).reduce(0, +) == 60)
    #expect(study.series.count { $0.subject.sex == .female } == 5)
    #expect(study.allDiagnostics.isEmpty)
  }

  @Test(.enabled(if: PackageFolder.hasShared("mumenthaler-2000-individual"), absent))
  func readsMumenthaler() throws {
    let study = try StudyReader.read(PackageFolder.shared("mumenthaler-2000-individual"))
    #expect(study.series.count == 1)
    #expect(study.series.first?.drinks.last?.ethanol == .perBodyWeight(0.112))
    #expect(study.series.first?.readings.count == 19)
    #expect(study.series.first?.subject.weight == nil)
    #expect(study.allDiagnostics.isEmpty)
  }
}

private let absent: Comment = "the study's licence keeps it out of the package; see ../shared/data"
