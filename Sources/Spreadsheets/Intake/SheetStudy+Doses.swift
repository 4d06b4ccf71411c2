import StudyData
import StudyFiles

extension SheetStudy {
  /// Merges doses that were filled down a column into one drink, and removes amounts of 0 other than placebos.
  mutating func mergeRepeatedDoses() {
    var repetition = RepeatedDoses(columns)
    people.forEachOccasion { $0 = repetition.merged($0, $1) }
    people.forEachOccasion { repetition.moveDosesToStart(in: &$0, $1) }
    for slot in repetition.mergedDoses.keys.sorted() {
      guard let column = dose(slot), let event = repetition.mergedDoses[slot] else { continue }
      columns[slot.table].addNote(
        "the same in every row: taken as one drink", ofColumn: column.index)
      guard repetition.untimed.contains(slot) else { continue }
      warnings.add(
        .doseRepeated, at: place(of: event),
        message:
          "the same dose stands beside every reading of a subject; it was taken as one drink",
        remedy: "if it was drunk each time, say so",
        statements: [column.stated(as: column.meaning.nameOfEach)])
    }
    if let (dose, minutes, subject) = repetition.doseOfUnclearTime {
      askForTime(of: dose, minutes, subject, canBeZero: true)
    }
    for slot in repetition.ambiguous.keys.sorted() {
      guard let column = dose(slot),
        let (event, subject, count, readings) = repetition.ambiguous[slot]
      else { continue }
      questions.add(
        .ambiguous, at: place(of: event),
        message:
          "the same dose stands in \(count) rows of subject \(subject.quoted), not beside all of the "
          + "\(readings) readings: it may have been drunk once or each time",
        remedy: "say which it is",
        statements: column.stated(as: [column.meaning.name, column.meaning.nameOfEach]))
    }
  }

