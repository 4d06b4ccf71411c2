import AlcoholKinetics
import Testing

/// The numbers that the article `RFactors.md` prints for one man and one woman.
@Suite struct ArticleNumbersTests {
  let man = RFactorMethodTests.man
  let woman = RFactorMethodTests.woman

  @Test func everyMethod() throws {
    let printed: [String: (man: Double, woman: Double?)] = [
      "widmark": (0.680, 0.550),
      "watson": (0.742, 0.670),
      "forrest": (0.733, 0.626),
      "seidl": (0.783, 0.699),
      "ulrich": (0.760, nil),
      "watson-without-height": (0.738, 0.660),
      "hume-weyers": (0.717, 0.722),
      "posey-mozayani": (0.732, 0.628),
    ]
    for (name, r) in printed {
      let method = try #require(RFactorMethods.named(name))
      #expect(abs(try method.rFactor(for: man).value - r.man) < 5e-4, "\(name)")
      guard let forWoman = r.woman else { continue }
      #expect(abs(try method.rFactor(for: woman).value - forWoman) < 5e-4, "\(name)")
    }
  }

  struct Convention {
    let bloodWater: BloodWater
    /// Watson's r.
    let r: (man: Double, woman: Double)
    /// g/kg from 20 g.
    let raise: (man: Double, woman: Double)
  }

  @Test(arguments: [
    Convention(bloodWater: .perKilogramByDensity, r: (0.7833, 0.7066), raise: (0.336, 0.534)),
    Convention(bloodWater: .perKilogram, r: (0.7425, 0.6698), raise: (0.354, 0.563)),
    Convention(bloodWater: .perLitre, r: (0.7038, 0.6348), raise: (0.374, 0.594)),
  ])
  func bloodWater(convention: Convention) throws {
    let watson = Watson(bloodWater: convention.bloodWater)
    let ofMan = try watson.rFactor(for: man).value
    let ofWoman = try watson.rFactor(for: woman).value
    #expect(abs(ofMan - convention.r.man) < 5e-5)
    #expect(abs(ofWoman - convention.r.woman) < 5e-5)
    #expect(abs(20 / (ofMan * 76) - convention.raise.man) < 5e-4)
    #expect(abs(20 / (ofWoman * 53) - convention.raise.woman) < 5e-4)
  }
}
