import AlcoholKinetics
import StudyData

extension Series {
  /// Subject, or subject and occasion; no other series has the same.
  var label: String { label(", occasion ") }

  /// Subject, or subject/occasion, where many stand in little room; no other series has the same.
  var shortLabel: String { label("/") }

  /// The name of the series' files: letters, digits and hyphens; no other series has the same.
  var fileName: String { label.fileName }

  /// A name in which the separator stands is quoted as in CSV, so that what follows the separator is
  /// the occasion.
  private func label(_ separator: String) -> String {
    let name = subject.id
    // By bytes: a quote with an accent on it is not the character that a search would look for.
    let isAmbiguous =
      name.utf8.first == UInt8(ascii: "\"") || name.utf8.contains(separator.utf8)
    let shown = isAmbiguous ? "\"\(name.doublingQuotes)\"" : name
    return occasion.map { "\(shown)\(separator)\($0)" } ?? shown
  }
}

extension String {
  /// The text as a part of a file's name: letters, digits and hyphens; and, where that is not the text
  /// itself, the beginning of its SHA-256, which tells it from others.
  ///
  /// Capitals are among what is told apart in this way: some file systems do not.
  var fileName: String {
    let kept = unicodeScalars.map { scalar in
      scalar.isASCII && scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
        ? String(scalar) : "-"
    }.joined()
    let simple = String(kept.split(separator: "-").joined(separator: "-").prefix(60))
    guard simple != self || simple.lowercased() != simple || simple.endsInDigest else {
      return self
    }
    return "\(simple)-\(digest)"
  }

  private static let digestLength = 16

  private var digest: String {
    let bytes = Array(utf8)
    return String(bytes.withUnsafeBytes(SHA256.hexDigest).prefix(Self.digestLength))
  }

  /// Whether it could be the name of something else with its digest.
  private var endsInDigest: Bool {
    let end = suffix(Self.digestLength + 1)
    return end.count > Self.digestLength && end.first == "-"
      && end.dropFirst().allSatisfy(\.isHexDigit)
  }

  /// By scalars, as CSV is read.
  fileprivate var doublingQuotes: String {
    unicodeScalars.reduce(into: "") { text, scalar in
      text.unicodeScalars.append(scalar)
      if scalar == "\"" { text.unicodeScalars.append(scalar) }
    }
  }
}
