import AlcoholKinetics
import TestSupport
import Testing

/// ``ThesisEngine`` against the same recurrence written in Python (Tests/Tools/thesis_engine.py):
/// subject 2 of Nacar (2021), r by Ulrich or Forrest, the second drink at 50 or 55 min.
@Suite struct ThesisEngineReferenceTests {
  @Test(arguments: [
    ("c_50", "ulrich", 50), ("c_55", "ulrich", 55), ("c_50_forrest", "forrest", 50),
  ])
  func thesisEngineAgreesWithPython(column: String, method: String, minute: Int) throws {
    let subject = Subject(id: "2", sex: .male, age: 24, height: 1.89, weight: 87)
    let r = try #require(RFactorMethods.named(method)).rFactor(for: subject)
    let engine = try ThesisEngine(ka: 18, beta: 0.15, r: r, weight: 87)
    let rows = try PackageFolder.expectations("thesis-engine")
    let found = engine.concentrations(
      of: [.init(minute: 0, ethanol: 17.358), .init(minute: minute, ethanol: 6.312)],
      minutes: rows.count)
    #expect(found.count == rows.count && rows.count > 100)
    for (concentration, row) in zip(found, rows) {
      // The order of operations is the same; the two exponentials may differ in the last bit.
      let expected = try #require(try row.number(column))
      #expect(abs(concentration.value - expected) < 1e-14, "\(row)")
    }
  }
}
