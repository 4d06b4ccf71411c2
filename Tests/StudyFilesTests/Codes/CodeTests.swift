import StudySupport
import Testing

@testable import StudyData
@testable import StudyFiles

/// A sample for every code: the finding has the exact place, and there is no other.
@Suite struct CodeTests {
  static let cases =
    FileCodes.cases + ColumnCodes.cases + SubjectCodes.cases + DrinkCodes.cases
    + ReadingCodes.cases + NumberCodes.cases + DescriptorCodes.cases + EstimateCodes.cases

  /// Codes of what only a real folder can be, provoked in `StudyFolderTests`, the code that needs
  /// more than one finding, provoked in `FindingLogTests`, and those of reading a series at a time,
  /// provoked in `StudyStreamTests`; those of golden results, which are no study's, in
  /// `GoldenManifestTests` and `ResultTableTests`, and that of catalogues, in
  /// `DrinkCatalogueTests`; those of vital signs in `VitalFileTests` and `VitalEntryTests`; that of
  /// files that are written to in `InputFileTests`, that of series in no file in `SeriesValuesTests`;
  /// those of workbooks in `WorkbookTests`, that of other encodings in `TextEncodingTests`; those of Arrow in `ArrowTests`; those
  /// of sheets in the tests of the folder Intake, those of predictions in `PredictionTableTests`, and those of mistakes by a
  /// factor in `PlausibilityTests`.
  static let elsewhere: Set<DiagnosticCode> = [
    .noSuchStudy, .fileMissing, .fileUnreadable, .moreFindings, .subjectOrder, .subjectApart,
    .fileMissing, .fileFormat, .duplicate,
    .fileFormat, .vitalIncomplete, .vitalKind, .vitalTime, .vitalUnit, .vitalRange,
    .duplicate, .inputChanged, .time, .encodingConverted, .fileFormat, .cellValue,
    .fileFormat,
    .columnAmbiguous, .columnUnit, .columnMap, .subjectFilled, .summaryRows, .hiddenRows, .sex,
    .sheetLeftOut,
    .time, .time,
    .time, .time, .clocksChanged, .readingAtDose,
    .columnMissing, .doseRepeated, .drink, .drinkAssumed, .time,
    .weightPounds, .bodyMass, .breathAsBlood,
    .matrixConverted, .fileFormat,
    .fileFormat,
    .fileFormat,
    .predictionUnknown, .duplicate, .prediction, .prediction,
  ]

  @Test(arguments: cases)
  func everyCodeHasItsPlace(_ expected: CodeCase) throws {
    let findings = expected.sample.findings
    let found = try #require(findings.first, "nothing is found")
    #expect(findings.count == 1, "\(findings)")
    #expect(found.code == expected.code)
    #expect(found.location.file == "study/\(expected.file.rawValue)")
    #expect(found.location.line == expected.line)
    #expect(found.location.column == expected.column)
    #expect(found.message.contains(expected.says), "\(found)")
    #expect(!found.remedy.isEmpty)
  }

  @Test func samplesCoverEveryCode() {
    let covered = Set(Self.cases.map(\.code)).union(Self.elsewhere)
      .union(EventCodeTests.cases.map(\.code))
    #expect(covered == Set(DiagnosticCode.allCases))
  }

  @Test func validStudyHasNoFindings() {
    #expect(StudySample().findings.isEmpty)
  }
}
