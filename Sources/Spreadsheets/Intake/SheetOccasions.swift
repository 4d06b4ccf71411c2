import AlcoholKinetics
import StudyData
import StudyFiles

/// Converts the times of drinks and readings to minutes on the clock of their series, and splits events into occasions.
///
/// Minutes count from the first drink, or from the earliest row without a drink. Dated events belong to one occasion until
/// nothing happens for ``gapBetweenOccasions``; rows without drinks up to ``latestControl`` later are its controls.
struct SheetOccasions {
  /// The pause, in min, after which another occasion begins.
  static let gapBetweenOccasions = 16.0 * 60
  /// The latest control measurement after an occasion, in min.
  static let latestControl = 36.0 * 60
  private static let halfDay = RepeatedTimes.halfDay

  let files: [String]
  /// The time zone of the clocks; nil if it was not stated.
  let clocks: ClockZone?
  /// Whether any zone changes its clocks in a range of days; a cache, because many series share few days.
  private var changes: [ClosedRange<Int>: Bool] = [:]
  private(set) var findings: [SeriesKey: [Diagnostic]] = [:]

  init(files: [String], clocks: ClockZone?) {
    self.files = files
    self.clocks = clocks
  }

  /// Resolves the times of a person, and the occasions if the sheet does not name them.
  mutating func resolve(_ person: inout SheetPerson) {
    var resolved: [(name: String?, events: [SheetEvent])] = []
    for (name, events) in person.occasions {
      let key = SeriesKey(subject: person.id, occasion: name)
      let readable = withDurations(keepReadable(events, key), key)
      let form = readable.first.map(Form.init) ?? .relative
      if let odd = readable.first(where: { Form($0) != form }) {
        add(
          .time, key, odd,
          "some rows of this series have a time of day and others none, or no date, or no distance from UTC",
          remedy: "fill in date and time in every row, with Z or +01:00 behind all of them or none")
        resolved.append((name, []))
        continue
      }
      switch form {
      case .relative: resolved += relative(readable, name)
      case .clock:
        let timed = clock(readable, key)
        if let dated = Self.onDate(timed) {
          resolved += absolute(dated, key)
        } else {
          resolved.append((name, minutesFromFirstDrink(timed)))
        }
      case .absolute, .zoned: resolved += absolute(readable, key)
      }
    }
    person.occasions = resolved
  }

  /// The form of a time, which must be the same throughout an occasion.
  private enum Form {
    case relative, clock, absolute, zoned

    init(_ event: SheetEvent) {
      switch event.moment {
      case .clock: self = .clock
      case .absolute(_, let isZoned): self = isZoned ? .zoned : .absolute
      default: self = .relative
      }
    }
  }

  /// Removes rows whose time cannot be read, and adds an error to their series.
  private mutating func keepReadable(_ events: [SheetEvent], _ key: SeriesKey) -> [SheetEvent] {
    events.filter { event in
      guard case .unreadable(let text, let column) = event.moment else { return true }
      add(
        .time, key, event, "the time or date is \(text.quoted), which cannot be read",
        remedy:
          "write 19:30 or 7:30 pm, and 2026-11-21 or 21.11.2026; or minutes in a column time_min",
        column: column)
      return false
    }
  }

  /// Adds a finding at an event, or at another column of its row, given by its index.
  private mutating func add(
    _ code: DiagnosticCode, _ key: SeriesKey, _ event: SheetEvent, _ message: String,
    remedy: String, column: Int? = nil
  ) {
    let location = SourceLocation(
      file: files[event.table], line: event.row, column: column.map { $0 + 1 } ?? event.column)
    findings[key, default: []].add(code, at: location, message: message, remedy: remedy)
  }

  // MARK: Ends of drinking

