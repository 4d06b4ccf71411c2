import DayDatabase
import Foundation
@_spi(StudyDay) import StudyData

/// A made-up study day, to look at: four people in the middle of their session, and places to book tomorrow.
public enum DemoDay {
  private struct Volunteer {
    var subject: String
    var form: BookingForm
    /// Minutes after the start, ml and percent.
    var drinks: [(minute: Int64, volume: Double, percent: Double)]
    /// Widmark's factor, in kg/kg, absorption in 1/h and elimination in g/kg/h.
    var (r, absorption, elimination): (Double, Double, Double)

    /// The concentration in blood, in g/kg.
    func concentration(at minute: Double) -> Double {
      let weight = (form.measures["weight_kg"] ?? 75) * r
      let absorbed = drinks.reduce(0.0) { sum, drink in
        let hours = max(0, minute - Double(drink.minute)) / 60
        return sum + drink.volume * drink.percent / 100 * 0.789 * (1 - exp(-absorption * hours))
      }
      let first = drinks.map(\.minute).min() ?? 0
      return max(0, absorbed / weight - elimination * max(0, minute - Double(first)) / 60)
    }
  }

  /// Time since the start of the session, in minutes.
  private static let elapsed: Int64 = 150

  /// Fills a database that is not there yet, as if the day had been served since the morning.
  ///
  /// - Parameters:
  ///   - path: Path of the new database.
  ///   - now: Time at which the day is shown, in ms since 1970.
  /// - Throws: ``ServerFailure`` if there is something at the path, or it cannot be made.
  public static func make(at path: String, now: Int64 = SystemClock().now) async throws {
    guard !FileManager.default.fileExists(atPath: path) else {
      throw ServerFailure(
        description: "error E_STORE_NOT_WRITABLE: \(path): something is there; name a new file",
        exitCode: 73)
    }
    do {
      try await fill(path, now)
    } catch {
      throw ServerFailure(
        description: "error E_STORE_NOT_WRITABLE: \(path): the day cannot be stored: \(error)",
        exitCode: 73)
    }
  }

  private static func fill(_ path: String, _ now: Int64) async throws {
    let start = now - elapsed * 60_000
    let clock = SetClock(start - 3_600_000)
    let store = try DayStore(path: path, clock: clock)
    let accounts = Accounts(store: store)
    let token = try await accounts.invite("demo", as: .owner, station: "bench 1", by: "demo")
    guard let identity = try await accounts.identity(of: token, kinds: ["station"]) else {
      throw Problem(.failed)
    }
    let people = try volunteers()
    let bookings = try await store.change { change in
      let desk = BookingDesk(change: change, identity: identity)
      let slot = try desk.makeOffers(start)
      return try people.map { try desk.book(slot, $0.form).uuid }
    }
    clock.advance(by: start - clock.now)
    try await store.change { change in
      let desk = BookingDesk(change: change, identity: identity)
      for booking in bookings { _ = try desk.checkIn(booking, isSure: false) }
    }
    for entry in entries(of: people, from: start) {
      let time = ISOTime.milliseconds(entry.deviceTime) ?? now
      clock.advance(by: max(0, time - clock.now))
      try await store.change { try EntryWriter($0, for: identity).write(entry) }
    }
  }

  private static func volunteers() throws -> [Volunteer] {
    func form(_ subject: String, _ sex: EventValue, _ age: Int64, _ height: Int64, _ weight: Int64)
      throws -> BookingForm
    {
      try BookingForm(
        .object([
          "subject": .text(subject), "name": .text("Made-up \(subject)"),
          "contact": .text("\(subject)@example.org"), "consent": .bool(true),
          "own_measures": .object([
            "sex": sex, "age_y": .integer(age), "height_cm": .integer(height),
            "weight_kg": .integer(weight),
          ]),
        ]))
    }
    return [
      Volunteer(
        subject: "p01", form: try form("p01", .text("female"), 29, 168, 62),
        drinks: [(5, 200, 12.5), (35, 150, 12.5)], r: 0.62, absorption: 4.5, elimination: 0.16),
      Volunteer(
        subject: "p02", form: try form("p02", .text("male"), 34, 182, 81),
        drinks: [(5, 500, 5), (30, 500, 5)], r: 0.71, absorption: 3, elimination: 0.15),
      Volunteer(
        subject: "p03", form: try form("p03", .text("male"), 41, 176, 90),
        drinks: [(10, 60, 40), (40, 60, 40)], r: 0.68, absorption: 6, elimination: 0.18),
      Volunteer(
        subject: "p04", form: try form("p04", .text("female"), 25, 160, 55),
        drinks: [(5, 150, 12.5), (45, 150, 12.5)], r: 0.6, absorption: 2.5, elimination: 0.14),
    ]
  }

