import AlcoholKinetics

/// One of several parts of a study's subjects, such as 3 of 16. Which part a subject is in depends on nothing but the
/// name and the number of parts, and is the same on every machine and in every version.
package struct SubjectsPart: Hashable, Sendable {
  /// The number of the part, from 1.
  package let number: Int
  /// The number of all parts.
  package let count: Int

  /// More parts than anybody has processors.
  static let mostParts = 1_000_000

  /// Parses a text such as `3/16`; nil for any other.
  package init?(_ text: String) {
    let words = text.split(separator: "/", omittingEmptySubsequences: false)
    guard words.count == 2, words.allSatisfy({ $0.allSatisfy { ("0"..."9").contains($0) } }),
      let number = Int(words[0]), let count = Int(words[1]), 1...Self.mostParts ~= count,
      1...count ~= number
    else { return nil }
    self.number = number
    self.count = count
  }

  /// The part as text.
  package var text: String { "\(number)/\(count)" }

  /// True if a subject is in the part.
  package func contains(_ subject: String) -> Bool {
    Self.hash(subject) % UInt64(count) == UInt64(number - 1)
  }

  /// FNV-1a of 64 bits of the name in UTF-8 (Fowler, Noll and Vo), and over it the last step of MurmurHash3 (Appleby),
  /// without which names that differ in their last digit alone would not be spread evenly.
  static func hash(_ name: String) -> UInt64 {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in name.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    hash = (hash ^ hash >> 33) &* 0xFF51_AFD7_ED55_8CCD
    hash = (hash ^ hash >> 33) &* 0xC4CE_B9FE_1A85_EC53
    return hash ^ hash >> 33
  }
}

extension StudyStream {
  /// The series of the subjects in a part alone; all of the study is read, as is everything wrong with it.
  package consuming func of(_ part: SubjectsPart) -> StudyStream {
    StudyStream(
      name: name, title: title, instrument: instrument, isLive: isLive, SeriesOfPart(self, part))
  }
}

/// Passes over the series of subjects that are in other parts.
private final class SeriesOfPart: SeriesSource {
  private var stream: StudyStream
  private let part: SubjectsPart

  init(_ stream: StudyStream, _ part: SubjectsPart) {
    self.stream = stream
    self.part = part
  }

  var count: Int? { nil }
  var findings: [Diagnostic] { stream.diagnostics }
  var inputs: [InputDigest] { stream.inputs }

  func next() throws -> Series? {
    while let series = try stream.next() {
      if part.contains(series.subject.id) { return series }
    }
    return nil
  }
}
