import DayDatabase
import Foundation
import FuzzSupport
import GRDB
@_spi(StudyDay) import StudyData

@testable import HealthData
@_spi(StudyDay) @testable import StudyStore

private let reader = [
  // Everything up to the records: the XML, its prolog, and what an attribute may hold.
  FuzzedReader("health-xml", refusals: HealthFinding.self) { data in
    let parser = try HealthParser(
      InputStream(data: data), file: "export.xml", person: { _ in },
      record: { attributes, _ in
        for value in attributes.values { _ = HealthTime(value)?.day }
        guard let value = attributes["value"].flatMap(Double.init) else { return }
        for kind in VitalKind.allCases { _ = kind.value(value, in: attributes["unit"] ?? "") }
      })
    try parser.parse()
  },
  // The whole import; the database is left as it was, so that an input does the same each time.
  FuzzedReader("health-import", refusals: HealthFinding.self) { data in
    try undone { db in
      let synchronisation = try HealthSynchronisation(
        HealthOptions(subject: "ann"), selection: ImportSelection(),
        log: try ImportLog(source: "export.xml", inputs: [], on: db), file: "export.xml", on: db)
      let parser = try HealthParser(
        InputStream(data: data), file: "export.xml", person: synchronisation.take,
        record: synchronisation.take)
      try parser.parse()
      try synchronisation.finish()
      let odd = try Int.fetchOne(
        db, sql: "SELECT count(*) FROM vitals WHERE abs(value) > 1e300 OR value IS NULL")
      precondition(odd == 0, "a vital sign is not a number")
    }
  },
].chosen

/// Entry point of libFuzzer.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  reader.take(bytes, count)
}

/// An empty database in a folder that `Tests/Tools/check.py fuzz` removes.
private let pool = Result {
  try StudyStore.servingPool(
    FileManager.default.temporaryDirectory.appending(path: "health.sqlite").path)
}

/// Does something to the database and takes it back.
private func undone(_ body: (Database) throws -> Void) throws {
  try pool.get().writeWithoutTransaction { db in
    try db.inTransaction(.immediate) {
      try body(db)
      return .rollback
    }
  }
}
