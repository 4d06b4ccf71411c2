import Foundation
import GRDB
import HTTPTypes
import Hummingbird
import ServiceLifecycle
import StudyStore

private struct Everybody: Codable {
  var seq: Int64
  var serverTime: String
  /// Nil where nobody knows yet: the station asks.
  var readingUnit: String?
  var people: [Person]
}

private struct Changes: Codable {
  var items: [Change]
  var next: Int64?
}

private struct Decision: Codable, Sendable {
  /// What each decision makes of a session: somebody may go, stays, or has left without a word.
  static let states = ["released": "released", "kept": "running", "left": "ended"]

  var decision: String
  var adviceSeq: Int64
  var signed: EventValue
  var reason: String?
}

extension StudyDay {
  /// A person with what is computed of the latest session; nil if there is none.
  func person(_ subject: String) async throws -> Person? {
    try await Self.person(subject, store, forecaster)
  }

  static func person(
    _ subject: String, _ store: DayStore, _ forecaster: Forecaster
  ) async throws -> Person? {
    let record = try await store.read { db in
      try Sessions.latest(of: subject, in: db).map { try PersonRecord($0, in: db) }
    }
    guard let record else { return nil }
    return record.person(await forecaster.outlook(of: record), at: store.clock.now)
  }

  /// How long ago a session may have begun that is of the day, in ms.
  static let dayLength: Int64 = 36 * 3_600_000

  /// The people whose session began within the last 36 hours, in order of their names.
  ///
  /// - Parameter subject: Only this one; nil for all.
  func people(only subject: String? = nil) async throws -> [Person] {
    let since = store.clock.now - Self.dayLength
    let records = try await store.read { db in
      try Sessions.running(since: since, in: db).filter { subject == nil || $0.subject == subject }
        .map { try PersonRecord($0, in: db) }
    }
    return await withTaskGroup(of: (Int, Person).self) { group in
      for (index, record) in records.enumerated() {
        group.addTask {
          (index, record.person(await forecaster.outlook(of: record), at: store.clock.now))
        }
      }
      var people: [(Int, Person)] = []
      for await person in group { people.append(person) }
      return people.sorted { $0.0 < $1.0 }.map(\.1)
    }
  }
}

extension RouterGroup<DayContext> {
  /// `GET /day`, `GET /people/{subject}`, `GET /events`, `GET /changes`, `POST /people/{subject}/release`.
  func addLiveRoutes(_ day: StudyDay) {
    get("/day") { _, context in
      let (identity, scope) = try context.reach(.seeDay)
      // Before the people: what comes between is told twice and not missed.
      let (seq, unit) = try await day.store.read { db in
        (
          try EventLog.last(in: db)?.seq ?? 0,
          try day.readingUnit(for: identity, in: db)
        )
      }
      let people =
        scope == .own && identity.subject == nil
        ? [] : try await day.people(only: scope == .own ? identity.subject : nil)
      return try Response.json(
        Everybody(
          seq: seq, serverTime: ISOTime.text(day.store.clock.now),
          readingUnit: unit, people: people))
    }
    get("/people/:subject") { request, context in
      let subject = try context.text("subject")
      _ = try context.require(.seePerson, of: subject)
      guard let person = try await day.person(subject) else { throw Problem(.notFound) }
      return try Response.json(person, taggedFor: request)
    }
    get("/events") { request, context in
      let (identity, _) = try context.reach(.followEvents)
      let after =
        try request.headers[.lastEventID].flatMap { Int64($0) }
        ?? request.number("after", 0...Int64.max)
      let token = identity.token
      return Response(
        status: .ok,
        headers: [
          .contentType: "text/event-stream", .cacheControl: "no-store", .accelBuffering: "no",
        ],
        body: ResponseBody { writer in
          try await day.stream(to: &writer, identity, after: after, token: token)
          try await writer.finish(nil)
        })
    }
    get("/changes") { request, context in
      let (identity, scope) = try context.reach(.followEvents)
      let after = try request.number("after", 0...Int64.max) ?? 0
      let limit = Int(try request.number("limit", 1...1000) ?? 100)
      guard scope == .any || identity.subject != nil else {
        return try Response.json(Changes(items: []))
      }
      let events = try await day.store.read { db in
        try EventLog.events(
          after: after, limit: limit, subject: scope == .own ? identity.subject : nil, in: db)
      }
      let items = events.compactMap { Change($0, for: identity) }
      return try Response.json(
        Changes(items: items, next: events.count == limit ? events.last?.seq : nil))
    }
    addReleaseRoute(day)
  }

