/// What somebody says the columns of a table mean, by their headers: `--map`, or `columns` in
/// `datapackage.json`.
public struct ColumnMap: Hashable, Sendable {
  /// Stands for all columns of a wide table that are called by a time.
  static let wide = "*"

  /// A header and the name of what it means, in order.
  private(set) var entries: [Entry] = []

  struct Entry: Hashable, Sendable {
    let header: String
    let target: String
  }

  /// No statement.
  public static let empty = ColumnMap()

  private init() {}

  /// What it says, as `--map` has it.
  public var text: String { entries.map { "\($0.header)=\($0.target)" }.joined(separator: ",") }

  /// Whether it says nothing.
  public var isEmpty: Bool { entries.isEmpty }

  /// Takes pairs of a header and what it means.
  public init(_ pairs: [(header: String, target: String)]) {
    entries = pairs.map { Entry(header: Self.key($0.header), target: $0.target.lowercased()) }
  }

  /// Takes `Participant=subject,Weight (kg)=weight_kg`; nil if a part of it is no pair.
  ///
  /// A header may hold commas and equals signs: a part without an equals sign goes on in the next, and the
  /// last equals sign counts.
  public init?(_ text: String) {
    var pairs: [(header: String, target: String)] = []
    var begun = ""
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      begun += begun.isEmpty ? "\(part)" : ",\(part)"
      guard let equals = begun.lastIndex(of: "=") else { continue }
      let target = begun[begun.index(after: equals)...].trimmed
      let header = begun[..<equals].trimmed
      guard !header.isEmpty, !target.isEmpty, ColumnMeaning.named(target) != nil else { return nil }
      pairs.append((header, target))
      begun = ""
    }
    guard begun.isEmpty, !pairs.isEmpty else { return nil }
    self.init(pairs)
  }

  /// A header that is said to mean two things; nil if there is none.
  public var ambiguousHeader: String? {
    entries.first { entry in
      entries.contains { $0.header == entry.header && $0.target != entry.target }
    }?.header
  }

  /// The same with the statements of another, which count more.
  public func merging(_ other: ColumnMap) -> ColumnMap {
    var merged = self
    merged.entries = other.entries + entries
    return merged
  }

  /// What a header is said to mean; nil if nothing is said.
  func target(of header: String) -> String? {
    let key = Self.key(header)
    return entries.first { $0.header == key }?.target
  }

  /// The name of a header in a study's own tables: what it is said to mean, else what it is. A column that is
  /// to be ignored has none.
  func name(of header: String) -> String {
    guard !isEmpty, let target = target(of: header) else { return header }
    return target == Self.ignored ? "" : target == Self.covariate ? header : target
  }

  /// Whether a header is said to be of no use.
  func ignores(_ name: String) -> Bool {
    name.isEmpty && entries.contains { $0.target == Self.ignored }
  }

  private static let (ignored, covariate) = ("ignore", "covariate")

  /// What is said of all columns of a wide table.
  var ofWideColumns: [ColumnMeaning] {
    entries.filter { $0.header == Self.wide }.compactMap { ColumnMeaning.named($0.target) }
  }

  /// The headers that none of the tables has.
  func headers(notAmong headers: [String]) -> [String] {
    let known = Set(headers.map(Self.key))
    return entries.map(\.header).filter { $0 != Self.wide && !known.contains($0) }
  }

  private static func key(_ header: String) -> String { header.trimmed.lowercased() }
}

extension StringProtocol {
  /// The text without blanks of any kind around it.
  var trimmed: String {
    guard let start = firstIndex(where: { !$0.isWhitespace }),
      let end = lastIndex(where: { !$0.isWhitespace })
    else { return "" }
    return String(self[start...end])
  }
}
