import AlcoholKinetics
public import StudyData

/// A rule by which occasions are left out: the mean of a vital sign on their day is beyond a value.
public struct DayRule: Hashable, Sendable {
  /// The side of the threshold on which a day is left out.
  public enum Side: Hashable, Sendable {
    case below, above
  }

  /// The kind of vital sign, as `HeartRate`.
  public var kind: String
  public var side: Side
  public var value: Double

  public init(kind: String, side: Side, value: Double) {
    self.kind = kind
    self.side = side
    self.value = value
  }

  /// Parses a rule such as `HeartRate>100`; nil for any other text.
  public init?(_ text: String) {
    guard let mark = text.firstIndex(where: { $0 == ">" || $0 == "<" }), mark > text.startIndex,
      let value = Double(text[text.index(after: mark)...]), value.isFinite
    else { return nil }
    self.init(
      kind: String(text[..<mark]), side: text[mark] == ">" ? .above : .below, value: value)
  }

  fileprivate func excludes(_ mean: Double) -> Bool {
    side == .above ? mean > value : mean < value
  }
}

extension DayRule: CustomStringConvertible {
  /// The rule as text.
  public var description: String { "\(kind)\(side == .above ? ">" : "<")\(value)" }
}

extension StudyStore {
  /// A study without some of its occasions.
  public struct Exclusion {
    public var study: Study
    /// The series that were left out, each with its rule.
    public var excluded: [(series: Series, rule: DayRule)] = []
    /// The rules about kinds of which no day has a value.
    public var idle: [DayRule] = []
  }

  /// The study without the occasions whose day is left out by a rule.
  ///
  /// The day of an occasion is that of its start if it came with dates, or its name if that is a day;
  /// others are kept. Vital signs are in the database of a study day only.
  ///
  /// - Throws: ``StoreError`` if the database cannot be read.
  public func study(excludingDaysWith rules: [DayRule]) throws(StoreError) -> Exclusion {
    try read(Schema.studyTables) { db in
      var exclusion = Exclusion(study: try StudyLoader(db, path: path).study())
      guard try db.hasTable("vitals", of: "4-vitals") else {
        exclusion.idle = rules
        return exclusion
      }
      try db.requireWhole(["vitals"])
      exclusion.idle = try rules.filter {
        try !db.has("SELECT 1 FROM vitals WHERE kind = ?", [$0.kind])
      }
      var means: [[String]: Double] = [:]
      for row in try db.rows(
        """
        SELECT name, occasion, kind, avg(value) AS mean FROM vitals
        JOIN series USING (subject_id, day) JOIN subjects ON subjects.id = subject_id
        GROUP BY series.id, kind
        """)
      {
        means[[row["name"], row["occasion"] ?? "", row["kind"]]] = row["mean"]
      }
      exclusion.study.series.removeAll { series in
        let rule = rules.first { rule in
          let mean = means[[series.subject.id, series.occasion ?? "", rule.kind]]
          return mean.map(rule.excludes) ?? false
        }
        if let rule { exclusion.excluded.append((series, rule)) }
        return rule != nil
      }
      return exclusion
    }
  }
}
