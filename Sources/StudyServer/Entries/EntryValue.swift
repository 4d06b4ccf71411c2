import AlcoholKinetics
import Foundation
import GRDB
import HealthData
import StudyData
import StudyStore

/// What an entry says, read from its JSON and found possible.
enum EntryValue {
  case reading(concentration: Double, unit: ConcentrationUnit, excluded: String?)
  case drink(grams: Double, durationMin: Double)
  case vital(kind: VitalKind, value: Double, unit: String)
  case note

  /// Reads a value.
  ///
  /// - Parameter factors: How a reading becomes one in blood, to see whether it is possible.
  /// - Throws: ``Problem`` saying which member is missing, unknown or impossible.
  init(_ kind: EntryKind, _ json: EventValue, _ factors: ConversionFactors) throws(Problem) {
    let members: Set<String>
    switch kind {
    case .reading:
      members = ["concentration", "unit", "excluded"]
      self = try Self.reading(json, factors)
    case .drink:
      members = ["ethanol_g", "volume_ml", "mass_g", "abv_percent", "name", "duration_min"]
      self = try Self.drink(json)
    case .vital:
      members = ["kind", "value", "unit", "importance"]
      self = try Self.vital(json)
    case .note:
      members = ["text"]
      guard let text = json["text"]?.string, 1...2000 ~= text.count else {
        throw Problem(.badValue, "text must have 1 to 2000 characters.")
      }
      self = .note
    }
    guard case .object(let given) = json,
      let odd = given.keys.filter({ !members.contains($0) }).min()
    else { return }
    throw Problem(.badValue, "\(odd.prefix(40)) is no member of a \(kind.rawValue).")
  }

  /// What is excluded may be anything that a device can show.
  fileprivate static let highestOnAnyDevice = GramsPerKilogram(1000)

  private static func reading(
    _ json: EventValue, _ factors: ConversionFactors
  ) throws(Problem) -> EntryValue {
    guard let concentration = json["concentration"]?.double, concentration >= 0 else {
      throw Problem(.badValue, "concentration must be a number of 0 or more.")
    }
    guard let unit = json["unit"]?.string.flatMap(ConcentrationUnit.init) else {
      let known = ConcentrationUnit.allCases.map(\.rawValue).joined(separator: ", ")
      throw Problem(.badValue, "unit must be one of \(known).")
    }
    let excluded = try text("excluded", 500, json)
    // As studies are checked.
    let highest = excluded == nil ? GramsPerKilogram(10) : highestOnAnyDevice
    guard unit.bloodConcentration(of: concentration, using: factors) <= highest else {
      let remedy =
        excluded == nil ? "Check the unit, or exclude the reading and say why." : "Check the value."
      throw Problem(
        .badValue,
        "\(concentration) in \(unit.rawValue) is more than \(highest) in blood. \(remedy)")
    }
    return .reading(concentration: concentration, unit: unit, excluded: excluded)
  }

  /// A text that says something; nil if it is missing or null.
  private static func text(
    _ name: String, _ longest: Int, _ json: EventValue
  ) throws(Problem) -> String? {
    guard let value = json[name], value != .null else { return nil }
    guard let text = value.string, text.unicodeScalars.count <= longest, !text.isBlank else {
      throw Problem(.badValue, "\(name) must be a text of 1 to \(longest) characters, or left out.")
    }
    return text
  }

  private static func drink(_ json: EventValue) throws(Problem) -> EntryValue {
    func number(_ name: String, upTo most: Double) throws(Problem) -> Double? {
      guard let value = json[name], value != .null else { return nil }
      guard let number = value.double, 0...most ~= number else {
        throw Problem(.badValue, "\(name) must be a number from 0 to \(most).")
      }
      return number
    }
    let limits: [(String, Double)] = [
      ("abv_percent", 100), ("ethanol_g", 500), ("volume_ml", 10_000), ("mass_g", 10_000),
    ]
    for (name, most) in limits { _ = try number(name, upTo: most) }
    _ = try text("name", 100, json)
    guard let grams = EnteredDrink.grams(json) else {
      throw Problem(
        .badValue,
        "A drink needs ethanol_g, or volume_ml and abv_percent, or mass_g and abv_percent, and nothing beside."
      )
    }
    guard grams <= 500 else {
      throw Problem(.badValue, "The drink holds \(grams) g of ethanol; check it.")
    }
    return .drink(grams: grams, durationMin: try number("duration_min", upTo: 1440) ?? 0)
  }

  private static func vital(_ json: EventValue) throws(Problem) -> EntryValue {
    guard let kind = json["kind"]?.string.flatMap(VitalKind.init) else {
      let known = VitalKind.allCases.map(\.rawValue).joined(separator: ", ")
      throw Problem(.badValue, "kind must be one of \(known).")
    }
    let unit = json["unit"]?.string ?? kind.unit
    guard let value = json["value"]?.double, let converted = kind.value(value, in: unit) else {
      throw Problem(
        .badValue, "value must be a number, and unit \(kind.unit) or one that converts to it.")
    }
    if let importance = json["importance"], importance != .null {
      guard case .integer(1...5) = importance else {
        throw Problem(.badValue, "importance must be a whole number from 1 to 5.")
      }
    }
    return .vital(kind: kind, value: converted, unit: unit)
  }

  /// Refuses a vital sign that the study's settings call impossible.
  func requirePossible(in db: Database) throws {
    guard case .vital(let kind, let value, _) = self else { return }
    let range = try SafeRow.first(
      db, "SELECT least, most FROM vital_kinds WHERE kind = ?", [kind.rawValue])
    guard let range, range["least"] <= value, value <= range["most"] else {
      throw Problem(.badValue, "A \(kind.rawValue) of \(value) \(kind.unit) is not possible.")
    }
  }
}

extension Reading {
  /// What it is in blood, in g/kg; nil for one that an earlier version stored and no device can show.
  func gramsPerKilogram(_ factors: ConversionFactors) -> Double? {
    let blood = bloodConcentration(using: factors)
    return value >= 0 && blood <= EntryValue.highestOnAnyDevice ? blood.value : nil
  }
}

extension String {
  /// Whether it says nothing.
  var isBlank: Bool { allSatisfy(\.isWhitespace) }
}

public enum EntryKind: String, CaseIterable, Codable, Sendable {
  case reading
  case drink
  case vital
  case note
}
