import AlcoholKinetics
import Estimation
import StudyData
import Validation

extension StudyReportContents {
  /// What the study is and what is wrong with it.
  var studyBlocks: [Block] {
    let series = study.series.map(\.series)
    let subjects = Set(series.map(\.subject.id)).count
    let facts = [
      ("Subjects", "\(subjects)"),
      ("Series", "\(series.count)"),
      ("Drinks", "\(series.map(\.drinks.count).reduce(0, +))"),
      ("Readings", "\(series.map(\.readings.count).reduce(0, +))"),
      ("Readings in", units(of: series)),
      ("Instrument", study.study.instrument.flatMap(Report.facts) ?? "not stated"),
    ]
    let check = Report.check(study.study, provenance: provenance)
    return [
      .paragraph(summary),
      .heading(2, "The study"),
      .facts(facts.map { (name: $0.0, value: $0.1) }),
      .table(
        check.sections[0].table, caption: "Subjects, drinks and readings."),
    ]
  }

  /// The findings in three sentences.
  private var summary: String {
    let fits = study.series.compactMap(\.fit.result.value)
    let estimated = fits.first.map { $0.estimates.keys.sorted() } ?? []
    let verdicts = estimated.map { parameter in
      let known = fits.count { $0.estimates[parameter]?.isIdentifiable == true }
      return "\(parameter.symbol) in \(known)"
    }
    var text = "\(fits.count) of \(study.series.count) series could be fitted"
    if !verdicts.isEmpty, study.fitOptions.interval != nil {
      text += "; the readings determine " + verdicts.joined(separator: ", ") + " of them"
    }
    text += "."
    if let sobriety = sobrietySentences { text += " " + sobriety }
    return text
  }

  /// How the methods do in time to sobriety, and how much is known of it; nil if nothing is.
  private var sobrietySentences: String? {
    let summaries = study.summary.sobriety.filter { $0.sex == nil }
    guard let widest = summaries.max(by: { $0.series < $1.series }) else { return nil }
    let errors = summaries.compactMap { summary -> String? in
      guard let mae = summary.errors?.mae.words else { return nil }
      let part =
        summary.known < widest.known ? ", \(summary.known) of \(widest.known) series" : ""
      return "\(mae) min (\(summary.rFactor)\(part))"
    }
    guard !errors.isEmpty else { return widest.counts }
    return widest.counts + " The mean absolute error of the prediction is "
      + errors.joined(separator: ", ") + "; " + smallest(of: summaries, widest.known) + "."
  }

  /// Which method's mean absolute error is smallest. It is said only if it is smaller than every
  /// other's wherever the true times lie, on the same series.
  private func smallest(of summaries: [SobrietySummary], _ most: Int) -> String {
    let whole = summaries.filter { $0.known == most }.map(\.rFactor)
    guard whole.count > 1 else { return "no two methods can be compared on all series" }
    let pairs = study.summary.pairs.filter { $0.quantity == .sobriety && $0.sex == nil }
    let best = whole.first { method in
      whole.allSatisfy { other in
        other == method
          || pairs.contains {
            $0.first == method && $0.second == other && $0.limits.high < 0
              || $0.first == other && $0.second == method && $0.limits.low > 0
          }
      }
    }
    guard let best else { return "the readings do not show which is smallest" }
    return "\(best) has the smallest"
      + (whole.count < summaries.count ? " of the methods that cover all series" : "")
      + ", but this alone decides nothing: see the intervals"
  }

  private func units(of series: [Series]) -> String {
    let units = series.flatMap(\.readings).map(\.unit.rawValue)
    return Set(units).sorted().joined(separator: ", ")
  }

  /// What was found in the files and what was left out of the fits.
  var qualityBlocks: [Block] {
    let findings = study.study.allDiagnostics
    var blocks: [Block] = [.heading(2, "Data quality")]
    blocks.append(
      .paragraph(
        findings.isEmpty
          ? "No problems were found in the files."
          : "Findings in the files:"))
    if !findings.isEmpty { blocks.append(.list(findings.map(\.description))) }
    if let remark = LeftOut(study.series.map(\.fit)).remark { blocks.append(.paragraph(remark)) }
    let warnings = fits.notes.filter { $0.hasPrefix("W_") || $0.hasPrefix("E_") }
    if !warnings.isEmpty {
      blocks.append(.paragraph("Warnings from the fits:"))
      blocks.append(.list(warnings))
    }
    return blocks
  }
}
