import DayDatabase

/// An appointment as a calendar takes it (iCalendar, RFC 5545).
struct CalendarFile {
  /// Unique identifier, by which a calendar updates an appointment that it already has.
  var uid: String
  /// Start and end, in ms since 1970.
  var starts: Int64
  var ends: Int64
  /// Time of making the file, in ms since 1970.
  var made: Int64
  var summary: String
  var location: String
  var description: String
  var isCancelled = false
  /// Number of changes; a calendar keeps the file with the higher number.
  var revision = 0

  /// The file: lines end in CRLF, none is longer than 75 bytes.
  var text: String {
    let lines = [
      "BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//promille//study day//EN", "CALSCALE:GREGORIAN",
      "METHOD:\(isCancelled ? "CANCEL" : "PUBLISH")", "BEGIN:VEVENT", "UID:\(Self.escaped(uid))",
      "DTSTAMP:\(Self.stamp(made))", "DTSTART:\(Self.stamp(starts))", "DTEND:\(Self.stamp(ends))",
      "SEQUENCE:\(revision)", "STATUS:\(isCancelled ? "CANCELLED" : "CONFIRMED")",
      "SUMMARY:\(Self.escaped(summary))", "LOCATION:\(Self.escaped(location))",
      "DESCRIPTION:\(Self.escaped(description))", "END:VEVENT", "END:VCALENDAR",
    ]
    return lines.map { Self.folded($0) + "\r\n" }.joined()
  }

  /// A text value: backslash, semicolon, comma and line ends are escaped, other control characters left out.
  static func escaped(_ text: String) -> String {
    var escaped = ""
    // A CR and LF are one character to Swift, and two here.
    var previous: Unicode.Scalar?
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\\", ";", ",": escaped += "\\\(scalar)"
      case "\n" where previous == "\r": break
      case "\n", "\r", "\u{85}", "\u{2028}", "\u{2029}": escaped += "\\n"
      case _ where scalar.value < 0x20 && scalar != "\t" || 0x7F...0x9F ~= scalar.value: break
      default: escaped.unicodeScalars.append(scalar)
      }
      previous = scalar
    }
    return escaped
  }

  /// Folds a line after at most 75 bytes, never inside a character.
  static func folded(_ line: String) -> String {
    var folded = ""
    var width = 0
    for scalar in line.unicodeScalars {
      let size = UTF8.width(scalar)
      if width + size > 75 {
        folded += "\r\n "
        width = 1
      }
      folded.unicodeScalars.append(scalar)
      width += size
    }
    return folded
  }

  /// A moment in UTC, as 20240501T181500Z.
  private static func stamp(_ milliseconds: Int64) -> String {
    let text = ISOTime.text(milliseconds).prefix(19)
    return text.filter { $0 != "-" && $0 != ":" } + "Z"
  }
}
