import GSL
import Testing

@Suite("Errors of GSL")
struct GSLErrorTests {
  @Test("Every code of GSL has a name and a message", arguments: Int32(-2)...32)
  func everyCodeHasAName(_ code: Int32) {
    let error = GSLError(code: code)
    #expect(error.name.hasPrefix("GSL_"))
    #expect(error.name != "GSL_UNKNOWN")
    #expect(error.message != "unknown error code")
  }

  @Test func namesAreDistinct() {
    #expect(Set((Int32(-2)...32).map { GSLError(code: $0).name }).count == 35)
  }

  @Test func unknownCodeIsDescribed() {
    #expect(GSLError(code: 99).description == "GSL_UNKNOWN: unknown error code")
  }

  @Test func descriptionEndsWithTheReason() {
    let error = GSLError(code: 4, reason: "two is too many")
    #expect(error.description == "GSL_EINVAL: invalid argument supplied by user: two is too many")
  }
}
