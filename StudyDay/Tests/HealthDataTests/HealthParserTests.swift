import Foundation
import Testing

@testable import HealthData

/// Parsing does not depend on the size of blocks.
@Suite struct HealthParserTests {
  private struct Record: Equatable {
    var attributes: [String: String]
    var line: Int
  }

  /// The records of a text that comes in blocks.
  private func records(of bytes: [UInt8], blockSize: Int) throws -> [Record] {
    var records: [Record] = []
    let parser = try HealthParser(
      InputStream(data: Data()), file: "export.xml", person: { _ in },
      record: { records.append(Record(attributes: $0, line: $1)) })
    for start in stride(from: 0, to: bytes.count, by: blockSize) {
      try parser.parse(bytes[start..<min(bytes.count, start + blockSize)])
    }
    try parser.finish()
    return records
  }

  /// Returns the finding of a text.
  private func problem(_ bytes: [UInt8], blockSize: Int) -> HealthFinding? {
    do {
      _ = try records(of: bytes, blockSize: blockSize)
      return nil
    } catch {
      return error as? HealthFinding
    }
  }

  @Test(arguments: [1, 2, 3, 5, 64])
  func placesAreThoseOfCharacters(blockSize: Int) {
    let text = Array("<HealthData>\n\u{6771}\u{10400} <b\u{E4}".utf8)
    for bad in [[UInt8(0xCB)], [0xE6, 0x9D], [0]] {
      let result = problem(text + bad + Array("c>".utf8), blockSize: blockSize)
      #expect(result?.code == .encoding)
      #expect(result?.line == 2 && result?.column == 7, "\(bad)")
    }
    // The end comes within a character.
    #expect(problem(text + [0xE6, 0x9D], blockSize: blockSize)?.code == .encoding)
  }

  /// Each is a little shorter than the longest tag or comment, so that none may be taken for a part of the next.
  @Test(arguments: [1024, 4096])
  func tagsAndCommentsHaveALimit(blockSize: Int) {
    let long = String(repeating: "x", count: HealthParser.limit - 20)
    let limited = ["<a b=\"> '\(long)\"/>", "<a b='> \"\(long)'/>", "<!-- it's > \(long)-->"]
    let pieces = limited + ["<![CDATA[ ]> ' \(long)\(long)]]>", "<a></a>", "<!---->"]
    let text = pieces.joined(separator: "\n")
    let whole = "<HealthData>\(text)\(text)</HealthData>"
    #expect(problem(Array(whole.utf8), blockSize: blockSize) == nil)
    for piece in limited {
      let longer = piece.replacing(long, with: long + String(repeating: "y", count: 40))
      let result = problem(Array(("<HealthData>\n " + longer).utf8), blockSize: blockSize)
      #expect(result?.code == .markup && result?.line == 2 && result?.column == 2)
      // One that never ends is refused before it is kept.
      let endless = longer.dropLast(4) + String(repeating: "z", count: 10 * HealthParser.limit)
      let open = problem(Array(("<HealthData>\n " + endless).utf8), blockSize: blockSize)
      #expect(open?.code == .markup && open?.line == 2 && open?.column == 2)
    }
  }

  @Test(arguments: [1, 2, 64]) func processingInstructionsAreRefused(blockSize: Int) {
    for sound in [
      "<?xml version=\"1.0\"?>\n<HealthData/>", "\u{FEFF}<?xml\tversion='1.0'?><HealthData/>",
      "<!-- <?x?> --><HealthData><![CDATA[<?x?>]]></HealthData>",
    ] {
      #expect(problem(Array(sound.utf8), blockSize: blockSize) == nil, "\(sound)")
    }
    for text in ["<?x?>", "<?x y?>", "<?xmlx ?>", "<HealthData>\n<?x?>", "<HealthData/><?x?>"] {
      #expect(problem(Array(text.utf8), blockSize: blockSize)?.code == .markup, "\(text)")
    }
    for text in [
      "<?xml?>", "<??>", "<?xml <?x?>", "<HealthData>\n<?xml version=\"1.0\"?></HealthData>",
    ] {
      #expect(problem(Array(text.utf8), blockSize: blockSize)?.code == .notXML, "\(text)")
    }
  }

