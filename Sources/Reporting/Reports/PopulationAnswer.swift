import AlcoholKinetics
import Estimation
import Foundation
public import Population
import StudyData

/// Fits of one study that differ in the method for r, with tests and diagnostics.
public struct PopulationAnswer: Sendable {
  /// A fit among those of a study.
  public struct Fit: Sendable {
    /// The name of the r-factor method; `none` where r has a typical value.
    public let rFactor: String
    public let fit: PopulationFit
    /// -2 ln L above that of the best fit; nil where fits cannot be compared.
    let aboveLowest: Double?
    /// The rank among several fits, with Vuong's test against the first; nil without a ranking.
    let rank: PopulationRanking.Rank?
    /// The part of the variance of ln r that the method explains; nil without a fit of an estimated r beside it.
    let explained: Double?
  }

  public let fits: [Fit]
  /// The fit with the lowest criterion of several fits, be it by digits that mean nothing; nil without a ranking.
  private let first: Fit?
  let search: CovariateSearch?
  let against: (file: String, test: NestedFitsTest)?
  private let others: [String]
  /// The diagnostics of the best fit.
  package var diagnostics: PopulationDiagnostics?

  /// Ranks fits by likelihood and adds tests and remarks.
  ///
  /// - `against`: The test against a fit that was stored, with its file.
  /// - `remarks`: What else there is to say, as of methods that are not ranked.
  package init(
    _ fits: [(rFactor: String, fit: PopulationFit)], search: CovariateSearch? = nil,
    against: (file: String, test: NestedFitsTest)? = nil, remarks: [String] = []
  ) {
    let ranking = PopulationRanking(fits.map(\.fit))
    let lowest =
      fits.count < 2 || ranking != nil ? fits.map(\.fit.minusTwoLogLikelihood).min() : nil
    let without = fits.first { $0.fit.model.rFactor == nil }?.fit.spreadOfR
    let ranked = fits.enumerated().map { index, item in
      let left = item.fit.model.rFactor == nil ? nil : item.fit.spreadOfR
      return Fit(
        rFactor: item.rFactor, fit: item.fit,
        aboveLowest: lowest.map { item.fit.minusTwoLogLikelihood - $0 },
        rank: ranking?.places[index],
        explained: without.flatMap { without in
          left.flatMap { without > 0 ? 1 - $0 * $0 / (without * without) : nil }
        })
    }
    self.fits = ranked
    first = ranking.map { ranked[$0.first] }
    self.search = search
    self.against = against
    others = remarks
  }

  /// The fit that is ranked first; without a ranking the first that there is.
  public var best: Fit? { first ?? fits.first }

  /// The effects of all candidates of the search for covariates at once.
  var fullModel: [FitPart<PopulationModel.Covariate>] {
    search.map { search in
      let name = search.full.model.rFactor?.name ?? "none"
      return FitPart.all(
        PopulationAnswer([(name, search.full)]).fits[0], search.full.model.covariates)
    } ?? []
  }

  /// A sentence each on tests, on methods that are not ranked, and on diagnostics.
  public var remarks: [String] { testRemarks + others + diagnosticRemarks }

  private var testRemarks: [String] {
    let number = NumberStyle.significant(2)
    var remarks: [String] = []
    if let search {
      let kept = search.kept.map { "\($0.parameter.rawValue)=\($0.name)" }
      let tests = search.candidates.count
      let forward = search.limits.forward
      let backward = search.limits.backward
      let chance = NumberStyle.decimals(0).format(100 * search.chanceOfFalseEntry)
      let fall = NumberStyle.decimals(2).format(search.ofAll.fall)
      remarks += [
        "Covariates kept, of \(tests) tried: \(kept.isEmpty ? "none" : kept.joined(separator: ", ")). Forward at p < "
          + "\(number.format(forward)), backward at p < \(number.format(backward)). If none had an effect, one or more "
          + "would enter in \(chance) % of studies; selected effects are overestimated on average, and their "
          + "intervals ignore the selection.",
        "All \(tests) at once: -2 ln L lower by \(fall), p \(number.format(search.ofAll.pValue)). Their effects without a "
          + "choice: full_model in JSON, or --details.",
      ]
    }
    if let (file, test) = against {
      let mixture =
        test.variances > 0
        ? " (mixture of chi-squared distributions, since a variance cannot be below zero)" : ""
      remarks.append(
        "Against \(file): the larger model has -2 ln L lower by \(NumberStyle.decimals(3).format(test.fall)), with "
          + "\(test.degreesOfFreedom.counted("more parameter", "more parameters")) "
          + "(\(test.effects.joined(separator: ", "))); p \(number.format(test.pValue))\(mixture).")
    }
    return remarks
  }

