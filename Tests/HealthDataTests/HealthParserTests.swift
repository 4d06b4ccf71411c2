import Foundation
import Testing

@testable import HealthData

/// What is read does not depend on the blocks that it comes in.
@Suite struct HealthParserTests {
  /// What is wrong with a text, but for its end, where something may be open.
  private func problem(_ bytes: [UInt8], blockSize: Int) -> HealthFinding? {
    var parser = HealthParser(
      InputStream(data: Data()), file: "export.xml", person: { _ in }, record: { _, _ in })
    do {
      for start in stride(from: 0, to: bytes.count, by: blockSize) {
        try parser.take(bytes[start..<min(bytes.count, start + blockSize)])
      }
    } catch {
      return error as? HealthFinding
    }
    do {
      try parser.finish()
      return nil
    } catch {
      let finding = error as? HealthFinding
      return finding?.code == .encoding ? finding : nil
    }
  }

  @Test(arguments: [1, 2, 3, 5, 64])
  func placesAreThoseOfCharacters(blockSize: Int) {
    let text = Array("<HealthData>\n\u{6771}\u{10400} <b\u{E4}".utf8)
    #expect(problem(text, blockSize: blockSize) == nil)
    for bad in [[UInt8(0xCB)], [0xE6, 0x9D], [0]] {
      let found = problem(text + bad + Array("c>".utf8), blockSize: blockSize)
      #expect(found?.code == .encoding)
      #expect(found?.line == 2 && found?.column == 7, "\(bad)")
    }
    // The end comes within a character.
    #expect(problem(text + [0xE6, 0x9D], blockSize: blockSize)?.code == .encoding)
  }

  /// Each is a little shorter than the longest piece of markup, so that none may be taken for a part of
  /// the next.
  @Test(arguments: [1, 4096])
  func piecesEndWhereTheyEnd(blockSize: Int) {
    let long = String(repeating: "x", count: HealthParser.limit - 20)
    let pieces = [
      "<a b=\"> '\(long)\"/>", "<a b='> \"\(long)'/>", "<!-- it's > \(long)-->",
      "<![CDATA[ ]> ' \(long)]]>", "<a></a>", "<!-->-->",
    ]
    let text = pieces.joined(separator: "\n")
    let whole = "<HealthData>\(text)\(text)</HealthData>"
    #expect(problem(Array(whole.utf8), blockSize: blockSize) == nil)
    for piece in pieces.dropLast(2) {
      let longer = piece.replacing(long, with: long + String(repeating: "y", count: 40))
      let found = problem(Array(("<HealthData>\n " + longer).utf8), blockSize: blockSize)
      #expect(found?.code == .markup && found?.line == 2 && found?.column == 2)
    }
  }

  /// Found by fuzzing: at `<?x?>` Foundation's parser on Linux takes content that is not there for text.
  @Test(arguments: [1, 2, 64]) func thereAreNoInstructions(blockSize: Int) {
    for sound in [
      "<?xml version=\"1.0\"?>\n<HealthData/>", "\u{FEFF}<?xml\tversion='1.0'?><HealthData/>",
      "<?xml ?>",
    ] {
      #expect(problem(Array(sound.utf8), blockSize: blockSize) == nil, "\(sound)")
    }
    for text in [
      "<?x?>", "<?x y?>", "<?xml?>", "<?xmlx ?>", "<??>",
      "<HealthData>\n<?xml version=\"1.0\"?></HealthData>",
      "<HealthData/><?x?>",
      "<!-- <?x?> -->", "<!--<?x?>-->", "<HealthData><![CDATA[<?x?>]]>",
    ] {
      #expect(problem(Array(text.utf8), blockSize: blockSize)?.code == .markup, "\(text)")
    }
  }

  /// Found by fuzzing: the parser goes on behind errors, and finds an instruction in what was a value.
  @Test(arguments: [1, 2, 64]) func nothingOpensWithinATag(blockSize: Int) {
    for text in [
      "<a b=\"<?x?>\"/>", "<a b='c<d'/>", "<a <b/>", "<HealthData><!DOCTYPE a [<!ENTITY b \"c\">]>",
      "<?xml <?x?>", "<!-- \u{1} -->", "<HealthData>\u{1F}</HealthData>", "\u{FFFE}",
      "<a b='\u{FFFF}'/>",
    ] {
      #expect(problem(Array(text.utf8), blockSize: blockSize)?.code == .notXML, "\(text)")
    }
    let sound =
      "<!-- < --><HealthData><![CDATA[<]]><a b='\u{7F}\u{FFFD}\u{10FFFF}'/></HealthData>"
    #expect(problem(Array(sound.utf8), blockSize: blockSize) == nil)
  }

  /// As any parser of XML has them.
  @Test(arguments: [1, 3, 4096]) func valuesAreWhatTheyMean(blockSize: Int) throws {
    let text = """
      <HealthData>&amp;&#x20AC;<Record a = 'x&lt;&#65;&#x42; "\u{E4}"\r\n\ty' b="&quot;'&apos;&gt;"\tc=''/>
      <x><Record\n d="1"></Record></x></HealthData>
      """
    var records: [[String: String]] = []
    var lines: [Int] = []
    var parser = HealthParser(
      InputStream(data: Data()), file: "export.xml", person: { _ in },
      record: {
        records.append($0)
        lines.append($1)
      })
    let bytes = Array(text.utf8)
    for start in stride(from: 0, to: bytes.count, by: blockSize) {
      try parser.take(bytes[start..<min(bytes.count, start + blockSize)])
    }
    try parser.finish()
    #expect(
      records == [["a": "x<AB \"\u{E4}\"  y", "b": "\"'\'>", "c": ""], ["d": "1"]])
    #expect(lines == [2, 4])
  }

  /// What a document type may hold is passed over.
  @Test(arguments: [1, 3, 4096]) func documentTypesArePassedOver(blockSize: Int) {
    for type in [
      "HealthData", "HealthData [<!-- a > \"b -->]", "HealthData [<!-- a --><!ENTITY b '<c>]>'> ]",
      "HealthData [<!ATTLIST a b CDATA \"c > d\"><!ELEMENT a (b,(c|d)*)> <!-- ' -->\n]",
    ] {
      let text = "<!DOCTYPE \(type)><!-- a --><HealthData><a b='1'/></HealthData>"
      var parser = HealthParser(
        InputStream(data: Data()), file: "export.xml", person: { _ in }, record: { _, _ in })
      let bytes = Array(text.utf8)
      #expect(throws: Never.self, "\(type)") {
        for start in stride(from: 0, to: bytes.count, by: blockSize) {
          try parser.take(bytes[start..<min(bytes.count, start + blockSize)])
        }
        try parser.finish()
      }
    }
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
  func whatIsNotWellFormedIsRefused(text: String) {
    let renamed = text.replacing("<a", with: "<HealthData").replacing("</a", with: "</HealthData")
    var parser = HealthParser(
      InputStream(data: Data(renamed.utf8)), file: "export.xml", person: { _ in },
      record: { _, _ in })
    #expect { try parser.parse() } throws: { ($0 as? HealthFinding)?.code == .notXML }
  }
}
