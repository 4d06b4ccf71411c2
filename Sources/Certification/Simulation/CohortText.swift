import AlcoholKinetics
import StudyData
public import StudyFiles

/// A simulated cohort as the files of a study, and the truth beside them.
public struct CohortText {
  /// The files, in the order of ``CohortText/texts``.
  public static let fileNames = ["subjects.csv", "drinks.csv", "readings.csv", "truth.csv"]

  /// The text of each file that has not been taken away yet.
  public private(set) var texts: [CSVText]

  private let hasLimit: Bool
  /// What everybody has of their own.
  private let truth: [FitParameter]

  /// Begins the files with their headers.
  public init(_ design: CohortDesign) {
    hasLimit = design.limitOfDetection != nil
    truth = design.model.defaultEstimate.sorted() + [.r]
    let headers = [
      ["subject", "sex", "age_y", "height_cm", "weight_kg"],
      ["subject", "time_min", "ethanol_g"],
      ["subject", "time_min", "bac_g_per_kg"] + (hasLimit ? ["lod"] : []),
      ["subject"] + truth.map(\.traits.columnName),
    ]
    texts = headers.map { names in
      var text = CSVText()
      text.appendRow(names)
      return text
    }
  }

  public var count: Int { texts.reduce(0) { $0 + $1.bytes.count } }

  /// Forgets the texts, which have been written.
  public mutating func removeAll() {
    for index in texts.indices { texts[index].removeAll() }
  }

  /// Adds a person to every file.
  public mutating func append(_ person: SimulatedPerson) {
    appendSubject(person.series.subject)
    for drink in person.series.drinks { appendDrink(drink, of: person.series.subject.id) }
    for reading in person.series.readings { appendReading(reading, of: person.series.subject.id) }
    appendTruth(person.parameters, of: person.series.subject.id)
  }

  private mutating func appendSubject(_ subject: Subject) {
    texts[0].appendField(subject.id)
    texts[0].appendField(subject.sex?.rawValue ?? "")
    texts[0].append(subject.age?.value ?? 0)
    texts[0].end()
    texts[0].append(subject.height?.centimetres ?? 0)
    texts[0].end()
    texts[0].append(subject.weight?.value ?? 0)
    texts[0].end(isLastOfRow: true)
  }

  private mutating func appendDrink(_ drink: Drink, of subject: String) {
    texts[1].appendField(subject)
    texts[1].append(drink.time.minutes)
    texts[1].end()
    texts[1].append(drink.ethanol.mass(forBodyWeight: nil)?.value ?? 0)
    texts[1].end(isLastOfRow: true)
  }

  private mutating func appendReading(_ reading: Reading, of subject: String) {
    texts[2].appendField(subject)
    texts[2].append(reading.time.minutes)
    texts[2].end()
    texts[2].append(reading.value, decimals: SimulatedCohort.decimals)
    if hasLimit {
      texts[2].end()
      texts[2].append(reading.limitOfDetection ?? 0)
    }
    texts[2].end(isLastOfRow: true)
  }

  private mutating func appendTruth(_ parameters: ModelParameters, of subject: String) {
    texts[3].appendField(subject)
    for parameter in truth {
      texts[3].append(parameters[parameter] ?? .nan)
      texts[3].end(isLastOfRow: parameter == truth.last)
    }
  }
}