  /// Returns made-up entries in order of time, identical in every demonstration.
  private static func entries(of people: [Volunteer], from start: Int64) -> [EntryRequest] {
    var noise = SplitMix(state: 18)
    var entries: [(minute: Int64, entry: EntryRequest)] = []
    func add(
      _ minute: Int64, _ kind: EntryKind, _ person: Volunteer, _ value: [String: EventValue],
      _ station: String
    ) {
      let time = ISOTime.text(start + minute * 60_000)
      entries.append(
        (
          minute,
          EntryRequest(
            id: UUID().uuidString, kind: kind, subject: person.subject, action: .enter,
            deviceTime: time, value: .object(value), station: station)
        ))
    }
    for (index, person) in people.enumerated() {
      for drink in person.drinks {
        add(
          drink.minute, .drink, person,
          [
            "volume_ml": .number(drink.volume), "abv_percent": .number(drink.percent),
            "duration_min": .integer(5),
          ], "bar")
      }
      for (minute, base) in [(0, 68.0), (60, 84), (120, 79)] as [(Int64, Double)] {
        add(
          minute, .vital, person,
          [
            "kind": .text("HeartRate"), "value": .number((base + 6 * noise.next()).rounded()),
            "unit": .text("count/min"), "importance": .integer(3),
          ], "nurse")
      }
      // Mouth alcohol is gone 20 minutes after the last drink; the last reading of one is overdue.
      let last = person.drinks.map(\.minute).max() ?? 0
      for minute in stride(from: last + 25, through: elapsed - (index == 2 ? 14 : 4), by: 10) {
        // Blood has 1.055 kg/l and 2100 times the concentration of breath; devices show two digits.
        let breath =
          person.concentration(at: Double(minute)) * 1.055 / 2.1 * (1 + 0.02 * noise.next())
        add(
          minute, .reading, person,
          [
            "concentration": .number((breath * 100).rounded() / 100),
            "unit": .text("brac_mg_per_l"),
          ], "bench \(index % 3 + 1)")
      }
    }
    return entries.sorted { $0.minute < $1.minute }.map(\.entry)
  }

  /// Returns reproducible pseudo-random numbers from -1 to 1 (SplitMix64).
  private struct SplitMix {
    var state: UInt64

    mutating func next() -> Double {
      state &+= 0x9e37_79b9_7f4a_7c15
      var z = (state ^ (state >> 30)) &* 0xbf58_476d_1ce4_e5b9
      z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
      return Double(Int64(bitPattern: z ^ (z >> 31))) / 0x1p63
    }
  }
}

extension BookingDesk {
  /// Makes a lab with a slot at a moment, and two more on the days after; returns the number of the first slot.
  fileprivate func makeOffers(_ start: Int64) throws -> Int64 {
    func id(_ made: EventValue) -> EventValue { made["id"] ?? .null }
    let site = try make(
      .sites,
      [
        "name": .text("Institute of Made-up Medicine"), "address": .text("1 Example Street"),
        "public": .bool(true),
      ])
    let lab = try make(.labs, ["site": id(site), "name": .text("Drinking lab")])
    let type = try make(
      .sessionTypes,
      [
        "lab": id(lab), "name": .text("Evening, fasted"), "length_min": .integer(420),
        "reading_interval_min": .integer(10), "capacity": .integer(4),
        "release_limit_g_per_kg": .number(0.2), "food_state": .text("fasted"),
      ])
    var slots: [EventValue] = []
    for hours in [0, 24, 48] as [Int64] {
      slots.append(
        try make(
          .slots,
          ["session_type": id(type), "starts": .text(ISOTime.text(start + hours * 3_600_000))]))
    }
    guard case .integer(let first) = id(slots[0]) else { throw Problem(.failed) }
    return first
  }

  private func make(_ offer: Offer, _ members: [String: EventValue]) throws -> EventValue {
    try make(OfferChange(offer, try Form(.object(members)), isNew: true))
  }
}
