extension HealthTime {
  /// Reads a moment as people write it: as Apple does, as ISO 8601 does with `T`, `Z` and a colon in
  /// the offset, with or without seconds; or a day, which stands for its noon in UTC.
  init?(anyForm text: String) {
    guard CalendarDay(text) == nil else {
      self.init("\(text) 12:00:00 +0000")
      return
    }
    var bytes = Array(text.utf8)
    if bytes.count > 10, bytes[10] == UInt8(ascii: "T") { bytes[10] = UInt8(ascii: " ") }
    if bytes.last == UInt8(ascii: "Z") {
      bytes.replaceSubrange((bytes.count - 1)..., with: "+0000".utf8)
    }
    if bytes.count > 16, bytes[bytes.count - 3] == UInt8(ascii: ":"),
      [UInt8(ascii: "+"), UInt8(ascii: "-")].contains(bytes[bytes.count - 6])
    {
      bytes.remove(at: bytes.count - 3)
    }
    // What is left to make up: seconds, and the blank before the offset.
    if bytes.count > 16, bytes[16] != UInt8(ascii: ":") {
      bytes.insert(contentsOf: ":00".utf8, at: 16)
    }
    if bytes.count > 19, bytes[19] != UInt8(ascii: " ") { bytes.insert(UInt8(ascii: " "), at: 19) }
    self.init(String(decoding: bytes, as: UTF8.self))
  }

  /// Takes a moment in UTC, on a clock that has so little offset that its day is the one given; nil if
  /// it is none.
  init?(utc text: String?, day: String?) {
    guard let text, let utc = HealthTime("\(text) +0000", in: 0...9999) else { return nil }
    let (number, second) = utc.seconds.divided(by: 86400)
    let ahead = (day.flatMap(CalendarDay.init)?.number ?? number) - number
    // Offsets are in whole minutes, away from zero.
    let offset =
      switch ahead {
      case 0: 0
      case 1...: (86400 * ahead - second + 59) / 60 * 60
      default: -((second - 86400 * (ahead + 1)) / 60 + 1) * 60
      }
    self.init(seconds: utc.seconds, offset: offset)
  }

  /// The moment as Apple Health writes it.
  var text: String {
    let local = HealthTime(seconds: seconds + offset, offset: 0).utc
    let minutes = abs(offset) / 60
    return
      "\(local) \(offset < 0 ? "-" : "+")\((minutes / 60).twoDigits)\((minutes % 60).twoDigits)"
  }
}
