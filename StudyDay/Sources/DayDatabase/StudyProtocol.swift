@_spi(StudyDay) import AlcoholKinetics
package import Foundation
package import GRDB
@_spi(StudyDay) import StudyStore

/// What a study gives to whom, and when it reads: the protocol that was set last. It stands in the log alone, as does the
/// order that was drawn.
package struct StudyProtocol: Hashable, Sendable {
  package struct Arm: Hashable, Sendable {
    package var name: String
    /// Ethanol by body weight, in g/kg.
    package var gPerKg: Double
  }

  /// As the event has it.
  package let value: EventValue
  package let arms: [Arm]
  /// Whether each person comes to all arms, one a visit.
  package let isCrossover: Bool
  private let copies: Int
  private let seed: Int64

  /// Reads what an event holds; nil if that is no protocol.
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
    (self.copies, self.seed) = (Int(copies), seed)
  }

  /// The record that events about the protocol, and about the order, are of.
  package static let (record, draws) = (UUID(protocolPart: 1), UUID(protocolPart: 2))

  /// The protocol that holds; nil before the first.
  package static func latest(in db: Database) throws -> StudyProtocol? {
    try EventLog.last(of: record, in: db).flatMap { StudyProtocol($0.newValue) }
  }

  /// Who was drawn, in order.
  package static func drawn(in db: Database) throws -> [Event] {
    try EventLog.events(of: draws, in: db)
  }

  // MARK: The order

  /// The arms of the person who is drawn at a place (0, 1, 2, ...), in the order of visits.
  ///
  /// In each block every arm, or every sequence of arms, stands equally often, in the order of the SHA-256 of "SEED
  /// BLOCK INDEX". Sequences are the rows of a design of Williams (1949): each arm stands in each visit, and follows
  /// each other arm, equally often.
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

  /// What of it the order is made of, which no longer changes once somebody was drawn.
  package func hasOrder(of other: StudyProtocol) -> Bool {
    (arms, isCrossover, copies, seed) == (other.arms, other.isCrossover, other.copies, other.seed)
  }

  /// What an event says that somebody was drawn to.
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

/// Holds the order in which people were drawn against the seed that the protocol states.
struct ProtocolCheck {
  let db: Database

  func firstDifference() throws -> EntryDifference? {
    let changes = try EventLog.events(of: ["protocol.set", "protocol.draw"], in: db)
    var (holding, drawn) = (nil as StudyProtocol?, [String?]())
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

/// A drink made up of a stock of some strength and something without ethanol, to a volume.
package struct MadeDrink: Hashable, Sendable {
  /// Of ethanol, in g.
  package let grams: Double
  /// Of the stock, in ml and in g at 20 C.
  package let (stockMillilitres, stockGrams): (Double, Double)
  /// Of the finished drink, in ml; % vol; g/ml at 20 C where nothing else is dissolved in it; g.
  package let (totalMillilitres, abvPercent, density, totalGrams): (Double, Double, Double, Double)

  /// Nil where so much ethanol does not fit.
  ///
  /// - Parameters:
  ///   - grams: Of ethanol, in g.
  ///   - stock: The strength of the stock in % vol.
  ///   - total: The volume of the finished drink in ml.
  package init?(grams: Double, stock: Double, total: Double) {
    let ethanol = grams / EthanolDose.densityGramsPerMillilitre
    self.grams = grams
    stockMillilitres = ethanol / stock * 100
    stockGrams = stockMillilitres * DrinkDensity.gramsPerMillilitre(abvPercent: stock)
    totalMillilitres = total
    abvPercent = ethanol / total * 100
    density = DrinkDensity.gramsPerMillilitre(abvPercent: abvPercent)
    totalGrams = total * density
    guard stockMillilitres <= total else { return nil }
  }
}
