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
      .heading(2, "The study"),
      .facts(facts.map { (name: $0.0, value: $0.1) }),
      .table(
        check.sections[0].table, caption: "Subjects, drinks and readings."),
    ]
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
    let kinds = Dictionary(grouping: findings, by: \.code)
    let first = findings.filter { kinds[$0.code]?.first == $0 }
    if !first.isEmpty {
      blocks.append(
        .list(
          first.map { finding in
            let more = (kinds[finding.code]?.count ?? 1) - 1
            return finding.description
              + (more == 0 ? "" : " (and \(more) more with this code; promille check lists all)")
          }))
    }
    if let remark = LeftOut(study.series.map(\.fit)).remark { blocks.append(.paragraph(remark)) }
    let warnings = fits.notes.filter { $0.hasPrefix("W_") || $0.hasPrefix("E_") }
    if !warnings.isEmpty {
      blocks.append(.paragraph("Warnings from the fits:"))
      blocks.append(.list(warnings))
    }
    return blocks
  }
}
