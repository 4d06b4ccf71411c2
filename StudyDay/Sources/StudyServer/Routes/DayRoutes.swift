import DayDatabase
import Foundation
import GRDB
import HTTPTypes
import Hummingbird
import Metrics
import ServiceLifecycle
@_spi(StudyDay) import StudyData
@_spi(StudyDay) import StudyStore

private struct DayResponse: Encodable {
  var seq: Int64
  var serverTime: String
  /// Nil if no reading shows it yet; the station asks then.
  var readingUnit: String?

  /// Returns the response with the people of the day, each encoded only when it is sent, since they may be many.
  func response(with people: [Person]) throws -> Response {
    let rest = ByteBuffer(string: "],\(try JSONText.text(self).dropFirst())")
    return Response(
      status: .ok, headers: [.contentType: "application/json", .cacheControl: "no-store"],
      body: ResponseBody { writer in
        try await writer.write(ByteBuffer(string: #"{"people":["#))
        for (index, person) in people.enumerated() {
          if index > 0 { try await writer.write(ByteBuffer(string: ",")) }
          try await writer.write(ByteBuffer(bytes: try JSONText.encode(person)))
        }
        try await writer.write(rest)
        try await writer.finish(nil)
      })
  }
}

extension Route {
  static let day = [
    Route(.post, "/entries", reaching: .enterVital) { request in
      var form = try await request.form("the request")
      let entries = try form.forms("entries").map(EntryRequest.init)
      guard request.scope == .any || entries.allSatisfy(request.identity.reports) else {
        throw Problem(.notAllowed)
      }
      guard 1...500 ~= entries.count else {
        throw Problem(.badRequest, "Send 1 to 500 entries at a time.")
      }
      let answer = try await request.store.change { change in
        let writer = try EntryWriter(change, for: request.identity)
        let results = try entries.map(writer.writeOrRefuse)
        return EventValue.object([
          "seq": .integer(change.last?.seq ?? 0), "results": .array(results),
        ])
      }
      return try Response.json(answer)
    },
    Route(.get, "/day", reaching: .seeDay) { request in
      let day = request.day
      // Read before the people: a change in between is sent twice, not missed.
      let (seq, unit) = try await day.store.read { db in
        (try EventLog.last(in: db)?.seq ?? 0, try day.readingUnit(for: request.identity, in: db))
      }
      let people =
        request.seesNothing
        ? [] : try await day.people(only: request.onlySubject, within: day.options.forecastTime)
      return try DayResponse(
        seq: seq, serverTime: ISOTime.text(day.store.clock.now), readingUnit: unit
      ).response(with: people)
    },
    Route(.get, "/people/:subject", permitted: .seePerson) { request in
      guard let person = try await request.day.person(request.subject) else {
        throw Problem(.notFound)
      }
      return try Response.json(person, taggedFor: request.http)
    },
    Route(.post, "/people/:subject/release", permitted: .decideRelease) { request in
      let decision = try Decision(try await request.form("the decision"))
      return try Response.json(
        try await request.day.decide(decision, of: request.subject, by: request.identity))
    },
    Route(.get, "/events", reaching: .followEvents) { request in
      let registration = request.day.hub.streams.register(
        request.identity.token, upTo: request.day.options.streamsPerToken)
      guard let registration else {
        throw Problem(.tooOften, "There are too many streams of this token. Close some pages.")
      }
      let after =
        try request.http.headers[.lastEventID].flatMap { Int64($0) }
        ?? request.http.number("after", 0...Int64.max)
      return Response(
        status: .ok,
        headers: [
          .contentType: "text/event-stream", .cacheControl: "no-store", .accelBuffering: "no",
        ],
        body: ResponseBody { writer in
          defer { withExtendedLifetime(registration) {} }
          try await request.day.stream(to: &writer, request.identity, after: after)
          try await writer.finish(nil)
        })
    },
    Route(.get, "/changes", reaching: .followEvents) { request in
      let after = try request.http.number("after", 0...Int64.max) ?? 0
      let limit = Int(try request.http.number("limit", 1...1000) ?? 100)
      let events =
        request.seesNothing
        ? []
        : try await request.store.read {
          try EventLog.events(after: after, limit: limit, subject: request.onlySubject, in: $0)
        }
      let items = events.compactMap { $0.change(for: request.identity) }
      var answer: [String: EventValue] = ["items": .array(items)]
      if events.count == limit { answer["next"] = events.last.map { .integer($0.seq) } }
      return try Response.json(EventValue.object(answer))
    },
    Route(.get, "/notices", reaching: .seeDay) { request in
      let zone = try request.http.query("zone").map { try ClockZone(named: $0) }
      let notices = try await request.day.notices(zone: zone ?? .current)
        .filter {
          request.identity.may($0.subject == nil ? .enterEntry : .seeDay, of: $0.subject)
        }
      return try Response.json(["items": notices], taggedFor: request.http)
    },
    Route(.get, "/reports/{date}", permitted: .seeReports) { request in
      let day = request.context.parameters.get("date").flatMap(CalendarDay.init)
      guard let date = day, ISOTime.has(date) else {
        throw Problem(.notFound, "Name a day, for example /reports/2026-05-01.")
      }
      let zone = try ClockZone(named: try request.http.query("zone") ?? "UTC")
      return try Response.json(try await request.day.report(ZonedDay(date, in: zone)))
    },
    Route(.get, open: "/openapi.json") { request, _, _ in
      Response.tagged(Data(PackageResources.openapi_json), "application/json", for: request)
    },
    Route(.get, open: "/health") { _, _, day in
      let last = try await day.store.read { try StudyStore.lastBackup(in: $0)?.at }
      let (now, since) = (day.store.clock.now, day.store.failingSince)
      let isLate = day.backups?.isLate(after: last, at: now) ?? false
      var health = [
        "status": since == nil && !isLate ? "ok" : "degraded", "server_time": ISOTime.text(now),
      ]
      health["not_storing_since"] = since.map(ISOTime.text)
      health["last_backup"] = last.map(ISOTime.text)
      health["backup"] = day.backups.map { _ in isLate ? "late" : "ok" }
      return try Response.json(health)
    },
    Route(.get, "/metrics", permitted: .seeMetrics) { request in
      let seq = try await request.store.read { try EventLog.last(in: $0)?.seq ?? 0 }
      Gauge(label: "promille_event_streams").record(request.day.hub.messages.count)
      Gauge(label: "promille_events").record(seq)
      return Response(
        status: .ok,
        headers: [.contentType: "text/plain; version=0.0.4", .cacheControl: "no-store"],
        body: ResponseBody(byteBuffer: ByteBuffer(string: InMemoryMetrics.shared.text)))
    },
  ]
}

extension Identity {
  /// True for a vital sign that the account reports of itself.
  func reports(_ entry: EntryRequest) -> Bool {
    entry.kind == .vital && entry.action == .enter && may(.enterVital, of: entry.subject)
  }
}

extension StudyDay {
  /// Returns the unit of a station's last reading, or else of the last one of the day.
  fileprivate func readingUnit(for identity: Identity, in db: Database) throws -> String? {
    let unit: String? = try db.value(
      """
      SELECT json_extract(new, '$.value.unit') FROM events
      WHERE action = 'reading.enter' AND actor = ? AND station IS ? ORDER BY seq DESC LIMIT 1
      """, [identity.name, identity.station])
    if let unit { return unit }
    return try db.value(
      """
      SELECT json_extract(new, '$.value.unit') FROM entries JOIN sessions USING (series_id)
        JOIN events ON seq = version
      WHERE kind = 'reading' AND entries.state = 'current' AND starts_ms >= ?
      ORDER BY first_seq DESC LIMIT 1
      """, [store.clock.now - Self.dayLength])
  }

  /// Writes missed and new events, until the page leaves, the server stops or the token is revoked.
  fileprivate func stream(
    to writer: inout any ResponseBodyWriter, _ identity: Identity, after: Int64?
  ) async throws {
    // Subscribes before missed events are read, so that none falls between.
    let live = hub.messages.subscribe()
    let newest = try await store.read { try EventLog.last(in: $0)?.seq ?? 0 }
    // A page ahead of the log saw it before a backup was restored.
    var last = min(after ?? newest, newest)
    try await writer.write(ByteBuffer(string: "retry: 2000\n\n"))
    while true {
      let seen = last
      let missed = try await store.read { try EventLog.events(after: seen, limit: 500, in: $0) }
      for event in missed {
        if let text = LiveMessage(event).text(for: identity) { try await writer.write(text) }
        last = event.seq
      }
      if missed.count < 500 { break }
    }
    for await message in live.cancelOnGracefulShutdown() {
      if message.isTick {
        guard try await accounts.isAlive(identity.token) else { return }
        try await writer.write(message.text)
      } else if let text = message.text(for: identity), message.seq.map({ $0 > last }) ?? true {
        try await writer.write(text)
      }
      if let seq = message.seq { last = max(last, seq) }
    }
  }
}
