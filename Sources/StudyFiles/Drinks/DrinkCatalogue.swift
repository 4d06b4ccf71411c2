package import AlcoholKinetics
public import StudyData

/// Drinks by name, from which `drinks.csv` takes what it does not say of them.
public struct DrinkCatalogue: Hashable, Sendable {
  private struct Listed {
    let drinks: [CatalogueDrink]
    let indices: [String: Int]

    init(_ drinks: [CatalogueDrink]) {
      self.drinks = drinks
      let names = drinks.enumerated().map { ($1.name.lowercased(), $0) }
      let numbers = drinks.enumerated().map { (String($1.id), $0) }
      indices = Dictionary(names + numbers) { first, _ in first }
    }
  }

  /// Nil for the one that is part of the program, which is read when a drink is first asked for.
  private let own: Listed?
  private var listed: Listed { own ?? Self.shipped }
  /// Whether it is another than the one that is part of the program.
  var isOwn: Bool { own != nil }
  private static let shipped = Listed(
    PackageResources.drinks_json.withUnsafeBytes { bytes in
      (try? drinks(in: JSONReader.read(bytes))) ?? []
    })

  /// The drinks.
  package var drinks: [CatalogueDrink] { listed.drinks }

  /// Generic drinks with usual volumes and strengths: `datasets/drinks.json`, which is part of the program.
  public static let standard = DrinkCatalogue(own: nil)

  /// Puts a catalogue together; of drinks of one name, the first counts.
  package init(drinks: [CatalogueDrink]) { self.init(own: Listed(drinks)) }

  private init(own: Listed?) { self.own = own }

  /// Whether both have the same drinks.
  public static func == (one: Self, other: Self) -> Bool { one.drinks == other.drinks }

  public func hash(into hasher: inout Hasher) { hasher.combine(drinks) }

  /// Reads a catalogue: a JSON list of objects with `id`, `name`, `volumes_ml`, `percentage`, `type`
  /// and `active`.
  ///
  /// - Throws: `StudyError` if the file is not there or is no catalogue.
  public init(readingFrom path: String) throws(StudyError) {
    let file = try InputFile.existing(path, .fileUnreadable)
    self.init(drinks: try file.json(remedy: "write it like datasets/drinks.json", Self.drinks))
  }

  /// A drink by its name, whatever its case, or by its number.
  package subscript(name: String) -> CatalogueDrink? {
    listed.indices[name.lowercased()].map { drinks[$0] }
  }

  // MARK: Everyday names

  /// The drinks that may be meant by a name that is not in the catalogue, the likeliest first: those that the name
  /// is a part of, those of the kind that it names, and those that are spelt almost like it.
  package func suggestions(for name: String) -> [CatalogueDrink] {
    let wanted = name.trimmed.lowercased()
    guard !wanted.isEmpty, wanted.count <= 40 else { return [] }
    let type =
      Self.everyday[wanted] ?? DrinkType(rawValue: wanted)
      ?? Self.everyday.first { wanted.split(separator: " ").contains(Substring($0.key)) }?.value
    // Of a kind the usual ones come first: a catalogue has them before the rest, but for light beer.
    let ofKind =
      type.map { type in
        drinks.filter { $0.type == type && !$0.name.hasPrefix("light") && $0.isActive }
      } ?? []
    let containing = drinks.filter { $0.name.lowercased().contains(wanted) && $0.type != .none }
    let close = drinks.filter {
      $0.name.count > 3 && $0.name.lowercased().distance(to: wanted) <= max(1, wanted.count / 3)
    }
    var seen: Set<Int> = []
    let all = type == nil ? close + containing : close + ofKind
    return Array(all.filter { seen.insert($0.id).inserted }.prefix(4))
  }

  private static let everyday = Vocabulary.meanings("everyday").compactMapValues {
    DrinkType(rawValue: $0)
  }

  // MARK: Reading

  static func drinks(in root: JSONNode) throws(DescriptorProblem) -> [CatalogueDrink] {
    guard case .array(let nodes) = root.value else {
      throw DescriptorProblem(place: root.place, message: "the catalogue is not a list")
    }
    var drinks: [CatalogueDrink] = []
    for node in nodes { drinks.append(try drink(node)) }
    return drinks
  }

  private static func drink(_ node: JSONNode) throws(DescriptorProblem) -> CatalogueDrink {
    let members = try JSONObject(node, called: "the drink")
    let problem = { (message: String, key: String) in
      DescriptorProblem(place: members.place(of: key), message: message)
    }
    let name = try members.required("name", members.string("name"))
    guard !name.isEmpty else { throw problem("the name of the drink is empty", "name") }
    let percent = try members.required(
      "percentage", members.number("percentage", where: { 0...100 ~= $0 }))
    let word = try members.required("type", members.string("type"))
    guard let type = DrinkType(rawValue: word) else {
      let types = DrinkType.allCases.map(\.rawValue).joined(separator: ", ")
      throw problem("the type of the drink is not one of \(types)", "type")
    }
    let id = try members.required(
      "id", members.number("id", where: { $0 == $0.rounded() && abs($0) < 1e15 }))
    let volumes = try Self.volumes(in: members)
    return CatalogueDrink(
      id: Int(id), name: name, volumes: volumes.map { Millilitres($0) }, abvPercent: percent,
      type: type, isActive: try members.bool("active") ?? true)
  }

  private static func volumes(in members: JSONObject) throws(DescriptorProblem) -> [Double] {
    var volumes: [Double] = []
    for node in try members.list("volumes_ml") ?? [] {
      guard case .number(let value) = node.value, value > 0 else {
        throw DescriptorProblem(place: node.place, message: "a volume is not a number above 0")
      }
      volumes.append(value)
    }
    return volumes
  }
}

/// A drink of a catalogue.
package struct CatalogueDrink: Hashable, Sendable {
  /// Its number.
  package var id: Int
  /// Its name; names are the same whatever their case.
  package var name: String
  /// The volumes it comes in.
  package var volumes: [Millilitres]
  /// Alcohol by volume, in percent.
  package var abvPercent: Double
  /// What kind of drink it is.
  package var type: DrinkType
  /// Whether it is still offered; a drink that is not can be drunk all the same.
  package var isActive: Bool

  /// Describes a drink.
  package init(
    id: Int,
    name: String,
    volumes: [Millilitres],
    abvPercent: Double,
    type: DrinkType,
    isActive: Bool = true
  ) {
    self.id = id
    self.name = name
    self.volumes = volumes
    self.abvPercent = abvPercent
    self.type = type
    self.isActive = isActive
  }
}

/// What kind of drink it is.
package enum DrinkType: String, CaseIterable, Hashable, Sendable {
  case beer, wine, cider, liqueur, spirit, cocktail
  /// No alcohol to speak of.
  case none
}
