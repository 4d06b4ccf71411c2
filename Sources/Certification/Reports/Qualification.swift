package import Reporting
import StudyData
import StudyFiles

extension Page {
  /// One page for the files of a laboratory: the program and machine checked, results and
  /// expectations, and whether each requirement is met.
  ///
  /// - `solver`: The accuracy of the least-squares engine on NIST's problems.
  /// - `golden`: The outcomes of golden results; empty if none were compared.
  /// - `digest`: The SHA-256 digest of the program's file; nil if it cannot be read.
  package static func qualification(
    _ solver: NISTCertification, golden: [GoldenOutcome], digest: String?, machine: Machine,
    provenance: Provenance
  ) -> Page {
    let checks = [QualificationCheck(solver)] + golden.map(QualificationCheck.init)
    let title = "Qualification of Promille \(provenance.version)"
    var blocks: [Block] = [.heading(1, title)] + provenance.origin
    blocks += [
      .facts(machine.facts(digest)), .summary(QualificationCheck.verdict(on: checks)),
      .heading(2, "Requirements"), QualificationCheck.requirements(checks),
      .heading(2, "Checks"), QualificationCheck.table(checks),
      .heading(2, "Where expected values come from"), .list(QualificationCheck.sources(golden)),
      .heading(2, "Signature"),
      .facts(["Checked by", "Date", "Accepted for use"].map { (name: $0, value: "____________") }),
    ]
    return Page(title: title, blocks: blocks + provenance.blocks)
  }
}

/// The requirements on the program.
private enum Requirement: String, CaseIterable {
  case solver = "Least squares find certified minima."
  case reading = "Studies are read as they are written."
  case fit = "Estimates of k_a, beta and r are the reviewed ones."
  case comparison = "Concentrations and r are predicted as reviewed or published."
  case sobriety = "Times to sobriety are the reviewed ones."
  case curves = "Simulated curves are the reviewed ones."
  case recovery = "Estimates recover the true values of made-up people."
  case defaults = "Defaults of options are the reviewed ones."

  init(of result: GoldenResult) {
    self =
      if result.key == ["table", "option"] {
        .defaults
      } else if result.truth != nil {
        .recovery
      } else {
        switch result.command.first {
        case "check": .reading
        case "fit": .fit
        case "compare": .comparison
        case "sober": .sobriety
        case "simulate": .curves
        default: .solver
        }
      }
  }
}

/// One check: the run, the expected and the actual result.
private struct QualificationCheck {
  let requirement: Requirement
  let what: String
  let expected: String
  let actual: String
  let tolerance: String
  /// Nil if the check could not be made, which the manifest allows.
  let isPassed: Bool?

  init(_ solver: NISTCertification) {
    let average = solver.average
    let digits = NumberStyle.decimals(1).format(average.digits)
    requirement = .solver
    what = "\(NISTProblem.count) problems of NIST StRD, each from both starts"
    expected = "certified parameters, \(average.count) times"
    actual = "\(average.solved) of \(average.count) solved, \(digits) digits on average"
    tolerance =
      "\(NumberStyle.exact(NISTScore.fewestDigits)) digits each, "
      + "\(NumberStyle.exact(NISTCertification.averageToReach)) on average"
    isPassed = solver.isPassed
  }

  init(_ outcome: GoldenOutcome) {
    requirement = Requirement(of: outcome.result)
    let values = (outcome.comparison?.comparedValues ?? 0).counted("value")
    what =
      requirement == .defaults
      ? "options of all commands" : "promille " + outcome.result.command.joined(separator: " ")
    expected = outcome.result.shortName + (outcome.comparison == nil ? "" : ": \(values)")
    let drifts = outcome.comparison?.drifts ?? []
    actual =
      drifts.first.map { first in
        let location = [first.row, first.column].compactMap(\.self).joined(separator: ", ")
        let change = "\(first.old ?? "none") is \(first.new ?? "none")"
        return "\(drifts.count.counted("difference")), the first: \(location): \(change)"
      } ?? outcome.reason ?? "no difference"
    tolerance = outcome.result.rules.compactMap(\.inWords).joined(separator: "; ")
    isPassed = outcome.status == "absent" ? nil : !outcome.isUnconfirmed
  }

  static func verdict(on checks: [QualificationCheck]) -> String {
    let made = checks.compactMap(\.isPassed)
    let missing = checks.count - made.count
    return
      (made.contains(false)
      ? "Not qualified: \(made.count { !$0 }) of \(made.count.counted("check")) failed."
      : "Qualified: \(made.count.counted("check")), all passed.")
      + (missing > 0 ? " \(missing) could not be made, because the study is not there." : "")
  }

  static func requirements(_ checks: [QualificationCheck]) -> Block {
    .table(
      Table(
        [
          Column(forPeople: "requirement", \.rawValue),
          Column(forPeople: "checks") { requirement in
            checks.count { $0.requirement == requirement }
          },
          Column(forPeople: "passed") { requirement in
            checks.count { $0.requirement == requirement && $0.isPassed == true }
          },
          Column(forPeople: "verdict") { requirement in
            let results = checks.filter { $0.requirement == requirement }.compactMap(\.isPassed)
            return results.isEmpty ? "not checked" : results.contains(false) ? "not met" : "met"
          },
        ], rows: Requirement.allCases), caption: "Requirement by requirement.")
  }

  static func table(_ checks: [QualificationCheck]) -> Block {
    .table(
      Table(
        [
          Column(forPeople: "run", \.what), Column(forPeople: "expected", \.expected),
          Column(forPeople: "got", \.actual), Column(forPeople: "tolerance", \.tolerance),
          Column(forPeople: "pass") { $0.isPassed.map { $0 ? "yes" : "NO" } ?? "not run" },
        ], rows: checks),
      caption:
        "Each check. A tolerance holds for the columns that it names; all else must be the same to the letter."
    )
  }

  static func sources(_ golden: [GoldenOutcome]) -> [String] {
    let reasons = golden.flatMap { outcome in
      outcome.result.rules.map { "\(outcome.result.shortName): \($0.reason)" }
    }
    return [
      "NIST: certified values of the Statistical Reference Datasets for nonlinear regression "
        + "(itl.nist.gov/div898/strd), which are part of the program."
    ]
      + (golden.isEmpty
        ? []
        : [
          "Golden tables: published values where the study is one of published examples, true values where people were "
            + "made up, else results of an earlier version that were reviewed when they were written. Their digests are "
            + "below. Why each tolerance is as it is:"
        ]) + reasons.uniqued
  }
}

extension GoldenRule {
  /// The columns and their tolerance in words; nil if they are left out.
  fileprivate var inWords: String? {
    guard case .within(let absolute, let relative) = allowance else { return nil }
    let names = columns == [Self.anyColumn] ? "other numbers" : columns.joined(separator: ", ")
    let most = [
      absolute > 0 ? NumberStyle.exact(absolute) : nil,
      relative > 0 ? "\(NumberStyle.exact(100 * relative)) %" : nil,
    ].compactMap(\.self)
    return "\(names) within \(most.isEmpty ? "0" : most.joined(separator: " or "))"
  }
}

extension Machine {
  fileprivate func facts(_ digest: String?) -> [(name: String, value: String)] {
    [
      ("Program, SHA-256", digest ?? "not known"),
      ("Build", "\(build), \(compiler), \(lanesAtOnce) points at once"),
      ("Machine", "\(cpu ?? architecture), \(cores.counted("core")), \(system)"),
    ]
  }
}
