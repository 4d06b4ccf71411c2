import AlcoholKinetics
import Foundation
import StudyData
import Testing

@testable import Reporting

@Suite struct ProvenanceTests {
  private func parsed(_ provenance: Provenance) throws -> [String: Any] {
    let data = Data(provenance.json.document.utf8)
    return try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
  }

  @Test func provenanceHasCommandOptionsAndInputs() throws {
    var provenance = Sample.provenance
    provenance.options.append(.init(name: "file", value: "a \"b\"\n"))
    provenance.inputs.append(InputDigest(file: "drinks.csv", sha256: "ab"))
    let json = try parsed(provenance)
    #expect(json["tool"] as? String == "promille")
    #expect(json["version"] as? String == "1.2.3")
    #expect(json["command"] as? String == "test")
    let options = try #require(json["options"] as? [String: Any])
    #expect(options["file"] as? String == "a \"b\"\n")
    #expect(options["starts"] as? Int == 8)
    let inputs = try #require(json["inputs"] as? [[String: String]])
    #expect(inputs.map { $0["file"] } == ["study/drinks.csv", "drinks.csv"])
    #expect(inputs.map { $0["sha256"] } == ["00ff", "ab"])
  }

  @Test func statesEveryConversionFactor() throws {
    var provenance = Sample.provenance
    provenance.factors = ConversionFactors(
      bloodDensityKgPerL: 1.06, bloodBreathRatio: 2300, serumBloodRatio: 1.2)
    let factors = try #require(try parsed(provenance)["conversion_factors"] as? [String: Double])
    #expect(
      factors == [
        "blood_density_kg_per_l": 1.06, "blood_breath_ratio": 2300, "serum_blood_ratio": 1.2,
      ])
  }
}
