@_spi(StudyDay) import AlcoholKinetics
import DayDatabase
import GRDB
import HTTPTypes
@_spi(StudyDay) import StudyData
@_spi(StudyDay) import StudyStore

/// Plan of the protocol for a session.
struct Plan: Sendable {
  let study: StudyProtocol
  /// Arms of the person in order of visits; nil before the draw.
  let arms: [StudyProtocol.Arm]?
  /// Number of the visit, from 1 on.
  let visit: Int

  /// Reads the plan of a session; nil without a protocol.
  init?(of session: Session, in db: Database) throws {
    guard let study = try StudyProtocol.latest(in: db) else { return nil }
    self.study = study
    let draw = try StudyProtocol.drawn(session.subject, in: db).first
    arms = draw.flatMap { $0.newValue["place"]?.double }.map { study.arms(at: Int($0)) }
    let since = draw.map { $0.at - Sessions.before } ?? 0
    let earlier: Int? = try db.value(
      """
      SELECT count(*) FROM sessions JOIN series ON series.id = series_id
      WHERE subject_id = ? AND starts_ms >= ? AND starts_ms < ?
        AND EXISTS (SELECT 1 FROM drinks WHERE drinks.series_id = sessions.series_id)
      """, [session.person, since, session.starts])
    visit = (earlier ?? 0) + 1
  }

  /// Returns the planned readings and which were taken: each reading after the drink counts for the nearest planned one.
  ///
  /// - Parameters:
  ///   - drink: Time of the drink, in ms.
  ///   - taken: Times of readings, in ms.
  func readings(after drink: Int64, taken: [Int64]) -> [(at: Int64, isTaken: Bool)] {
    let planned = study.readings.map { drink + $0 }
    let served = Set(
      taken.filter { $0 > drink }.compactMap { time in
        planned.indices.min { abs(planned[$0] - time) < abs(planned[$1] - time) }
      })
    return planned.indices.map { (planned[$0], served.contains($0)) }
  }
}

/// Task that follows from the protocol.
struct PlannedTask: Encodable, Sendable {
  enum Kind: String, Encodable, Sendable {
    /// Drawing the person's place in the order.
    case draw
    /// Weighing the person, for the dose.
    case weigh
    case dose, reading
  }

  struct Drink: Encodable, Sendable {
    var arm: String
    var gPerKg: Double
    var ethanolG: Double
    var stockAbvPercent: Double
    var stockMl: Double
    var stockG: Double
    var totalMl: Double
    var abvPercent: Double
    var densityGPerMl: Double
    var totalG: Double
    var drinkMin: Double
  }

  var subject: String
  var kind: Kind
  var visit: Int
  /// Planned time; nil for as soon as possible.
  var planned: String?
  /// State of the task: `open`, `late`, or `missed` if a later one was done.
  var state: String
  /// Recipe of the drink; nil for other tasks, if it is hidden, and if it does not fit.
  var drink: Drink?
}

extension PersonRecord {
  /// Time of the next planned reading, in ms; nil without a plan, before the drink, and after the last.
  var nextPlanned: Int64? {
    guard let plan, let drink = given.drink else { return nil }
    let readings = plan.readings(after: drink, taken: given.readings)
    let last = readings.lastIndex(where: \.isTaken).map { $0 + 1 } ?? 0
    return last < readings.count ? readings[last].at : nil
  }

  /// Returns the tasks of the session in order of time, without doses that are concealed.
  func tasks(for identity: Identity, at now: Int64) -> [PlannedTask] {
    guard let plan, isRunning, !isReport else { return [] }
    func task(_ kind: PlannedTask.Kind, _ planned: Int64? = nil, _ state: String = "open")
      -> PlannedTask
    {
      PlannedTask(
        subject: session.subject, kind: kind, visit: plan.visit,
        planned: planned.map(ISOTime.text), state: state)
    }
    guard let arms = plan.arms else { return [task(.draw)] }
    if let drink = given.drink {
      let readings = plan.readings(after: drink, taken: given.readings)
      let last = readings.lastIndex(where: \.isTaken) ?? -1
      return readings.indices.filter { !readings[$0].isTaken }.map { index in
        let at = readings[index].at
        return task(.reading, at, index < last ? "missed" : at < now ? "late" : "open")
      }
    }
    guard plan.visit <= arms.count else { return [] }
    guard let weight = series.subject.weight?.value else { return [task(.weigh)] }
    let arm = arms[plan.visit - 1]
    var dose = task(.dose)
    if !identity.concealed.contains(.doses), let made = plan.study.drink(arm, weight: weight) {
      func rounded(_ x: Double, _ parts: Double = 10) -> Double { (x * parts).rounded() / parts }
      dose.drink = PlannedTask.Drink(
        arm: arm.name, gPerKg: arm.gPerKg, ethanolG: rounded(arm.gPerKg * weight),
        stockAbvPercent: plan.study.value["stock_abv_percent"]?.double ?? 0,
        stockMl: rounded(made.stockMillilitres), stockG: rounded(made.stockGrams),
        totalMl: plan.study.value["total_ml"]?.double ?? 0,
        abvPercent: rounded(made.abvPercent, 100),
        densityGPerMl: rounded(made.density, 10_000), totalG: rounded(made.totalGrams),
        drinkMin: plan.study.value["drink_min"]?.double ?? 0)
    }
    return [dose]
  }
}

extension Route {
  static let plans = [
    Route(.get, "/protocol", permitted: .changeSettings) { request in
      try await request.read { try StudyProtocol.latest(in: $0)?.value ?? .object([:]) }
    },
    Route(.put, "/protocol", permitted: .changeSettings) { request in
      let new = try StudyProtocol(try await request.form("the protocol"))
      return try await request.change { try $0.set(new) }
    },
    Route(.post, "/people/:subject/draw", permitted: .checkIn) { request in
      try await request.change(status: .created) { try $0.draw(request.subject) }
    },
    Route(.get, "/tasks", permitted: .enterEntry) { request in
      let now = request.store.clock.now
      let (identity, records) = (request.identity, request.day.forecaster.records)
      return try await request.read { db in
        let people = try Sessions.running(since: now - StudyDay.dayLength, in: db)
        let tasks = try people.flatMap {
          try records.record(of: $0, in: db).tasks(for: identity, at: now)
        }
        let order = ["late", "open", "missed"]
        return [
          "items": tasks.sorted {
            (order.firstIndex(of: $0.state) ?? 0, $0.planned ?? "")
              < (order.firstIndex(of: $1.state) ?? 0, $1.planned ?? "")
          }
        ]
      }
    },
  ]
}