  /// Returns the events with `duration_min` set for drinks whose end is stated.
  private mutating func withDurations(_ events: [SheetEvent], _ key: SeriesKey) -> [SheetEvent] {
    events.map { event in
      guard event.isDrink, let end = event.end, end != .missing else { return event }
      var event = event
      guard let minutes = duration(of: event, until: end, key) else { return event }
      if let stated = event.fields.number("duration_min"), abs(stated - minutes) > 1 {
        add(
          .ambiguous, key, event,
          "the drink took \(stated.shown) min, and from its beginning to its end are \(minutes.shown) min",
          remedy: "correct one of them, or leave one of the columns out")
      }
      // Rounded like times: a spreadsheet's fractions of days have rounding errors.
      event.fields["duration_min"] = ((minutes * 1e6).rounded() / 1e6).description
      return event
    }
  }

  /// Returns the minutes from the beginning of a drink to its end; nil, with an error of the series, if they cannot be
  /// computed.
  private mutating func duration(
    of event: SheetEvent, until end: SheetMoment, _ key: SeriesKey
  ) -> Double? {
    switch (event.moment, end) {
    case (_, .unreadable(let text, let column)):
      add(
        .time, key, event, "the end of drinking is \(text.quoted), which cannot be read",
        remedy: "write it as the beginning is written", column: column)
      return nil
    case (.absolute(_, let isZoned), .absolute(_, let isEndZoned)) where isZoned != isEndZoned:
      break
    case (.absolute(_, true), .clock), (.clock, .absolute(_, true)): break
    default:
      if let hours = elapsed(from: event.moment, to: end) ?? Self.hours(from: event.moment, to: end)
      {
        // A longer time may be a mistaken date, or a clock that has passed midnight.
        if hours >= 0, hours * 60 <= Self.halfDay { return hours * 60 }
        add(
          .range, key, event,
          "the end of drinking, \(end.shown), is not within half a day after its beginning, \(event.moment.shown)",
          remedy: "correct one of the two; past midnight give both a date")
        return nil
      }
    }
    add(
      .time, key, event,
      "the beginning of drinking and its end are not both minutes, times of day or dates with times",
      remedy: "write both in the same way, or give the duration in a column duration_min")
    return nil
  }

  /// Returns the hours elapsed between two local times with dates, including changes of clocks; nil without a time zone.
  private func elapsed(from start: SheetMoment, to end: SheetMoment) -> Double? {
    guard let clocks, case .absolute(let first, false) = start,
      case .absolute(let last, false) = end,
      let from = clocks.moment(showing: Int((first * 60).rounded())),
      let until = clocks.moment(showing: Int((last * 60).rounded()))
    else { return nil }
    return Double(until - from) / 3600
  }

  /// Returns the hours between two moments of comparable forms, past midnight if one has no date; otherwise nil.
  static func hours(from start: SheetMoment, to end: SheetMoment) -> Double? {
    switch (start, end) {
    case (.relative(let first, _), .relative(let last, _)),
      (.absolute(let first, _), .absolute(let last, _)):
      return (last - first) / 60
    case (.clock(let first), .clock(let last)), (.absolute(let first, _), .clock(let last)),
      (.clock(let first), .absolute(let last, _)):
      let minutes = (last - first).truncatingRemainder(dividingBy: 1440)
      return (minutes < 0 ? minutes + 1440 : minutes) / 60
    default: return nil
    }
  }

  // MARK: Parts

  /// Splits indices in order of time at pauses of at least ``gapBetweenOccasions``.
  private static func split(_ order: [Int], _ minutes: (Int) -> Double) -> [[Int]] {
    order.reduce(into: []) { parts, index in
      if let last = parts.last?.last, minutes(index) - minutes(last) < gapBetweenOccasions {
        parts[parts.count - 1].append(index)
      } else {
        parts.append([index])
      }
    }
  }

