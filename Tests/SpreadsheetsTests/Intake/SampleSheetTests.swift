import AlcoholKinetics
import TestSupport
import Testing

@testable import Spreadsheets
@testable import StudyData
@testable import StudyFiles

/// Sheets as laboratories and people write them, which cannot ship with the package.
@Suite struct SampleSheetTests {
  private static func study(_ name: String) throws -> Study {
    try StudyReader(sheet: PackageFolder.sheet(name)).study()
  }

  /// The export of a laboratory: serum by its matrix, results below 10, samples that stand twice.
  @Test(.enabled(if: PackageFolder.hasShared("../sheets/LIMS_export.csv"), absent))
  func readsALaboratorysExport() throws {
    let study = try Self.study("LIMS_export.csv")
    #expect(study.series.map(\.subject.id) == ["4711", "4712", "4713"])
    #expect(study.series.map(\.subject.weight) == [80, 58, 88])
    #expect(
      study.series.map { $0.drinks.map(\.ethanol) } == [[.mass(45)], [.mass(30)], [.mass(50)]])
    #expect(study.series.allSatisfy { $0.drinks.map(\.time) == [0] })
    let readings = study.series.flatMap(\.readings)
    #expect(readings.allSatisfy { $0.unit == .serumMilligramsPer100Millilitres })
    #expect(study.series[0].readings.map(\.value) == [66, 79, 80, 70, 60, 41, 25, 0, 0, 0, 0])
    #expect(study.series[0].readings.last?.limitOfDetection == 10)
    #expect(study.series[0].readings.last?.time == 8)
  }
}

private let absent: Comment = "the sheets stay out of the package; see ../shared/sheets"
