public import Foundation
import StudyData

/// Why a control stream of NONMEM cannot be taken over.
public struct ControlStreamProblem: Error, Hashable, Sendable, CustomStringConvertible {
  /// What was found, and what to do.
  public let description: String

  /// The stable code.
  public static let code = "E_CONTROL_STREAM"

  init(_ description: String) { self.description = description }
}

/// A control stream of NONMEM with one compartment (ADVAN1 or ADVAN2), and the table that it names.
///
/// What its abbreviated code computes is not looked at but asked: expressions are evaluated at the initial estimates and
/// beside them. So a volume is `TVV*EXP(ETA(2))`, or `EXP(MU_2+ETA(2))`, or whatever else is log-normal.
///
/// Volumes and clearances are per kg of body weight here. If they are proportional to WT in the control stream, that is the
/// weight; if they do not depend on it, everybody weighs 70 kg.
public struct ControlStream: Sendable {
  /// A typical value.
  public struct Typical: Hashable, Sendable {
    /// The parameter: ka, ke, r or cl.
    public let name: String
    /// The initial estimate, per kg of body weight where that belongs to it.
    public fileprivate(set) var value: Double
    /// Whether it is fixed.
    public let isFixed: Bool
    /// The initial variance of its logarithm between people; nil if they do not differ.
    public let variance: Double?
    /// Whether that is fixed.
    public let isVarianceFixed: Bool
  }

  /// The typical values.
  public let parameters: [Typical]
  /// Whether variances are in one block.
  public let isFull: Bool
  /// How readings err: additive, proportional or combined.
  public let error: String
  /// How integrals are taken: fo, foce, focei or laplace.
  public let method: String
  /// The table of events, as CSV.
  public let table: String
  /// Where the table was read from.
  public let tablePath: String
  /// The table as it is in that file.
  public let tableBytes: Data
  /// Where the lines and fields of the table stand in the file, and what a column is called there if it is called something
  /// else here.
  private let places: [(line: Int, columns: [Int])]
  private let titles: [String?]

  /// The weight of everybody where the model has none, in kg.
  private static let weight = 70.0

  private static func isPerWeight(_ name: String) -> Bool { name == "cl" || name == "r" }

  /// Reads a control stream, and the table beside it.
  ///
  /// - Throws: ``ControlStreamProblem``.
  public init(_ text: String, at file: URL) throws(ControlStreamProblem) {
    let records = Self.records(text)
    func record(_ name: String) -> [String] {
      // Names may be short, down to three letters.
      records.filter {
        $0.name == name || ($0.name.count > 2 && $0.name.prefix(3) == name.prefix(3))
      }
      .map(\.text)
    }
    guard record("DES").isEmpty, let advan = record("SUBROUTINES").first?.uppercased(),
      let number = advan.firstMatch(of: /ADVAN(\d+)/)?.1, number == "1" || number == "2"
    else {
      throw ControlStreamProblem(
        "only models of one compartment by ADVAN1 or ADVAN2 can be taken over; write the model as one of them"
      )
    }
    if record("PRIOR").count + record("MIX").count > 0 {
      throw ControlStreamProblem("$PRIOR and $MIX cannot be taken over; remove them")
    }
    let code = (
      pk: try AbbreviatedCode(record("PK").joined(separator: "\n"), called: "$PK"),
      error: try AbbreviatedCode(record("ERROR").joined(separator: "\n"), called: "$ERROR")
    )
    let thetas = try Self.thetas(record("THETA").joined(separator: "\n"))
    let omegas = try Self.variances(record("OMEGA"))
    let columns = Self.columns(record("INPUT").joined(separator: " "))
    guard columns.contains("ID"), columns.contains("DV"), columns.contains("AMT") else {
      throw ControlStreamProblem("$INPUT has no ID, DV or AMT")
    }
    let probe = Probe(
      code: code.pk, thetas: thetas.map(\.value), etas: omegas.entries.count)
    let isByClearance = advan.contains(/TRANS\s*=?\s*2/)
    let isOral = number == "2"
    let names =
      (isOral ? [("ka", "KA")] : [])
      + (isByClearance ? [("cl", "CL"), ("r", "V")] : [("ke", "K"), ("r", "V")])
    var parameters: [Typical] = []
    var exponents: [Double] = []
    for (name, symbol) in names {
      if Self.isPerWeight(name) { exponents.append(try probe.exponentOfWeight(in: symbol)) }
      parameters.append(try probe.typical(name, symbol, thetas, omegas))
    }
    guard Set(exponents).count == 1, let exponent = exponents.first, exponent == 0 || exponent == 1
    else {
      throw ControlStreamProblem(
        "volume and clearance must both be proportional to WT, or not depend on it; other powers cannot be taken over"
      )
    }
    // What one unit of an amount is in the unit of the readings, per litre.
    let compartment = isOral ? "S2" : "S1"
    let scale = try probe.ratio(compartment, to: "V")
    let weight = exponent == 0 ? Self.weight : 1
    for index in parameters.indices where Self.isPerWeight(parameters[index].name) {
      parameters[index].value *= 1 / weight
    }
    self.parameters = parameters
    isFull = omegas.isBlock
    error = try code.error.errorModel(thetas.map(\.value))
    method = Self.method(record("ESTIMATION").last ?? "")
    let data = record("DATA").joined(separator: " ")
    guard let name = data.split(whereSeparator: \.isWhitespace).first else {
      throw ControlStreamProblem("$DATA names no file")
    }
    let place = URL(
      filePath: name.trimmingCharacters(in: CharacterSet(charactersIn: "'\"")),
      relativeTo: file.deletingLastPathComponent())
    guard let bytes = try? Data(contentsOf: place) else {
      throw ControlStreamProblem("the table \(place.path(percentEncoded: false)) cannot be read")
    }
    tablePath = place.path(percentEncoded: false)
    tableBytes = bytes
    let compartments: Compartments = isOral ? .gutAndBlood : .blood
    (table, titles, places) = try Self.table(
      String(decoding: bytes, as: UTF8.self), columns, data, scale: scale,
      compartments,
      adding: (exponent == 0 ? [("WT", "\(Self.weight)")] : []) + (isOral ? [] : [("ROUTE", "iv")]))
  }

