package import Foundation
import StudyData

extension JSONNode {
  /// Decodes a value from the text that this was read from; members in snake_case have names in camelCase. What is wrong
  /// is thrown with the place to which its coding path leads.
  package func decoded<Value: Decodable>(
    _ type: Value.Type, from text: Data
  ) throws(DescriptorProblem) -> Value {
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    do {
      return try decoder.decode(type, from: text)
    } catch let DecodingError.keyNotFound(key, context) {
      throw problem(context) { title, _ in
        "\(title) has no \(key.stringValue.replacing(/[A-Z]/) { "_" + $0.output.lowercased() })"
      }
    } catch let DecodingError.typeMismatch(type, context) {
      throw problem(context) { "\($0) is \($1.kind), not \(Self.kind(of: type))" }
    } catch let DecodingError.valueNotFound(_, context) {
      throw problem(context) { title, _ in "\(title) has no value" }
    } catch let DecodingError.dataCorrupted(context) {
      throw problem(context) { title, node in
        switch node.value {
        case .string(let text): "there is no \(title) \(text.quoted)"
        case .number(let number): "\(title) is \(number), which is out of range"
        default: "\(title) cannot be read: \(context.debugDescription)"
        }
      }
    } catch {
      throw DescriptorProblem(place: place, message: "the file cannot be read: \(error)")
    }
  }

  /// What is wrong with the value at the end of a path, which has names of members and places in lists.
  package func problem(at path: [String], _ message: String) -> DescriptorProblem {
    DescriptorProblem(place: value(at: path).node.place, message: message)
  }

  private func problem(
    _ context: DecodingError.Context, _ message: (_ title: String, _ node: JSONNode) -> String
  ) -> DescriptorProblem {
    let path = context.codingPath.map { $0.intValue.map(String.init) ?? $0.stringValue }
    let (title, node) = value(at: path)
    return DescriptorProblem(place: node.place, message: message(title, node))
  }

  /// The value at the end of a path, or the last that there is on the way, with what messages call it.
  private func value(at path: [String]) -> (title: String, node: JSONNode) {
    path.reduce(("the file", self)) { found, key in
      switch found.1.value {
      case .object(let members):
        members.first { $0.name.replacing("_", with: "").lowercased() == key.lowercased() }.map {
          ($0.name, $0.node)
        } ?? found
      case .array(let nodes):
        Int(key).flatMap { nodes.indices ~= $0 ? ("a row of \(found.0)", nodes[$0]) : nil } ?? found
      default: found
      }
    }
  }

  private var kind: String {
    switch value {
    case .object: "an object"
    case .array: "a list"
    case .string: "a text"
    case .number: "a number"
    case .bool: "true or false"
    case .null: "null"
    }
  }

  private static func kind(of type: any Any.Type) -> String {
    switch type {
    case is String.Type: "a text"
    case is Double.Type, is Int.Type: "a number"
    default: "\(type)".hasPrefix("Array") ? "a list" : "an object"
    }
  }
}
