import AlcoholKinetics
import Estimation
import StudyData
import StudyFiles
import Validation

extension StudyReportContents {
  var studyBlocks: [Block] {
    let facts = [
      ("Subjects", "\(subjects.count)"),
      ("Series", "\(series.count)"),
      ("Drinks", "\(series.map(\.drinks.count).reduce(0, +))"),
      ("Readings", "\(series.map(\.readings.count).reduce(0, +))"),
      (
        "Readings in",
        Set(series.flatMap(\.readings).map(\.unit.rawValue)).sorted().joined(separator: ", ")
      ),
      ("Instrument", study.study.instrument.flatMap(Report.facts) ?? "not stated"),
    ]
    var part = study.study
    part.series = listed.map(\.series)
    let check = Report.check(part, provenance: provenance)
    return [
      .facts(facts.map { (name: $0.0, value: $0.1) }),
      .table(
        check.sections[0].table,
        caption: "Subjects, drinks and readings" + (isSample ? " of \(theListed)." : ".")),
    ]
  }

  /// What was left out and what is doubtful, by what there is to do.
  var leftOutBlocks: [Block] {
    let notShown =
      listed.count > pictured.count
      ? ["\(listed.count - pictured.count) series appear in the tables only (--figures)."] : []
    // The last one names options of the command.
    let lines = notShown + findings + (fits.firstScreen?.remarks.dropLast() ?? [])
    return [
      .heading(2, "Left out, and what to do"),
      .list(lines.isEmpty ? ["Nothing: all readings were used as they are."] : lines),
    ]
  }

  /// Findings in the files, the first of each kind.
  private var findings: [String] {
    let findings = study.study.allDiagnostics
    let kinds = Dictionary(grouping: findings, by: \.kind)
    return findings.filter { kinds[$0.kind]?.first == $0 }.map { finding in
      let more = (kinds[finding.kind]?.count ?? 1) - 1
      return finding.description
        + (more == 0 ? "" : " (and \(more) more like this; promille check lists all)")
    }
  }
}
