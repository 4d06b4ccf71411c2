public import AlcoholKinetics
import Estimation
import StudyData
import StudyFiles

/// The subjects and occasions that a population was estimated from. Beyond them it is a guess.
public struct PriorDomain: Hashable, Sendable {
  /// What they had eaten; nil if both, or if it is not known.
  public let food: FoodState?
  /// Their ages, in years; nil if not known.
  public let ages: ClosedRange<Double>?
  /// What they drank on one occasion, per kg of body weight; nil if not known.
  public let doses: ClosedRange<GramsPerKilogram>?

  /// In what somebody on an occasion is beyond these subjects, in words; nil if in nothing that is known.
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
  init(_ object: JSONObject?) throws(DescriptorProblem) {
    guard let object else {
      self = .everybody
      return
    }
    try object.refuseUnknown(besides: ["food", "age_y", "ethanol_g_per_kg"])
    func range(_ name: String) throws(DescriptorProblem) -> ClosedRange<Double>? {
      guard let nodes = try object.list(name) else { return nil }
      let ends = nodes.compactMap { node in
        if case .number(let end) = node.value { end } else { Double?.none }
      }
      guard nodes.count == 2, ends.count == 2, ends[0] <= ends[1] else {
        throw DescriptorProblem(
          place: object.place(of: name), message: "\(name) in applies_to is not [lowest, highest]")
      }
      return ends[0]...ends[1]
    }
    let name = try object.string("food")
    food = name.flatMap { FoodState(rawValue: $0) }
    guard name == nil || food != nil else {
      throw DescriptorProblem(
        place: object.place(of: "food"),
        message: "food in applies_to is neither \"fasted\" nor \"fed\"")
    }
    ages = try range("age_y")
    doses = try range("ethanol_g_per_kg").map {
      GramsPerKilogram($0.lowerBound)...GramsPerKilogram($0.upperBound)
    }
  }
}
