/// Where the parts of a study stand, for findings about what they say together.
struct StudyLayout {
  let subjects: String
  let drinks: String
  let readings: String
  /// What to do for a subject without any row of drinks or readings.
  let remedyForNoRows: String
  let remedyForNoDrink: String
  /// What to do where times seem to be in another unit.
  let remedyForTimes: String
  let row: String
  /// What to do where a day is forgotten.
  var remedyForDays: String {
    "let times run on after midnight (add 1440 min, or 24 h); if they are right, sort the rows by "
      + "time"
  }

  init(of folder: StudyFolder) {
    subjects = folder.path(of: .subjects)
    drinks = folder.path(of: .drinks)
    readings = folder.path(of: .readings)
    guard folder.sheet == nil else {
      remedyForNoRows = "add the subject's drinks, or remove the subject"
      remedyForNoDrink = "add the drinks of this subject and occasion"
      remedyForTimes = "check the unit of the column with the times"
      row = "row"
      return
    }
    remedyForNoRows = "add the subject's drinks to drinks.csv or remove the subject"
    remedyForNoDrink = "add the drinks of this subject and occasion to drinks.csv"
    remedyForTimes = "give time_min in minutes; an hour is 60"
    row = "line"
  }

  init(of study: EventFile) {
    subjects = study.file.path
    drinks = study.file.path
    readings = study.file.path
    remedyForNoRows = "give every drink a row with AMT"
    remedyForNoDrink = "give every drink of this subject and occasion a row with AMT"
    remedyForTimes = "give TIME in hours; a minute is 1/60"
    row = "line"
  }

  static let database = StudyLayout(
    parts: ("subjects", "drinks", "readings"), row: "row", add: "import",
    remedyForTimes: "give time_h in hours; a minute is 1/60")

  static let values = StudyLayout(
    parts: ("subject", "drink", "reading"), row: "number", add: "add",
    remedyForTimes: "check whether they are minutes or hours")

  private init(
    parts: (subjects: String, drinks: String, readings: String), row: String, add: String,
    remedyForTimes: String
  ) {
    (subjects, drinks, readings) = parts
    remedyForNoRows = "\(add) the subject's drinks, or remove the subject"
    remedyForNoDrink = "\(add) the drinks of this subject and occasion"
    self.remedyForTimes = remedyForTimes
    self.row = row
  }
}
