import Foundation

/// Holds JSON documents to the schemas in the folder `schemas`.
///
/// It knows the keywords that those use, and refuses others, so that none is passed over unseen;
/// `Tests/Tools/schemas.py` does the same with a complete validator.
public struct SchemaChecker {
  /// A schema that cannot be used.
  public struct Unusable: Error {
    public let reason: String
  }

  private static let annotations: Set = ["$schema", "$id", "$defs", "description", "examples"]

  private let files: [String: [String: Any]]

  /// Reads the schemas.
  public init() throws {
    let folder = PackageFolder.root.appending(path: "schemas")
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    var files: [String: [String: Any]] = [:]
    for name in names {
      let data = try Data(contentsOf: folder.appending(path: name))
      files[name] = try JSONSerialization.jsonObject(with: data) as? [String: Any]
    }
    self.files = files
  }

  /// The errors in a document, each with its place; empty if it follows the schema.
  public func problems(with text: String, as name: String) throws -> [String] {
    let value = try JSONSerialization.jsonObject(with: Data(text.utf8))
    guard let schema = files[name] else { return ["no schema \(name)"] }
    return try problems(with: value, schema, in: name, at: "")
  }

  private func problems(
    with value: Any, _ schema: [String: Any], in file: String, at place: String
  ) throws -> [String] {
    try schema.keys.sorted().flatMap { keyword in
      try problems(with: value, keyword, of: schema, in: file, at: place)
    }
  }

  private func problems(
    with value: Any, _ keyword: String, of schema: [String: Any], in file: String, at place: String
  ) throws -> [String] {
    switch (keyword, schema[keyword]) {
    case (_, _) where Self.annotations.contains(keyword):
      return []
    case ("$ref", let path as String):
      let definitions = files[file]?["$defs"] as? [String: [String: Any]]
      guard path.hasPrefix("#/$defs/"), let schema = definitions?[String(path.dropFirst(8))] else {
        throw Unusable(reason: "\(file): there is no \(path)")
      }
      return try problems(with: value, schema, in: file, at: place)
    case ("type", let type?):
      let types = type as? [String] ?? [type as? String ?? ""]
      return types.contains { Self.isOf(type: $0, value) } ? [] : ["\(place) is no \(types)"]
    case ("const", let constant?):
      return Self.areEqual(value, constant) ? [] : ["\(place) is not \(constant)"]
    case ("enum", let values as [Any]):
      return values.contains { Self.areEqual(value, $0) } ? [] : ["\(place) is none of \(values)"]
    case ("anyOf", let choices as [[String: Any]]):
      let found = try choices.map { try problems(with: value, $0, in: file, at: place) }
      return found.contains([]) ? [] : ["\(place) is none of \(found)"]
    case ("minimum", let bound as Double):
      return (value as? Double).map { $0 >= bound } ?? true ? [] : ["\(place) is below \(bound)"]
    case ("required", let names as [String]):
      guard let object = value as? [String: Any] else { return [] }
      return names.filter { object[$0] == nil }.map { "\(place) has no \($0)" }
    case ("additionalProperties", let isAllowed as Bool):
      guard let object = value as? [String: Any], !isAllowed else { return [] }
      let known = (schema["properties"] as? [String: Any]) ?? [:]
      return object.keys.filter { known[$0] == nil }.map { "\(place) has \($0)" }
    case ("properties", let properties as [String: [String: Any]]):
      guard let object = value as? [String: Any] else { return [] }
      return try properties.flatMap { name, schema in
        try object[name].map {
          try problems(with: $0, schema, in: file, at: "\(place)/\(name)")
        } ?? []
      }
    case ("minItems", let least as Double):
      return (value as? [Any]).map { Double($0.count) >= least } ?? true
        ? [] : ["\(place) has fewer than \(least)"]
    case ("items", let items as [String: Any]):
      return try (value as? [Any] ?? []).enumerated().flatMap { index, element in
        try problems(with: element, items, in: file, at: "\(place)/\(index)")
      }
    default:
      throw Unusable(reason: "\(file): the keyword \(keyword) is not known")
    }
  }

  private static func isOf(type: String, _ value: Any) -> Bool {
    switch type {
    case "object": value is [String: Any]
    case "array": value is [Any]
    case "string": value is String
    case "null": value is NSNull
    case "boolean": value as? Bool != nil
    case "number": isNumber(value)
    case "integer": isNumber(value) && (value as? Double).map { $0 == $0.rounded() } ?? false
    default: false
    }
  }

  /// Foundation's truth values count as numbers; no schema here has any.
  private static func isNumber(_ value: Any) -> Bool { value as? Double != nil }

  private static func areEqual(_ left: Any, _ right: Any) -> Bool {
    if left is NSNull || right is NSNull { return left is NSNull && right is NSNull }
    if let left = left as? String { return left == right as? String }
    return left as? Double != nil && left as? Double == right as? Double
  }
}
