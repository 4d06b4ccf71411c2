import AlcoholKinetics
import Testing

@Suite struct PoseyMozayaniTests {
  /// The excess of the quoted equation over the average of the methods it averages, for every adult.
  private func excess(_ sex: Sex) throws -> [Double] {
    let averaged = RFactorMethods.all(bloodWater: .perLitre).filter {
      !($0 is Ulrich && sex == .female)
    }
    return try Adults.rows(sex).joined().map { subject in
      let values = try averaged.map { try $0.rFactor(for: subject).value }
      let average = values.reduce(0, +) / Double(values.count)
      return try PoseyMozayani().rFactor(for: subject).value - average
    }
  }

  /// The coefficients are rounded to 4 or 5 digits; that of weight, 0.00189 for 0.0018882, makes up
  /// to 0.0003 at 170 kg.
  @Test func formulaForMenIsTheAverageOfFiveMethods() throws {
    for excess in try excess(.male) { #expect(abs(excess) < 4e-4) }
  }

  /// The women's constant in use, 0.50766, is 0.00066 above the average of the four, 0.50700: a
  /// slip, since all other coefficients are the average's.
  @Test func formulaForWomenIsTheAverageOfFourMethodsButForItsConstant() throws {
    for excess in try excess(.female) { #expect(abs(excess - 0.00066) < 1e-4) }
  }

  /// With B = 0.80 the average would have 0.6298 and 0.5110 as constants: it was made with 0.844.
  @Test func formulaIgnoresBloodWater() throws {
    let man = Subject(id: "m", sex: .male, age: 23, height: 1.80, weight: 76)
    let method = try #require(RFactorMethods.named("posey-mozayani", bloodWater: .perKilogram))
    #expect(try method.rFactor(for: man) == PoseyMozayani().rFactor(for: man))
  }
}
