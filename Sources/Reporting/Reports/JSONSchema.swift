/// JSON Schemas (draft 2020-12) of the documents that commands print.
extension ResultCatalogue {
  /// Every schema by the name of its file: one per kind of document, and what they share.
  package var schemas: [(file: String, text: String)] {
    [schema("common", [("$defs", .object(definitions))])]
      + commands.flatMap { command in
        command.documents.map { schema($0.name, $0.members(of: command)) }
      }
  }

  private func schema(
    _ name: String, _ members: [(key: String, value: JSONValue)]
  ) -> (file: String, text: String) {
    let file = "\(name).schema.json"
    let head: [(key: String, value: JSONValue)] = [
      ("$schema", .string("https://json-schema.org/draft/2020-12/schema")),
      ("$id", .string("https://promille.invalid/schemas/\(Report.schemaVersion)/\(file)")),
    ]
    return (file, JSONValue.object(head + members).document(expandedLevels: 4))
  }

  /// How a result was made, and a row of each table.
  private var definitions: [(key: String, value: JSONValue)] {
    [("provenance", Provenance.schema)]
      + commands.flatMap(\.tables).map { table in
        (table.name, .closedObject(table.columns.map { ($0.name, $0.schema) }))
      }
  }
}

extension ResultCatalogue.Document {
  fileprivate func members(
    of command: ResultCatalogue.Command
  ) -> [(key: String, value: JSONValue)] {
    let provenance = JSONValue.object([
      ("$ref", .definition("provenance")),
      (
        "properties",
        .object([("command", .object([("const", .string(command.name))]))])
      ),
    ])
    let tables = tables.map { key, table in
      (
        key,
        JSONValue.object([
          ("type", .string("array")), ("items", .object([("$ref", .definition(table))])),
        ])
      )
    }
    return JSONValue.closedMembers(
      [
        ("schema_version", .object([("const", .integer(Report.schemaVersion))])),
        ("provenance", provenance),
      ] + tables)
  }
}

extension ColumnDescription {
  /// The schema of the column's values.
  fileprivate var schema: JSONValue {
    let text = unit.map { "\(meaning) [\($0)]" } ?? meaning
    let description = ("description", JSONValue.string(text))
    let type = { (name: String) -> (key: String, value: JSONValue) in
      ("type", canBeMissing ? .array([.string(name), .string("null")]) : .string(name))
    }
    return switch kind {
    case .text, .codes: .object([description, type("string")])
    case .number: .object([description, type("number")])
    case .count: .object([description, type("integer"), ("minimum", .integer(0))])
    case .oneOf(let words):
      .object([
        description, ("enum", .array(words.map(JSONValue.string) + (canBeMissing ? [.null] : []))),
      ])
    }
  }
}

extension Provenance {
  fileprivate static var schema: JSONValue {
    let text = JSONValue.object([("type", .string("string"))])
    let positive = JSONValue.object([
      ("type", .string("number")), ("exclusiveMinimum", .integer(0)),
    ])
    let digest = JSONValue.closedObject([("file", text), ("sha256", text)])
    let factors = ["blood_density_kg_per_l", "blood_breath_ratio", "serum_blood_ratio"]
    return .closedObject([
      ("tool", .object([("const", .string("promille"))])),
      ("version", text),
      ("command", text),
      ("options", .object([("type", .string("object"))])),
      ("inputs", .object([("type", .string("array")), ("items", digest)])),
      ("conversion_factors", .closedObject(factors.map { ($0, positive) })),
    ])
  }
}

extension JSONValue {
  fileprivate static func definition(_ name: String) -> JSONValue {
    .string("common.schema.json#/$defs/\(name)")
  }

  /// The schema of an object that has these members, all of them, and no others.
  fileprivate static func closedObject(
    _ properties: [(key: String, value: JSONValue)]
  ) -> JSONValue {
    .object(closedMembers(properties))
  }

  fileprivate static func closedMembers(
    _ properties: [(key: String, value: JSONValue)]
  ) -> [(key: String, value: JSONValue)] {
    [
      ("type", .string("object")),
      ("properties", .object(properties)),
      ("required", .array(properties.map { .string($0.key) })),
      ("additionalProperties", .bool(false)),
    ]
  }
}
