import AlcoholKinetics
import Estimation
import StudyData
import Validation

extension StudyReportContents {
  /// The answer on one screen, in the words of `promille compare`, with a picture of it; without predictions what was
  /// fitted and what the readings determine.
  var answerBlocks: [Block] {
    let leftOut = LeftOut(study.series.map(\.fit)).remark.map {
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
      + [leftOut].compactMap(\.self)
  }

  private var series: [Series] { study.series.map(\.series) }

  /// What was fitted to what.
  var people: String {
    let subjects = Dictionary(grouping: series, by: \.subject.id).compactMap(\.value.first?.subject)
    let sexes = [("man", "men", Sex.male), ("woman", "women", Sex.female)].compactMap {
      one, many, sex -> String? in
      let count = subjects.count { $0.sex == sex }
      return count == 0 ? nil : "\(count) \(count == 1 ? one : many)"
    }
    let known = subjects.allSatisfy { $0.sex != nil } && !sexes.isEmpty
    let who =
      Self.number(subjects.count, "subject", "subjects")
      + (known ? " (\(sexes.joined(separator: ", ")))" : "")
    let readings = series.flatMap(\.readings)
    let matrices = Set(readings.map { $0.unit.matrix })
    let kind = matrices.count == 1 ? "\(matrices.first ?? "")-alcohol " : ""
    let data =
      "In \(who) with "
      + Self.number(readings.count, "\(kind)reading", "\(kind)readings") + " after "
      + Self.number(series.map(\.drinks.count).reduce(0, +), "drink", "drinks")
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

  /// Of each parameter the median over the series whose readings determine it.
  var determined: String {
    let fits = study.series.compactMap(\.fit.result.value)
    guard let parameters = fits.first?.estimates.keys.sorted(), !parameters.isEmpty else {
      return "No parameter was estimated."
    }
    let hasProfiles = fits.contains { fit in
      fit.estimates.values.contains { $0.isIdentifiable != nil }
    }
    let ranges = parameters.map { (parameter: $0, range: range(of: $0, fits, hasProfiles)) }
    let found = ranges.compactMap(\.range)
    let missing = ranges.filter { $0.range == nil }.map(\.parameter.symbol)
    guard hasProfiles else {
      return "Estimates, not checked by profile likelihood, were obtained of \(Self.list(found))."
    }
    guard !found.isEmpty else {
      return switch missing.count {
      case 1: "The readings determined \(missing[0]) in no series."
      case 2: "The readings determined neither \(missing[0]) nor \(missing[1]) in any series."
      default: "The readings determined none of \(Self.list(missing)) in any series."
      }
    }
    return "The readings determined \(Self.list(found))"
      + (missing.isEmpty ? "." : ", but \(Self.list(missing)) in no series.")
  }

  /// A parameter, in how many fits it is known, and what its median and range are; nil if in none.
  private func range(
    of parameter: FitParameter, _ fits: [SeriesFit], _ hasProfiles: Bool
  ) -> String? {
    let values = fits.compactMap { fit -> Double? in
      guard let estimate = fit.estimates[parameter],
        !hasProfiles || estimate.isIdentifiable == true
      else { return nil }
      return parameter.reportedValue(estimate.value)
    }.sorted()
    guard let least = values.first, let most = values.last else { return nil }
    let middle = (values[(values.count - 1) / 2] + values[values.count / 2]) / 2
    let text = { (value: Double) in NumberStyle.significant(3).format(value) }
    let unit = parameter.reportedUnit.isEmpty ? "" : " \(parameter.reportedUnit)"
    guard fits.count > 1 else { return "\(parameter.symbol) (\(text(middle))\(unit))" }
    return "\(parameter.symbol) in \(values.count) of \(fits.count) series ("
      + (values.count == 1
        ? "\(text(middle))\(unit))"
        : "median \(text(middle))\(unit), range \(text(least)) to \(text(most)))")
  }

  private static func number(_ count: Int, _ one: String, _ many: String) -> String {
    "\(count) \(count == 1 ? one : many)"
  }

  private static func all(_ count: Int) -> String {
    switch count {
    case 1: "the only series"
    case 2: "both series"
    default: "all \(count) series"
    }
  }

  private static func list(_ parts: [String]) -> String {
    parts.count < 2
      ? parts.joined() : parts.dropLast().joined(separator: ", ") + " and " + (parts.last ?? "")
  }
}

extension EliminationModel {
  /// The model with its article, in the middle of a sentence.
  fileprivate var titleInSentence: String {
    self == .widmark ? "Widmark's one-compartment" : "a one-compartment Michaelis-Menten"
  }
}
