/// Where the parts of a study stand, for findings about what they say together.
package struct StudyLayout {
  package let subjects, drinks, readings: String
  /// What to do for a subject without any row of drinks or readings.
  package let remedyForNoRows: String
  /// What to do for readings without a drink.
  let remedyForNoDrink: String
  /// What to do where times seem to be in another unit.
  let remedyForTimes: String
  /// What a row is numbered as.
  let row: String
  /// Whether times of one series may begin again, as where a column that tells its rows apart is to be ignored.
  var mayBeginAgain = true
  /// What to do where a day is forgotten.
  var remedyForDays: String {
    "let times run on after midnight (add 1440 min, or 24 h); if they are right, sort the rows by "
      + "time"
  }

  static let database = StudyLayout(
    subjects: "subjects", drinks: "drinks", readings: "readings",
    remedyForNoRows: "import the subject's drinks, or remove the subject",
    remedyForNoDrink: "import the drinks of this subject and occasion",
    remedyForTimes: "give time_h in hours; a minute is 1/60", row: "row")

  /// The layout of values in memory.
  static let values = StudyLayout(
    subjects: "subject", drinks: "drink", readings: "reading",
    remedyForNoRows: "add the subject's drinks, or remove the subject",
    remedyForNoDrink: "add the drinks of this subject and occasion",
    remedyForTimes: "check whether they are minutes or hours", row: "number")

  package static func events(in path: String, mayBeginAgain: Bool) -> StudyLayout {
    StudyLayout(
      subjects: path, drinks: path, readings: path,
      remedyForNoRows: "give every drink a row with AMT",
      remedyForNoDrink: "give every drink of this subject and occasion a row with AMT",
      remedyForTimes: "give TIME in hours; a minute is 1/60", row: "line",
      mayBeginAgain: mayBeginAgain)
  }

  package static func folder(subjects: String, drinks: String, readings: String) -> StudyLayout {
    StudyLayout(
      subjects: subjects, drinks: drinks, readings: readings,
      remedyForNoRows: "add the subject's drinks to drinks.csv or remove the subject",
      remedyForNoDrink: "add the drinks of this subject and occasion to drinks.csv",
      remedyForTimes: "give time_min in minutes; an hour is 60", row: "line")
  }

  package static func sheet(subjects: String, drinks: String, readings: String) -> StudyLayout {
    StudyLayout(
      subjects: subjects, drinks: drinks, readings: readings,
      remedyForNoRows: "add the subject's drinks, or remove the subject",
      remedyForNoDrink: "add the drinks of this subject and occasion",
      remedyForTimes: "check the unit of the column with the times", row: "row")
  }
}
