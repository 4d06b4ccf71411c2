import GRDB
import Hummingbird
import StudyStore

private struct Batch: Codable, Sendable {
  var entries: [EntryRequest]
}

private struct Results: Codable, Sendable {
  var seq: Int64
  var results: [EntryResult]
}

extension RouterGroup<DayContext> {
  /// `POST /entries`.
  func addEntryRoutes(_ day: StudyDay) {
    post("/entries") { request, context in
      guard let identity = context.identity else { throw Problem(.noIdentity) }
      guard Rules.reach(of: identity.role, in: .enterEntry) != nil else {
        throw Problem(.notAllowed)
      }
      let batch = try await request.json(Batch.self, context)
      guard 1...500 ~= batch.entries.count else {
        throw Problem(.badRequest, "Send 1 to 500 entries at a time.")
      }
      let store = day.store
      let results = try await store.changing { db -> (Results, [Event]) in
        let writer = try EntryWriter(store, for: identity, in: db)
        var (results, events) = ([EntryResult](), [Event]())
        for entry in batch.entries {
          let (result, event) = try writer.writeOrRefuse(entry)
          results.append(result)
          if let event { events.append(event) }
        }
        let seq = try EventLog.last(in: db)?.seq ?? 0
        return (Results(seq: seq, results: results), events)
      }
      return try Response.json(results)
    }
  }
}

extension EntryWriter {
  /// Does what an entry asks, or leaves no trace of it and says why.
  fileprivate func writeOrRefuse(_ entry: EntryRequest) throws -> (EntryResult, Event?) {
    var done: (EntryResult, Event?)?
    do {
      try db.inSavepoint {
        done = try write(entry)
        return .commit
      }
    } catch let problem as Problem {
      return (EntryResult(id: entry.id, status: .refused, problem: problem.body()), nil)
    } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {
      return (EntryResult(id: entry.id, status: .refused, problem: Problem(.badValue).body()), nil)
    }
    guard let done else { throw Problem(.failed) }
    return done
  }
}