  /// Returns the indices of events by occasion, as far as their times distinguish occasions.
  static func parts(of events: [SheetEvent]) -> [[Int]] {
    var times: [Int: Double] = [:]
    let beginsAgain = days(of: events) != nil
    for (index, event) in events.enumerated() {
      switch event.moment {
      case .absolute(let minutes, _): times[index] = minutes
      // Minutes that begin again on another date belong to another occasion.
      case .relative(let minutes, _):
        if beginsAgain, let day = event.day { times[index] = Double(day) * 1440 + minutes }
      default: break
      }
    }
    let order = times.keys.sorted { (times[$0] ?? 0, $0) < (times[$1] ?? 0, $1) }
    var parts = split(order) { times[$0] ?? 0 }
    if parts.isEmpty { return [Array(events.indices)] }
    // Events without a time join the others of their row.
    var partOfRow: [[Int]: Int] = [:]
    for (number, part) in parts.enumerated() {
      for index in part { partOfRow[events[index].tableRow] = number }
    }
    for (index, event) in events.enumerated() where times[index] == nil {
      parts[partOfRow[event.tableRow] ?? 0].append(index)
    }
    // Rows without a drink may be controls on the next day.
    var joined: [[Int]] = []
    var end = -Double.infinity
    for part in parts {
      let partTimes = part.compactMap { times[$0] }
      let hasDrink = part.contains { events[$0].isDrink && !events[$0].isZero }
      if !hasDrink, let start = partTimes.min(), start - end < latestControl {
        joined[joined.count - 1] += part
      } else {
        joined.append(part)
      }
      end = partTimes.max() ?? end
    }
    return joined.map { $0.sorted() }
  }

  // MARK: Minutes

  /// Resolves minutes on the clock of the series; each date is an occasion unless minutes continue across dates.
  private func relative(
    _ events: [SheetEvent], _ name: String?
  ) -> [(name: String?, events: [SheetEvent])] {
    var resolved = events
    for index in events.indices {
      if case .relative(_, let text) = events[index].moment { resolved[index].minutes = text }
    }
    guard name == nil, let days = Self.days(of: events) else { return [(name, resolved)] }
    return days.map { day in
      (CivilDate.text(day), resolved.filter { ($0.day ?? days.first) == day })
    }
  }

  /// Returns the dates on which minutes begin again; nil if they continue from one date to the next.
  private static func days(of events: [SheetEvent]) -> [Int]? {
    var spans: [Int: ClosedRange<Double>] = [:]
    for event in events {
      guard case .relative(let minutes, _) = event.moment, let day = event.day else { continue }
      let span = spans[day] ?? minutes...minutes
      spans[day] = min(span.lowerBound, minutes)...max(span.upperBound, minutes)
    }
    let days = spans.keys.sorted()
    let goesOn = zip(days, days.dropFirst()).allSatisfy { day, next in
      (spans[day]?.upperBound ?? 0) < (spans[next]?.lowerBound ?? 0)
    }
    return goesOn ? nil : days
  }

  // MARK: Clocks without dates

  /// Returns the events with their times of day on the one date of their rows, as in a wide table; nil without such a
  /// date.
  private static func onDate(_ timed: [(event: SheetEvent, minutes: Double)]) -> [SheetEvent]? {
    let days = Set(timed.compactMap(\.event.day))
    guard days.count == 1, let day = days.first else { return nil }
    return timed.map { event, minutes in
      var event = event
      event.moment = .absolute(Double(day) * 1440 + minutes)
      return event
    }
  }

  /// Unwraps times of day of one occasion of less than a day: minutes since the midnight before it.
  private mutating func clock(
    _ events: [SheetEvent], _ key: SeriesKey
  ) -> [(event: SheetEvent, minutes: Double)] {
    guard let drinks = unwrapped(events.filter(\.isDrink), key),
      var readings = unwrapped(events.filter { !$0.isDrink }, key)
    else { return [] }
    // The shift in whole days that brings the first drink and the first reading within half a day of each other. If all
    // readings would then precede the first drink although one is positive, they are of the next morning.
    if let drink = drinks.first?.minutes, let reading = readings.first?.minutes {
      var days = ((drink - reading) / 1440).rounded()
      let shift = days * 1440
      let areBefore = readings.allSatisfy { $0.minutes + shift < drink }
      if areBefore, readings.contains(where: { $0.event.fields.number("value") ?? 0 > 0 }) {
        days += 1
      }
      for index in readings.indices { readings[index].minutes += days * 1440 }
    }
    let all = drinks + readings
    let times = all.map(\.minutes)
    guard let first = times.min(), let last = times.max() else { return [] }
    if last - first >= 1440, let odd = all.first(where: { $0.minutes == last }) {
      add(
        .time, key, odd.event, "the rows of this series span a day or more, without dates",
        remedy: "add a column date, or give each evening its own occasion")
      return []
    }
    return all
  }

