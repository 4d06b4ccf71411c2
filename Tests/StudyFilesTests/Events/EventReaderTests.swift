import AlcoholKinetics
import StudySupport
import Testing

@testable import StudyData
@testable import StudyFiles

/// Reading of tables of events.
@Suite struct EventReaderTests {
  @Test func readsDrinksAndReadings() throws {
    let study = try EventSample(
      """
      ID,TIME,AMT,RATE,DV,EVID,MDV,SEX,AGE,HT,WT,site
      ann,0,40,0,.,1,1,F,30,165,60,x
      ann,0.5,.,.,0.5,0,0,F,30,165,60,x
      ann,1,20,40,.,1,1,F,30,165,60,x
      ann,1,.,.,0.7,0,1,F,30,165,60,x
      ann,2,.,.,NA,0,0,F,30,165,60,x
      bob,0,30,.,.,1,1,m,.,NA,80,y
      bob,1,.,.,0.25,,0,m,.,,80,y
      """
    ).read()
    let unit = ConcentrationUnit.bloodGramsPerKilogram
    let ann = Series(
      subject: Subject(
        id: "ann", sex: .female, age: 30, height: 1.65, weight: 60, covariates: ["site": "x"]),
      drinks: [
        Drink(time: 0, ethanol: .mass(40)), Drink(time: 1, duration: 0.5, ethanol: .mass(20)),
      ],
      readings: [
        Reading(time: 0.5, value: 0.5, unit: unit),
        Reading(time: 1, value: 0.7, unit: unit, isExcluded: true),
      ])
    let bob = Series(
      subject: Subject(id: "bob", sex: .male, weight: 80, covariates: ["site": "y"]),
      drinks: [Drink(time: 0, ethanol: .mass(30))],
      readings: [Reading(time: 1, value: 0.25, unit: unit)])
    #expect(study.series == [ann, bob])
    #expect(study.name == "events.csv")
    #expect(study.allDiagnostics.isEmpty)
  }

  /// At an injection the curve jumps: the order of rows says on which side a reading was taken.
  @Test func rowOrderDecidesAtAnInjection() throws {
    let table = """
      ID,TIME,AMT,DV,EVID,ROUTE,SEX,AGE,HT,WT
      1,0,0,0,0,.,m,30,178,70
      1,0,25,.,1,iv,m,30,178,70
      1,1,0,0.36,0,.,m,30,178,70
      1,2,0,0.21,0,.,m,30,178,70
      1,2,25,.,1,iv,m,30,178,70
      1,2,0,0.71,0,.,m,30,178,70
      1,3,0,0.57,0,.,m,30,178,70

      """
    let series = try EventSample(table).read().series[0]
    let minutes = series.readings.map { ($0.time.minutes * 1e7).rounded() / 1e7 }
    #expect(minutes == [-1e-6, 60, 119.999999, 120, 180])
    #expect(series.readings.map(\.value) == [0, 0.36, 0.21, 0.71, 0.57])
    #expect(!series.readings.contains { $0.isExcluded })
    // A drink is no jump.
    let oral = try EventSample(table.replacing(",iv,", with: ",oral,")).read().series[0]
    #expect(oral.readings.map(\.time.minutes) == [0, 60, 120, 120, 180])
  }

  @Test func wordsMayMeanBelowTheLimit() throws {
    let table = """
      ID,TIME,AMT,DV,EVID,LLOQ,SEX,AGE,HT,WT
      1,0,40,.,1,0.1,m,30,178,70
      1,1,0,0.4,0,0.1,m,30,178,70
      1,5,0,BLQ,0,0.1,m,30,178,70

      """
    let reading = try #require(try EventSample(table).read().series[0].readings.last)
    #expect(reading.value == 0 && reading.limitOfDetection == 0.1)
  }

  @Test func unreadableReadingsAreErrors() {
    let table = "ID,TIME,AMT,DV,EVID,SEX,AGE,HT,WT\n1,0,40,.,1,m,30,178,70\n1,1,0,x,0,m,30,178,70\n"
    #expect(EventSample(table).findings.map(\.code) == [.number])
  }

  @Test func rowsWithAmountAreDrinksByDefault() throws {
    let study = try EventSample(
      "id;time;amt;dv;wt;ht;age;sex\n1;0;30;0;70;170;30;m\n1;1;0;0.4;70;170;30;m\n"
    ).read()
    let series = try #require(study.series.first)
    #expect(series.drinks == [Drink(time: 0, ethanol: .mass(30))])
    #expect(series.readings.map(\.value) == [0.4])
    #expect(study.allDiagnostics.isEmpty)
  }

