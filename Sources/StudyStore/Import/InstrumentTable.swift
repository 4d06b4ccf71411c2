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
    let old = try SafeRow.first(
      db, "SELECT name, title, instrument_id FROM study")
    guard let old else {
      try db.execute(
        sql: "INSERT INTO study (id, name, title, instrument_id) VALUES (1, ?, ?, ?)",
        values: [study.name, study.title, instrument])
      return instrument ?? 0
    }
    // A folder of later readings often has no descriptor: what it does not say, it does not change.
    try update("title", from: old["title"], to: study.title)
    if let instrument {
      let known: Int64? = old["instrument_id"]
      let change = ValueChange(
        "instrument_id", from: known.map(Double.init), to: Double(instrument))
      if let change {
        try db.execute(sql: "UPDATE study SET instrument_id = ?", values: [instrument])
        try log.note("study", row: "1", change)
      }
    }
    return instrument ?? old["instrument_id"] ?? 0
  }

  private func update(_ column: String, from old: String?, to new: String?) throws {
    guard let new, let change = ValueChange(column, from: old, to: new) else { return }
    try db.execute(sql: "UPDATE study SET \(column) = ?", values: [new])
    try log.note("study", row: "1", change)
  }

  /// Instruments are the same if their names are.
  private func add(_ instrument: Instrument) throws -> Int64 {
    let values: [(any DatabaseValueConvertible)?] = [
      instrument.name, instrument.resolution, instrument.relativeAccuracy,
      instrument.limitOfDetection, instrument.mouthAlcoholWindow?.value,
    ]
    try db.requireStorable(values)
    let known = try Int64.fetchOne(
      db, sql: "SELECT id FROM instruments WHERE id > 0 AND name IS ?",
      arguments: [instrument.name])
    guard let known else {
      try db.execute(
        sql: """
          INSERT INTO instruments (name, resolution, relative_accuracy, limit_of_detection,
            mouth_alcohol_window_h) VALUES (?, ?, ?, ?, ?)
          """, values: values)
      return db.lastInsertedRowID
    }
    try noteChanges(of: known, to: instrument)
    try db.execute(
      sql: """
        UPDATE instruments SET name = ?, resolution = ?, relative_accuracy = ?,
          limit_of_detection = ?, mouth_alcohol_window_h = ? WHERE id = \(known)
        """, values: values)
    return known
  }

  private func noteChanges(of id: Int64, to new: Instrument) throws {
    let row = try SafeRow.first(
      db, "SELECT * FROM instruments WHERE id = ?", [id])
    guard let old = row.map(Instrument.init) else { return }
    let changes = [
      ValueChange("resolution", from: old.resolution, to: new.resolution),
      ValueChange("relative_accuracy", from: old.relativeAccuracy, to: new.relativeAccuracy),
      ValueChange("limit_of_detection", from: old.limitOfDetection, to: new.limitOfDetection),
      ValueChange(
        "mouth_alcohol_window_h", from: old.mouthAlcoholWindow?.value,
        to: new.mouthAlcoholWindow?.value),
    ]
    for change in changes.compactMap(\.self) {
      try log.note("instruments", row: new.name ?? "\(id)", change)
    }
  }
}
