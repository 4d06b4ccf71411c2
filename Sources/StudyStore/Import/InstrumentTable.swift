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
    guard let old = try StudyRecord(in: db) else {
      try db.insert(
        into: "study",
        ["id": 1, "name": study.name, "title": study.title, "instrument_id": instrument])
      return instrument ?? 0
    }
    // A folder of later readings often has no descriptor: what it does not say, it does not change.
    let (title, number) = (study.title ?? old.title, instrument ?? old.instrument)
    try db.run("UPDATE study SET title = ?, instrument_id = ?", [title, number])
    for change in [
      ValueChange("title", from: old.title.databaseValue, to: title.databaseValue),
      ValueChange("instrument_id", from: old.instrument.databaseValue, to: number.databaseValue),
    ].compactMap(\.self) {
      try log.note("study", row: "1", change)
    }
    return number ?? 0
  }

  /// Instruments are the same if their names are.
  private func add(_ instrument: Instrument) throws -> Int64 {
    let known = try db.row(
      "SELECT * FROM instruments WHERE id > 0 AND name IS ?", [instrument.name])
    if known == nil {
      try db.insert(into: "instruments", ["name": instrument.name])
    }
    let id = known?["id"] ?? db.lastInsertedRowID
    for (column, value) in instrument.fields {
      try db.run("UPDATE instruments SET \(column) = ? WHERE id = ?", [value, id])
      let change = ValueChange(
        column, from: (known?[column] as Double?).databaseValue, to: value.databaseValue)
      if known != nil, let change {
        try log.note("instruments", row: instrument.name ?? "\(id)", change)
      }
    }
    return id
  }
}
