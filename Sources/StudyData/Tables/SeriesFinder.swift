import Foundation

/// Finds the series that a row belongs to, quickly where it is the previous row's.
struct SeriesFinder {
  /// The columns that name a series.
  static let columnNames: Set = ["subject", "occasion"]

  /// The column with the subject's name.
  let subject: Column
  private let occasion: Column?
  // The previous row's fields, compared as bytes so that no string is made for most rows.
  private(set) var lastSubject: [UInt8] = []
  private(set) var lastOccasion: [UInt8] = []
  /// The previous row's series.
  private(set) var lastSeries: Int?

  /// Whether the table tells occasions apart.
  var hasOccasions: Bool { occasion != nil }

  /// Finds the columns; nil, reported, if there is no subject.
  init?(header: Header, log: inout FindingLog) {
    guard let subject = header.required("subject", log: &log) else { return nil }
    self.init(subject: subject, occasion: header.column("occasion"))
  }

  init(subject: Column, occasion: Column?) {
    self.subject = subject
    self.occasion = occasion
  }

  /// Forgets the previous row, whose series is not in the draft any more.
  mutating func forget() {
    lastSeries = nil
  }

  /// Whether the row does not say whose it is.
  func lacksSubject(_ row: CSVRow) -> Bool {
    row.isMissing(subject.index)
  }

  /// The index of the row's series in the draft, which is made if need be; nil, reported, if the
  /// row does not say whose it is.
  mutating func find(
    for row: CSVRow, in draft: inout StudyDraft, log: inout FindingLog
  ) -> Int? {
    if let lastSeries, isLast(row) { return lastSeries }
    guard !lacksSubject(row) else {
      log.add(
        log.finding(
          .subjectMissing, at: row.place(of: subject.index), "the row names no subject",
          remedy: "name one, or remove the row"))
      return nil
    }
    let name = occasion.flatMap { row.isMissing($0.index) ? nil : row.text(of: $0.index) }
    let mention = SourceLocation(file: log.file, place: row.place(of: subject.index))
    let index = draft.series(of: row.text(of: subject.index), occasion: name, mention: mention)
    remember(row, series: index)
    return index
  }

  /// Whether the row belongs to the series that was found last.
  func isLast(_ row: CSVRow) -> Bool {
    guard isLastSubject(row) else { return false }
    guard let occasion else { return true }
    return row.content(of: occasion.index).equals(lastOccasion)
  }

  /// Whether the row belongs to the subject of the series that was found last.
  func isLastSubject(_ row: CSVRow) -> Bool {
    lastSeries != nil && row.content(of: subject.index).equals(lastSubject)
  }

  private mutating func remember(_ row: CSVRow, series: Int) {
    lastSubject.replaceAll(with: row.content(of: subject.index))
    if let occasion { lastOccasion.replaceAll(with: row.content(of: occasion.index)) }
    lastSeries = series
  }
}

extension UnsafeRawBufferPointer {
  /// Whether they are the same bytes.
  func equals(_ bytes: [UInt8]) -> Bool {
    guard count == bytes.count, let start = baseAddress else { return bytes.isEmpty && isEmpty }
    return memcmp(start, bytes, count) == 0
  }
}

extension [UInt8] {
  /// Takes other content into the same memory.
  mutating func replaceAll(with bytes: UnsafeRawBufferPointer) {
    removeAll(keepingCapacity: true)
    append(contentsOf: bytes)
  }
}
