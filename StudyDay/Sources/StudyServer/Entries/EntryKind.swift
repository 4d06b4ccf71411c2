@_spi(StudyDay) import AlcoholKinetics
import DayDatabase
import GRDB
import HealthData
@_spi(StudyDay) import StudyData
@_spi(StudyDay) import StudyStore

extension EntryKind {
  /// Refuses a value that is incomplete, or implausible in blood by these factors; the problem names the member.
  func requirePossible(
    _ json: EventValue, _ factors: ConversionFactors, in db: Database
  ) throws {
    let members: Set<String>
    switch self {
    case .reading:
      members = ["concentration", "unit", "excluded", "instrument"]
      try Self.requireReading(json, factors)
    case .drink:
      members = ["ethanol_g", "volume_ml", "mass_g", "abv_percent", "name", "duration_min"]
      try Self.requireDrink(json)
    case .vital:
      members = ["kind", "value", "unit", "importance"]
      try Self.requireVital(json, in: db)
    case .note:
      members = ["text"]
      guard let text = json["text"]?.string, text.isText(1...2000, hasLines: true) else {
        throw Problem(
          .badValue, "text must have 1 to 2000 characters, none of them a control character.")
      }
    }
    guard case .object(let given) = json,
      let odd = given.keys.filter({ !members.contains($0) }).min()
    else { return }
    throw Problem(.badValue, "\(odd.prefix(40)) is no member of a \(rawValue).")
  }

  /// Highest value of an excluded reading: any that a device can display.
  fileprivate static let highestOnAnyDevice = GramsPerKilogram(1000)

  private static func requireReading(
    _ json: EventValue, _ factors: ConversionFactors
  ) throws(Problem) {
    guard let concentration = json["concentration"]?.double, concentration >= 0 else {
      throw Problem(.badValue, "concentration must be a number of 0 or more.")
    }
    guard let unit = json["unit"]?.string.flatMap(ConcentrationUnit.init) else {
      let names = ConcentrationUnit.allCases.map(\.rawValue).joined(separator: ", ")
      throw Problem(.badValue, "unit must be one of \(names).")
    }
    let excluded = try text("excluded", 500, json)
    _ = try text("instrument", CalibrationCheck.longestSerial, json)
    // As studies are checked.
    let highest = excluded == nil ? GramsPerKilogram(10) : highestOnAnyDevice
    guard unit.bloodConcentration(of: concentration, using: factors) <= highest else {
      let remedy =
        excluded == nil ? "Check the unit, or exclude the reading and say why." : "Check the value."
      throw Problem(
        .badValue,
        "\(concentration) in \(unit.rawValue) is more than \(highest) in blood. \(remedy)")
    }
  }

  private static func text(
    _ name: String, _ longest: Int, _ json: EventValue
  ) throws(Problem) -> String? {
    guard let value = json[name], value != .null else { return nil }
    guard let text = value.string, text.isText(1...longest), !text.isBlank else {
      throw Problem(
        .badValue, "\(name) must be a text of 1 to \(longest) characters on one line, or left out.")
    }
    return text
  }

  private static func requireDrink(_ json: EventValue) throws(Problem) {
    func requireNumber(_ name: String, upTo most: Double) throws(Problem) {
      guard let value = json[name], value != .null else { return }
      guard let number = value.double, 0...most ~= number else {
        throw Problem(.badValue, "\(name) must be a number from 0 to \(most).")
      }
    }
    let limits: [(String, Double)] = [
      ("abv_percent", 100), ("ethanol_g", 500), ("volume_ml", 10_000), ("mass_g", 10_000),
    ]
    for (name, most) in limits { try requireNumber(name, upTo: most) }
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
    try requireNumber("duration_min", upTo: 1440)
  }

  private static func requireVital(_ json: EventValue, in db: Database) throws {
    guard let kind = json["kind"]?.string.flatMap(VitalKind.init) else {
      let names = VitalKind.allCases.map(\.rawValue).joined(separator: ", ")
      throw Problem(.badValue, "kind must be one of \(names).")
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
    // As the study's settings have it.
    let range = try db.row("SELECT least, most FROM vital_kinds WHERE kind = ?", [kind.rawValue])
    guard let range, range["least"] <= converted, converted <= range["most"] else {
      throw Problem(
        .badValue, "A \(kind.rawValue) of \(converted) \(kind.unit) is not possible.")
    }
  }
}

extension Reading {
  /// Returns the blood concentration, in g/kg; nil for stored values of earlier versions that no device can display.
  func gramsPerKilogram(_ factors: ConversionFactors) -> Double? {
    let blood = bloodConcentration(using: factors)
    return value >= 0 && blood <= EntryKind.highestOnAnyDevice ? blood.value : nil
  }
}
