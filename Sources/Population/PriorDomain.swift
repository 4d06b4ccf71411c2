public import AlcoholKinetics
import Estimation
import Foundation
import StudyData

/// The people and evenings that a population was estimated from. Beyond them it is a guess.
public struct PriorDomain: Hashable, Sendable {
  /// What they had eaten; nil if both, or if it is not known.
  public let food: FoodState?
  /// Their ages, in years; nil if not known.
  public let ages: ClosedRange<Double>?
  /// What they drank on one occasion, per kg of body weight; nil if not known.
  public let doses: ClosedRange<GramsPerKilogram>?

  /// In what somebody on an occasion is beyond these people, in words; nil if in nothing that is known.
  func reasons(outside series: Series, knowsSex: Bool) -> String? {
    var reasons: [String] = []
    func number(_ value: Double) -> String { "\((value * 100).rounded() / 100)" }
    if let food, let own = series.subject.food, own != food {
      reasons.append("\(own.rawValue), where they were \(food.rawValue)")
    }
    if let ages, let age = series.subject.age?.value, !ages.contains(age) {
      reasons.append(
        "\(number(age)) years old (\(number(ages.lowerBound)) to \(number(ages.upperBound)))")
    }
    if let doses, let dose = try? series.regimen().total, !doses.contains(dose) {
      let (least, most) = (doses.lowerBound.value, doses.upperBound.value)
      reasons.append("drank \(number(dose.value)) g/kg (\(number(least)) to \(number(most)))")
    }
    if !knowsSex { reasons.append("sex unknown, so that both are believed") }
    return reasons.isEmpty ? nil : reasons.joined(separator: "; ")
  }

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
