import AlcoholKinetics

/// Reads those subjects of a folder that are as most subjects are, fast: straight from the text into
/// a series, without a draft.
///
/// A subject is plain if ``PlainPeople``, ``PlainDrinks`` and ``PlainReadings`` say so of all of the
/// subject's rows. Then there is nothing to be said about them: at least one drink and one reading,
/// one occasion, all in order of time, none twice. Any other subject is left to the tables, which
/// would read plain subjects in the same way; so is one of whom not all rows are in memory yet.
///
/// Nothing is allocated for a subject unless somebody holds on to the series before.
struct PlainSubjects {
  /// How much of each table has been read.
  struct Spans {
    let subjects: PlainSpan
    let drinks: PlainSpan
    let readings: PlainSpan
  }

  /// The subject that was read last.
  private(set) var series = Series(subject: Subject(id: ""), drinks: [], readings: [])

  private let people: PlainPeople
  private let drinks: PlainDrinks
  private let readings: PlainReadings

  /// Takes what reads the three tables; nil if there is no such thing as a plain subject.
  init?(_ people: PlainPeople?, _ drinks: PlainDrinks?, _ readings: PlainReadings?) {
    guard let people, let drinks, let readings, readings.beginWithSubject else { return nil }
    self.people = people
    self.drinks = drinks
    self.readings = readings
  }

  /// Reads the next subject, if plain, into ``series``.
  ///
  /// - Parameters:
  ///   - subjects: What has not been read of `subjects.csv`.
  ///   - drinks: What has not been read of `drinks.csv`.
  ///   - readings: What has not been read of `readings.csv`.
  /// - Returns: How much has been read; nil if the subject is not plain.
  mutating func read(
    _ subjects: PlainFields, _ drinks: PlainFields, _ readings: PlainFields
  ) -> Spans? {
    var (subjects, drinks, readings) = (subjects, drinks, readings)
    series.drinks.removeAll(keepingCapacity: true)
    series.readings.removeAll(keepingCapacity: true)
    guard let (name, row) = people.read(&subjects, into: &series.subject),
      let drinkRows = self.drinks.readAll(&drinks, of: name, into: &series.drinks),
      let readingRows = self.readings.readAll(&readings, of: name, into: &series.readings),
      isAboveDoubt
    else { return nil }
    return Spans(subjects: row, drinks: drinkRows, readings: readingRows)
  }

  /// Whether there is nothing to be said about what was read, once it is together.
  private var isAboveDoubt: Bool {
    let weight = series.subject.weight
    if people.haveWeights, weight == nil, series.drinks.contains(where: \.ethanol.needsWeight) {
      return false
    }
    return SeriesDoubts(weight: weight, drinks: series.drinks, readings: series.readings).isEmpty
  }
}