  @Test func censoredReadingsAreBelowTheirLimit() throws {
    let study = try EventSample(
      """
      ID,TIME,AMT,DV,CENS,LIMIT,LOD,sex,age_y,height_cm,weight_kg
      1,0,30,.,.,.,.,m,30,170,70
      1,1,.,0.4,0,.,0.02,m,30,170,70
      1,4,.,0.05,1,.,.,m,30,170,70
      1,5,.,0.05,1,0.01,.,m,30,170,70
      """
    ).read()
    let readings = study.series.first?.readings
    #expect(readings?.map(\.value) == [0.4, 0, 0.01])
    #expect(readings?.map(\.limitOfDetection) == [0.02, 0.05, 0.05])
    #expect(study.allDiagnostics.isEmpty)
  }

  @Test func readingBelowLimitNeedsNoOtherColumn() throws {
    let study = try EventSample(
      """
      ID,TIME,AMT,DV,CENS,LIMIT,LOD,MDV,sex,age_y,height_cm,weight_kg
      1,0,30,.,.,.,.,.,m,30,170,70
      1,5,.,<0.05,.,.,.,.,m,30,170,70
      1,6,.,< 0.05,1,0.01,0.05,.,m,30,170,70
      1,7,.,0,1,0.05,.,1,m,30,170,70
      """
    ).read()
    let readings = study.series.first?.readings
    #expect(readings?.map(\.value) == [0, 0.01, 0.05])
    #expect(readings?.map(\.limitOfDetection) == [0.05, 0.05, 0])
    #expect(study.allDiagnostics.isEmpty)
  }

  /// A flag beside `DV` says that the reading was too low; how low stands in another column.
  @Test func quantificationFlagsCensorReadings() throws {
    let study = try EventSample(
      """
      ID,TIME,AMT,DV,MDV,BLQ,LLOQ,SEX,AGE,HT,WT
      ann,0,30,.,1,.,.,f,30,165,60
      ann,1,.,0.4,0,0,0.05,f,30,165,60
      ann,2,.,0.05,0,1,0.05,f,30,165,60
      ann,3,.,.,0,1,0.05,f,30,165,60
      ann,4,.,0.02,0,1,0.05,f,30,165,60
      ann,5,.,0,1,1,0.05,f,30,165,60
      ann,6,.,.,1,.,0.05,f,30,165,60
      """
    ).read()
    let readings = study.series.first?.readings
    #expect(readings?.map(\.value) == [0.4, 0, 0, 0.02, 0])
    #expect(readings?.map(\.time.value) == [1, 2, 3, 4, 5])
    #expect(readings?.allSatisfy { $0.limitOfDetection == 0.05 } == true)
    #expect(readings?.map(\.isExcluded) == [false, false, false, false, true])
    #expect(study.allDiagnostics.isEmpty)
    let again = try EventSample(EventWriter.csv(study)).read()
    #expect(again.series == study.series)
  }

  /// The limit may also be in LIMIT or LOD, the flag be called BQL; beside CENS 1 it says nothing new.
  @Test func censoringLimitHasSeveralNames() throws {
    for (columns, row) in [
      ("BQL,LIMIT", "0,1,0.05"), ("BLOQ,LOD", ".,1,0.05"), ("BLQ,CENS", "0.05,1,1"),
      ("BLQ,LLOQ", "<0.05,1,."),
    ] {
      let study = try EventSample(
        "ID,TIME,AMT,DV,\(columns),SEX,AGE,HT,WT\nann,0,30,.,.,.,f,30,165,60\n"
          + "ann,1,.,0.4,.,.,f,30,165,60\nann,2,.,\(row),f,30,165,60\n"
      ).read()
      let reading = study.series.first?.readings.last
      #expect(reading?.value == 0 && reading?.limitOfDetection == 0.05, "\(columns) \(row)")
      #expect(study.allDiagnostics.isEmpty, "\(columns): \(study.allDiagnostics)")
    }
  }

  /// ADDL drinks further, each II hours after the one before, among those of later rows.
  @Test func drinksAreRepeated() throws {
    let study = try EventSample(
      """
      ID,TIME,AMT,DV,EVID,ADDL,II,SEX,AGE,HT,WT
      ann,0,30,.,1,2,0.5,f,30,165,60
      ann,0.75,10,.,1,0,0,f,30,165,60
      ann,2,.,1.4,0,.,.,f,30,165,60
      """
    ).read()
    let drinks = study.series.first?.drinks
    #expect(drinks?.map(\.time.value) == [0, 0.5, 0.75, 1])
    #expect(drinks?.map(\.ethanol) == [30, 30, 10, 30].map { .mass($0) })
    #expect(study.allDiagnostics.isEmpty, "\(study.allDiagnostics)")
  }

