import AlcoholKinetics
import GRDB
import StudyData

/// The study's own row, and its instrument.
struct InstrumentTable {
  let db: Database
  let log: ImportLog

  /// Notes what a study is called and what it was measured with; the number is the instrument's.
  func add(_ study: Study) throws -> Int64 {
    let instrument = try study.instrument.map(add)
    guard let old = try StudyRecord.fetchOne(db) else {
      var record = StudyRecord(name: study.name, title: study.title, instrumentId: instrument)
      try record.insert(db)
      return instrument ?? 0
    }
    // A folder of later readings often has no descriptor: what it does not say, it does not change.
    var new = old
    new.title = study.title ?? old.title
    new.instrumentId = instrument ?? old.instrumentId
    try new.update(db)
    let changes = [
      ValueChange("title", from: Field(old.title), to: Field(new.title)),
      ValueChange("instrument_id", from: Field(old.instrumentId), to: Field(new.instrumentId)),
    ]
    for change in changes.compactMap(\.self) { try log.note("study", row: "1", change) }
    return new.instrumentId ?? 0
  }

  /// Instruments are the same if their names are.
  private func add(_ instrument: Instrument) throws -> Int64 {
    var new = InstrumentRecord(instrument)
    try new.willSave(db)
    let known = try InstrumentRecord.filter(
      GRDB.Column("id") > 0 && GRDB.Column("name") == instrument.name
    ).fetchOne(db)
    new.id = known?.id
    try new.save(db)
    let id = new.id ?? 0
    guard let known else { return id }
    for change in new.changes(from: known) {
      try log.note("instruments", row: instrument.name ?? "\(id)", change)
    }
    return id
  }
}

/// The row of the study's table, which has one.
struct StudyRecord: StoreRecord {
  static let databaseTableName = "study"

  var id: Int64 = 1
  var name: String
  var title: String?
  var instrumentId: Int64?
}

/// A row of the table of instruments.
struct InstrumentRecord: StoreRecord {
  static let databaseTableName = "instruments"

  var id: Int64?
  var name: String?
  var resolution: Double?
  var relativeAccuracy: Double?
  var limitOfDetection: Double?
  var mouthAlcoholWindowH: Double?

  init(_ instrument: Instrument) {
    name = instrument.name
    resolution = instrument.resolution
    relativeAccuracy = instrument.relativeAccuracy
    limitOfDetection = instrument.limitOfDetection
    mouthAlcoholWindowH = instrument.mouthAlcoholWindow?.value
  }

  mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }

  func changes(from old: InstrumentRecord) -> [ValueChange] {
    [
      ValueChange("resolution", from: Field(old.resolution), to: Field(resolution)),
      ValueChange(
        "relative_accuracy", from: Field(old.relativeAccuracy), to: Field(relativeAccuracy)),
      ValueChange(
        "limit_of_detection", from: Field(old.limitOfDetection), to: Field(limitOfDetection)),
      ValueChange(
        "mouth_alcohol_window_h", from: Field(old.mouthAlcoholWindowH),
        to: Field(mouthAlcoholWindowH)),
    ].compactMap(\.self)
  }

  /// The instrument, if it can be, by the rules of a study's descriptor.
  func instrument() throws -> Instrument {
    for (name, value, isPossible, rule) in [
      ("resolution", resolution, { $0 > 0 }, "above 0"),
      ("relative_accuracy", relativeAccuracy, { 0...1 ~= $0 }, "0 to 1"),
      ("limit_of_detection", limitOfDetection, { $0 >= 0 }, "0 or more"),
      ("mouth_alcohol_window_h", mouthAlcoholWindowH, { $0 >= 0 }, "0 or more"),
    ] as [(String, Double?, (Double) -> Bool, String)] {
      guard let value, !isPossible(value) || !value.isFinite else { continue }
      throw StoreDamage(
        "instruments", "\(name) is \(value); it must be \(rule)",
        remedy: "correct it, or import the study again")
    }
    return Instrument(
      name: name, resolution: resolution, relativeAccuracy: relativeAccuracy,
      limitOfDetection: limitOfDetection, mouthAlcoholWindow: mouthAlcoholWindowH.map { Hours($0) })
  }
}
