import DayDatabase
import Hummingbird
@_spi(StudyDay) import StudyData

extension Route {
  static let health = [
    Route(.get, "/people/:subject/history", permitted: .seePerson) { request in
      let zone = try ClockZone(named: try request.http.query("zone") ?? "UTC")
      let (subject, now, identity) = (request.subject, request.store.clock.now, request.identity)
      return try Response.json(
        try await request.store.read {
          try History(of: subject, for: identity, in: zone, at: now, in: $0)
        })
    },
    Route(.get, "/me/reminder", reaching: .enterVital) { request in
      let account = request.identity.account
      let json = try await request.store.read {
        try Choices.value(Reminder.name, of: account, in: $0)
      }
      return try Response.json(json.flatMap(Reminder.init)?.json ?? .object([:]))
    },
    Route(.put, "/me/reminder", reaching: .enterVital) { request in
      let form = try await request.form("the reminder")
      guard request.identity.subject != nil else {
        throw Problem(.notAllowed, "Only who has a code in the study is reminded.")
      }
      return try await request.change { desk in
        let reminder = try Reminder(form, at: desk.now)
        try desk.choose(Reminder.name, reminder.json)
        return reminder.json == .null ? .object([:]) : reminder.json
      }
    },
  ]
}

extension Route {
  static let methods = [
    Route(.get, "/people/:subject/methods", permitted: .seePerson) { request in
      try request.identity.requireSight()
      let (subject, records) = (request.subject, request.day.forecaster.records)
      let record = try await request.store.read { try records.latest(of: subject, in: $0) }
      guard let record else { throw Problem(.notFound) }
      return try Response.json(try MethodCurves(record))
    }
  ]
}