  /// A reset between rows begins an occasion; one before everything begins nothing that has not begun.
  @Test func resetsBeginOccasions() throws {
    let study = try EventSample(
      """
      ID,TIME,AMT,DV,EVID,SEX,AGE,HT,WT
      ann,0,30,.,4,f,30,165,60
      ann,1,.,0.4,0,f,30,165,60
      ann,24,20,.,4,f,30,165,60
      ann,25,.,0.3,0,f,30,165,60
      ann,0,.,.,3,f,30,165,60
      ann,0,20,.,101,f,30,165,60
      ann,1,.,0.2,0,f,30,165,60
      bob,0,30,.,1,m,30,165,60
      bob,1,.,0.5,0,m,30,165,60
      """
    ).read()
    #expect(study.series.map(\.subject.id) == ["ann", "ann", "ann", "bob"])
    #expect(study.series.map(\.occasion) == [nil, "2", "3", nil])
    #expect(study.series.map(\.readings.count) == [1, 1, 1, 1])
    #expect(study.series.map(\.drinks.count) == [1, 1, 1, 1])
  }

  @Test(arguments: [
    ("SS", "1", "no steady state"), ("RATE", "-1", "the rate is a parameter"),
    ("RATE", "-2", "the duration is a parameter"), ("ADDL", "2", "how long after each other"),
    ("ADDL", "1.5", "no number of further drinks"), ("EVID", "7", "not supported"),
  ])
  func unsupportedEventColumnsAreRefusedWithReason(
    column: String, value: String, reason: String
  ) throws {
    let study = try EventSample(
      "ID,TIME,AMT,DV,\(column),SEX,AGE,HT,WT\nann,0,30,.,\(value),f,30,165,60\nann,1,.,0.4,0,f,30,165,60\n"
    ).read()
    let findings = study.allDiagnostics.filter { $0.code == .event }
    #expect(findings.count == 1 && findings[0].message.contains(reason), "\(study.allDiagnostics)")
  }

  @Test(arguments: [("RATE", "56"), ("DUR", "0.5")])
  func aRateOrADurationWithoutAnAmountIsRefused(_ column: String, _ value: String) throws {
    let study = try EventSample(
      "ID,TIME,AMT,DV,EVID,\(column),SEX,AGE,HT,WT\nann,0,0,.,1,\(value),f,30,165,60\nann,1,.,0.4,0,.,f,30,165,60\n"
    ).read()
    #expect(study.allDiagnostics.map(\.code).contains(.doseMissing))
    let none = try EventSample(
      "ID,TIME,AMT,DV,EVID,\(column),SEX,AGE,HT,WT\nann,0,0,.,1,0,f,30,165,60\nann,1,.,0.4,0,.,f,30,165,60\n"
    ).read()
    #expect(none.allDiagnostics.map(\.code) == [.readingEarly])
    #expect(none.allDiagnostics[0].message.contains("the dose is 0 g"))
  }

  @Test func compartmentNumbersDecideTheRoute() throws {
    let study = try EventSample(
      """
      ID,TIME,AMT,DV,EVID,CMT,ROUTE,SEX,AGE,HT,WT
      ann,0,30,.,1,1,.,f,30,165,60
      ann,0.5,10,.,1,central,.,f,30,165,60
      ann,0.6,10,.,1,2,iv,f,30,165,60
      ann,0.7,10,.,1,2,oral,f,30,165,60
      ann,1,.,0.4,0,2,.,f,30,165,60
      ann,2,.,0.3,0,2.0,.,f,30,165,60
      """
    ).read()
    #expect(study.series.first?.drinks.map(\.route) == [.oral, .intravenous, .intravenous, .oral])
    #expect(study.series.first?.readings.count == 2)
    #expect(study.allDiagnostics.isEmpty)
  }

