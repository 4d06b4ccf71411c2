import AlcoholKinetics
package import StudyData

/// The parts of `datapackage.json` (a Frictionless Data Package) that Promille reads.
package struct DataPackage {
  private(set) var title: String?
  private(set) var instrument: Instrument?
  /// The food state of subjects for whom `subjects.csv` does not state it.
  private(set) var food: FoodState?
  /// The meanings of columns with other headers than those of study files.
  package private(set) var columns = ColumnMap.empty
  /// The statements about the columns of the tables from which the study was converted.
  package private(set) var sourceColumns = ColumnMap.empty

  private static let section = "promille"
  static let sourceColumns = "source_columns"
  private static let instrumentKeys: Set = [
    "name", "resolution", "relative_accuracy", "limit_of_detection", "mouth_alcohol_window_min",
  ]

  /// Reads the descriptor; an invalid one is reported, and an empty one returned.
  package static func read(_ file: InputFile, log: inout FindingLog) -> DataPackage {
    do throws(StudyError) {
      return try file.json(
        remedy: "correct it, or remove datapackage.json (it is optional)"
      ) { root throws(DescriptorProblem) in try DataPackage(root, log: &log) }
    } catch {
      for finding in error.diagnostics { log.add(finding) }
      return DataPackage()
    }
  }

  private init() {}

  private init(_ root: JSONNode, log: inout FindingLog) throws(DescriptorProblem) {
    let members = try JSONObject(root, called: "the descriptor")
    title = try members.string("title")
    guard let section = try members.object(Self.section) else { return }
    // "source" is information for people, and not read.
    section.reportUnknown(
      besides: ["instrument", "columns", "source", Self.sourceColumns, Subject.foodName], log: &log)
    columns = try Self.columns("columns", in: section)
    sourceColumns = try Self.columns(Self.sourceColumns, in: section)
    food = Self.food(in: section, &log)
    guard let instrument = try section.object("instrument") else { return }
    instrument.reportUnknown(besides: Self.instrumentKeys, log: &log)
    self.instrument = try Self.instrument(from: instrument)
  }

  /// Reads the food state; an unknown word is reported with the same code as for a subject.
  private static func food(in section: JSONObject, _ log: inout FindingLog) -> FoodState? {
    guard section.names.contains(Subject.foodName) else { return nil }
    let word = (try? section.string(Subject.foodName)) ?? nil
    if let state = word.flatMap({ FoodState(rawValue: $0.lowercased()) }) { return state }
    let complaint = word.map { "food is \($0.quoted), " } ?? "food is no text, "
    log.add(
      .word, at: section.place(of: Subject.foodName), complaint + FoodState.complaint,
      remedy: FoodState.remedy(for: word ?? ""))
    return nil
  }

  private static func columns(
    _ key: String, in section: JSONObject
  ) throws(DescriptorProblem) -> ColumnMap {
    guard let object = try section.object(key) else { return .empty }
    var pairs: [(header: String, target: String)] = []
    for header in object.names {
      // A wide table has two meanings: its times and its readings.
      let names =
        try object.isList(header)
        ? object.strings(header)?.map(\.text) : object.string(header).map { [$0] }
      for name in try object.required(header, names) {
        guard ColumnMeaning.named(name) != nil else {
          throw DescriptorProblem(
            place: object.place(of: header),
            message: "\(key) says that \(header.quoted) is \(name.quoted). "
              + ColumnMap.refusal(of: name, for: header))
        }
        pairs.append((header, name))
      }
    }
    return ColumnMap(pairs)
  }

  static func instrument(from object: JSONObject) throws(DescriptorProblem) -> Instrument {
    let window = try object.number("mouth_alcohol_window_min") { $0 >= 0 }
    return Instrument(
      name: try object.string("name"),
      resolution: try object.number("resolution") { $0 > 0 },
      relativeAccuracy: try object.number("relative_accuracy") { 0...1 ~= $0 },
      limitOfDetection: try object.number("limit_of_detection") { $0 >= 0 },
      mouthAlcoholWindow: window.map(Hours.init(minutes:)))
  }
}

struct DataPackageText {
  /// The text of the descriptor; nil if it would be empty.
  let text: String?

  init(_ study: Study, takenAs taken: [TakenColumn] = [], stated: ColumnMap = .empty) {
    let title = study.title.map { ["  \"title\": \($0.jsonLiteral)"] } ?? []
    let columns = stated.names.map { "\($0.header.jsonLiteral): \(Self.text(of: $0.names))" }
    let parts = [
      study.instrument.map { Self.part("instrument", "{", Self.members(of: $0), "}") },
      taken.isEmpty ? nil : Self.part("source", "[", taken.map { Self.text(of: $0) }, "]"),
      columns.isEmpty ? nil : Self.part(DataPackage.sourceColumns, "{", columns, "}"),
    ].compactMap(\.self)
    let section =
      parts.isEmpty ? [] : ["  \"promille\": {\n" + parts.joined(separator: ",\n") + "\n  }"]
    let members = title + section
    text = members.isEmpty ? nil : "{\n" + members.joined(separator: ",\n") + "\n}\n"
  }

  private static func part(
    _ name: String, _ start: String, _ members: [String], _ end: String
  ) -> String {
    "    \"\(name)\": " + start + members.map { "\n      \($0)" }.joined(separator: ",") + "\n    "
      + end
  }

  private static func text(of column: TakenColumn) -> String {
    "{\"file\": \(column.file.jsonLiteral), \"column\": \(column.column.jsonLiteral), "
      + "\"taken_as\": \(column.takenAs.jsonLiteral), \"note\": \(column.note.jsonLiteral)}"
  }

  /// Returns a JSON string for one name, or a list for several.
  private static func text(of names: [String]) -> String {
    let literals = names.map(\.jsonLiteral)
    return literals.count == 1 ? literals[0] : "[" + literals.joined(separator: ", ") + "]"
  }

  private static func members(of instrument: Instrument) -> [String] {
    let numbers = [
      ("resolution", instrument.resolution),
      ("relative_accuracy", instrument.relativeAccuracy),
      ("limit_of_detection", instrument.limitOfDetection),
      ("mouth_alcohol_window_min", instrument.mouthAlcoholWindow?.minutes),
    ]
    return (instrument.name.map { ["\"name\": \($0.jsonLiteral)"] } ?? [])
      + numbers.compactMap { name, value in value.map { "\"\(name)\": \($0)" } }
  }
}

extension String {
  /// The text as a JSON string, quotes included (RFC 8259).
  ///
  /// Control and invisible characters are escaped, which does not change the string.
  package var jsonLiteral: String {
    // A fast path for nearly all names and words.
    let isPlain = utf8.allSatisfy { 0x20..<0x7F ~= $0 && $0 != ASCII.quote && $0 != 0x5C }
    if isPlain { return "\"" + self + "\"" }
    var literal = "\""
    for scalar in unicodeScalars {
      switch scalar {
      case "\"": literal += "\\\""
      case "\\": literal += "\\\\"
      case "\n": literal += "\\n"
      case "\r": literal += "\\r"
      case "\t": literal += "\\t"
      case _ where scalar.isShown: literal.unicodeScalars.append(scalar)
      default:
        for unit in String(scalar).utf16 {
          let code = String(unit, radix: 16)
          literal += "\\u" + String(repeating: "0", count: 4 - code.count) + code
        }
      }
    }
    return literal + "\""
  }
}
