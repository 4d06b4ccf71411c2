import AlcoholKinetics
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
        check.sections[0].table, caption: "Who took part, what they drank, what was measured."),
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
    var text = "Of \(study.series.count) series, \(fits.count) could be fitted"
    if !verdicts.isEmpty, study.fitOptions.interval != nil {
      text += "; the readings determine " + verdicts.joined(separator: ", ") + " of them"
    }
    text += "."
    let sobriety = study.summary.methods.filter { $0.quantity == .sobriety }
    if !sobriety.isEmpty {
      text +=
        " The time to sobriety was predicted with a mean absolute error outside the readings between "
        + "which it was reached (0 between them) of " + Self.errors(of: sobriety) + "."
    }
    if let coverage = study.summary.sobriety.max(by: { $0.series < $1.series }) {
      text += " In time to sobriety, \(coverage.counts) scored."
    }
    return text
  }

  /// The errors of the methods, and which is smallest; only methods with as many errors as any can be,
  /// as others had other people.
  private static func errors(of methods: [MethodSummary]) -> String {
    let most = methods.map(\.errors.count).max() ?? 0
    let errors = methods.map { method in
      let part = method.errors.count < most ? ", \(method.errors.count) of \(most) series" : ""
      return "\(NumberStyle.decimals(0).format(method.errors.mae)) min (\(method.rFactor)\(part))"
    }
    let whole = methods.filter { $0.errors.count == most }
    let least = whole.map(\.errors.mae).min() ?? 0
    let best = whole.filter { $0.errors.mae <= least + 1e-6 }.map(\.rFactor)
    return errors.joined(separator: ", ") + "; smallest "
      + (best.count == 1 ? "is " : "are ") + best.joined(separator: " and ")
      + (whole.count < methods.count ? " of those for all series" : "")
      + ", which decides nothing by itself: see the intervals"
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
          ? "Nothing was found wrong with the files."
          : "What was found in the files:"))
    if !findings.isEmpty { blocks.append(.list(findings.map(\.description))) }
    if let remark = LeftOut(study.series.map(\.fit)).remark { blocks.append(.paragraph(remark)) }
    let warnings = fits.notes.filter { $0.hasPrefix("W_") || $0.hasPrefix("E_") }
    if !warnings.isEmpty {
      blocks.append(.paragraph("What the fits have to say, with the series it is about:"))
      blocks.append(.list(warnings))
    }
    return blocks
  }
}
