import AlcoholKinetics
import Foundation
import StudySupport
import TestSupport
import Testing

@testable import StudyData
@testable import StudyFiles

@Suite struct EstimateReaderTests {
  private static func study(_ rows: String) throws -> EstimateStudy {
    try StudySample(estimates: StudySample.estimateHeader + rows).readEstimates()
  }

  @Test func readsEveryColumn() throws {
    let study = try Self.study("ann,f,30,165,60,50,1.25,,0.15,0.5\nbob,,,,,,NA,0.7,.,\n")
    let ann = SubjectEstimate(
      subject: Subject(id: "ann", sex: .female, age: 30, height: 1.65, weight: 60),
      ethanol: 50, c0: 1.25, beta60: 0.15, c0BreathMgPerL: 0.5)
    let bob = SubjectEstimate(subject: Subject(id: "bob"), givenR: 0.7)
    #expect(study.subjects == [ann, bob])
    // 50 / (1.25 x 60)
    #expect(study.subjects.map(\.observedR) == [RFactor(50.0 / 75), 0.7])
    #expect(study.allDiagnostics.isEmpty)
  }

  @Test func passesOtherColumnsThrough() throws {
    let study = try StudySample(
      estimates: """
        subject;Sex;age_y;height_cm;weight_kg;R_Observed;drinking_time_h;occasion
        ann;f;30;165;60;0.6;1.5;2
        """
    ).readEstimates()
    let expected = ["drinking_time_h": "1.5", "occasion": "2"]
    #expect(study.subjects.map(\.subject.covariates) == [expected])
    #expect(study.subjects.map(\.givenR) == [0.6])
    #expect(study.allDiagnostics.isEmpty)
  }

  @Test func errorsStayWithTheirSubject() throws {
    let study = try Self.study(
      "ann,x,999,1.7,0,-5,0,,0,0\nbob,m,20,180,80,60,1.2,,,\nann,f,30,165,60,50,1.2,,,\n")
    let expected: [DiagnosticCode] = [
      .sex, .range, .range, .range, .range, .range, .range, .range,
      .duplicate,
    ]
    #expect(study.diagnostics.isEmpty)
    #expect(study.subjects.map(\.subject.id) == ["ann", "bob"])
    #expect(study.subjects[0].diagnostics.map(\.code) == expected)
    #expect(study.subjects[0].firstError?.code == .sex)
    #expect(study.subjects[1].firstError == nil)
    #expect(study.allDiagnostics.count == expected.count)
  }

  @Test func firstRowOfADuplicateSubjectIsUsed() throws {
    let study = try Self.study("ann,f,30,165,60,50,1.25,,,\nann,m,,,,40,1.5,,,\n")
    #expect(study.subjects.map(\.c0) == [1.25])
    #expect(study.subjects.map(\.subject.sex) == [.female])
  }

  @Test func brokenFilesAreAllReportedAtOnce() throws {
    let sample = StudySample(
      descriptor: "{", estimates: StudySample.estimateHeader + "ann,f\nbob,x,,,,,,0.5,,\n")
    let error = try #require(throws: StudyError.self) { try sample.readEstimates() }
    #expect(error.kind == .badData)
    #expect(error.diagnostics.map(\.code) == [.csv, .fileFormat, .sex])
  }

  @Test func readsAFolderAndNothingElseInIt() throws {
    let folder = try TemporaryFolder()
    try folder.write("subject,r_observed\nann,0.6\n", to: "estimates.csv")
    try folder.write("{\"title\": \"T\"}", to: "datapackage.json")
    try folder.write("no table", to: "subjects.csv")
    #expect(Self.isOfEstimates(folder.path))
    let study = try EstimateReader.read(folder.path)
    #expect(study.name == URL(fileURLWithPath: folder.path).lastPathComponent)
    #expect(study.title == "T")
    let names = ["estimates.csv", "datapackage.json"]
    #expect(study.inputs.map(\.file) == names.map { "\(folder.path)/\($0)" })
    #expect(study.diagnostics.map(\.code) == [.measureColumnMissing])
  }

  @Test func seriesStudiesAreNotReadAsEstimates() throws {
    let folder = try TemporaryFolder()
    try folder.write(StudySample())
    #expect(!Self.isOfEstimates(folder.path))
    try folder.write("subject,r_observed\nann,0.6\n", to: "estimates.csv")
    #expect(!Self.isOfEstimates(folder.path))
    let inputs = try StudyReader.read(folder.path).inputs.map(\.file)
    #expect(inputs == ["subjects", "drinks", "readings"].map { "\(folder.path)/\($0).csv" })
  }

  @Test func missingEstimatesFileIsReported() throws {
    let folder = try TemporaryFolder()
    #expect(!Self.isOfEstimates(folder.path))
    let error = try #require(throws: StudyError.self) { try EstimateReader.read(folder.path) }
    #expect(error.kind == .noInput)
    #expect(error.diagnostics.map(\.code) == [.fileMissing])
    #expect(error.diagnostics.map(\.location.file) == ["\(folder.path)/estimates.csv"])
  }

  @Test(
    .enabled(
      if: PackageFolder.hasShared("scs-beta60"),
      "the study's licence keeps it out of the package; see ../shared/data"))
  func readsTheStudyOfBeta60() throws {
    let study = try EstimateReader.read(PackageFolder.shared("scs-beta60"))
    #expect(study.subjects.count == 50)
    #expect(study.subjects.count { $0.subject.sex == .female } == 19)
    #expect(study.subjects.allSatisfy { $0.c0 != nil && $0.c0BreathMgPerL != nil })
    #expect(study.subjects.allSatisfy { $0.subject.covariates["drinking_time_h"] != nil })
    #expect(study.allDiagnostics.isEmpty)
  }

  private static func isOfEstimates(_ path: String) -> Bool {
    (try? StudyReader(path).form) == .estimates
  }
}
