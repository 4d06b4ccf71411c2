import AlcoholKinetics
import Testing

@Suite struct PublishedRangeTests {
  /// A man of 1.75 m and 120 kg: the value is the formula's, outside the range.
  @Test func theRangeWarnsAndDoesNotClip() throws {
    let heavy = Subject(id: "x", sex: .male, height: 1.75, weight: 120)
    let r = try Seidl().rFactor(for: heavy)
    #expect(abs(r.value - (0.31608 - 0.57852 + 0.8106)) < 1e-14)
    #expect(Seidl().publishedRange(for: .male)?.contains(r) == false)
  }
}