  private var diagnosticRemarks: [String] {
    guard let diagnostics else { return [] }
    var remarks: [String] = []
    let rows = diagnostics.predictiveCheck.rows
    for kind in PredictiveCheck.Kind.allCases {
      let ofKind = rows.filter { $0.kind == kind }
      guard !ofKind.isEmpty else { continue }
      remarks.append(
        "predictive check (\(kind.rawValue)): \(ofKind.count(where: \.isInside)) of \(ofKind.count) values "
          + "inside their 95 % bands")
    }
    let without = diagnostics.readings.count { $0.npde == nil }
    if without > 0 {
      remarks.append(
        "\(without) readings have no NPDE: the covariance of their simulated readings is singular; raise "
          + "--simulations above twice the \(diagnostics.mostReadings) readings of a person, or estimate "
          + "a residual error")
    } else if diagnostics.simulations < 10 * diagnostics.mostReadings {
      remarks.append(
        "NPDE are rough: a person has \(diagnostics.mostReadings) readings; take --simulations "
          + "\(10 * diagnostics.mostReadings) or more")
    }
    return remarks
  }

  /// A sentence each on the fits.
  var notes: [String] {
    guard let fit = fits.first?.fit else { return [] }
    var notes = [
      "\(fit.individuals.count) people, \(fit.readingCount) readings; OFV is -2 ln L without n ln 2 pi"
    ]
    notes += leftOut + (intervals.map { [$0] } ?? [])
    for row in fits {
      notes += row.fit.warnings.map { warning in
        "\(warning.code): \(fits.count > 1 ? "\(row.rFactor): " : "")\(warning)"
      }
    }
    notes += rankingNotes
    if !fit.studies.isEmpty {
      notes.append(
        "a spread between \(fit.studies.count) studies (\(fit.studies.joined(separator: ", "))) rests on as "
          + "many values; a person of another study differs by the variances between people and between "
          + "studies together, and typical values of these parameters rest on only "
          + "\(fit.studies.count) studies")
    }
    return notes
  }

  /// The readings and series that are left out, by reason, in sentences; equal sentences of several
  /// fits once.
  public var leftOut: [String] {
    let texts = fits.map { row in
      let fit = row.fit
      var groups = RemarkGroups()
      for series in fit.leftOut {
        groups.add("\(series.reason.firstClause) (\(series.code))", series.subject.asRemarkLabel)
      }
      let lost = fit.leftOut.reduce(0) { $0 + $1.readings }
      return [
        ReadingUseCounts(fit.uses, lost: lost).remark,
        groups.text(within: 180).map {
          "Not used, \(fit.leftOut.count) of \(fit.leftOut.count + fit.seriesCount) series: \($0)."
        },
      ].compactMap(\.self)
    }
    return texts.uniqued.flatMap(\.self)
  }

  /// The method of the intervals, unless they follow from standard errors.
  private var intervals: String? {
    switch fits.compactMap(\.fit.otherIntervals).first {
    case nil: return nil
    case let intervals? where intervals.kind == .profile: return "Intervals by profile likelihood."
    case let intervals?:
      let units = fits.first?.fit.studies.isEmpty ?? true ? "people" : "studies"
      let failed =
        intervals.failed > 0 ? "; the fits of \(intervals.failed) failed and are not counted" : ""
      return "Intervals by \(intervals.replicates) studies of resampled \(units)\(failed)."
    }
  }

  /// The uncertainty of the ranking of several fits.
  private var rankingNotes: [String] {
    guard fits.count > 1 else { return [] }
    guard let best = first else {
      return ["not ranked: the fits are not of the same people and readings"]
    }
    func percent(_ share: Double) -> String { "\(Int((100 * share).rounded())) %" }
    let open = fits.filter { $0.rank?.standing == .indistinguishable }.map(\.rFactor)
    let units = best.fit.studies.isEmpty ? "people" : "studies"
    let verdict =
      open.isEmpty
      ? "the others are worse (p < 0.05)"
      : "indistinguishable from it: \(open.joined(separator: ", "))"
    let tied = fits.filter { $0.rank?.standing == .tied }.map(\.rFactor)
    return [
      "ranked first: \((tied.isEmpty ? [best.rFactor] : tied).inWords)\(tied.isEmpty ? "" : " tied; \(best.rFactor)"), in \(percent(best.rank?.shareFirst ?? 0)) of resampled \(units); \(verdict) "
        + "(Vuong's test over \(best.fit.contributions.count) \(units))"
    ]
  }
}

