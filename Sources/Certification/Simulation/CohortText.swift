import AlcoholKinetics
import StudyData
package import StudyFiles

/// A simulated cohort as the files of a study, with the true parameters.
package struct CohortText {
  /// The files, in the order of ``CohortText/texts``.
  package static let fileNames = ["subjects.csv", "drinks.csv", "readings.csv", "truth.csv"]

  /// The text of each file that has not been written yet.
  package private(set) var texts: [CSVText]

  private let hasLimit: Bool
  /// The parameters of the truth file.
  private let truth: [FitParameter]

  package init(_ design: CohortDesign) {
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

  package var count: Int { texts.reduce(0) { $0 + $1.bytes.count } }

  /// Removes the texts after they have been written.
  package mutating func removeAll() {
    for index in texts.indices { texts[index].removeAll() }
  }

  /// Adds a person to every file.
  package mutating func append(_ person: SimulatedPerson) {
    let series = person.series
    let subject = series.subject
    texts[0].appendField(subject.id)
    texts[0].appendField(subject.sex?.rawValue ?? "")
    texts[0].endRow([
      subject.age?.value ?? 0, subject.height?.centimetres ?? 0, subject.weight?.value ?? 0,
    ])
    for drink in series.drinks {
      texts[1].appendField(subject.id)
      texts[1].endRow([drink.time.minutes, drink.ethanol.mass(forBodyWeight: nil)?.value ?? 0])
    }
    for reading in series.readings {
      texts[2].appendField(subject.id)
      texts[2].append(reading.time.minutes)
      texts[2].end()
      texts[2].append(reading.value, decimals: SimulatedCohort.decimals)
      texts[2].end(isLastOfRow: !hasLimit)
      if hasLimit { texts[2].endRow([reading.limitOfDetection ?? 0]) }
    }
    texts[3].appendField(subject.id)
    texts[3].endRow(truth.map { person.parameters[$0] ?? .nan })
  }
}

extension CSVText {
  /// Appends the last numbers of a row.
  fileprivate mutating func endRow(_ numbers: [Double]) {
    for (index, number) in numbers.enumerated() {
      append(number)
      end(isLastOfRow: index == numbers.count - 1)
    }
  }
}
