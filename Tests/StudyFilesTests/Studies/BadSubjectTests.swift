import AlcoholKinetics
import StudySupport
import Testing

@testable import StudyData
@testable import StudyFiles

/// One bad subject never spoils the others.
@Suite struct BadSubjectTests {
  private let subjects = "subject,sex,age_y,height_cm,weight_kg\nann,f,30,165,60\nbob,m,20,180,80\n"

  @Test func errorsStayWithTheirSubject() throws {
    let study = try StudySample(
      subjects: subjects,
      drinks: "subject,time_min,ethanol_g\nann,0,x\nbob,0,40\n",
      readings: "subject,time_min,bac_g_per_kg\nann,5,-1\nbob,5,0.5\n"
    ).read()
    #expect(study.diagnostics.isEmpty)
    #expect(study.series[0].diagnostics.map(\.code) == [.number, .range])
    #expect(study.series[0].firstError?.code == .number)
    #expect(study.series[1].diagnostics.isEmpty)
    #expect(study.series[1].readings.count == 1)
  }

  @Test func subjectErrorsAreInEverySeriesAndListedOnce() throws {
    let study = try StudySample(
      subjects: "subject,sex,age_y,height_cm,weight_kg\nann,?,30,165,60\n",
      drinks: "subject,occasion,time_min,ethanol_g\nann,1,0,40\nann,2,0,40\n", readings: nil
    ).read()
    #expect(study.series.map { $0.diagnostics.map(\.code) } == [[.sex], [.sex]])
    #expect(study.allDiagnostics.map(\.code) == [.noReadings, .sex])
  }

  @Test func allErrorsOfARowAreReported() {
    let sample = StudySample(
      subjects: "subject,sex,age_y,height_cm,weight_kg\nann,x,999,1.7,0\n",
      drinks: "subject,time_min,duration_min,ethanol_g\nann,,-1,-5\n")
    let expected: [DiagnosticCode] = [
      .sex, .range, .range, .range, .time, .range, .range,
    ]
    #expect(sample.findings.map(\.code) == expected)
  }

  @Test func subjectsMissingFromSubjectsTableComeLast() throws {
    let study = try StudySample(
      drinks: "subject,time_min,ethanol_g\nzoe,0,10\nann,0,40\n",
      readings: "subject,time_min,bac_g_per_kg\nzoe,5,0.1\nmax,5,0.2\n"
    ).read()
    #expect(study.series.map(\.subject.id) == ["ann", "zoe", "max"])
    #expect(study.series.map(\.firstError?.code) == [nil, .subject, .subject])
    #expect(study.series[1].drinks.count == 1)
    #expect(study.series[1].readings.count == 1)
  }

  @Test func readingsWithoutDrinkAreAnError() throws {
    let study = try StudySample(
      drinks: "subject,occasion,time_min,ethanol_g\nann,1,0,40\n",
      readings: "subject,occasion,time_min,bac_g_per_kg\nann,1,5,0.5\nann,2,5,0.5\n"
    ).read()
    #expect(study.series.map(\.firstError?.code) == [nil, .doseMissing])
    #expect(study.series[1].firstError?.location.line == 3)
    #expect(study.series[1].firstError?.location.file == "study/readings.csv")
  }

  @Test func firstRowOfADuplicateSubjectIsUsed() throws {
    let series = try StudySample(subjects: subjects + "ann,m,50,190,90\n", readings: nil)
      .read().series[0]
    #expect(series.subject.sex == .female)
    #expect(series.firstError?.code == .duplicate)
  }

  @Test func brokenFilesAreAllReportedAtOnce() throws {
    let sample = StudySample(
      subjects: "who\nann\n",
      drinks: "subject,time_min,ethanol_g\nann,0\nann,x,40\n",
      readings: "subject,time_min\n",
      descriptor: "{")
    let error = try #require(throws: StudyError.self) { try sample.read() }
    let expected: [DiagnosticCode] = [
      .measureColumnMissing, .columnMissing, .csv, .columnMissing, .fileFormat, .number,
    ]
    #expect(error.kind == .badData)
    #expect(error.diagnostics.map(\.code) == expected)
  }

  @Test func decimalCommasThatSplitFieldsAreRecognised() {
    let sample = StudySample(readings: "subject,time_min,bac_g_per_kg\nann,5,0,45\nann,5,0.4,x\n")
    let remedies = sample.findings.map(\.remedy)
    #expect(remedies.map { $0.contains("decimal comma") } == [true, false])
  }
}