  /// The table as a file to read, of which findings name the lines and columns of the user's.
  package var tableFile: InputFile {
    let origin = SheetOrigin(headerRow: 1, titles: titles)
    for (line, columns) in places { origin.append(row: line, columns: columns) }
    return InputFile(path: tablePath, bytes: Data(table.utf8), origin: origin)
  }

  // MARK: Records

  /// The records, with their names in upper case and without comments.
  private static func records(_ text: String) -> [(name: String, text: String)] {
    let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).map {
      $0.prefix { $0 != ";" }
    }
    return lines.joined(separator: "\n").split(separator: "$").map { part in
      let name = part.prefix { $0.isLetter }
      return (name.uppercased(), String(part.dropFirst(name.count)))
    }
  }

  /// Numbers as NONMEM's records have them: (low, initial, high), (initial), or initial, and FIX.
  private static func thetas(
    _ text: String
  ) throws(ControlStreamProblem) -> [(value: Double, isFixed: Bool)] {
    var thetas: [(value: Double, isFixed: Bool)] = []
    for match in text.uppercased().matches(of: /\(([^)]*)\)\s*(FIX\w*)?|([-+.\dE]+)\s*(FIX\w*)?/) {
      let words = (match.1 ?? match.3 ?? "").split { $0 == "," || $0.isWhitespace }
      let numbers = words.compactMap { Double($0) }
      guard let value = numbers.count > 1 ? numbers[1] : numbers.first else {
        throw ControlStreamProblem(
          "$THETA has \(match.0.trimmingCharacters(in: .whitespaces)), which is not understood")
      }
      thetas.append(
        (value, match.2 != nil || match.4 != nil || words.contains { $0.hasPrefix("FIX") }))
    }
    return thetas
  }

  /// The variances of random effects, and whether they are of one block.
  typealias Omegas = (entries: [(value: Double, isFixed: Bool)], isBlock: Bool)

  private static func variances(_ records: [String]) throws(ControlStreamProblem) -> Omegas {
    var entries: [(value: Double, isFixed: Bool)] = []
    var blocks = 0
    for record in records.map({ $0.uppercased() }) {
      guard let block = record.firstMatch(of: /BLOCK\s*\((\d+)\)/), let size = Int(block.1),
        size > 1
      else {
        entries += try thetas(record.replacing(/(DIAGONAL|BLOCK)\s*\(\d+\)/, with: ""))
        continue
      }
      blocks += 1
      let all = try thetas(record.replacing(/BLOCK\s*\(\d+\)/, with: ""))
      guard !record.contains("SAME"), all.count == size * (size + 1) / 2, !record.contains("FIX")
      else {
        throw ControlStreamProblem("a $OMEGA BLOCK that is fixed or the SAME cannot be taken over")
      }
      entries += (0..<size).map { (all[$0 * ($0 + 3) / 2].value, false) }
    }
    guard blocks == 0 || (blocks == 1 && records.count == 1) else {
      throw ControlStreamProblem("$OMEGA must be one BLOCK, or have none")
    }
    return (entries, blocks == 1)
  }

  /// The names of the columns; empty for one that is dropped.
  private static func columns(_ text: String) -> [String] {
    let reserved: Set = [
      "ID", "TIME", "DV", "AMT", "RATE", "EVID", "MDV", "CMT", "ADDL", "II", "SS",
    ]
    return text.uppercased().split { $0.isWhitespace || $0 == "," }.map { word in
      let names = word.split(separator: "=").map(String.init)
      if names.contains("DROP") || names.contains("SKIP") { return "" }
      return names.first(where: reserved.contains) ?? names.first ?? ""
    }
  }

  private static func method(_ text: String) -> String {
    let text = text.uppercased()
    if text.contains(/LAPL/) { return "laplace" }
    if text.contains(/METH\w*\s*=?\s*(0|ZERO)/) || !text.contains("METH") { return "fo" }
    return text.contains(/METH\w*\s*=?\s*(1|COND)/) && !text.contains("INTER") ? "foce" : "focei"
  }

  // MARK: The table

  private static func table(
    _ text: String, _ columns: [String], _ options: String, scale: Double,
    _ compartments: Compartments, adding further: [(name: String, value: String)]
  ) throws(ControlStreamProblem)
    -> (text: String, titles: [String?], places: [(line: Int, columns: [Int])])
  {
    let options = options.uppercased()
    let mark = options.firstMatch(of: /IGNORE\s*=\s*['"]?([^\s('"])/)?.1 ?? "#"
    var conditions: [(column: Int, relation: String, value: Double, keeps: Bool)] = []
    for list in options.matches(of: /(IGNORE|ACCEPT)\s*=\s*\(([^)]*)\)/) {
      for one in list.2.split(separator: ",") {
        guard
          let parts = one.firstMatch(
            of: /^\s*(\w+)\s*(\.EQN?\.|\.NEN?\.|\.[GL][ET]\.|==|\/=|>=|<=|>|<|=)\s*([-+.\dE]+)\s*$/),
          let column = columns.firstIndex(of: String(parts.1)), let value = Double(parts.3)
        else { throw ControlStreamProblem("$DATA has \(list.0), which is not understood") }
        conditions.append((column, String(parts.2), value, list.1 == "ACCEPT"))
      }
    }
    // The weight of the model takes the place of the table's, which stays a covariate.
    var names = columns.map { name in
      further.contains { $0.name == name } ? "TABLE_\(name)" : name
    }
    let kept = names.indices.filter { !names[$0].isEmpty }
    let compartment = columns.firstIndex(of: "CMT")
    // Tables in which everything is of compartment 1 do without the difference.
    var hasSeveral = compartments == .blood
    var lines: [String] = []
    var places: [(line: Int, columns: [Int])] = []
    let rows = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    for (row, line) in rows.enumerated() {
      guard let first = line.first(where: { !$0.isWhitespace }) else { continue }
      if mark == "@" ? first.isLetter || first == "@" : line.uppercased().hasPrefix(mark) {
        continue
      }
      let parts =
        line.contains(",")
        ? line.split(separator: ",", omittingEmptySubsequences: false)
        : line.split(whereSeparator: \.isWhitespace)
      var fields = parts.map { $0.trimmingCharacters(in: .whitespaces) }
      fields += Array(repeating: ".", count: Swift.max(0, columns.count - fields.count))
      let isOut = conditions.contains { condition in
        relation(condition.relation, Double(fields[condition.column]) ?? 0, condition.value)
          != condition.keeps
      }
      if isOut { continue }
      if let compartment, Double(fields[compartment]) == 2 { hasSeveral = true }
      if let amount = columns.firstIndex(of: "AMT"), let number = Double(fields[amount]), scale != 1
      {
        fields[amount] = "\(number * scale)"
      }
      lines.append(
        (kept.map { fields[$0].isEmpty ? "." : fields[$0] } + further.map(\.value))
          .joined(separator: ","))
      places.append(
        (
          row + 1,
          kept.map { place in
            parts.indices.contains(place)
              ? line.utf8.distance(from: line.startIndex, to: parts[place].startIndex) + 1 : 1
          }
        ))
    }
    if let compartment, hasSeveral {
      names[compartment] = compartments.rawValue.uppercased()
    }
    let head = (kept.map { names[$0] } + further.map(\.name)).joined(separator: ",")
    let titles = kept.map { names[$0] == columns[$0] ? nil : columns[$0] }
    return (
      ([head] + lines).joined(separator: "\n") + "\n", titles + further.map { _ in nil }, places
    )
  }

  private static func relation(_ name: String, _ one: Double, _ other: Double) -> Bool {
    switch name {
    case ".NE.", ".NEN.", "/=": one != other
    case ".GT.", ">": one > other
    case ".GE.", ">=": one >= other
    case ".LT.", "<": one < other
    case ".LE.", "<=": one <= other
    default: one == other
    }
  }
}