  private mutating func askForTime(
    of dose: SheetEvent, _ minutes: Double, _ subject: String, canBeZero: Bool
  ) {
    guard let column = self.dose(dose.slot) else { return }
    questions.add(
      .ambiguous, at: place(of: dose),
      message:
        "the dose of subject \(subject.quoted) stands in the row of \(minutes.shown) min: it may have "
        + "been taken then or at 0 min",
      remedy:
        "if it was taken at the time of its row, say so; if not, \(canBeZero ? "say that it was at 0 min" : "add a column \"Drink time (min)\"")",
      statements: column.stated(
        as: [column.meaning.nameOfEach] + (canBeZero ? [column.meaning.name] : [])))
  }

  /// Asks about a single dose before 0 min that stands beside a reading, or while other subjects have theirs at 0 min: it
  /// may describe the subject.
  mutating func askForDosesBeforeZero() {
    let drinks = columns.map(\.drinks)
    var before: [(dose: SheetEvent, minutes: Double, subject: String, isRead: Bool)] = []
    var isZeroElsewhere = false
    for person in people.all {
      for (_, events) in person.occasions {
        let doses = events.filter { $0.isDrink && !$0.isZero }
        guard doses.count == 1, let dose = doses.first,
          case .relative(let minutes, _) = dose.moment,
          drinks[dose.table][dose.drink].start == nil,
          !drinks[dose.table][dose.drink].doses.contains(where: \.meaning.isEach)
        else { continue }
        isZeroElsewhere = isZeroElsewhere || minutes == 0
        guard minutes < 0 else { continue }
        let isRead = events.contains { !$0.isDrink && $0.row == dose.row && $0.table == dose.table }
        before.append((dose, minutes, person.id, isRead))
      }
    }
    guard let first = before.first(where: { $0.isRead || isZeroElsewhere }) else { return }
    askForTime(of: first.dose, first.minutes, first.subject, canBeZero: false)
  }

  /// Asks about times or durations of drinks in another table than the doses.
  mutating func askForTimesElsewhere() {
    guard let doses = columns.first(where: \.hasDose) else { return }
    for table in columns where !table.hasDose {
      let separate = table.columns.first { column in
        switch column.meaning.kind {
        case .time(.drink): doses.column(.time(.drink)) ?? doses.column(.time(.row)) == nil
        case .time(.drinkEnd), .duration:
          doses.column(.time(.drinkEnd)) ?? doses.column(.duration) == nil
        default: false
        }
      }
      guard let separate else { continue }
      questions.add(
        .columnAmbiguous, at: table.place(separate.index),
        message:
          "the column \(separate.title.quoted) is about drinks, and these stand in \(doses.table.file)",
        remedy: "put it beside the drinks, or leave it out",
        statements: [separate.stated(as: "ignore")])
    }
  }

  /// Asks whether a column "End" is that of the drinking if a drink would take more than ``longDrink`` hours.
  mutating func askForLongDrinks() {
    let drinks = columns.map(\.drinks)
    var asked: Set<Int> = []
    for event in people.events where event.isDrink {
      guard let end = event.end, let hours = SheetOccasions.hours(from: event.moment, to: end),
        hours > Self.longDrink, !asked.contains(event.table),
        let column = drinks[event.table][event.drink].end, column.note != "as stated",
        column.header.isCalled("end")
      else { continue }
      asked.insert(event.table)
      questions.add(
        .columnAmbiguous, at: place(of: event, in: column),
        message:
          "\(column.title.quoted) is \(hours.shown) hours after the drink began: it may not be its end",
        remedy: "say whether it is",
        statements: column.stated(as: [column.meaning.name, "ignore"]))
    }
  }

  /// The maximum duration of one drink of a study, in hours.
  private static let longDrink = 3.0

  private func dose(_ slot: RepeatedDoses.Slot) -> SheetColumn? {
    let drinks = columns[slot.table].drinks
    return drinks.indices.contains(slot.drink) ? drinks[slot.drink].dose : nil
  }

  /// Sets drinks without a time to 0 min if times are minutes; asks for their time if times are times of day.
  mutating func resolveDoseTimes() {
    let hasClock = people.all.contains(where: \.isOnClock)
    let isWideClock = columns.contains(where: \.wide.isClock)
    var counts: [RepeatedDoses.Slot: (zero: Int, written: Int)] = [:]
    var asked: SheetEvent?
    people.forEachEvent { event in
      guard event.isDrink else { return }
      if event.moment != .unstated {
        counts[event.slot, default: (0, 0)].written += 1
      } else if hasClock {
        asked = asked ?? event
      } else {
        counts[event.slot, default: (0, 0)].zero += 1
        event.moment = .relative(0, text: "0")
      }
    }
    noteDoseTimes(counts)
    guard let asked else { return }
    let repetition = warnings.first { $0.code == .doseRepeated }
    questions.add(
      .columnMissing, at: place(of: asked),
      message: "no column says at what time of day the drinks were taken",
      remedy: "add a column \"Drink time\", or say which it is"
        + (repetition.map { "; \($0.remedy)" } ?? ""),
      statements: ["\(ColumnChoice.anyColumn)=drink_time"] + (repetition?.statements ?? [])
        + (isWideClock ? ["\(ColumnMap.wide)=time_h_min"] : []))
  }

  /// Adds a note on the times of its drinks to each dose column: `at 0 min`, or `at the time in TITLE`.
  private mutating func noteDoseTimes(_ counts: [RepeatedDoses.Slot: (zero: Int, written: Int)]) {
    for index in columns.indices {
      for (number, drink) in columns[index].drinks.enumerated() {
        guard let dose = drink.dose,
          let (zero, written) = counts[RepeatedDoses.Slot(table: index, drink: number)]
        else { continue }
        let title = drink.start?.title ?? columns[index].column(.time(.row))?.title
        let times = title.map { "the time in \($0.excerpt())" } ?? "the time of the row"
        columns[index].addNote(
          written == 0
            ? "at 0 min"
            : zero == 0 ? "at \(times)" : "\(zero) at 0 min, \(written) at \(times)",
          ofColumn: dose.index)
      }
    }
  }
}

/// Distinguishes a dose that was filled down a column from several equal drinks.
///
/// Equal doses with the same time are one drink. Equal doses without times of their own are
/// - one drink, if they stand in all rows with a reading, or in all but one row before the beginning;
/// - several drinks, if none of their rows has a reading;
/// - otherwise ambiguous, which is a question to the user.
struct RepeatedDoses {
  /// A drink of the rows of one table.
  struct Slot: Hashable, Comparable {
    let table, drink: Int

