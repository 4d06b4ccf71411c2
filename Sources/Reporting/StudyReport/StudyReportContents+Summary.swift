import AlcoholKinetics
import Estimation
import StudyData
import Validation

extension StudyReportContents {
  /// The answer on one screen, in the words of `promille compare`, with a picture of it; without predictions what was
  /// fitted and what the readings determine.
  var answerBlocks: [Block] {
    let leftOut = LeftOut(studyFits).remark.map {
      Block.paragraph("\($0) What to do about the rest: see Left out.")
    }
    let picture = Figure.sobrietyErrors(of: study).map(Block.figure)
    guard let screen = comparison.firstScreen else {
      return [.summary("\(people) \(determined)")] + [leftOut].compactMap(\.self)
    }
    let answer = screen.answer + (picture == nil ? [determined] : [])
    return [.paragraph(screen.question), .summary(answer.joined(separator: " "))]
      + screen.tables.filter(\.isForPeople).map {
        .table($0, caption: "Predicted minus measured time to sobriety, by method.")
      }
      + [picture].compactMap(\.self)
      // The last one names options of the command.
      + [.paragraph(screen.remarks.dropLast().joined(separator: " "))]
      + [TimeErrorShares.sentence(on: study.errorShares, study.predictionOptions)]
      .compactMap { $0.map(Block.paragraph) }
      + [leftOut].compactMap(\.self)
  }

  var people: String {
    let sexes = sexes.filter { $0.count > 0 }.map(\.words)
    let known = subjects.allSatisfy { $0.sex != nil } && !sexes.isEmpty
    let who =
      subjects.count.counted("subject")
      + (known ? " (\(sexes.joined(separator: ", ")))" : "")
    let readings = series.flatMap(\.readings)
    let matrices = Set(readings.map { $0.unit.matrix })
    let kind = matrices.count == 1 ? matrices.first.map { "\($0)-alcohol " } ?? "" : ""
    let data =
      "In \(who) with "
      + readings.count.counted("\(kind)reading") + " after "
      + series.map(\.drinks.count).reduce(0, +).counted("drink")
    let count = study.series.count { $0.fit.result.value != nil }
    let model = "\(study.fitOptions.model.titleInSentence) model"
    if study.series.isEmpty { return "The study has no series that a model could be fitted to." }
    if count == 0 { return "\(data), \(model) could not be fitted to any series." }
    let all = count == study.series.count
    return "\(data), \(model) was fitted to "
      + (all
        ? Self.all(count)
        : "\(count) of \(study.series.count) series") + "."
  }

  /// What the readings determine, in the words of `promille fit`.
  var determined: String { fits.firstScreen?.answer.first ?? "" }

  private static func all(_ count: Int) -> String {
    switch count {
    case 1: "the only series"
    case 2: "both series"
    default: "all \(count) series"
    }
  }
}

extension EliminationModel {
  /// The model with its article, in the middle of a sentence.
  fileprivate var titleInSentence: String {
    self == .widmark ? "Widmark's one-compartment" : "a one-compartment Michaelis-Menten"
  }
}
