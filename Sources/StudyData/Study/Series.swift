public import AlcoholKinetics
public import Foundation

/// The drinks and readings of one subject on one occasion.
public struct Series: Codable, Hashable, Sendable {
  /// The subject.
  public var subject: Subject
  /// The occasion, where the study has several for a subject.
  public var occasion: String?
  /// The drinks in order of time.
  public var drinks: [Drink]
  /// The readings in order of time.
  public var readings: [Reading]
  /// The UUIDs of drinks and readings, where the study gives any.
  public var uuids: GivenUUIDs
  /// The sources of readings by their index, where they are known: the device or person a reading is from, or the reason
  /// to doubt its instrument.
  public var sources: [Int: String] = [:]
  /// The findings about this series.
  public var diagnostics: [Diagnostic]
  /// Predictions that were computed elsewhere, one for each model that is compared.
  public var predictions: [GivenPrediction]

  /// Creates a series.
  public init(
    subject: Subject,
    occasion: String? = nil,
    drinks: [Drink],
    readings: [Reading],
    uuids: GivenUUIDs = GivenUUIDs(),
    diagnostics: [Diagnostic] = [],
    predictions: [GivenPrediction] = []
  ) {
    self.subject = subject
    self.occasion = occasion
    self.drinks = drinks
    self.readings = readings
    self.uuids = uuids
    self.diagnostics = diagnostics
    self.predictions = predictions
  }

  /// The prediction of a model by its name.
  package func prediction(by model: String) -> GivenPrediction {
    predictions.first { $0.model == model } ?? GivenPrediction(model: model, .missing)
  }

  /// The first error among the diagnostics; a series that has one cannot be evaluated.
  public var firstError: Diagnostic? {
    diagnostics.first { $0.severity == .error }
  }
}

extension [Int: String] {
  /// Texts of elements by their indices, once the elements were chosen or put in another order.
  package func reordered(by order: [Int]) -> Self {
    guard !isEmpty else { return self }
    return Dictionary(
      uniqueKeysWithValues: order.enumerated().compactMap { new, old in self[old].map { (new, $0) }
      })
  }
}

/// One measured concentration.
public struct Reading: Codable, Hashable, Sendable {
  /// The time on the clock of its series.
  public var time: Hours
  /// The result of the instrument or the laboratory, in `unit`.
  public var value: Double
  /// Matrix and unit of `value`.
  public var unit: ConcentrationUnit
  /// Limit of detection in `unit`, where the study states one for this reading.
  public var limitOfDetection: Double?
  /// Whether the study asks to leave the reading out.
  public var isExcluded: Bool

  /// Describes a reading.
  public init(
    time: Hours,
    value: Double,
    unit: ConcentrationUnit,
    limitOfDetection: Double? = nil,
    isExcluded: Bool = false
  ) {
    self.time = time
    self.value = value
    self.unit = unit
    self.limitOfDetection = limitOfDetection
    self.isExcluded = isExcluded
  }

  /// The reading as whole-blood concentration.
  public func bloodConcentration(using factors: ConversionFactors) -> GramsPerKilogram {
    unit.bloodConcentration(of: value, using: factors)
  }
}

extension [Reading] {
  /// The highest that is not excluded, the first of equals: its index, and what it is in blood.
  package func highest(using factors: ConversionFactors) -> (index: Int, blood: GramsPerKilogram)? {
    var highest: (index: Int, blood: GramsPerKilogram)?
    for (index, reading) in enumerated() where !reading.isExcluded {
      guard let current = highest else {
        highest = (index, reading.bloodConcentration(using: factors))
        continue
      }
      // In one unit, as nearly all are, nothing need be converted to compare them.
      let rival = self[current.index]
      if reading.unit == rival.unit, reading.value <= rival.value { continue }
      let blood = reading.bloodConcentration(using: factors)
      if blood > current.blood { highest = (index, blood) }
    }
    return highest
  }
}

package protocol Timed {
  var time: Hours { get }
}

extension Drink: Timed {}
extension Reading: Timed {}

extension Array where Element: Timed {
  /// True if the elements are in ascending order of time.
  var isInOrderOfTime: Bool { !zip(self, dropFirst()).contains { $1.time < $0.time } }

  /// The indices in order of time; what happens at equal times stays in the order it has.
  package var orderOfTime: [Int] {
    indices.sorted { (self[$0].time, $0) < (self[$1].time, $1) }
  }
}

/// The UUIDs that a study's files give to the drinks and readings of a series.
///
/// They stand beside the records, so that the many studies without any pay nothing for them.
public struct GivenUUIDs: Codable, Hashable, Sendable {
  /// The UUIDs of the drinks, in their order, nil where none is given. Drinks beyond the last have
  /// none.
  public var drinks: [UUID?]
  /// The UUIDs of the readings, in the same way.
  public var readings: [UUID?]

  /// Names the UUIDs; none by default.
  public init(drinks: [UUID?] = [], readings: [UUID?] = []) {
    self.drinks = drinks
    self.readings = readings
    // Records beyond the last have none: there is one way only to say so.
    while case .some(nil) = self.drinks.last { self.drinks.removeLast() }
    while case .some(nil) = self.readings.last { self.readings.removeLast() }
  }

  /// Whether any is given.
  public var isEmpty: Bool { !hasDrinks && !hasReadings }

  package var hasDrinks: Bool { drinks.contains { $0 != nil } }

  package var hasReadings: Bool { readings.contains { $0 != nil } }

  /// That of a drink, by its index in the series.
  public func drink(_ index: Int) -> UUID? { drinks.indices.contains(index) ? drinks[index] : nil }

  /// That of a reading, by its index in the series.
  public func reading(_ index: Int) -> UUID? {
    readings.indices.contains(index) ? readings[index] : nil
  }
}

extension [UUID?] {
  /// Appends nil for records without a UUID.
  package mutating func pad(to count: Int) {
    while self.count < count { append(nil) }
  }
}

extension UUID {
  /// The UUID as RFC 9562 writes it, in small letters.
  package var text: String { uuidString.lowercased() }
}