    static func < (lhs: Slot, rhs: Slot) -> Bool {
      (lhs.table, lhs.drink) < (rhs.table, rhs.drink)
    }
  }

  private let tables: [SheetColumns]
  private let drinks: [[DrinkColumns]]
  /// The first event of each merged dose.
  private(set) var mergedDoses: [Slot: SheetEvent] = [:]
  /// The merged doses without a time of their own.
  private(set) var untimed: Set<Slot> = []
  /// The first dose that may have been taken at the time of its row or at 0 min.
  private(set) var doseOfUnclearTime: (dose: SheetEvent, minutes: Double, subject: String)?
  /// Repeated doses that may be one drink or several.
  private(set) var ambiguous:
    [Slot: (event: SheetEvent, subject: String, count: Int, readings: Int)] =
      [:]

  init(_ tables: [SheetColumns]) {
    self.tables = tables
    drinks = tables.map(\.drinks)
  }

  /// Returns the events of a person's occasion with each repeated dose once.
  mutating func merged(_ events: [SheetEvent], _ subject: String) -> [SheetEvent] {
    guard events.contains(where: \.isDrink) else { return events }
    var events = events
    var removed: Set<Int> = []
    for part in SheetOccasions.parts(of: events) {
      let readRows = Set(part.lazy.filter { !events[$0].isDrink }.map { events[$0].tableRow })
      removed.formUnion(zeros(in: part, &events, readRows))
      let doses = part.filter { events[$0].isDrink && !events[$0].isZero }
      for (slot, slotDoses) in doses.grouped(by: { events[$0].slot }).sorted(by: { $0.key < $1.key }
      ) {
        removed.formUnion(repeats(of: slotDoses, slot, &events, readRows, subject))
      }
    }
    return removed.isEmpty
      ? events : events.enumerated().filter { !removed.contains($0.offset) }.map(\.element)
  }

  /// Returns the indices of amounts of 0 to be removed: those beside readings; if nothing else was drunk, all but one,
  /// which is a placebo.
  private func zeros(
    in part: [Int], _ events: inout [SheetEvent], _ readRows: Set<[Int]>
  ) -> [Int] {
    let zeros = part.filter { events[$0].isZero }
    let isPlacebo = !part.contains { events[$0].isDrink && !events[$0].isZero }
    guard isPlacebo, let first = zeros.first else {
      return zeros.filter { readRows.contains(events[$0].tableRow) }
    }
    if events[first].moment == .missing,
      let reading = part.first(where: { !events[$0].isDrink && events[$0].moment != .missing })
    {
      events[first].moment = events[reading].moment
    }
    if case .relative = events[first].moment, readRows.contains(events[first].tableRow),
      columns(of: events[first].slot).start == nil
    {
      events[first].moment = .unstated
    }
    return Array(zeros.dropFirst())
  }

  /// Returns the indices of repeats among the doses of a slot, to be removed.
  private mutating func repeats(
    of doses: [Int], _ slot: Slot, _ events: inout [SheetEvent], _ readRows: Set<[Int]>,
    _ subject: String
  ) -> [Int] {
    let columns = columns(of: slot)
    guard doses.count > 1, !columns.doses.contains(where: \.meaning.isEach) else { return [] }
    var removed: [Int] = []
    let read = readRows.count { $0[0] == slot.table }
    let alike = doses.grouped { [events[$0].fields: events[$0].part] }
    for (_, same) in alike where same.count > 1 {
      let rows = Set(same.map { events[$0].tableRow }).intersection(readRows)
      guard !rows.isEmpty else { continue }
      if columns.start != nil {
        removed += repeatsByTime(same, slot, &events)
      } else if isOnce(same, slot, events, missing: read - rows.count, readRows) {
        events[same[0]].moment = .unstated
        mergedDoses[slot] = mergedDoses[slot] ?? events[same[0]]
        untimed.insert(slot)
        removed += same.dropFirst()
      } else if ambiguous[slot] == nil {
        ambiguous[slot] = (events[same[0]], subject, same.count, read)
      }
    }
    return removed
  }

