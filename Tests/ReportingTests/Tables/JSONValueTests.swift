import Foundation
import TestSupport
import Testing

@testable import Reporting

@Suite struct JSONValueTests {
  /// Reads a document with Foundation, which did not write it.
  private func parse(_ value: JSONValue) throws -> Any {
    try JSONSerialization.jsonObject(
      with: Data(value.document.utf8), options: [.fragmentsAllowed])
  }

  @Test func documentIndentsTwoLevels() {
    let value = JSONValue.object([
      ("z", .integer(1)), ("empty", .array([])), ("none", .object([])),
      ("a", .array([.object([("deep", .array([.bool(true), .null]))]), .number(0.5)])),
    ])
    #expect(
      value.document == """
        {
          "z": 1,
          "empty": [],
          "none": {},
          "a": [
            {"deep": [true, null]},
            0.5
          ]
        }

        """)
  }

  @Test func keepsTheOrderOfKeys() throws {
    let keys = (0..<50).map { "key\($0 * 37 % 50)" }
    let document = JSONValue.object(keys.map { ($0, .null) }).document
    let found = document.split(separator: "\n").compactMap { line in
      line.split(separator: "\"", omittingEmptySubsequences: false).dropFirst().first
    }
    #expect(found.map { String($0) } == keys)
  }

  @Test(arguments: [Double.nan, .infinity, -.infinity])
  func nonFiniteNumbersAreNull(number: Double) {
    #expect(JSONValue.number(number).document == "null\n")
  }

  @Test func everyKindOfValueIsValidJSON() throws {
    let value = JSONValue.object([
      ("null", .null), ("bool", .bool(false)), ("integer", .integer(.min)),
      ("number", .number(-1.5e-7)), ("string", .string("s")), ("array", .array([.integer(1)])),
    ])
    let object = try #require(try parse(value) as? [String: Any])
    #expect(object["null"] is NSNull)
    #expect(object["bool"] as? Bool == false)
    #expect(object["integer"] as? Int == .min)
    #expect(object["number"] as? Double == -1.5e-7)
    #expect(object["string"] as? String == "s")
    #expect(object["array"] as? [Int] == [1])
    #expect(object.count == 6)
  }

  @Test func stringsAreEscaped() throws {
    let text = "quote\" back\\slash \n\r\t\u{0}\u{1F}"
    let literal = #""quote\" back\\slash \n\r\t\u0000\u001f""#
    #expect(JSONValue.string(text).document == literal + "\n")
  }

  @Test func everyUnicodeScalarIsReadBack() throws {
    let texts = [
      String(String.UnicodeScalarView((0..<0x180).compactMap { Unicode.Scalar($0) })),
      "\r\n \"\u{301} \u{2028}\u{2029}", "日本語 \u{1F469}\u{200D}\u{1F467} \u{10FFFF}",
    ]
    for text in texts {
      let object = try parse(.object([(text, .string(text))]))
      let member = try #require((object as? [String: String])?.first)
      #expect(Array(member.key.unicodeScalars) == Array(text.unicodeScalars))
      #expect(Array(member.value.unicodeScalars) == Array(text.unicodeScalars))
    }
  }

  @Test func numbersAreReadBackBitForBit() throws {
    var random = SeededGenerator(seed: 2)
    let numbers =
      (0..<2000).map { _ in random.nextFinite() } + [-0.0, .leastNonzeroMagnitude, 1e22, 1e23]
    let document = JSONValue.array(numbers.map(JSONValue.number)).document
    let back = try JSONDecoder().decode([Double].self, from: Data(document.utf8))
    #expect(back.map(\.bitPattern) == numbers.map(\.bitPattern))
  }

  @Test func writesRowsAsObjects() throws {
    let columns = [
      Column<Int>("text") { "t\($0)" }, Column<Int>("n") { $0 },
      Column<Int>("gone") { _ in Int?.none }, Column<Int>(forPeople: "people") { $0 },
      Column<Int>("x") { Double($0) / 2 },
    ]
    #expect(
      Table(columns, rows: [1, 2]).json.document == """
        [
          {
            "text": "t1",
            "n": 1,
            "gone": null,
            "x": 0.5
          },
          {
            "text": "t2",
            "n": 2,
            "gone": null,
            "x": 1.0
          }
        ]

        """)
    #expect(Table(columns, rows: []).json.document == "[]\n")
  }
}
