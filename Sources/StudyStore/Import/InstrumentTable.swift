import AlcoholKinetics
import GRDB
import StudyData
import StudyFiles

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
    for change in try new.changes(of: ["title", "instrument_id"], from: old) {
      try log.note("study", row: "1", change)
    }
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
    let columns = [
      "resolution", "relative_accuracy", "limit_of_detection", "mouth_alcohol_window_h",
    ]
    for change in try new.changes(of: columns, from: known) {
      try log.note("instruments", row: instrument.name ?? "\(id)", change)
    }
    return id
  }
}
