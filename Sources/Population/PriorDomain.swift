public import AlcoholKinetics
import Foundation

/// The people and evenings that a population was estimated from. Beyond them it is a guess.
public struct PriorDomain: Hashable, Sendable {
  /// What they had eaten; nil if both, or if it is not known.
  public let food: FoodState?
  /// Their ages, in years; nil if not known.
  public let ages: ClosedRange<Double>?
  /// What they drank on one occasion, per kg of body weight; nil if not known.
  public let doses: ClosedRange<GramsPerKilogram>?

  /// Nothing is known of whom it is about.
  static let everybody = PriorDomain()

  private init() { (food, ages, doses) = (nil, nil, nil) }

  /// Reads `applies_to` of a population's file; nil says nothing.
  init(_ part: Any?) throws(PopulationFailure) {
    guard let part else {
      self = .everybody
      return
    }
    guard let object = part as? [String: Any] else {
      throw .badFile("applies_to is not an object, as in {\"age_y\": [20, 67]}")
    }
    func range(_ name: String) throws(PopulationFailure) -> ClosedRange<Double>? {
      guard let entry = object[name] else { return nil }
      guard let ends = entry as? [NSNumber], ends.count == 2,
        ends[0].doubleValue <= ends[1].doubleValue
      else { throw .badFile("\(name) in applies_to is not [lowest, highest]") }
      return ends[0].doubleValue...ends[1].doubleValue
    }
    if let name = object["food"] {
      guard let text = name as? String, let known = FoodState(rawValue: text) else {
        throw .badFile("food in applies_to is neither \"fasted\" nor \"fed\"")
      }
      food = known
    } else {
      food = nil
    }
    ages = try range("age_y")
    doses = try range("ethanol_g_per_kg").map {
      GramsPerKilogram($0.lowerBound)...GramsPerKilogram($0.upperBound)
    }
  }
}
