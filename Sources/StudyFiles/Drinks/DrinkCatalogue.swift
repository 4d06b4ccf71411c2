public import AlcoholKinetics
public import StudyData

/// Drinks by name, with the sizes and strengths that `drinks.csv` may leave out.
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

  /// The drinks of a custom catalogue; nil for the built-in one, which is parsed on first use.
  private let custom: Listed?
  private var listed: Listed { custom ?? Self.builtIn }
  /// Whether this is not the built-in catalogue.
  var isCustom: Bool { custom != nil }
  private static let builtIn = Listed(
    PackageResources.drinks_json.withUnsafeBytes { bytes in
      (try? drinks(in: JSONReader.read(bytes))) ?? []
    })

  /// The drinks.
  public var drinks: [CatalogueDrink] { listed.drinks }

  /// The built-in catalogue: generic drinks with usual volumes and strengths, from `datasets/drinks.json`.
  public static let standard = DrinkCatalogue(custom: nil)

  /// Makes a catalogue; the first of several drinks with one name is used.
  public init(drinks: [CatalogueDrink]) { self.init(custom: Listed(drinks)) }

  private init(custom: Listed?) { self.custom = custom }

  /// Whether both have the same drinks.
  public static func == (lhs: Self, rhs: Self) -> Bool { lhs.drinks == rhs.drinks }

  public func hash(into hasher: inout Hasher) { hasher.combine(drinks) }

  /// Reads a catalogue: a JSON list of objects with `id`, `name`, `volumes_ml`, `percentage`, `type`
  /// and `active`.
  ///
  /// - Throws: `StudyError` if the file does not exist or is not a catalogue.
  public init(readingFrom path: String) throws(StudyError) {
    let file = try InputFile.existing(path, .fileUnreadable)
    self.init(drinks: try file.json(remedy: "write it like datasets/drinks.json", Self.drinks))
  }

  /// The drink with a name, ignoring case, or with a number; nil if there is none.
  public subscript(name: String) -> CatalogueDrink? {
    listed.indices[name.lowercased()].map { drinks[$0] }
  }

  // MARK: Everyday names

  /// Returns up to four drinks that an unknown name may mean, the likeliest first: drinks with a similar spelling, then
  /// those of the kind that it names, or those that contain it.
  public func suggestions(for name: String) -> [CatalogueDrink] {
    let key = name.trimmed.lowercased()
    guard !key.isEmpty, key.count <= 40 else { return [] }
    let type =
      Self.everyday[key] ?? DrinkType(rawValue: key)
      ?? Self.everyday.first { key.split(separator: " ").contains(Substring($0.key)) }?.value
    // The order of the catalogue puts usual drinks of a kind first, except light beer.
    let ofKind =
      type.map { type in
        drinks.filter { $0.type == type && !$0.name.hasPrefix("light") && $0.isActive }
      } ?? []
    let containing = drinks.filter { $0.name.lowercased().contains(key) && $0.type != .none }
    let close = drinks.filter {
      $0.name.count > 3 && $0.name.lowercased().distance(to: key) <= max(1, key.count / 3)
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
public struct CatalogueDrink: Hashable, Sendable {
  /// The number.
  public var id: Int
  /// The name, which ignores case.
  public var name: String
  /// The volumes in which it is served or sold.
  public var volumes: [Millilitres]
  /// Alcohol by volume, in percent.
  public var abvPercent: Double
  /// The kind of drink.
  public var type: DrinkType
  /// Whether it is suggested; inactive drinks can still be named.
  public var isActive: Bool

  /// Describes a drink.
  public init(
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

/// The kind of a drink.
public enum DrinkType: String, CaseIterable, Hashable, Sendable {
  case beer, wine, cider, liqueur, spirit, cocktail
  /// No alcohol to speak of.
  case none
}