  /// Returns the repeats among doses with a column of times: those at a time that occurred before, and those without a
  /// time if at most one time is stated.
  private mutating func repeatsByTime(
    _ same: [Int], _ slot: Slot, _ events: inout [SheetEvent]
  ) -> [Int] {
    var times: Set<SheetMoment> = []
    var removed: [Int] = []
    for index in same where events[index].moment != .missing {
      if !times.insert(events[index].moment).inserted { removed.append(index) }
    }
    if times.count == 1 {
      removed += same.filter { events[$0].moment == .missing }
    } else if times.isEmpty {
      removed += same.dropFirst()
    }
    if !removed.isEmpty { mergedDoses[slot] = mergedDoses[slot] ?? events[same[0]] }
    return removed
  }

  private func isOnce(
    _ same: [Int], _ slot: Slot, _ events: [SheetEvent], missing: Int, _ readRows: Set<[Int]>
  ) -> Bool {
    // Without any times nothing distinguishes one dose from another.
    guard missing > 0, !isStated(slot), events[same[0]].moment != .unstated else { return true }
    // One row before the beginning may have no dose.
    let rows = Set(same.map { events[$0].tableRow })
    guard missing == 1,
      let row = readRows.first(where: { $0[0] == slot.table && !rows.contains($0) }),
      row[1] < events[same[0]].row,
      let before = events.first(where: { !$0.isDrink && $0.tableRow == row })
    else { return false }
    if case .relative(let minutes, _) = before.moment { return minutes <= 0 }
    return true
  }

  /// Whether `--map` states the meaning of a dose column.
  private func isStated(_ slot: Slot) -> Bool {
    let map = tables[slot.table].map
    return columns(of: slot).doses.contains { map.target(of: $0.title) != nil }
  }

  private func columns(of slot: Slot) -> DrinkColumns { drinks[slot.table][slot.drink] }

  /// Moves the doses of a row beside the first reading, without times of their own, to the start of the series; records
  /// unclear cases for a question.
  mutating func moveDosesToStart(in events: inout [SheetEvent], _ subject: String) {
    for part in SheetOccasions.parts(of: events) {
      let doses = part.filter { events[$0].isDrink && !events[$0].isZero }
      guard let dose = doses.first.map({ events[$0] }),
        doses.allSatisfy({ events[$0].tableRow == dose.tableRow }),
        doses.allSatisfy({ index in
          let columns = columns(of: events[index].slot)
          return columns.start == nil && !columns.doses.contains(where: \.meaning.isEach)
        })
      else { continue }
      let readings = part.filter { !events[$0].isDrink }
      let beside = readings.filter { events[$0].tableRow == dose.tableRow }
      let hasAlcohol = beside.contains { events[$0].fields.number("value") ?? 0 > 0 }
      let isFirst = !readings.contains { events[$0].moment.isBefore(dose.moment) }
      guard !beside.isEmpty else {
        guard isFirst, case .relative(let minutes, _) = dose.moment,
          minutes > 0 && minutes <= Self.latestFirstSample, let text = dose.readingText
        else { continue }
        // The row may be that of a sample without a reading, or of the drink.
        guard !text.isEmpty || isStated(dose.slot) else {
          doseOfUnclearTime = doseOfUnclearTime ?? (dose, minutes, subject)
          continue
        }
        for index in doses { events[index].moment = .unstated }
        continue
      }
      switch dose.moment {
      case .relative(let minutes, _)
      where minutes > 0 && (isFirst || hasAlcohol && isStated(dose.slot)):
        break
      case .relative(let minutes, _) where minutes > 0 && hasAlcohol:
        doseOfUnclearTime = doseOfUnclearTime ?? (dose, minutes, subject)
        continue
      case .clock where hasAlcohol && isFirst, .absolute where hasAlcohol && isFirst: break
      default: continue
      }
      for index in doses { events[index].moment = .unstated }
    }
  }

  /// The latest first sample of a study, in min; a later time counts from midnight or is that of the drink.
  fileprivate static let latestFirstSample = 240.0
}

extension SheetMoment {
  /// Whether the moment precedes another of the same form; false if the forms differ.
  fileprivate func isBefore(_ other: SheetMoment) -> Bool {
    switch (self, other) {
    case (.relative(let minutes, _), .relative(let otherMinutes, _)),
      (.clock(let minutes), .clock(let otherMinutes)),
      (.absolute(let minutes, _), .absolute(let otherMinutes, _)):
      minutes < otherMinutes
    default: false
    }
  }
}
