import DayDatabase
@_spi(StudyDay) import StudyData

/// Reads a JSON object member by member with checks; members that were not read are refused.
struct Form {
  private var members: [String: EventValue]
  private let name: String

  /// - Parameter name: Name of the form in messages.
  /// - Throws: ``Problem`` if the value is no object.
  init(_ value: EventValue, _ name: String = "the request") throws(Problem) {
    guard case .object(let members) = value else {
      throw Problem(.badRequest, "\(name) must be a JSON object")
    }
    self.members = members
    self.name = name
  }

  /// A text of so many characters, without control characters; nil if it is missing or null.
  mutating func text(_ key: String, _ length: ClosedRange<Int> = 1...200) throws(Problem) -> String?
  {
    guard let value = remove(key) else { return nil }
    guard let text = value.string, text.isText(length) else {
      throw wrong(
        key, "a text of \(length.lowerBound) to \(length.upperBound) characters on one line")
    }
    return text
  }

  /// Any text; nil if it is missing or null.
  mutating func string(_ key: String) throws(Problem) -> String? {
    guard let value = remove(key) else { return nil }
    guard let text = value.string else { throw wrong(key, "a text") }
    return text
  }

  mutating func integer(_ key: String, _ range: ClosedRange<Int64>) throws(Problem) -> Int64? {
    guard let value = remove(key) else { return nil }
    guard case .integer(let number) = value, range.contains(number) else {
      throw wrong(key, "a whole number from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }

  mutating func number(_ key: String, _ range: ClosedRange<Double>) throws(Problem) -> Double? {
    guard let value = remove(key) else { return nil }
    guard let number = value.double, range.contains(number) else {
      throw wrong(key, "a number from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }

  mutating func flag(_ key: String) throws(Problem) -> Bool? {
    guard let value = remove(key) else { return nil }
    guard let flag = value.flag else { throw wrong(key, "true or false") }
    return flag
  }

  mutating func word(_ key: String, _ words: [String]) throws(Problem) -> String? {
    guard let value = remove(key) else { return nil }
    guard let word = value.string, words.contains(word) else {
      throw wrong(key, "one of \(words.joined(separator: ", "))")
    }
    return word
  }

  mutating func word<Word: RawRepresentable<String> & CaseIterable>(
    _ key: String, of words: Word.Type
  ) throws(Problem) -> Word? {
    try word(key, words.allCases.map(\.rawValue)).flatMap(Word.init)
  }

  mutating func moment(_ key: String) throws(Problem) -> Int64? {
    guard let value = remove(key) else { return nil }
    guard let moment = value.string.flatMap(ISOTime.milliseconds) else {
      throw wrong(key, "a time in UTC such as 2026-05-01T18:15:00Z")
    }
    return moment
  }

  /// Any JSON; nil if it is missing or null.
  mutating func value(_ key: String) -> EventValue? { remove(key) }

  /// - Parameter name: Name of the form in messages.
  mutating func form(_ key: String, _ name: String) throws(Problem) -> Form? {
    guard let value = remove(key) else { return nil }
    return try Form(value, name)
  }

  /// Forms in a list; none if it is missing.
  mutating func forms(_ key: String) throws(Problem) -> [Form] {
    guard let value = remove(key) else { return [] }
    guard case .array(let values) = value else { throw wrong(key, "a list") }
    var forms: [Form] = []
    for value in values { forms.append(try Form(value, key)) }
    return forms
  }

  /// A number, or null to remove one; nil if it is missing.
  mutating func numberOrNull(_ key: String) throws(Problem) -> EventValue? {
    if members[key] == .null { return members.removeValue(forKey: key) }
    return try number(key, -1e6...1e6).map(EventValue.number)
  }

  func required<Value>(_ key: String, _ value: Value?) throws(Problem) -> Value {
    guard let value else { throw Problem(.badValue, "\(name) lacks \(key)") }
    return value
  }

  /// Ends the reading; a member that was not read is refused as a slip.
  func end() throws(Problem) {
    guard let key = members.keys.min() else { return }
    throw Problem(.badValue, "\(name) has an unknown member \(key.quoted)")
  }

  private mutating func remove(_ key: String) -> EventValue? {
    guard let value = members.removeValue(forKey: key), value != .null else { return nil }
    return value
  }

  /// Names in messages of members that people fill in themselves.
  private static let words = [
    "age_y": "the age in years", "height_cm": "the height in cm", "weight_kg": "the weight in kg",
  ]

  private func wrong(_ key: String, _ what: String) -> Problem {
    Problem(.badValue, "\(Self.words[key] ?? key) in \(name) must be \(what)")
  }
}

struct Page {
  var after: Int64 = 0
  var limit = 100
}

extension String {
  /// True for a text of the given length without control characters: those hide text in logs and pages, and a NUL ends
  /// it for some programs. Length counts Unicode scalars, since a visible character may have any number of them.
  ///
  /// - Parameter hasLines: Allows line breaks and tabs.
  func isText(_ length: ClosedRange<Int>, hasLines: Bool = false) -> Bool {
    guard utf8.count <= 4 * length.upperBound, length.contains(unicodeScalars.count) else {
      return false
    }
    return unicodeScalars.allSatisfy { scalar in
      switch scalar.properties.generalCategory {
      case .control: hasLines && ["\n", "\r", "\t"].contains(scalar)
      case .lineSeparator, .paragraphSeparator: hasLines
      default: true
      }
    }
  }

  /// True if it has only white space.
  var isBlank: Bool { allSatisfy(\.isWhitespace) }
}

extension String {
  /// True for a mail address; it cannot end a header line.
  var isMailAddress: Bool {
    utf8.count <= 254
      && wholeMatch(of: /[A-Za-z0-9.!#$%&'*+\/=?^_`{|}~-]+@[A-Za-z0-9.-]+/) != nil
  }
}
