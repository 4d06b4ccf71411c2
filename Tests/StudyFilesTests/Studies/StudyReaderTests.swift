import AlcoholKinetics
import StudySupport
import Testing

@testable import StudyData
@testable import StudyFiles

/// Reading of valid files.
@Suite struct StudyReaderTests {
  @Test func readsSubjects() throws {
    let study = try StudySample(
      subjects: """
        weight_kg ,Subject,SEX,age_y,height_cm,fed,site
        80.5,bob,M,30,180,yes,NA
        NA,eve,Woman,.,,,"a, b"

        """,
      drinks: "subject,time_min,ethanol_g\nbob,0,1\neve,0,1\n",
      readings: nil
    ).read()
    let bob = Subject(
      id: "bob", sex: .male, age: 30, height: 1.8, weight: 80.5,
      covariates: ["fed": "yes", "site": "NA"])
    let eve = Subject(id: "eve", sex: .female, covariates: ["fed": "", "site": "a, b"])
    #expect(study.series.map(\.subject) == [bob, eve])
  }

  @Test(arguments: ["male", "m", "MAN", "Male"])
  func readsWordsForMale(_ word: String) throws {
    let subjects = "subject,sex,age_y,height_cm,weight_kg\nann,\(word),,,\n"
    #expect(try StudySample(subjects: subjects).onlySeries().subject.sex == .male)
  }

  @Test func readsReadingsBelowDetection() throws {
    let study = try StudySample(
      readings: """
        subject,time_min,bac_g_per_kg,lod,exclude
        ann,30,0.5,0.02,
        ann,60,<0.05,,
        ann,90,"< 5e-2 ",0.05,
        ann,120,<0.05,0.02,yes
        """
    ).read()
    let readings = study.series.flatMap(\.readings)
    #expect(readings.map(\.value) == [0.5, 0, 0, 0])
    #expect(readings.map(\.limitOfDetection) == [0.02, 0.05, 0.05, 0.05])
    #expect(study.allDiagnostics.isEmpty)
  }

  /// Files as spreadsheets write them in countries with a decimal comma.
  @Test(arguments: [";", "\t"])
  func readsDecimalCommas(separator: String) throws {
    let study = try StudySample(
      subjects: "subject,sex,age_y,height_cm,weight_kg\nann,f,30,165,60.5\n",
      drinks: "subject,time_min,volume_ml,abv_percent\nann,0,500,4.8\n",
      readings: "subject,time_min,bac_g_per_kg,lod\nann,30,0.5,\nann,60,0.45,0.02\nann,90,<0.02,"
    ).read()
    let comma = { (text: String) in
      text.replacing(",", with: separator).replacing(".", with: ",")
    }
    let sample = StudySample(
      subjects: comma("subject,sex,age_y,height_cm,weight_kg\nann,f,30,165,60.5\n"),
      drinks: comma("subject,time_min,volume_ml,abv_percent\nann,0,500,4.8\n"),
      readings: comma(
        "subject,time_min,bac_g_per_kg,lod\nann,30,\u{A0}0.5\u{202F},\nann,\u{A0} 60,0.45,0.02\n"
          + "ann,90,< 0.02,"))
    #expect(try sample.read().series == study.series)
    #expect(study.allDiagnostics.isEmpty)
    var stream = try StudyStream(sample.folder())
    #expect(try stream.next() == study.series.first)
    // Written again, it has points.
    let written = try StudyWriter.files(of: sample.read())
    #expect(written.last?.text.contains("60.0,0.45,0.02") == true)
  }

  @Test func readsEveryKindOfDose() throws {
    let series = try StudySample(
      drinks: """
        subject,time_min,duration_min,ethanol_g,volume_ml,abv_percent,ethanol_g_per_kg
        ann,-30,,12.5,,,
        ann,0,15,,500,5,
        ann,60,0,NA,.,,0.4
        ann,90,0,0,,,

        """
    ).onlySeries()
    let expected = [
      Drink(time: -0.5, ethanol: .mass(12.5)),
      Drink(time: 0, duration: 0.25, ethanol: .volume(500, abvPercent: 5)),
      Drink(time: 1, ethanol: .perBodyWeight(0.4)),
      Drink(time: 1.5, ethanol: .mass(0)),
    ]
    #expect(series.drinks == expected)
    #expect(series.diagnostics.isEmpty)
  }

  @Test func readsReadings() throws {
    let series = try StudySample(
      readings: """
        subject;time_min;brac_mg_per_l;lod;exclude
        ann;30;0.25;0.05;no
        ann;36;NA;;
        ann;45;.;;oops
        ann;60;0.2;;TRUE
        """
    ).onlySeries()
    let unit = ConcentrationUnit.breathMilligramsPerLitre
    let expected = [
      Reading(time: 0.5, value: 0.25, unit: unit, limitOfDetection: 0.05),
      Reading(time: 1, value: 0.2, unit: unit, isExcluded: true),
    ]
    #expect(series.readings == expected)
    #expect(series.diagnostics.isEmpty)
  }

  @Test(arguments: ConcentrationUnit.allCases)
  func readsEveryUnit(_ unit: ConcentrationUnit) throws {
    let readings = "subject,time_min,\(unit.rawValue.uppercased())\nann,5,0.001\n"
    #expect(try StudySample(readings: readings).onlySeries().readings.map(\.unit) == [unit])
  }

  @Test func excludedReadingsAreNotChecked() throws {
    let series = try StudySample(
      readings: """
        subject,time_min,bac_g_per_kg,exclude
        ann,30,0.5,0
        ann,30,-3,1
        ann,30,300,yes
        """
    ).onlySeries()
    #expect(series.readings.map(\.isExcluded) == [false, true, true])
    #expect(series.diagnostics.isEmpty)
  }

  @Test func ordersSeriesBySubjectThenOccasion() throws {
    let study = try StudySample(
      subjects: "subject,sex,age_y,height_cm,weight_kg\nb,m,,,80\na,f,,,70\n",
      drinks: """
        subject,occasion,time_min,ethanol_g
        a,2,0,10
        b,x,0,10
        a,1,0,10
        a,,0,10
        """,
      readings: """
        subject,occasion,time_min,bac_g_per_kg
        a,1,5,0.1
        b,x,5,0.2
        a,2,5,0.3
        a,NA,5,0.4
        """
    ).read()
    #expect(study.series.map(\.subject.id) == ["b", "a", "a", "a"])
    #expect(study.series.map(\.occasion) == ["x", "2", "1", nil])
    #expect(study.series.map { $0.readings.map(\.value) } == [[0.2], [0.3], [0.1], [0.4]])
    #expect(study.allDiagnostics.isEmpty)
  }

  @Test func sortsByTimeAndKeepsTheOrderOfEquals() throws {
    let series = try StudySample(
      drinks: "subject,time_min,ethanol_g\nann,60,1\nann,0,2\nann,60,3\nann,0,4\n"
    ).onlySeries()
    let doses: [EthanolDose] = [.mass(2), .mass(4), .mass(1), .mass(3)]
    #expect(series.drinks.map(\.ethanol) == doses)
    #expect(series.diagnostics.map(\.code) == [.timeOrder])
  }

  @Test func quotedSubjectsMatchUnquotedOnes() throws {
    let series = try StudySample(
      readings: "subject,time_min,bac_g_per_kg\n\"ann\",1,0.1\n ann ,2,0.1\nann,3,0.1\n"
    ).onlySeries()
    #expect(series.readings.count == 3)
  }
}