  /// Adds a day whenever the clock goes back by more than half a day; nil, with an error, at any other step back.
  private mutating func unwrapped(
    _ events: [SheetEvent], _ key: SeriesKey
  ) -> [(event: SheetEvent, minutes: Double)]? {
    var all: [(event: SheetEvent, minutes: Double)] = []
    var days = 0.0
    for event in events {
      guard case .clock(let clock) = event.moment else { continue }
      var minutes = clock + days
      if let last = all.last?.minutes {
        if last - minutes > Self.halfDay {
          days += 1440
          minutes += 1440
        }
        if minutes < last || minutes - last > Self.halfDay {
          add(
            .time, key, event,
            "the clock goes from \(ClockTime.text(last)) to \(ClockTime.text(minutes)), without a date",
            remedy:
              "sort the rows by time, and add a column date, or give each evening its own occasion")
          return nil
        }
      }
      all.append((event, minutes))
    }
    return all
  }

  /// Writes the times of events as minutes from the first drink, or from the first event without drinks.
  private func minutesFromFirstDrink(_ events: [(event: SheetEvent, minutes: Double)])
    -> [SheetEvent]
  {
    let drinks = events.filter(\.event.isDrink)
    let zero = (drinks.isEmpty ? events : drinks).map(\.minutes).min() ?? 0
    return events.map { event, minutes in
      var event = event
      // Removes rounding errors of fractions of days: a microminute is below the resolution of any clock.
      event.minutes = (((minutes - zero) * 1e6).rounded() / 1e6).description
      return event
    }
  }

  // MARK: Dates with clocks

  private mutating func absolute(
    _ events: [SheetEvent], _ key: SeriesKey
  ) -> [(name: String?, events: [SheetEvent])] {
    var timed: [(event: SheetEvent, minutes: Double)] = []
    for event in events {
      guard case .absolute(let minutes, let isZoned) = event.moment else { continue }
      guard let clocks, !isZoned else {
        timed.append((event, minutes))
        continue
      }
      // Elapsed hours are differences in UTC.
      let local = (minutes * 60).rounded(.down)
      guard let moment = clocks.moment(showing: Int(local)) else {
        let text =
          CivilDate.text(Int((minutes / 1440).rounded(.down))) + " " + ClockTime.text(minutes)
        let (message, remedy) = clocks.doubt(about: Int(local), written: text)
        add(.time, key, event, message, remedy: remedy)
        continue
      }
      timed.append((event, minutes + (Double(moment) - local) / 60))
    }
    let order = timed.indices.sorted { (timed[$0].minutes, $0) < (timed[$1].minutes, $1) }
    let clusters = joined(Self.split(order) { timed[$0].minutes }, timed)
    refuseForgottenMidnight(clusters, timed, key)
    if key.occasion != nil, clusters.count > 1, let end = clusters[0].last,
      let start = clusters[1].first
    {
      let hours = (timed[start].minutes - timed[end].minutes) / 60
      add(
        .time, key, timed[start].event,
        "the row is \(hours.shown) hours after the row before it, on the same occasion",
        remedy: "check the date, or give each evening its own occasion")
    }
    var names: [String: Int] = [:]
    return clusters.map { cluster in
      let day = CivilDate.text(cluster.compactMap { timed[$0].event.moment.day }.min() ?? 0)
      names[day, default: 0] += 1
      let name = names[day] == 1 ? day : "\(day) \(names[day] ?? 1)"
      if let first = cluster.first, let last = cluster.last {
        warnOfClocks(timed[first].event, timed[last].event, key.occasion ?? name, key)
      }
      // Row order is kept, so that later checks find a row out of order.
      return (key.occasion ?? name, minutesFromFirstDrink(cluster.sorted().map { timed[$0] }))
    }
  }

