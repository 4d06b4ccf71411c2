extension SheetStudy {
  /// A dose that stands beside every reading of a series is one drink: a column that describes people was
  /// filled down.
  mutating func takeRepeatedDosesOnce() {
    guard !columns.contains(where: { $0.columns.contains { $0.meaning.isEach } }) else { return }
    var repeated: SheetEvent?
    for (_, events) in people.all.flatMap(\.occasions) {
      let drinks = events.filter(\.isDrink)
      let rows = Set(events.filter { !$0.isDrink }.map { [$0.table, $0.row] })
      guard let first = drinks.first else { continue }
      guard drinks.allSatisfy({ rows.contains([$0.table, $0.row]) && $0.fields == first.fields }),
        drinks.count == rows.count
      else { return }
      if drinks.count >= 2 { repeated = repeated ?? first }
    }
    guard let repeated else { return }
    let hasOwnTime = columns.contains { $0.column(.time(.drink)) != nil }
    people.forEach { person in
      for index in person.occasions.indices {
        var isFirst = true
        person.occasions[index].events.removeAll { event in
          guard event.isDrink else { return false }
          defer { isFirst = false }
          return !isFirst
        }
        guard !hasOwnTime else { continue }
        for place in person.occasions[index].events.indices
        where person.occasions[index].events[place].isDrink {
          person.occasions[index].events[place].moment = .missing
        }
      }
    }
    for index in columns.indices {
      for kind in [ColumnMeaning.Kind.ethanol, .perKilogram, .volume, .drink]
      where columns[index].column(kind) != nil {
        columns[index].note("the same in every row: taken as one drink", of: kind)
        warnOfRepeatedDose(repeated, in: columns[index].column(kind))
        break
      }
    }
  }

  private mutating func warnOfRepeatedDose(_ event: SheetEvent, in column: SheetColumn?) {
    guard let column else { return }
    warnings.append(
      Diagnostic(
        .doseRepeated,
        at: SourceLocation(
          file: columns[event.table].table.file, line: event.row, column: event.column),
        message:
          "the same dose stands beside every reading of a subject; it was taken as one drink",
        remedy: "if it was drunk each time, say so",
        statements: ["\(column.title.excerpt())=\(column.meaning.studyName)_each"]))
  }

  /// A drink without a time of its own was taken at 0 min, where times are minutes; where they are times of
  /// day, it has to be asked.
  mutating func settleDoseTimes() {
    let hasClock = people.all.contains { person in
      person.occasions.contains { occasion in
        occasion.events.contains { event in
          switch event.moment {
          case .clock, .absolute: true
          default: false
          }
        }
      }
    }
    let isTimed = columns.contains {
      $0.hasDose && ($0.column(.time(.row)) ?? $0.column(.time(.drink))) != nil
    }
    let isWideClock = columns.contains(where: \.wide.isClock)
    var isTaken = false
    var asked: SheetEvent?
    people.forEach { person in
      for index in person.occasions.indices {
        let events = person.occasions[index].events
        for place in events.indices where events[place].isDrink && events[place].moment == .missing
        {
          let isRepeated = events.contains { !$0.isDrink && $0.row == events[place].row }
          guard !isTimed || isRepeated else { continue }
          if hasClock {
            asked = asked ?? events[place]
          } else {
            person.occasions[index].events[place].moment = .relative(0, text: "0")
            isTaken = true
          }
        }
      }
    }
    let repetition = warnings.first { $0.code == .doseRepeated }
    if let asked {
      questions.append(
        Diagnostic(
          .doseTime,
          at: SourceLocation(
            file: columns[asked.table].table.file, line: asked.row, column: asked.column),
          message: "no column says at what time of day the drinks were taken",
          remedy: "add a column \"Drink time\", or say which it is"
            + (repetition.map { "; \($0.remedy)" } ?? ""),
          statements: ["\(ColumnChoice.anyColumn)=drink_time"] + (repetition?.statements ?? [])
            + (isWideClock ? ["\(ColumnMap.wide)=time_h_min"] : [])))
    } else if isTaken {
      for index in columns.indices {
        for kind in [ColumnMeaning.Kind.ethanol, .perKilogram, .volume, .drink]
        where columns[index].column(kind) != nil {
          columns[index].note("at 0 min", of: kind)
          break
        }
      }
    }
  }
}