/// Asks abbreviated code what parameters are.
private struct Probe {
  let code: AbbreviatedCode
  let thetas: [Double]
  let etas: Int

  private func value(
    of name: String, theta: Int? = nil, eta: Int? = nil, weight: Double = 1
  ) throws(ControlStreamProblem) -> Double {
    var known: [String: Double] = ["WT": weight]
    for (place, value) in thetas.enumerated() {
      known["THETA(\(place + 1))"] = place == theta ? value + 0.1 * max(1e-3, abs(value)) : value
    }
    for place in 0..<etas { known["ETA(\(place + 1))"] = place == eta ? 1 : 0 }
    guard let value = try code.values(known)[name], value > 0, value.isFinite else {
      throw ControlStreamProblem("$PK gives no \(name) above zero")
    }
    return value
  }

  /// By which power of the weight a parameter goes.
  func exponentOfWeight(in name: String) throws(ControlStreamProblem) -> Double {
    let ratio = try value(of: name, weight: 2) / value(of: name)
    return (1e9 * log2(ratio)).rounded() / 1e9
  }

  /// What a scale is a part of.
  func ratio(_ name: String, to other: String) throws(ControlStreamProblem) -> Double {
    guard code.names.contains(name) else { return 1 }
    return (1e9 * (try value(of: other) / value(of: name))).rounded() / 1e9
  }

