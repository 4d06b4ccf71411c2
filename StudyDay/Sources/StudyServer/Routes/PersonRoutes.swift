import DayDatabase
import Hummingbird
@_spi(StudyDay) import StudyData

extension Route {
  static let health = [
    Route(.get, "/people/:subject/history", permitted: .seePerson) { asked in
      let zone = try ClockZone(named: try asked.request.query("zone") ?? "UTC")
      let (subject, now, identity) = (asked.subject, asked.store.clock.now, asked.identity)
      return try Response.json(
        try await asked.store.read {
          try History(of: subject, for: identity, in: zone, at: now, in: $0)
        })
    },
    Route(.get, "/me/reminder", reaching: .enterVital) { asked in
      let account = asked.identity.account
      let json = try await asked.store.read {
        try Choices.value(Reminder.name, of: account, in: $0)
      }
      return try Response.json(json.flatMap(Reminder.init)?.json ?? .object([:]))
    },
    Route(.put, "/me/reminder", reaching: .enterVital) { asked in
      let form = try await asked.form("the reminder")
      guard asked.identity.subject != nil else {
        throw Problem(.notAllowed, "Only who has a code in the study is reminded.")
      }
      return try await asked.change { desk in
        let reminder = try Reminder(form, at: desk.now)
        try desk.choose(Reminder.name, reminder.json)
        return reminder.json == .null ? .object([:]) : reminder.json
      }
    },
  ]
}

extension Route {
  static let methods = [
    Route(.get, "/people/:subject/methods", permitted: .seePerson) { asked in
      try asked.identity.requireSight()
      let (subject, records) = (asked.subject, asked.day.forecaster.records)
      let record = try await asked.store.read { try records.latest(of: subject, in: $0) }
      guard let record else { throw Problem(.notFound) }
      return try Response.json(try MethodCurves(record))
    }
  ]
}
