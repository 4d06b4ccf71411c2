import AlcoholKinetics
public import StudyData
public import StudyStore

/// A rule by which occasions are left out: the mean of a vital sign on their day is beyond a value.
public struct DayRule: Hashable, Sendable {
  public var kind: VitalKind
  /// On which side of the value a day is left out.
  public var side: VitalCrossing.Side
  public var value: Double

  public init(kind: VitalKind, side: VitalCrossing.Side, value: Double) {
    self.kind = kind
    self.side = side
    self.value = value
  }

  /// Takes a rule as people write it, `HeartRate>100`; nil for any other text.
  public init?(_ text: String) {
    guard let mark = text.firstIndex(where: { $0 == ">" || $0 == "<" }),
      let kind = VitalKind(rawValue: String(text[..<mark])),
      let value = Double(text[text.index(after: mark)...]), value.isFinite
    else { return nil }
    self.init(kind: kind, side: text[mark] == ">" ? .above : .below, value: value)
  }

  func excludes(_ mean: Double) -> Bool {
    side == .above ? mean > value : mean < value
  }
}

extension DayRule: CustomStringConvertible {
  /// As people write it.
  public var description: String { "\(kind.rawValue)\(side == .above ? ">" : "<")\(value)" }
}

extension StudyStore {
  /// The study without the occasions whose day is left out by a rule.
  ///
  /// The day of an occasion is that of its start if it came with dates, or its name if that is a day;
  /// others are kept.
  ///
  /// - Returns: The study, and the series that each rule left out.
  /// - Throws: `StoreError` if the database cannot be read.
  public func study(
    excludingDaysWith rules: [DayRule]
  ) throws(StoreError) -> (study: Study, excluded: [(series: Series, rule: DayRule)]) {
    try read(Schema.studyTables + Schema.vitalTables) { db in
      var study = try StudyLoader(db, path: path).study()
      var means: [[String]: Double] = [:]
      for row in try db.rows(
        """
        SELECT subject, occasion, kind, mean FROM (\(Schema.dailyMeans)) AS vitals_by_day
        JOIN (SELECT name, occasion, day FROM series JOIN subjects ON subjects.id = subject_id)
          AS occasions ON occasions.name = subject AND occasions.day = vitals_by_day.day
        """)
      {
        means[[row["subject"], row["occasion"] ?? "", row["kind"]]] = row["mean"]
      }
      var excluded: [(series: Series, rule: DayRule)] = []
      study.series.removeAll { series in
        let rule = rules.first { rule in
          let mean = means[[series.subject.id, series.occasion ?? "", rule.kind.rawValue]]
          return mean.map(rule.excludes) ?? false
        }
        if let rule { excluded.append((series, rule)) }
        return rule != nil
      }
      return (study, excluded)
    }
  }
}