  /// A column of compartment names decides doses and readings; other names are refused.
  @Test(
    arguments: [
      ("cmt_1gut2blood", ["0", "1", "1.0", "2", "."], [.oral, .oral, .oral, .intravenous, .oral]),
      ("cmt_1blood", ["0", "1", "depot"], [.intravenous, .intravenous, .oral]),
      ("cmt_1blood", [".", "central"], [.intravenous, .intravenous]),
    ] as [(String, [String], [Route])])
  func compartmentNamesDecideTheRoute(column: String, numbers: [String], routes: [Route]) throws {
    func findings(_ rows: [String]) throws -> (drinks: [Route]?, findings: [String]) {
      let study = try EventSample(
        "ID,TIME,AMT,DV,\(column),SEX,AGE,HT,WT\n" + rows.map { "ann,\($0),f,30,165,60\n" }.joined()
      ).read()
      return (
        study.series.first?.drinks.map(\.route),
        study.allDiagnostics.filter { $0.code == .event }.map(\.message)
      )
    }
    let doses = numbers.enumerated().map { "0.\($0),10,.,\($1)" }
    let blood = column == "cmt_1blood" ? "1" : "2"
    let sound = try findings(doses + ["1,.,0.4,\(blood)"])
    #expect(sound.drinks == routes && sound.findings.isEmpty, "\(sound)")
    let wrong = try findings(doses + ["1,.,0.4,\(blood == "1" ? "2" : "1")"])
    #expect(wrong.findings.first?.contains("not the blood") == true, "\(wrong)")
    let unknown = try findings(["0,10,.,3", "1,.,0.4,\(blood)"])
    #expect(unknown.findings.first?.contains("not among those") == true, "\(unknown)")
  }

  @Test(arguments: [1, 7, 4096])
  func commentRowsAreLeftOutAsByNONMEM(blockSize: Int) throws {
    let sample = EventSample(
      """
      ID,TIME,AMT,DV,C,SEX,AGE,HT,WT
      # drinks first, all of them
      C1,0,30,.,.,m,30,170,70
      C1,1,.,0.4,,m,30,170,70
      C1,2,.,5,C,f,,,
      @C1,3,.,5,0,m,30,170,70
      #C1
      "#2",0,30,.,1,m,30,170,70
      "#2",1,.,0.4,0,m,30,170,70
      """)
    let study = try sample.input(blockSize: blockSize).study()
    #expect(study.series.map(\.subject.id) == ["C1", "#2"])
    #expect(study.series.map { $0.readings.map(\.value) } == [[0.4], [0.4]])
    #expect(study.series.allSatisfy { $0.subject.covariates.isEmpty })
    #expect(study.allDiagnostics.map(\.code) == [.rowsLeftOut])
    #expect(study.diagnostics.first?.message.hasPrefix("4 rows") == true)
    let again = try EventSample(EventWriter.csv(study)).read()
    #expect(again.series == study.series)
  }

  @Test func unitComesFromTheTableOrTheReader() throws {
    let columns = "SEX,AGE,HT,WT\n1,0,30"
    let row = "\n1,1,.,0.25,m,30,170,70\n"
    let given = EventSample("ID,TIME,AMT,DV,\(columns),.,m,30,170,70\(row)")
    var breath = given
    breath.unit = .breathMilligramsPerLitre
    let named = EventSample("ID,TIME,AMT,BrAC_mg_per_L,\(columns),.,m,30,170,70\(row)")
    let ofRow = EventSample(
      "ID,TIME,AMT,DV,DV_UNIT,\(columns),.,.,m,30,170,70\n1,1,.,0.25,brac_mg_per_l,m,30,170,70")
    let units = try [given, breath, named, ofRow].map {
      try $0.read().series.flatMap(\.readings).map(\.unit)
    }
    let unit = ConcentrationUnit.breathMilligramsPerLitre
    #expect(units == [[.bloodGramsPerKilogram], [unit], [unit], [unit]])
  }

  @Test func occasionsAreSeparateSeries() throws {
    let study = try EventSample(
      """
      ID,OCC,TIME,AMT,DV,SEX,AGE,HT,WT
      1,1,0,30,.,m,30,170,70
      1,1,1,.,0.4,m,30,170,70
      1,2,0,20,.,m,30,170,70
      1,.,0,10,.,m,30,170,70
      """
    ).read()
    #expect(study.series.map(\.occasion) == ["1", "2", nil])
    #expect(study.series.map(\.drinks.count) == [1, 1, 1])
    #expect(study.allDiagnostics.map(\.code) == [.seriesReadings, .seriesReadings])
  }

  @Test func lastLineEndAndSubjectOrderAreOptional() throws {
    let study = try EventSample(
      "ID,TIME,AMT,DV,SEX,AGE,HT,WT\na,0,30,.,m,30,170,70\nb,0,30,.,m,30,170,70\n"
        + "a,1,.,0.4,m,30,170,70"
    ).read()
    #expect(study.series.map(\.readings.count) == [1, 0])
    #expect(study.allDiagnostics.map(\.code) == [.seriesReadings])
  }
}
