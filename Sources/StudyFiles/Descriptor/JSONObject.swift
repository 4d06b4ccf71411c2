package import StudyData

/// The members of a JSON object, by name and type.
package struct JSONObject {
  package let place: Place
  private let name: String
  package let members: [JSONNode.Member]
  private let ignoresNull: Bool

  /// Wraps an object with its name in messages; null members may count as missing.
  package init(
    _ node: JSONNode, called name: String, ignoringNull: Bool = false
  ) throws(DescriptorProblem) {
    guard let members = node.members else {
      throw DescriptorProblem(place: node.place, message: "\(name) is not an object")
    }
    place = node.place
    self.name = name
    ignoresNull = ignoringNull
    self.members = ignoringNull ? members.filter { !$0.node.isNull } : members
  }

  var names: [String] { members.map(\.name) }

  package func string(_ key: String) throws(DescriptorProblem) -> String? {
    try value(key, "is not a string") { if case .string(let text) = $0 { text } else { nil } }
  }

  /// Returns a member that is a number in a valid range; nil if it is missing.
  package func number(
    _ key: String, where isValid: (Double) -> Bool
  ) throws(DescriptorProblem) -> Double? {
    let number = try value(key, "is not a number") { value -> Double? in
      if case .number(let number) = value { number } else { nil }
    }
    guard let number, !isValid(number) else { return number }
    throw DescriptorProblem(
      place: place(of: key), message: "\(key) is \(number), which is out of range")
  }

  package func object(_ key: String) throws(DescriptorProblem) -> JSONObject? {
    guard let node = node(key) else { return nil }
    return try JSONObject(node, called: key, ignoringNull: ignoresNull)
  }

  package func bool(_ key: String) throws(DescriptorProblem) -> Bool? {
    try value(key, "is not true or false") { if case .bool(let value) = $0 { value } else { nil } }
  }

  /// Returns a member that is a list, with the places of its elements; nil if it is missing.
  package func list(_ key: String) throws(DescriptorProblem) -> [JSONNode]? {
    try value(key, "is not a list") { if case .array(let elements) = $0 { elements } else { nil } }
  }

  func isList(_ key: String) -> Bool {
    if case .array? = node(key)?.value { true } else { false }
  }

  /// Returns a member that is a list of texts with their places; nil if it is missing.
  package func strings(_ key: String) throws(DescriptorProblem) -> [(text: String, place: Place)]? {
    try list(key)?.map { element throws(DescriptorProblem) in
      guard case .string(let text) = element.value else {
        throw DescriptorProblem(
          place: element.place, message: "\(key) holds something that is not a string")
      }
      return (text, element.place)
    }
  }

  /// All members, which are texts, by their names.
  var allStrings: [String: String] {
    get throws(DescriptorProblem) {
      var strings: [String: String] = [:]
      for member in members { strings[member.name] = try string(member.name) }
      return strings
    }
  }

  package func required<Value>(_ key: String, _ value: Value?) throws(DescriptorProblem) -> Value {
    guard let value else { throw DescriptorProblem(place: place, message: "\(name) has no \(key)") }
    return value
  }

  /// Returns the place of a member's value, or that of the object if it is missing.
  package func place(of key: String) -> Place { node(key)?.place ?? place }

  /// Throws if there are unknown members: a misspelt one would be lost silently.
  package func refuseUnknown(besides known: Set<String>) throws(DescriptorProblem) {
    guard let member = members.first(where: { !known.contains($0.name) }) else { return }
    throw DescriptorProblem(
      place: member.place,
      message: "\(name) has the key \(member.name.quoted), which is not one of "
        + known.sorted().joined(separator: ", "))
  }

  /// Warns about unknown members: a misspelt one would be lost silently.
  func reportUnknown(besides known: Set<String>, log: inout FindingLog) {
    for member in members where !known.contains(member.name) {
      log.add(
        .descriptorKey, at: member.place,
        "\(name) has the key \(member.name.quoted), which is not used",
        remedy: "correct it if it is misspelt: \(known.sorted().joined(separator: ", "))")
    }
  }

  package func node(_ key: String) -> JSONNode? { members.first { $0.name == key }?.node }

  private func value<Value>(
    _ key: String, _ complaint: String, _ convert: (JSONNode.Value) -> Value?
  ) throws(DescriptorProblem) -> Value? {
    guard let node = node(key) else { return nil }
    guard let value = convert(node.value) else {
      throw DescriptorProblem(place: node.place, message: "\(key) \(complaint)")
    }
    return value
  }
}