  func typical(
    _ name: String, _ symbol: String, _ thetas: [(value: Double, isFixed: Bool)],
    _ omegas: ControlStream.Omegas
  ) throws(ControlStreamProblem) -> ControlStream.Typical {
    let center = try value(of: symbol)
    var own: [Int] = []
    for eta in 0..<etas {
      let ratio = try value(of: symbol, eta: eta) / center
      guard ratio != 1 else { continue }
      guard abs(ratio - exp(1)) < 1e-9 else {
        throw ControlStreamProblem(
          "\(symbol) is not log-normal in ETA(\(eta + 1)); write \(symbol) = THETA(n)*EXP(ETA(\(eta + 1)))"
        )
      }
      own.append(eta)
    }
    guard own.count < 2 else {
      throw ControlStreamProblem(
        "\(symbol) has several random effects; occasions cannot be taken over")
    }
    var sources: [Int] = []
    for theta in thetas.indices {
      if try value(of: symbol, theta: theta) != center { sources.append(theta) }
    }
    guard sources.count < 2 else {
      throw ControlStreamProblem(
        "\(symbol) depends on several THETAs; covariates cannot be taken over")
    }
    return ControlStream.Typical(
      name: name, value: center, isFixed: sources.allSatisfy { thetas[$0].isFixed },
      variance: own.first.map { omegas.entries[$0].value },
      isVarianceFixed: own.first.map { omegas.entries[$0].isFixed } ?? false)
  }
}

/// Assignments of NM-TRAN's abbreviated code.
private struct AbbreviatedCode {
  private let lines: [(name: String, expression: String)]
  private let title: String

  var names: Set<String> { Set(lines.map(\.name)) }

  init(_ text: String, called title: String) throws(ControlStreamProblem) {
    self.title = title
    var lines: [(name: String, expression: String)] = []
    for line in text.uppercased().split(whereSeparator: \.isNewline) {
      let bare = line.filter { !$0.isWhitespace }
      guard !bare.isEmpty else { continue }
      let sides = bare.split(separator: "=", maxSplits: 1).map(String.init)
      guard sides.count == 2, sides[0].allSatisfy({ $0.isLetter || $0.isNumber || $0 == "_" })
      else {
        throw ControlStreamProblem(
          "\(title) has \(line.trimmingCharacters(in: .whitespaces).quoted); only assignments can be taken over, without IF"
        )
      }
      lines.append((sides[0], sides[1]))
    }
    self.lines = lines
  }

