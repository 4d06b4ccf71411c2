import AlcoholKinetics
import ArgumentParser

/// An r-factor method by name, or a number for r itself.
struct RFactorName: ExpressibleByArgument {
  /// The names that are accepted besides a number.
  static let names = RFactorMethods.known().map(\.name)

  /// As it was given.
  let text: String

  init?(argument: String) {
    guard Self.method(argument, .perLitre) != nil else { return nil }
    text = argument
  }

  init(_ method: some RFactorMethod) {
    text = method.name
  }

  var defaultValueDescription: String { text }

  /// The method, with a blood-water constant for those that use one.
  func method(_ bloodWater: BloodWater) -> any RFactorMethod {
    Self.method(text, bloodWater) ?? Watson(bloodWater: bloodWater)
  }

  private static func method(_ text: String, _ bloodWater: BloodWater) -> (any RFactorMethod)? {
    if let method = RFactorMethods.named(text, bloodWater: bloodWater) { return method }
    guard let r = Double(text), r > 0, r.isFinite else { return nil }
    return GivenRFactor(RFactor(r))
  }
}
