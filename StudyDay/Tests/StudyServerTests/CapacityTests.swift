import DayDatabase
import Foundation
import GRDB
import HTTPTypes
@_spi(StudyDay) import StudyStore
import Testing

@testable import StudyServer

/// No slot is overbooked, with any number of concurrent writers.
@Suite struct CapacityTests {
  @Test func databaseTriggerRefusesOverbooking() async throws {
    try await ServedDay.run { served in
      let slot = try await served.makeSlot(places: 2)
      // Another program, which knows nothing of our code.
      let otherProgram = try DatabaseQueue(path: served.day.store.path)
      func insert(_ subject: Int64, _ state: String) throws {
        try otherProgram.write { db in
          try db.execute(
            sql: """
              INSERT INTO bookings (uuid, slot_id, subject_id, state, made_ms, changed_ms)
              VALUES (randomblob(16), ?, ?, ?, 0, 0)
              """, arguments: [slot, subject, state])
        }
      }
      try insert(1, "booked")
      #expect(throws: DatabaseError.self) { try insert(1, "booked") }
      try insert(2, "checked-in")
      try insert(3, "cancelled")
      #expect(throws: DatabaseError.self) { try insert(3, "booked") }
      let changes = [
        "UPDATE bookings SET state = 'booked' WHERE subject_id = 3",
        "UPDATE slots SET capacity = 1", "UPDATE slots SET capacity = 0",
      ]
      for sql in changes {
        #expect(throws: DatabaseError.self, "\(sql)") {
          try otherProgram.write { try $0.execute(sql: sql) }
        }
      }
    }
  }

  @Test func twoHundredAtOnceForTenPlacesBookTen() async throws {
    try await ServedDay.run(.live) { served in
      let slot = try await served.makeSlot(places: 10)
      let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
        for number in 1...200 {
          var form = ServedDay.form.members
          form["subject"] = .text("q\(number)")
          let body = EventValue.object(form)
          group.addTask {
            try await served.send(.post, "/slots/\(slot)/bookings", as: "oskar", body).status
          }
        }
        return try await group.reduce(into: [Int: Int]()) { $0[$1, default: 0] += 1 }
      }
      #expect(statuses == [201: 10, 409: 190])
      let held = try await served.day.store.read {
        try Int.fetchOne($0, sql: "SELECT count(*) FROM bookings WHERE state = 'booked'")
      }
      #expect(held == 10)
      // Who got no place has left no trace.
      let people = try await served.day.store.read {
        try Int.fetchOne($0, sql: "SELECT count(*) FROM people")
      }
      #expect(people == 10)
    }
  }
}
