@testable import Reporting

/// A kind of JSON document that a command prints: which tables it has under which keys; nil for all of the command.
private struct Document {
  let name: String
  let tables: [(key: String, table: String)]?

  /// - Parameter renamed: Tables that have another key, by it.
  init(_ name: String, _ tables: [String]? = nil, renamed: KeyValuePairs<String, String> = [:]) {
    self.name = name
    self.tables = tables.map { names in names.map { ($0, $0) } + renamed.map { ($0, $1) } }
  }

  /// The documents of each command.
  static let all: [String: [Document]] = [
    "check": [
      Document("check", ["series", "findings", "taken_as"]),
      Document("check-estimates", ["estimates", "findings"]),
      Document("check-unreadable", ["findings"]),
    ],
    "drinks": [Document("drinks")],
    "fit": [
      Document(
        "fit",
        [
          "fits", "starts", "correlations", "covariances", "derived", "posterior", "study",
          "pooled_residuals",
        ]), Document("fit-summary", ["parameters", "study", "pooled_residuals"]),
      Document("fit-elimination-line", ["lines"]),
      Document("fit-models", ["models", "model_evidence"]),
    ],
    "population": [Document("population")],
    "forecast": [
      Document("forecast", ["forecasts", "forecast_curve"]),
      Document("forecast-scores", ["skill", "forecast_times", "forecast_readings"]),
    ],
    "case": [Document("case")],
    "sober": [Document("sober", ["times"]), Document("sober-summary", ["sobriety", "pairs"])],
    "compare": [
      Document("compare", ["comparisons", "error_tests", "pooled_errors"]),
      Document(
        "compare-summary",
        ["methods", "rankings", "pairs", "sobriety", "error_tests", "pooled_errors"]),
      Document("compare-estimates", ["r_comparisons", "r_summary", "blood_breath_ratio"]),
      Document(
        "compare-estimates-summary", ["r_summary", "rankings", "pairs", "blood_breath_ratio"]),
    ],
    "design": [
      Document("design", ["designs", "design_times"]),
      Document("design-people", ["people_needed", "people_tried"]),
    ],
    "regress": [
      Document("regress", ["drifts", "results"]),
      Document("regress-nist", ["certification", "averages"]),
      Document("regress-engines", ["engines"]),
    ],
    "bench": [Document("bench")],
    "init": [Document("init")],
    "import": [Document("import")],
  ]
}

/// JSON Schemas (draft 2020-12) of the documents that commands print.
extension ResultCatalogue {
  /// Every schema by the name of its file: one per kind of document, and what they share.
  var schemas: [(file: String, text: String)] {
    [schema("common", [("$defs", .object(definitions))])]
      + commands.flatMap { command in
        (Document.all[command.name] ?? []).map { schema($0.name, $0.members(of: command)) }
      }
  }

  private func schema(
    _ name: String, _ members: JSONValue.Members
  ) -> (file: String, text: String) {
    let file = "\(name).schema.json"
    let head: JSONValue.Members = [
      ("$schema", "https://json-schema.org/draft/2020-12/schema"),
      ("$id", .string("https://promille.invalid/schemas/\(Report.schemaVersion)/\(file)")),
    ]
    return (file, JSONValue.object(head + members).document(expandedLevels: 4))
  }

  /// How a result was made, and a row of each table.
  private var definitions: JSONValue.Members {
    [("provenance", Provenance.schema)]
      + commands.flatMap(\.tables).map { table in
        (table.name, .closedObject(table.columns.map { ($0.name, $0.schema) }))
      }
  }
}

extension Document {
  fileprivate func members(of command: ResultCatalogue.Command) -> JSONValue.Members {
    let provenance: JSONValue = [
      "$ref": .definition("provenance"),
      "properties": ["command": ["const": .string(command.name)]],
    ]
    let keys = tables ?? command.tables.map { ($0.name, $0.name) }
    let tables: JSONValue.Members = keys.map { key, table in
      (key, ["type": "array", "items": ["$ref": .definition(table)]])
    }
    return JSONValue.closedMembers(
      [
        ("schema_version", ["const": .integer(Report.schemaVersion)]), ("provenance", provenance),
      ] + tables)
  }
}

extension ColumnDescription {
  fileprivate var schema: JSONValue {
    let text = unit.map { "\(meaning) [\($0)]" } ?? meaning
    let type = { (name: JSONValue) -> (key: String, value: JSONValue) in
      ("type", canBeMissing ? [name, "null"] : name)
    }
    let values: JSONValue.Members =
      switch kind {
      case .text, .codes: [type("string")]
      case .number: [type("number")]
      case .count: [type("integer"), ("minimum", 0)]
      case .oneOf(let words):
        [("enum", .array(words.map(JSONValue.string) + (canBeMissing ? [.null] : [])))]
      }
    return .object([("description", .string(text))] + values)
  }
}

extension Provenance {
  fileprivate static var schema: JSONValue {
    let text: JSONValue = ["type": "string"]
    let positive: JSONValue = ["type": "number", "exclusiveMinimum": 0]
    let digest = JSONValue.closedObject([("file", text), ("sha256", text)])
    let factors = ["blood_density_kg_per_l", "blood_breath_ratio", "serum_blood_ratio"]
    return .closedObject([
      ("tool", ["const": "promille"]), ("version", text), ("command", text),
      ("options", ["type": "object"]), ("inputs", ["type": "array", "items": digest]),
      ("conversion_factors", .closedObject(factors.map { ($0, positive) })),
    ])
  }
}

extension JSONValue {
  fileprivate static func definition(_ name: String) -> JSONValue {
    .string("common.schema.json#/$defs/\(name)")
  }

  /// The schema of an object that has these members, all of them, and no others.
  fileprivate static func closedObject(_ properties: Members) -> JSONValue {
    .object(closedMembers(properties))
  }

  fileprivate static func closedMembers(_ properties: Members) -> Members {
    [
      ("type", "object"), ("properties", .object(properties)),
      ("required", .array(properties.map { .string($0.key) })), ("additionalProperties", false),
    ]
  }
}
