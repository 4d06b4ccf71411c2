import AlcoholKinetics
import Foundation
import TestSupport
import Testing

/// The numbers that the article `RFactors.md` prints for one man and one woman.
@Suite struct ArticleNumbersTests {
  let man = RFactorMethodTests.man
  let woman = RFactorMethodTests.woman

  @Test func articleStatesRFactorsOfEveryMethod() throws {
    let article = try String(
      contentsOf: PackageFolder.root.appending(
        path: "Sources/AlcoholKinetics/Documentation.docc/RFactors.md"), encoding: .utf8)
    let rows = article.matches(of: /\n\| `([a-z-]+)` \| (0\.\d{3}) \| (0\.\d{3}|none) (?=\|\n)/)
    #expect(rows.count >= RFactorMethods.all().count)
    for row in rows {
      let method = try #require(RFactorMethods.named(String(row.1)))
      for (subject, text) in [(man, row.2), (woman, row.3)] where text != "none" {
        let r = try #require(Double(text))
        #expect(abs(try method.rFactor(for: subject).value - r) < 5e-4, "\(row.1)")
      }
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
  func articleStatesRFactorsForEachBloodWater(convention: Convention) throws {
    let watson = Watson(bloodWater: convention.bloodWater)
    let ofMan = try watson.rFactor(for: man).value
    let ofWoman = try watson.rFactor(for: woman).value
    #expect(abs(ofMan - convention.r.man) < 5e-5)
    #expect(abs(ofWoman - convention.r.woman) < 5e-5)
    #expect(abs(20 / (ofMan * 76) - convention.raise.man) < 5e-4)
    #expect(abs(20 / (ofWoman * 53) - convention.raise.woman) < 5e-4)
  }
}
