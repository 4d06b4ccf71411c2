import AlcoholKinetics
import StudyData

extension Series {
  /// Subject, or subject and occasion.
  var label: String {
    occasion.map { "\(subject.id), occasion \($0)" } ?? subject.id
  }

  /// Subject, or subject/occasion, where many stand in little room.
  var shortLabel: String {
    occasion.map { "\(subject.id)/\($0)" } ?? subject.id
  }
}

extension String {
  /// The text as a part of a file's name: letters, digits and hyphens; and, where that loses
  /// something, a number that tells it from others.
  var fileName: String {
    let kept = unicodeScalars.map { scalar in
      scalar.isASCII && scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
        ? String(scalar) : "-"
    }.joined()
    let simple = kept.split(separator: "-").joined(separator: "-").prefix(60)
    guard simple != self else { return self }
    return
      "\(simple)-\(String(utf8.reduce(UInt32(2_166_136_261)) { ($0 ^ UInt32($1)) &* 16_777_619 }, radix: 16))"
  }
}