  /// Warns if, without a stated time zone, clocks change in some zone between the first and the last time.
  private mutating func warnOfClocks(
    _ first: SheetEvent, _ last: SheetEvent, _ occasion: String, _ key: SeriesKey
  ) {
    // No elapsed hours are computed from times with errors.
    let isRefused = findings[key]?.contains { $0.severity == .error } ?? false
    guard !isRefused, clocks == nil, case .absolute(let start, false) = first.moment,
      case .absolute(let end, false) = last.moment,
      let day = first.moment.day, let lastDay = last.moment.day, day <= lastDay
    else { return }
    // A cached test by day is enough for most series.
    let days = day...lastDay
    let isChanged = changes.value(of: days) {
      !ClockZone.changes(from: day * 86_400 - 86_400, to: lastDay * 86_400 + 2 * 86_400).isEmpty
    }
    guard isChanged else { return }
    let all = ClockZone.changes(
      from: Int((start * 60).rounded()), to: Int((end * 60).rounded()))
    guard !all.isEmpty else { return }
    let places = all.map { "\($0.place): \($0.hours.shown) h" }.joined(separator: ", ")
    findings[key, default: []].add(
      .clocksChanged,
      at: SourceLocation(file: files[first.table], line: first.row, column: first.column),
      message: "the times have no time zone, and in some places clocks are changed between "
        + "\(CivilDate.text(day)) \(ClockTime.text(start)) and \(CivilDate.text(lastDay)) \(ClockTime.text(end)) "
        + "(\(places)); \(((end - start) / 60).shown) h were counted",
      remedy:
        "give --time-zone, or write each time with its distance from UTC, as 2024-03-31T04:00+02:00"
    )
  }

  /// Joins groups without a drink to the occasion before them, as controls on the next day; if none is near, to the next
  /// one, in which readings long before the first drink are then reported.
  private func joined(
    _ clusters: [[Int]], _ timed: [(event: SheetEvent, minutes: Double)]
  ) -> [[Int]] {
    var result: [[Int]] = []
    var waiting: [Int] = []
    for cluster in clusters {
      let hasDrink = cluster.contains { timed[$0].event.isDrink }
      let start = cluster.first.map { timed[$0].minutes } ?? 0
      if !hasDrink, let end = result.last?.last.map({ timed[$0].minutes }),
        start - end < Self.latestControl
      {
        result[result.count - 1] += cluster
        continue
      }
      let isNear = waiting.last.map { start - timed[$0].minutes < Self.latestControl } ?? false
      if hasDrink, isNear {
        result.append(waiting + cluster)
        waiting = []
        continue
      }
      if !waiting.isEmpty { result.append(waiting) }
      waiting = []
      if hasDrink { result.append(cluster) } else { waiting = cluster }
    }
    if !waiting.isEmpty { result.append(waiting) }
    return result
  }

  /// Reports occasions of one date whose rows are in the reverse order: the date was not advanced at midnight.
  private mutating func refuseForgottenMidnight(
    _ clusters: [[Int]], _ timed: [(event: SheetEvent, minutes: Double)], _ key: SeriesKey
  ) {
    for (earlier, later) in zip(clusters, clusters.dropFirst()) {
      guard let first = earlier.first, let second = later.first,
        timed[first].event.moment.day == timed[second].event.moment.day,
        let row = earlier.map({ timed[$0].event.row }).min(),
        row > later.map({ timed[$0].event.row }).min() ?? .max
      else { continue }
      add(
        .time, key, timed[first].event,
        "the time \(timed[first].event.moment.shown) follows \(timed[second].event.moment.shown) "
          + "of the same date",
        remedy: "give times after midnight the date of the next day")
    }
  }
}
