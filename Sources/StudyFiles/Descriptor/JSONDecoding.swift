package import Foundation
import StudyData

extension JSONNode {
  /// Decodes a value from the text of the node; members in snake_case have names in camelCase.
  ///
  /// - Parameter file: The name of the file, for ``Swift/Decoder/position``.
  /// - Throws: `DescriptorProblem` with the place of the value at the error's coding path.
  package func decoded<Value: Decodable>(
    _ type: Value.Type, from text: Data, of file: String = ""
  ) throws(DescriptorProblem) -> Value {
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    if let key = JSONSource.key { decoder.userInfo[key] = JSONSource(root: self, file: file) }
    do {
      return try decoder.decode(type, from: text)
    } catch let DecodingError.keyNotFound(key, context) {
      throw problem(context) { title, _ in
        "\(title) has no \(key.memberName)"
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

  /// Returns an error at the value of a path, which consists of names of members and indices of lists.
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

  /// Returns the value at a path, or the last existing one on the way, with its name in messages.
  fileprivate func value(at path: [String]) -> (title: String, node: JSONNode) {
    path.reduce(("the file", self)) { found, key in
      switch found.1.value {
      case .object(let members):
        members.first { $0.name.replacing("_", with: "").lowercased() == key.lowercased() }.map {
          ($0.name, $0.node)
        } ?? found
      case .array(let nodes):
        Int(key).flatMap { nodes.indices ~= $0 ? (nodes[$0].title(in: found.0), nodes[$0]) : nil }
          ?? found
      default: found
      }
    }
  }

  private func title(in list: String) -> String {
    "\(members == nil ? "an element" : "a row") of \(list)"
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
    case is Bool.Type: "true or false"
    default: "\(type)".hasPrefix("Array") ? "a list" : "an object"
    }
  }
}

/// The file that a value is decoded from.
private struct JSONSource: Sendable {
  static let key = CodingUserInfoKey(rawValue: "JSONSource")

  let root: JSONNode
  let file: String
}

extension Decoder {
  /// The name of the value that is decoded, and its place for messages: file, line and column. Without
  /// ``JSONNode/decoded(_:from:of:)`` the place is the coding path.
  package var position: (name: String, place: String) {
    let path = codingPath.map { $0.intValue.map(String.init) ?? $0.stringValue }
    guard let source = JSONSource.key.flatMap({ userInfo[$0] }) as? JSONSource else {
      return (path.last ?? "", path.joined(separator: "."))
    }
    let (name, node) = source.root.value(at: path)
    return (name, "\(source.file):\(node.place.line):\(node.place.column)")
  }
}

extension CodingKey {
  /// The name in snake_case.
  fileprivate var memberName: String {
    stringValue.replacing(/[A-Z]/) { "_" + $0.output.lowercased() }
  }
}

extension JSONObject {
  /// Throws if the object has members that a type does not decode, null members, which would be taken as missing, or lacks
  /// a required member.
  package func check<Key: CodingKey & CaseIterable>(
    _: Key.Type, requiring required: Key...
  ) throws(DescriptorProblem) {
    try refuseUnknown(besides: Set(Key.allCases.map(\.memberName)))
    for member in members where member.node.isNull {
      throw DescriptorProblem(
        place: member.node.place, message: "\(member.name) is null; give a value or leave it out")
    }
    for key in required { _ = try self.required(key.memberName, node(key.memberName)) }
  }
}
