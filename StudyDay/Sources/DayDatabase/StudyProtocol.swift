@_spi(StudyDay) import AlcoholKinetics
package import Foundation
package import GRDB
@_spi(StudyDay) import StudyStore

/// Protocol of a study: arms, doses, planned readings and the randomised order. Only the log holds it.
package struct StudyProtocol: Hashable, Sendable {
  package struct Arm: Hashable, Sendable {
    package var name: String
    /// Dose of ethanol by body weight, in g/kg.
    package var gPerKg: Double
  }

  /// JSON of the event.
  package let value: EventValue
  package let arms: [Arm]
  /// True if each person comes to all arms, one a visit.
  package let isCrossover: Bool
  private let copies: Int
  private let seed: Int64

  /// Reads the JSON of an event; nil if it is no protocol.
  package init?(_ value: EventValue) {
    guard case .array(let arms) = value["arms"], case .integer(let copies) = value["copies"],
      case .integer(let seed) = value["seed"]
    else { return nil }
    self.value = value
    self.arms = arms.compactMap { arm in
      guard let name = arm["name"]?.string, let dose = arm["g_per_kg"]?.double else { return nil }
      return Arm(name: name, gPerKg: dose)
    }
    isCrossover = value["design"]?.string == "crossover"
    self.copies = Int(copies)
    self.seed = seed
  }

  /// Record of events that set the protocol.
  package static let record = UUID(protocolPart: 1)
  /// Record of events that draw a person.
  package static let draws = UUID(protocolPart: 2)

  /// Returns the current protocol; nil before the first.
  package static func latest(in db: Database) throws -> StudyProtocol? {
    try EventLog.last(of: record, in: db).flatMap { StudyProtocol($0.newValue) }
  }

  /// Returns the draws in order, of a subject or all.
  package static func drawn(_ subject: String? = nil, in db: Database) throws -> [Event] {
    try EventLog.events(of: draws, about: subject, in: db)
  }

  // MARK: The order

  /// Returns the arms of the person drawn at a place (0, 1, 2, ...), in order of visits.
  ///
  /// Each block holds every arm, or every sequence of arms, equally often, sorted by the SHA-256 of "SEED BLOCK INDEX".
  /// Sequences are the rows of a Williams design (1949): each arm stands equally often in each visit and after each
  /// other arm.
  package func arms(at place: Int) -> [Arm] {
    let sequences = isCrossover ? Self.williams(arms.count) : arms.indices.map { [$0] }
    let size = sequences.count * copies
    guard place >= 0, size > 0 else { return [] }
    let (block, index) = place.quotientAndRemainder(dividingBy: size)
    let order = (0..<size).sorted { one, other in
      digest(block, one).lexicographicallyPrecedes(digest(block, other))
    }
    return sequences[order[index] % sequences.count].map { arms[$0] }
  }

  private func digest(_ block: Int, _ index: Int) -> Data {
    Event.sha256(Data("\(seed) \(block) \(index)".utf8))
  }

  private static func williams(_ count: Int) -> [[Int]] {
    let first = (0..<count).map { $0.isMultiple(of: 2) ? (count - $0 / 2) % count : ($0 + 1) / 2 }
    let rows = (0..<count).map { shift in first.map { ($0 + shift) % count } }
    return count.isMultiple(of: 2) || count == 1 ? rows : rows + rows.map { $0.reversed() }
  }

  /// Returns true if both protocols draw the same order.
  package func hasOrder(of other: StudyProtocol) -> Bool {
    (arms, isCrossover, copies, seed) == (other.arms, other.isCrossover, other.copies, other.seed)
  }

  /// Makes the JSON of a draw.
  package static func drawn(_ arms: [Arm], at place: Int) -> EventValue {
    .object([
      "place": .integer(Int64(place)), "arms": .array(arms.map { .text($0.name) }),
    ])
  }
}

extension UUID {
  fileprivate init(protocolPart part: UInt8) {
    self.init(uuid: (0x70, 0x72, 0x6f, 0x74, 0, 0, 0x80, 0, 0x80, 0, 0, 0, 0, 0, 0, part))
  }
}

/// Compares the draws with the order that the protocol's seed gives.
struct ProtocolCheck {
  let db: Database

  func firstDifference() throws -> EntryDifference? {
    let changes = try EventLog.events(of: ["protocol.set", "protocol.draw"], in: db)
    var holding: StudyProtocol?
    var drawn: [String?] = []
    for event in changes {
      func different(_ message: String) -> EntryDifference {
        EntryDifference(what: "protocol", name: "change \(event.seq)", message: message)
      }
      guard event.action == "protocol.draw" else {
        let new = StudyProtocol(event.newValue)
        if let holding, !drawn.isEmpty, new.map(holding.hasOrder) != true {
          return different("it changes an order from which people were drawn")
        }
        holding = new
        continue
      }
      guard let holding, !drawn.contains(event.subject),
        event.newValue == StudyProtocol.drawn(holding.arms(at: drawn.count), at: drawn.count)
      else { return different("\(event.subject ?? "") was not drawn as the seed says") }
      drawn.append(event.subject)
    }
    return nil
  }
}

/// Recipe of a drink made of a stock of known strength, filled up with something free of ethanol.
package struct MadeDrink: Hashable, Sendable {
  /// Volume of the stock, in ml.
  package let stockMillilitres: Double
  /// Mass of the stock at 20 C, in g.
  package let stockGrams: Double
  /// Strength of the finished drink, in % vol.
  package let abvPercent: Double
  /// Density of the finished drink at 20 C in g/ml, if the rest is water.
  package let density: Double
  /// Mass of the finished drink, in g, if the rest is water.
  package let totalGrams: Double

  /// Works out a recipe; nil if the stock does not fit into the drink.
  ///
  /// - Parameters:
  ///   - grams: Ethanol, in g.
  ///   - stock: Strength of the stock, in % vol.
  ///   - total: Volume of the finished drink, in ml.
  package init?(grams: Double, stock: Double, total: Double) {
    let ethanol = grams / EthanolDose.densityGramsPerMillilitre
    stockMillilitres = ethanol / stock * 100
    stockGrams = stockMillilitres * DrinkDensity.gramsPerMillilitre(abvPercent: stock)
    abvPercent = ethanol / total * 100
    density = DrinkDensity.gramsPerMillilitre(abvPercent: abvPercent)
    totalGrams = total * density
    guard stockMillilitres <= total else { return nil }
  }
}