// MARK: - First screen

extension PopulationAnswer {
  /// The typical values, the spread between people and the best r-factor method; nil without a fit.
  var firstScreen: Report.FirstScreen? {
    guard let main = fits.first(where: { $0.fit.model.rFactor == nil }) ?? best else { return nil }
    let fit = main.fit
    let ranked =
      fits.count < 2 ? [] : first == nil ? fits : fits.sorted { $0.fit.aic < $1.fit.aic }
    return Report.FirstScreen(
      question: "What is typical, and how do people differ? \(fit.individuals.count) people, "
        + "\(fit.readingCount) readings.",
      answer: [
        [Self.typical(main), Self.sentence(ranked, of: fit)].compactMap(\.self)
          .joined(separator: " ")
      ],
      tables: [
        Table(Parameter.columns, rows: FitPart.all(main, fit.model.parameters)),
        Table(Fit.rankColumns, rows: ranked),
        Table(Report.covariateEffects.columns, rows: FitPart.all(main, fit.model.covariates)),
      ] + Report.diagnosticSections(self).map(\.table),
      remarks: [Self.model(main, isAlone: ranked.isEmpty)] + warnings + remarks
        + ["All tables: --details. All people: --format json."])
  }

  private typealias Parameter = FitPart<PopulationParameter>

  private static func typical(_ row: Fit) -> String {
    let values = FitPart.all(row, row.fit.model.parameters)
    let typical = values.filter(\.isTypical).map { value in
      let unit = value.part == .kinetic(.r) ? "" : " " + value.part.reportedUnit
      return "\(value.part.symbol) \(Parameter.style.format(value.typicalValue))"
        + unit.replacing(" 1/", with: " /")
    }
    func spreads(_ units: String, _ level: PopulationLevel) -> String? {
      let variations = values.compactMap { value in
        value.variation(between: level).map { (value, NumberStyle.decimals(0).format($0)) }
      }
      guard !variations.isEmpty else { return nil }
      let isOfAll = variations.count == values.count && values.allSatisfy(\.isTypical)
      return "\(units) differ by "
        + (isOfAll
          ? variations.map(\.1).inWords + " %"
          : variations.map { "\($1) % in \($0.part.symbol)" }.inWords)
    }
    let parts = [
      typical.isEmpty ? nil : "typical \(typical.joined(separator: ", "))",
      spreads("people", .person), spreads("occasions", .occasion), spreads("studies", .study),
    ].compactMap(\.self).joined(separator: "; ")
    let start =
      switch row.fit.status {
      case nil: "At the given values: "
      case .notConverged: "The search did not converge. So far: "
      case .undetermined: "The fit is undetermined, for the reasons below: "
      case .implausible: "The fit is implausible, for the reasons below: "
      case .ok, .failed: ""
      }
    return (start + parts + ".").capitalizedFirst
  }

  /// The model, the error of readings, and for a single fit its likelihood.
  private static func model(_ row: Fit, isAlone: Bool) -> String {
    let fit = row.fit
    let style = NumberStyle.significant(3)
    let error = [
      fit.values.sd > 0 ? "SD \(style.format(fit.values.sd)) g/kg" : nil,
      fit.values.cv > 0 ? "CV \(style.format(100 * fit.values.cv)) %" : nil,
    ].compactMap(\.self)
    let likelihood = [
      "OFV \(NumberStyle.decimals(3).format(fit.objective))",
      "AIC \(NumberStyle.decimals(2).format(fit.aic))",
    ]
    let source = row.rFactor == "none" ? "" : "r by \(row.rFactor.capitalized), "
    return "\(fit.model.elimination.title), \(source)\(fit.method.rawValue); error of readings: "
      + (error + (isAlone ? likelihood : [])).joined(separator: ", ") + "."
  }

  /// The best method, and the methods that cannot be told from it.
  private static func sentence(_ methods: [Fit], of fit: PopulationFit) -> String? {
    guard let best = methods.first else { return nil }
    guard best.rank != nil else {
      return "The methods are not ranked: their fits are not of the same people and readings."
    }
    let open = methods.filter(\.isOpen)
    let tied = methods.filter { $0.rank?.standing == .tied }
    let unit =
      fit.studies.isEmpty
      ? "\(fit.individuals.count) people" : "\(fit.studies.count) studies"
    let explained = best.explained.map {
      " (\(NumberStyle.decimals(0).format(100 * $0)) % of its spread explained)"
    }
    let name = best.fit.model.rFactor == nil ? "An estimated r" : "r by \(best.rFactor.capitalized)"
    if tied.count == methods.count {
      return
        "All \(tied.count) methods for r fit equally well: these readings do not tell them apart."
    }
    let first =
      tied.isEmpty
      ? "\(name) fits best\(explained ?? "")"
      : "r by \(tied.map(\.words).inWords) is tied for the best fit"
    return first
      + (open.isEmpty
        ? "; the others are worse (p < 0.05)."
        : open.count == methods.count - Swift.max(1, tied.count)
          ? ", but \(unit) cannot tell \(tied.isEmpty ? "it" : "them") from the others."
          : ", but \(unit) cannot tell \(tied.isEmpty ? "it" : "them") from \(open.map(\.words).inWords).")
  }