  @Test(arguments: [1, 2, 64]) func malformedXMLIsRefused(blockSize: Int) {
    for text in [
      "<HealthData b=\"<?x?>\"/>", "<HealthData b='c<d'/>", "<HealthData <b/>",
      "<HealthData><!DOCTYPE a [<!ENTITY b \"c\">]>", "<!-- \u{1} -->",
      "<HealthData>\u{1F}</HealthData>", "\u{FFFE}", "<HealthData b='\u{FFFF}'/>",
    ] {
      #expect(problem(Array(text.utf8), blockSize: blockSize)?.code == .notXML, "\(text)")
    }
    let sound =
      "<!-- < --><HealthData><![CDATA[<]]><a b='\u{7F}\u{FFFD}\u{10FFFF}'/></HealthData>"
    #expect(problem(Array(sound.utf8), blockSize: blockSize) == nil)
  }

  /// Entities, character references, line ends and empty values follow XML 1.0.
  @Test(arguments: [1, 3, 4096]) func attributeValuesAreNormalised(blockSize: Int) throws {
    let text = """
      <HealthData>&amp;&#x20AC;<Record a = 'x&lt;&#65;&#x42; "\u{E4}"\r\n\ty' b="&quot;'&apos;&gt;"\tc=''/>
      <x><Record\n d="1"></Record></x></HealthData>
      """
    let result = try records(of: Array(text.utf8), blockSize: blockSize)
    #expect(
      result == [
        Record(attributes: ["a": "x<AB \"\u{E4}\"  y", "b": "\"'\'>", "c": ""], line: 1),
        Record(attributes: ["d": "1"], line: 3),
      ])
  }

  /// The contents of a document type are ignored.
  @Test(arguments: [1, 3, 4096]) func documentTypesArePassedOver(blockSize: Int) throws {
    for type in [
      "HealthData", "HealthData [<!-- a > \"b -->]", "HealthData [<!-- a --><!ENTITY b '<c>]>'> ]",
      "HealthData [<!ATTLIST a b CDATA \"c > d\"><!ELEMENT a (b,(c|d)*)> <!-- ' -->\n]",
      "HealthData [<!ATTLIST Record type CDATA #REQUIRED device CDATA #IMPLIED>]",
    ] {
      let text = "<!DOCTYPE \(type)><!-- a --><HealthData><Record b='1'/></HealthData>"
      let result = try records(of: Array(text.utf8), blockSize: blockSize)
      #expect(result.map(\.attributes) == [["b": "1"]], "\(type)")
    }
  }

  /// Entities that double at each of 40 steps would fill any memory.
  @Test func entitiesDoNotGrow() {
    let entities = (1...40).map { "<!ENTITY e\($0) '&e\($0 - 1);&e\($0 - 1);'>" }.joined()
    let text =
      "<!DOCTYPE HealthData [<!ENTITY e0 'xxxxxxxxxx'>\(entities)]><HealthData>&e40;</HealthData>"
    #expect(throws: HealthFinding.self) { try records(of: Array(text.utf8), blockSize: 4096) }
  }

  @Test func elementsInEachOtherHaveALimit() {
    let text = "<HealthData>" + String(repeating: "<a>", count: 100_000)
    #expect(problem(Array(text.utf8), blockSize: 4096)?.code == .notXML)
  }

  /// Elements that do not close, attributes given twice, references to nothing, text beside the root.
  @Test(arguments: [
    "<a></b>", "</a>", "<a><b></a>", "<a", "<a/><a/>", "<a/>x", "x<a/>", "<a b='1' b='2'/>",
    "<a b/>", "<a b=1/>", "<a b='1'c='2'/>", "<a 1='2'/>", "< a/>", "<a/ >", "<a b='&x;'/>",
    "<a b='&amp'/>", "<a>&;</a>", "<a>&#0;</a>", "<a>&#xFFFE;</a>", "<a>&#x110000;</a>",
    "<a>&#+65;</a>",
    "<a>&#-1;</a>", "<a>& </a>", "<a>]]></a>", "<![CDATA[x]]><a/>", "<a/><!DOCTYPE a>", "<!x><a/>",
    "<!DOCTYPE a [<!ENTITY b 'c'>]", "",
  ])
  func whatIsNotWellFormedIsRefused(text: String) throws {
    let renamed = text.replacing("<a", with: "<HealthData").replacing("</a", with: "</HealthData")
    let parser = try HealthParser(
      InputStream(data: Data(renamed.utf8)), file: "export.xml", person: { _ in },
      record: { _, _ in })
    #expect { try parser.parse() } throws: { ($0 as? HealthFinding)?.code == .notXML }
  }
}
