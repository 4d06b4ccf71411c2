import AlcoholKinetics
import Foundation
import Testing

@testable import Casework

/// A case file, strictly read: each mistake with its place.
@Suite struct CaseFileTests {
  private static let file = """
    {"question": "later", "name": "n", "at": "14:45",
     "person": {"sex": "male", "weight_kg": 106.6},
     "drinks": [{"time": "10:00", "ethanol_g": 90.6},
       {"time": "15:00", "volume_ml": 344.5, "abv_percent": 20, "later": true}],
     "measurement": {"time": "16:05", "value": [103, 104], "unit": "bac_mg_per_100ml"},
     "limits": [80], "assumptions": {"beta": 0.15, "blood_water": 0.8}}
    """

  private func failure(_ right: String, _ wrong: String) -> Problem? {
    let text = Self.file.replacing(right, with: wrong)
    return #expect(throws: Problem.self) { try Case(json: Data(text.utf8), path: "c.json") }
  }

  @Test func membersOfTheFileFillTheCase() throws {
    let one = try Case(json: Data(Self.file.utf8), path: "c.json")
    #expect(one.question == .later && one.name == "n" && one.at == 14.75)
    #expect(one.person.weight == 106.6 && one.drinks.map(\.isLater) == [false, true])
    #expect(one.measurement?.values == [103, 104] && one.limits == [80])
    #expect(one.unit == .bloodMilligramsPer100Millilitres)
    #expect(one.assumptions.beta == .exactly(0.15))
  }

  /// Any decoder of Foundation reads a case; places are then coding paths.
  @Test func jsonDecoderReadsACase() throws {
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    #expect(try decoder.decode(Case.self, from: Data(Self.file.utf8)).limits == [80])
    let wrong = Self.file.replacing("14:45", with: "25:00")
    #expect {
      try decoder.decode(Case.self, from: Data(wrong.utf8))
    } throws: {
      ($0 as? Problem)?.description.hasPrefix("at: '25:00' is not a time") == true
    }
  }

  @Test(arguments: [
    ("\"later\",", "\"latest\",", "1:14: question is 'latest'; choose from back, forward"),
    ("\"n\"", "3", "1:31: name is a number, not a text"),
    ("\"n\"", "null", "1:31: name is null; give a value or leave it out"),
    ("\"14:45\"", "true", "1:42: at is true or false, not a number"),
    ("weight_kg", "weight_lb", "2:28: person has the key \"weight_lb\", which is not one of age_y"),
    ("106.6", "-1", "2:41: weight_kg is -1.0, which is out of range"),
    ("106.6", "\"x\"", "2:41: weight_kg is a text, not a number"),
    ("{\"time\": \"10:00\"", "{\"until\": \"10:00\"", "3:13: drink 1 has no time"),
    ("true", "1", "4:70: later is a number, not true or false"),
    ("103", "\"103\"", "5:45: an element of value is a text, not a number"),
    ("103, 104", "", "5:44: value holds no number"),
    ("\"bac_mg_per_100ml\"", "\"mg\"", "5:64: unit: \"mg\" is no unit of"),
    ("[80]", "[\"80\"]", "6:13: an element of limits is a text, not a number"),
    ("0.8}", "0.4}", "6:63: blood_water is 0.4, which is out of range"),
  ])
  func syntaxErrorsHaveTheirPlace(_ right: String, _ wrong: String, _ said: String) throws {
    let refusal = try #require(failure(right, wrong))
    #expect(refusal.code == "E_FILE_FORMAT")
    #expect(refusal.description.hasPrefix("c.json:\(said)"), "\(refusal)")
  }

  @Test(arguments: [
    ("14:45", "25:00", "1:42: '25:00' is not a time"),
    ("\"ethanol_g\": 90.6", "\"volume_ml\": 500", "3:22: a drink needs a volume in ml"),
    ("344.5", "3", "4:13: the drink has 3.0 ml, which looks like litres"),
    ("0.15", "\"x\"", "6:42: 'x' is not a unit of beta"),
  ])
  func invalidMembersHaveTheirPlace(_ right: String, _ wrong: String, _ said: String) throws {
    let refusal = try #require(failure(right, wrong))
    #expect(refusal.code == "E_CASE_INPUT")
    #expect(refusal.description.hasPrefix("c.json:\(said)"), "\(refusal)")
  }
}
