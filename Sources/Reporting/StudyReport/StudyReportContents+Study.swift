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
      .facts(facts.map { (name: $0.0, value: $0.1) }),
      .table(
        check.sections[0].table, caption: "Subjects, drinks and readings."),
    ]
  }

  private func units(of series: [Series]) -> String {
    let units = series.flatMap(\.readings).map(\.unit.rawValue)
    return Set(units).sorted().joined(separator: ", ")
  }

  /// What was left out and what is doubtful, by what there is to do.
  var leftOutBlocks: [Block] {
    let notes = fits.notes.filter { $0.hasPrefix("W_") || $0.hasPrefix("E_") }
    let kinds = Dictionary(grouping: notes) { note in
      Remedy(code: String(note.prefix { $0 != ":" }))
    }
    let nothing =
      [LeftOut(study.series.map(\.fit)).remark].compactMap(\.self)
      + (study.series.count > shown
        ? ["\(study.series.count - shown) series appear in the tables only (--figures)."] : [])
    let groups: [(title: String, lines: [String])] = [
      ("Nothing to do", nothing.isEmpty ? ["All readings were used."] : nothing),
      ("Check the data", findings + (kinds[.check] ?? [])),
      ("Do not use these values", kinds[.discard] ?? []),
      ("Take intervals with care", kinds[.doubt] ?? []),
    ]
    return [.heading(2, "Left out, and what to do")]
      + groups.filter { !$0.lines.isEmpty }.flatMap { [.heading(3, $0.title), .list($0.lines)] }
  }

  /// Findings in the files, the first of each kind.
  private var findings: [String] {
    let findings = study.study.allDiagnostics
    let kinds = Dictionary(grouping: findings, by: \.code)
    return findings.filter { kinds[$0.code]?.first == $0 }.map { finding in
      let more = (kinds[finding.code]?.count ?? 1) - 1
      return finding.description
        + (more == 0 ? "" : " (and \(more) more with this code; promille check lists all)")
    }
  }
}

/// What a reader of a warning should do.
private enum Remedy {
  /// Look at the readings, the doses and the files.
  case check
  /// Leave the value alone.
  case discard
  /// Look at the model, or use other intervals.
  case doubt

  init(code: String) {
    switch code {
    case "W_ABOVE_DOSE", "W_NOTHING_ABSORBED", "W_OUTLYING_READING", "W_BEFORE_DRINKING",
      "W_CURVE_AT_ZERO", "W_ZEROS_AS_READ":
      self = .check
    case "W_NOT_IDENTIFIABLE", "W_AT_BOUND", "W_NOT_CONVERGED", "W_NO_DEGREES_OF_FREEDOM",
      "W_KA_RANGE", "W_BETA_RANGE", "W_R_RANGE":
      self = .discard
    default: self = code.hasPrefix("E_") ? .discard : .doubt
    }
  }
}
