import AlcoholKinetics

/// A method that says the same of everybody, but knows no women if told so.
struct ConstantMethod: RFactorMethod {
  let name: String
  let reference = "tests"
  let spread = RFactorSpread(men: 0.14, women: 0.14)
  let r: RFactor
  var isForMenOnly = false
  var range: ClosedRange<RFactor>?

  func rFactor(for subject: Subject) throws(Problem) -> RFactor {
    if isForMenOnly, subject.sex == .female { throw .methodNotDefined(name, for: .female) }
    return r
  }

  func publishedRange(for sex: Sex) -> ClosedRange<RFactor>? { range }
}
