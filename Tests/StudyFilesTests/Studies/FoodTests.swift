import AlcoholKinetics
import StudySupport
import TestSupport
import Testing

@testable import StudyData
@testable import StudyFiles

/// The food state of subjects, in files and in memory.
@Suite struct FoodTests {
  private static let sample: StudySample = {
    var sample = StudySample()
    sample.subjects = """
      subject,sex,age_y,height_cm,weight_kg,Food,site
      ann,female,30,165,60,Fasted,1
      bob,male,40,180,80,fed,2
      cem,male,40,180,80,,3

      """
    sample.drinks = "subject,time_min,ethanol_g\nann,0,40\nbob,0,40\ncem,0,40\n"
    sample.readings = "subject,time_min,bac_g_per_kg\nann,30,0.5\nbob,30,0.5\ncem,30,0.5\n"
    return sample
  }()

  private func foods(_ study: Study) -> [FoodState?] { study.series.map(\.subject.food) }

  @Test func foodIsReadFromColumnAndDescriptor() throws {
    var sample = Self.sample
    #expect(foods(try sample.read()) == [.fasted, .fed, nil])
    sample.descriptor = "{\"promille\": {\"food\": \"fed\"}}"
    #expect(foods(try sample.read()) == [.fasted, .fed, .fed])
    var stream = try sample.folder().stream()
    var streamed: [FoodState?] = []
    while let series = try stream.next() { streamed.append(series.subject.food) }
    #expect(streamed == [.fasted, .fed, .fed])
    // The rows of the tables in another order are read at once.
    sample.drinks = "subject,time_min,ethanol_g\ncem,0,40\nbob,0,40\nann,0,40\n"
    #expect(foods(try sample.read()) == [.fasted, .fed, .fed])
  }

  /// In every form that a study is written in.
  @Test func foodSurvivesWriting() throws {
    let study = try Self.sample.read()
    let files = try StudyWriter.files(of: study)
    let text = { (name: String) in files.first { $0.name == name }?.text ?? "" }
    var again = StudySample()
    (again.subjects, again.drinks) = (text("subjects.csv"), text("drinks.csv"))
    again.readings = text("readings.csv")
    #expect(foods(try again.read()) == [.fasted, .fed, nil])
    #expect(foods(try EventSample(EventWriter.csv(study)).read()) == [.fasted, .fed, nil])
  }

  /// NONMEM wants numbers.
  @Test func nonmemTableCodesFoodAsNumber() throws {
    let rows = try CSVText.rows(try NONMEMTable(try Self.sample.read()).csv)
    #expect(Set(rows.map { "\($0["ID"] ?? "") \($0["FED"] ?? "")" }) == ["1 0", "2 1", "3 ."])
    #expect(rows.allSatisfy { $0["food"] == nil && $0["site"] != nil })
    // A column of that name would be there twice.
    var sample = Self.sample
    sample.subjects = sample.subjects.replacing(",site", with: ",FED")
    #expect(throws: Problem.covariateName("FED")) {
      try NONMEMTable(try sample.read())
    }
  }

  @Test func unknownFoodWordsAreRefusedWithASuggestion() throws {
    for (word, meant) in [
      ("fasting", "fasted"), ("Empty stomach", "fasted"), ("FEDD", "fed"), ("after meal", "fed"),
    ] {
      var sample = Self.sample
      sample.subjects = sample.subjects.replacing("Fasted", with: word)
      let finding = try #require(sample.findings.first)
      #expect(finding.code == .word && finding.remedy.contains("did you mean \(meant)?"))
      #expect(try sample.read().series.map { $0.firstError == nil } == [false, true, true])
    }
    var pizza = Self.sample
    pizza.subjects = pizza.subjects.replacing("Fasted", with: "pizza")
    #expect(pizza.findings.first?.remedy.contains("did you mean") == false)
    #expect(pizza.findings.first?.remedy.contains("rename the column") == true)
  }

  /// A food state that is set in memory is checked, too.
  @Test func foodInMemoryIsChecked() throws {
    var study = try Self.sample.read()
    study.series[0].subject.covariates["food"] = "lunch"
    #expect(study.series[0].valueErrors.map(\.code) == [.word])
    #expect(study.series[1].valueErrors.isEmpty)
  }
}