  private func addReleaseRoute(_ day: StudyDay) {
    post("/people/:subject/release") { request, context in
      let subject = try context.text("subject")
      let identity = try context.require(.decideRelease, of: subject)
      let body = try await request.json(Decision.self, context)
      guard let state = Decision.states[body.decision] else {
        throw Problem(.badValue, "decision must be released, kept or left.")
      }
      let name = body.signed.string?.trimmingCharacters(in: .whitespaces)
      guard body.signed.flag == true || name.map({ 1...80 ~= $0.count }) == true else {
        throw Problem(
          .badValue,
          "A person decides and signs: signed must be true, or a name of at most 80 characters.")
      }
      if let reason = body.reason, reason.count > 500 {
        throw Problem(.badValue, "reason must have no more than 500 characters.")
      }
      guard let person = try await day.person(subject) else { throw Problem(.notFound) }
      let store = day.store
      try await store.change { db in
        guard let session = try Sessions.latest(of: subject, in: db) else {
          throw Problem(.notFound)
        }
        let seq = try PersonRecord.seq(of: subject, in: db)
        guard seq == body.adviceSeq, person.seq == seq else {
          throw Problem(
            .conflict, "Something changed meanwhile. Look at the new advice, and decide again.")
        }
        let advice = person.forecast.map { forecast -> EventValue in
          .object([
            "median": .text(forecast.median), "not_before": .text(forecast.notBefore),
            "probability_now": .number(forecast.probabilityNow),
          ])
        }
        let event = try store.log(
          NewEvent(
            actor: identity.name, station: identity.station, action: "release.decide",
            subject: subject,
            new: .object([
              "decision": .text(body.decision), "advice_seq": .integer(seq),
              "advice": advice ?? .null,
              "signed": name.map(EventValue.text) ?? .bool(true),
            ]), reason: body.reason), in: db)
        try db.execute(
          sql: "UPDATE sessions SET state = ?, decision_seq = ? WHERE series_id = ?",
          values: [state, event.seq, session.series])
        let isReleased = state == "released"
        try db.execute(
          sql: "UPDATE bookings SET state = ?, changed_ms = ? WHERE series_id = ? AND state = ?",
          values: [
            isReleased ? "released" : "checked-in", store.clock.now, session.series,
            isReleased ? "checked-in" : "released",
          ])
        return [event]
      }
      guard let decided = try await day.person(subject) else { throw Problem(.notFound) }
      return try Response.json(decided)
    }
  }
}

extension StudyDay {
  /// The unit in which a station takes readings: that of its last one, or else of the last one of the day.
  fileprivate func readingUnit(for identity: Identity, in db: Database) throws -> String? {
    let own = try String.fetchOne(
      db,
      sql: """
        SELECT new FROM events WHERE action = 'reading.enter' AND actor = ? AND station IS ?
        ORDER BY seq DESC LIMIT 1
        """, arguments: [identity.name, identity.station])
    if let unit = own.flatMap({ EventValue($0) })?["value"]?["unit"]?.string { return unit }
    return try String.fetchOne(
      db,
      sql: """
        SELECT json_extract(value, '$.unit') FROM entries JOIN sessions USING (series_id)
        WHERE kind = 'reading' AND entries.state = 'current' AND starts_ms >= ?
        ORDER BY first_seq DESC LIMIT 1
        """, arguments: [store.clock.now - Self.dayLength])
  }

  /// Writes what was missed and what happens, until the page goes, the server stops or the token ends.
  fileprivate func stream(
    to writer: inout any ResponseBodyWriter, _ identity: Identity, after: Int64?, token: Int64
  ) async throws {
    // Before what was missed is read, so that nothing falls between.
    let live = hub.messages()
    let newest = try await store.read { try EventLog.last(in: $0)?.seq ?? 0 }
    // Whoever saw more than there is saw it before a backup was restored.
    var last = min(after ?? newest, newest)
    try await writer.write(ByteBuffer(string: "retry: 2000\n\n"))
    while true {
      let seen = last
      let missed = try await store.read { try EventLog.events(after: seen, limit: 500, in: $0) }
      for event in missed {
        if let text = try LiveMessage(event).text(for: identity) { try await writer.write(text) }
        last = event.seq
      }
      if missed.count < 500 { break }
    }
    for await message in live.cancelOnGracefulShutdown() {
      if message.isTick {
        guard try await accounts.isAlive(token) else { return }
        try await writer.write(message.text)
      } else if let text = message.text(for: identity), message.seq.map({ $0 > last }) ?? true {
        try await writer.write(text)
      }
      if let seq = message.seq { last = max(last, seq) }
    }
  }
}

extension DayContext {
  /// A part of the path, of at most 80 characters.
  func text(_ name: String) throws(Problem) -> String {
    guard let text = parameters.get(name)?.removingPercentEncoding, 1...80 ~= text.count else {
      throw Problem(.notFound)
    }
    return text
  }
}
