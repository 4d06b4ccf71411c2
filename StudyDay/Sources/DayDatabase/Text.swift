package import Foundation
@_spi(StudyDay) import StudyData

extension StringProtocol {
  /// The text in quotes, as people are shown it.
  package var quoted: String { ShownText.quoted(self) }

  /// The text as a terminal may show it.
  package var printable: String { ShownText.printable(self) }
}

extension UUID {
  /// The UUID as RFC 9562 writes it, in small letters.
  package var text: String { uuidString.lowercased() }
}

extension Int {
  /// The quotient, rounded down, and what remains.
  package func divided(by divisor: Int) -> (quotient: Int, remainder: Int) {
    let remainder = self % divisor
    let rest = remainder < 0 ? remainder + divisor : remainder
    return ((self - rest) / divisor, rest)
  }

  package var twoDigits: String { self < 10 ? "0\(self)" : "\(self)" }
}

extension Double {
  /// The number as people are shown it: with a decimal at most.
  package var shown: String {
    let tenths = (self * 10).rounded() / 10
    return Int(exactly: tenths).map(String.init) ?? "\(tenths)"
  }
}
