import AlcoholKinetics
import ArgumentParser

/// The r-factor methods to compare: the five of the thesis, or a list.
struct RFactorChoice: ExpressibleByArgument {
  /// The five methods of Nacar (2021).
  static let all = RFactorChoice(names: nil)

  /// The methods by name, or nil for the five.
  private let names: [RFactorName]?

  private init(names: [RFactorName]?) {
    self.names = names
  }

  init?(argument: String) {
    if argument.lowercased() == "all" {
      self = .all
      return
    }
    let words = argument.split(separator: ",", omittingEmptySubsequences: false)
    let names = words.compactMap { RFactorName(argument: String($0)) }
    guard names.count == words.count, Set(words).count == words.count else { return nil }
    self.names = names
  }

  /// As it was given.
  var text: String { names.map { $0.map(\.text).joined(separator: ",") } ?? "all" }

  var defaultValueDescription: String { text }

  func methods(_ bloodWater: BloodWater) -> [any RFactorMethod] {
    names.map { $0.map { $0.method(bloodWater) } } ?? RFactorMethods.all(bloodWater: bloodWater)
  }
}
