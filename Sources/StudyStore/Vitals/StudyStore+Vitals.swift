import GRDB

extension StudyStore {
  /// The vital signs, averaged per day, by subject, kind and day.
  ///
  /// - Throws: ``StoreError`` if the database cannot be read.
  public func vitalDays(_ filter: VitalFilter = VitalFilter()) throws(StoreError) -> [VitalDay] {
    try read(Schema.vitalTables) { try vitalDays(filter, in: $0) }
  }

  /// Where the mean of a vital sign over the span that is set lies beyond a threshold that is set,
  /// for kinds of an importance above 3.
  ///
  /// - Throws: ``StoreError`` if the database cannot be read.
  public func vitalCrossings(
    _ filter: VitalFilter = VitalFilter()
  ) throws(StoreError) -> [VitalCrossing] {
    try read(Schema.vitalTables) { db in
      let settings = VitalSettings(db)
      let important = try settings.all().filter { $0.importance > 3 }
      let span = try settings.span()
      // The first days of a range need what came before them; they are cut off afterwards.
      var all = filter
      all.days = nil
      let series = Dictionary(grouping: try vitalDays(all, in: db)) {
        [$0.subject, $0.kind.rawValue]
      }
      return series.values.sorted {
        ($0[0].subject, $0[0].kind.rawValue) < ($1[0].subject, $1[0].kind.rawValue)
      }
      .flatMap { days in
        important.filter { $0.kind == days[0].kind }.flatMap { setting in
          [(VitalCrossing.Side.below, setting.below), (.above, setting.above)]
            .flatMap { side, threshold in
              threshold.map {
                VitalCrossing.crossings(in: days, span: span, side: side, threshold: $0)
              } ?? []
            }
        }
      }
      .filter { crossing in
        guard let days = filter.days else { return true }
        return crossing.firstDay <= days.upperBound && days.lowerBound <= crossing.lastDay
      }
    }
  }

  /// What is set for each kind of vital sign.
  ///
  /// - Throws: ``StoreError`` if the database cannot be read.
  public func vitalSettings() throws(StoreError) -> (kinds: [VitalSetting], spanDays: Int) {
    try read(Schema.vitalTables) { (try VitalSettings($0).all(), try VitalSettings($0).span()) }
  }

  /// Changes what is set, in one transaction.
  ///
  /// - Parameters:
  ///   - spanDays: The days a mean is taken over; nil leaves them.
  ///   - body: Changes a kind's settings.
  /// - Throws: ``StoreError``, with the database as it was.
  public func changeVitalSettings(
    spanDays: Int? = nil, _ body: (inout VitalSetting) -> Void
  ) throws(StoreError) {
    try write(Schema.vitalTables) { db in
      let settings = VitalSettings(db)
      for var setting in try settings.all() {
        body(&setting)
        try settings.set(setting)
      }
      if let spanDays { try settings.set(span: spanDays) }
    }
  }

  private func vitalDays(_ filter: VitalFilter, in db: Database) throws -> [VitalDay] {
    try SafeRow.all(
      db, "SELECT * FROM (\(Schema.dailyMeans)) ORDER BY subject, kind, day"
    ).compactMap { row in
      guard let kind = VitalKind(rawValue: row["kind"]) else { return nil }
      let day = VitalDay(
        subject: row["subject"], day: row["day"], kind: kind, importance: row["importance"],
        count: row["n"], mean: row["mean"], lowest: row["lowest"], highest: row["highest"])
      guard CalendarDay(day.day) != nil, day.lowest.isFinite, day.highest.isFinite else {
        throw StoreDamage("vitals", "an entry has no valid day and value")
      }
      return filter.takes(day) ? day : nil
    }
  }
}
