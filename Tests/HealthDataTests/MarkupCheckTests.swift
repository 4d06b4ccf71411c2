import Testing

@testable import HealthData

/// What is let through to a parser does not depend on the blocks that it comes in.
@Suite struct MarkupCheckTests {
  private func problem(_ bytes: [UInt8], blockSize: Int) -> MarkupCheck.Problem? {
    var check = MarkupCheck()
    do {
      for start in stride(from: 0, to: bytes.count, by: blockSize) {
        let block = Array(bytes[start..<min(bytes.count, start + blockSize)])
        try block.withUnsafeBytes { try check.check($0, isWhole: false) }
      }
      try check.check(UnsafeRawBufferPointer(start: nil, count: 0), isWhole: true)
      return nil
    } catch {
      return error as? MarkupCheck.Problem
    }
  }

  @Test(arguments: [1, 2, 3, 5, 64])
  func placesAreThoseOfCharacters(blockSize: Int) {
    let text = Array("<a>\n\u{6771}\u{10400} <b\u{E4}".utf8)
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
    let long = String(repeating: "x", count: MarkupCheck.limit - 20)
    let pieces = [
      "<a b=\"> '\(long)\"/>", "<a b='> \"\(long)'/>", "<!-- it's > \(long)-->",
      "<![CDATA[ ]> ' \(long)]]>", "</a>", "<!-->-->",
    ]
    let text = pieces.joined(separator: "\n")
    #expect(problem(Array((text + text).utf8), blockSize: blockSize) == nil)
    for piece in pieces.dropLast(2) {
      let longer = piece.replacing(long, with: long + String(repeating: "y", count: 40))
      let found = problem(Array(("\n " + longer).utf8), blockSize: blockSize)
      #expect(found?.code == .markup && found?.line == 2 && found?.column == 2)
    }
  }

  /// Found by fuzzing: at `<?x?>` Foundation's parser on Linux takes content that is not there for text.
  @Test(arguments: [1, 2, 64]) func thereAreNoInstructions(blockSize: Int) {
    for sound in [
      "<?xml version=\"1.0\"?>\n<a/>", "\u{FEFF}<?xml\tversion='1.0'?><a/>", "<?xml ?>",
    ] {
      #expect(problem(Array(sound.utf8), blockSize: blockSize) == nil, "\(sound)")
    }
    for text in [
      "<?x?>", "<?x y?>", "<?xml?>", "<?xmlx ?>", "<??>", "<a>\n<?xml version=\"1.0\"?></a>",
      "<a/><?x?>",
      "<!-- <?x?> -->", "<!--<?x?>-->", "<![CDATA[<?x?>]]>",
    ] {
      #expect(problem(Array(text.utf8), blockSize: blockSize)?.code == .markup, "\(text)")
    }
  }

  /// Found by fuzzing: the parser goes on behind errors, and finds an instruction in what was a value.
  @Test(arguments: [1, 2, 64]) func nothingOpensWithinATag(blockSize: Int) {
    for text in [
      "<a b=\"<?x?>\"/>", "<a b='c<d'/>", "<a <b/>", "<!DOCTYPE a [<!ENTITY b \"c\">]>",
      "<?xml <?x?>", "<!-- \u{1} -->", "<a>\u{1F}</a>", "\u{FFFE}", "<a b='\u{FFFF}'/>",
    ] {
      #expect(problem(Array(text.utf8), blockSize: blockSize)?.code == .notXML, "\(text)")
    }
    let sound = "<!-- < --><![CDATA[<]]><a b='\u{7F}\u{FFFD}\u{10FFFF}'/>"
    #expect(problem(Array(sound.utf8), blockSize: blockSize) == nil)
  }
}