  /// All that is assigned, and the names that NONMEM has of its own.
  func values(_ known: [String: Double]) throws(ControlStreamProblem) -> [String: Double] {
    var values = known
    for line in lines {
      var reader = ExpressionReader(line.expression, values)
      guard let value = reader.sum(), reader.isAtEnd else {
        throw ControlStreamProblem(
          "\(title) has \(line.name)=\(line.expression)"
            + (reader.unknown.map { ", and \($0) is not known; only THETA, ETA and WT can be used" }
              ?? ", which is not understood"))
      }
      values[line.name] = value
    }
    return values
  }

  /// How readings err, by how Y moves with EPS at two predictions.
  func errorModel(_ thetas: [Double]) throws(ControlStreamProblem) -> String {
    func size(_ prediction: Double, _ eps: Int?) throws(ControlStreamProblem) -> Double {
      var known = ["F": prediction, "WT": 1.0]
      for (place, value) in thetas.enumerated() { known["THETA(\(place + 1))"] = value }
      for place in 1...4 {
        known["EPS(\(place))"] = place == eps ? 1 : 0
        known["ERR(\(place))"] = place == eps ? 1 : 0
      }
      guard let value = try values(known)["Y"] else {
        throw ControlStreamProblem("$ERROR gives no Y")
      }
      return value
    }
    var kinds: Set<String> = []
    for eps in 1...4 {
      let one = try size(1, eps) - size(1, nil)
      let two = try size(2, eps) - size(2, nil)
      guard one != 0 || two != 0 else { continue }
      if abs(two - one) < 1e-9 * abs(one) {
        kinds.insert("additive")
      } else if abs(two - 2 * one) < 1e-9 * abs(one) {
        kinds.insert("proportional")
      } else {
        // The root of a sum of squares is both.
        kinds.formUnion(["additive", "proportional"])
      }
    }
    guard try size(2, nil) == 2, let first = kinds.first else {
      throw ControlStreamProblem(
        "Y must be F with an error by EPS; logarithms of readings cannot be taken over")
    }
    return kinds.count > 1 ? "combined" : first
  }
}

/// Evaluates an expression of Fortran's kind, without blanks and in upper case.
private struct ExpressionReader {
  private let text: [Character]
  private let known: [String: Double]
  private var place = 0
  /// A name that nothing has.
  private(set) var unknown: String?

  init(_ text: String, _ known: [String: Double]) {
    self.text = Array(text)
    self.known = known
  }

  var isAtEnd: Bool { place == text.count }

  private mutating func takes(_ word: String) -> Bool {
    guard text[place...].starts(with: word) else { return false }
    place += word.count
    return true
  }

  mutating func sum() -> Double? {
    let isNegative = takes("-")
    let first = product().map { isNegative ? -$0 : $0 }
    return chain(first, ["+": { $0 + $1 }, "-": { $0 - $1 }]) { $0.product() }
  }

  private mutating func product() -> Double? {
    let first = power()
    return chain(first, ["*": { $0 * $1 }, "/": { $0 / $1 }]) { $0.power() }
  }

  /// Operators of one rank, from the left.
  private mutating func chain(
    _ first: Double?, _ operators: [String: (Double, Double) -> Double],
    _ term: (inout Self) -> Double?
  ) -> Double? {
    var value = first
    while let known = value, !isAtEnd, let operation = operators[String(text[place])] {
      place += 1
      value = term(&self).map { operation(known, $0) }
    }
    return value
  }

  private mutating func power() -> Double? {
    guard let base = atom() else { return nil }
    guard takes("**") else { return base }
    let isNegative = takes("-")
    guard let exponent = power() else { return nil }
    return pow(base, isNegative ? -exponent : exponent)
  }

  private mutating func atom() -> Double? {
    if takes("(") {
      let value = sum()
      return takes(")") ? value : nil
    }
    let rest = String(text[place...])
    if let number = rest.prefixMatch(of: /(\d+\.?\d*|\.\d+)([ED][-+]?\d+)?/) {
      place += number.0.count
      return Double(number.0.replacing("D", with: "E"))
    }
    guard let name = rest.prefixMatch(of: /[A-Z]\w*/)?.0 else { return nil }
    let functions: [String: (Double) -> Double] = [
      "EXP": { exp($0) }, "LOG": { log($0) }, "SQRT": { $0.squareRoot() }, "ABS": { abs($0) },
    ]
    place += name.count
    if let function = functions[String(name)], takes("(") {
      guard let value = sum(), takes(")") else { return nil }
      return function(value)
    }
    var whole = String(name)
    if let index = String(text[place...]).prefixMatch(of: /\(\d+\)/)?.0 {
      whole += index
      place += index.count
    }
    if known[whole] == nil { unknown = unknown ?? whole }
    return known[whole]
  }
}