  /// Each warning once with its methods, and the series left out.
  private var warnings: [String] {
    let texts = fits.flatMap { row in row.fit.warnings.map { "\($0.code): \($0)" } }
    let warnings = texts.uniqued.map { text in
      let about = fits.filter { row in row.fit.warnings.contains { "\($0.code): \($0)" == text } }
      return about.count == fits.count
        ? text : "\(text) [\(about.map(\.rFactor).joined(separator: ", "))]"
    }
    return warnings + leftOut + (intervals.map { [$0] } ?? [])
  }
}

extension FitPart<PopulationParameter> {
  fileprivate static let style = NumberStyle.significant(3)

  fileprivate static let columns: [Column<Self>] = [
    Column(forPeople: "parameter", \.part.symbol),
    Column(forPeople: "unit", \.part.reportedUnit),
    Column(forPeople: "typical (95 %)") { row in
      guard row.isTypical else { return "by the method" }
      let value = style.format(row.typicalValue, row.typicalInterval)
      return row.fit.model.fixedTypical[row.part] == nil ? value : "\(value) fixed"
    },
    Column(forPeople: "people CV % (95 %)") { row in
      row.variation(between: .person).map { variation in
        let variances = row.fit.varianceInterval(of: row.part, between: .person)
        return NumberStyle.decimals(0).format(
          variation, variances?.map(PopulationFit.percentVariation))
      }
    },
    Column(forPeople: "shrinkage %", style: .decimals(0)) { row in
      row.fit.model.random.firstIndex(of: row.part).flatMap { row.fit.etaShrinkage[$0].ifFinite }
    },
    Column(forPeople: "prior-dominated") { row -> String? in
      guard let index = row.fit.model.random.firstIndex(of: row.part) else { return nil }
      let all = row.fit.individuals.compactMap { row.fit.etaShrinkage(of: $0, index) }
      let dominated = all.count { $0 > PopulationFit.largestShrinkageOfPerson }
      return all.isEmpty ? nil : "\(dominated) of \(all.count)"
    },
    Column(forPeople: "bias %", style: .decimals(1)) { $0.fit.typicalBias($0.index) },
    Column(forPeople: "occasions CV %", style: .decimals(0)) { $0.variation(between: .occasion) },
    Column(forPeople: "studies CV %", style: .decimals(0)) { $0.variation(between: .study) },
  ]
}

// Methods for r among others.
extension PopulationAnswer.Fit {
  /// True if Vuong's test does not separate it from the first, or its AIC is within 2.
  fileprivate var isOpen: Bool {
    guard let rank, !isBest else { return false }
    return rank.standing == .indistinguishable || rank.behind < 2
  }

  /// True for the first, or one of several tied for it.
  private var isBest: Bool { [.first, .tied].contains(rank?.standing) }

  private var verdict: String? {
    guard let rank else { return nil }
    if isBest { return rank.standing.rawValue }
    if isOpen { return "indistinguishable" }
    return "worse" + (rank.pValue.map { " (p \(NumberStyle.significant(2).format($0)))" } ?? "")
  }

  fileprivate var words: String {
    fit.model.rFactor == nil ? "an estimated r" : rFactor.capitalized
  }

  fileprivate static let rankColumns: [Column<Self>] = [
    Column(forPeople: "r by", \.rFactor),
    Column(forPeople: "verdict", \.verdict),
    Column(forPeople: "explained %", style: .decimals(0)) { $0.explained.map { 100 * $0 } },
    Column(forPeople: "CV of r %", style: .decimals(0)) {
      $0.fit.spreadOfR.map { PopulationFit.percentVariation($0 * $0) }
    },
    Column(forPeople: "-2 ln L +", style: .decimals(1), \.aboveLowest),
    Column(forPeople: "AIC +", style: .decimals(1), \.rank?.behind),
    Column(forPeople: "first %", style: .decimals(0)) { $0.rank.map { 100 * $0.shareFirst } },
  ]
}
