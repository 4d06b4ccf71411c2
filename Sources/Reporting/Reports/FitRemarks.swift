import AlcoholKinetics
package import Estimation
import StudyData
import Validation

/// The answer and the advice for a study's fits, each piece of advice once with its series.
///
/// Fits are added one at a time and only a few names are kept for each piece of advice, so that
/// memory does not grow with the study.
package struct FitRemarks: Sendable {
  private var series = 0
  private var fitted = 0
  private var determined = 0
  private var isExamined = false
  private var estimated: Set<FitParameter> = []
  private var undeterminedCounts: [FitParameter: Int] = [:]
  private var failures = RemarkGroups()
  private var suspects = RemarkGroups()
  /// Other values that fit one series as well.
  private var others: String?
  private var advice = RemarkGroups()
  private var remedies = RemarkGroups()
  /// The number of series whose missing readings were searched, which takes milliseconds each.
  private var asked = 0
  private static let mostAsked = 12

  package init() {}

  /// Collects the remarks on some fits.
  package init(of fits: [StudyFit]) {
    for fit in fits { add(fit) }
  }

  package mutating func add(_ fit: StudyFit) {
    series += 1
    let name = fit.series.remarkLabel
    switch fit.result {
    case .failure(let failure): failures.add(failure.cause, name)
    case .success(let value):
      fitted += 1
      estimated.formUnion(value.estimates.keys)
      isExamined = isExamined || value.estimates.values.contains { $0.isIdentifiable != nil }
      let undetermined = value.estimates.filter { !$0.value.isDetermined }.keys.sorted()
      for parameter in undetermined { undeterminedCounts[parameter, default: 0] += 1 }
      if undetermined.isEmpty, value.isConverged { determined += 1 }
      if fit.status != .implausible {
        addRemedies(for: undetermined, in: value, of: fit.series)
      }
      for warning in value.warnings {
        if let (reason, detail) = value.suspicion(warning) { suspects.add(reason, name + detail) }
        if case .equalMinimum(let values) = warning { others = FitWarning.inWords(values) }
      }
      for text in Set(value.warnings.compactMap(\.advice)).sorted() { advice.add(text, name) }
    }
  }

  private mutating func addRemedies(
    for undetermined: [FitParameter], in fit: SeriesFit, of series: Series
  ) {
    guard !undetermined.isEmpty, asked < Self.mostAsked else { return }
    asked += 1
    for parameter in undetermined {
      guard let missing = MissingReadings(for: parameter, in: fit, of: series) else { continue }
      remedies.add(missing.sentence("would have given"), series.remarkLabel)
    }
  }

  /// The number of series that determine the estimated parameters, in a sentence.
  var answer: String {
    let names = estimated.sorted(by: FitParameter.isReadBefore).map(\.symbol).inWords
    let missing = undeterminedCounts.keys.sorted(by: FitParameter.isReadBefore)
    let some = "\(fitted) of \(series) series could be fitted"
    if fitted == 0 { return "No series could be fitted." }
    if names.isEmpty || (!isExamined && determined == fitted) { return "\(some)." }
    if series == 1 {
      if let others, determined == 1 {
        return
          "Two sets of values of \(names) fit equally well: those below, which people are more likely to have, and "
          + "\(others)."
      }
      return determined == 1
        ? "The readings determine \(names)."
        : "The readings do not determine \(missing.isEmpty ? names : missing.map(\.symbol).inWords)."
    }
    if determined == series { return "All \(series) series determine \(names)." }
    let rest = missing.map { "\($0.symbol) in \(undeterminedCounts[$0] ?? 0)" }.inWords
    return (fitted == series ? "" : "\(some). ")
      + (determined == 0 ? "No series determines" : "\(determined) of \(series) series determine")
      + " \(names)" + (rest.isEmpty ? "." : "; undetermined: \(rest).")
  }

  /// The advice, most urgent first, without what a column of numbers shows anyway.
  package var lines: [String] {
    [
      failures.text(within: 100).map { "Not fitted: \($0)." },
      suspects.text(within: 270).map { "Look at: \($0)." },
      advice.text(within: 190).map { "Intervals and search: \($0)." },
      remedies.text(within: 270).map { "Undetermined: \($0)." },
    ].compactMap(\.self)
  }

  /// The failures and warnings of elimination lines.
  static func lines(on fits: [EliminationLineFit]) -> [String] {
    var failures = RemarkGroups()
    var warnings = RemarkGroups()
    for fit in fits {
      let name = fit.series.remarkLabel
      switch fit.result {
      case .failure(let failure): failures.add(failure.cause, name)
      case .success(let line):
        for warning in line.warnings { warnings.add(warning.description.firstClause, name) }
      }
    }
    return [
      failures.text(within: 180).map { "No line: \($0)." },
      warnings.text(within: 280).map { "Look at: \($0)." },
    ].compactMap(\.self)
  }

  /// The warnings about the study as a whole with their options, in a sentence; nil without any.
  static func line(on warnings: [StudyWarning]) -> String? {
    let texts = warnings.compactMap { warning in warning.brief.map { "\($0) (\(warning.code))" } }
    return texts.isEmpty ? nil : "The study as a whole: \(texts.joined(separator: "; "))."
  }
}

extension MissingReadings {
  /// "readings at 10, 25 and 40 min would have given k_a within 20 %"
  func sentence(_ verb: String) -> String {
    let times = minutes.map { NumberStyle.decimals(0).format($0) }.inWords
    // Rounded up to 5 %, so that nothing sounds better than expected and people share a sentence.
    return
      "\(minutes.count == 1 ? "a reading" : "readings") at \(times) min \(verb) \(parameter.symbol) within "
      + "\(5 * Int((20 * within).rounded(.up))) %"
  }
}

/// Texts with the series that each is about: a few names, and how many there are.
struct RemarkGroups {
  private var names: [String: (shown: [String], count: Int)] = [:]

  mutating func add(_ text: String, _ name: String) {
    // Reasons may hold numbers, so that each series has its own.
    let text = names.count < 50 || names[text] != nil ? text : "other reasons"
    var group = names[text] ?? ([], 0)
    if group.shown.count < 6 { group.shown.append(name) }
    group.count += 1
    names[text] = group
  }

  /// The texts of most series first, as many as there is room for; nil without any.
  func text(within length: Int) -> String? {
    guard !names.isEmpty else { return nil }
    let ranked = names.sorted { ($1.value.count, $0.key) < ($0.value.count, $1.key) }
    return ranked.map { "\($0) [\($1.shown.fitting(60, of: $1.count))]" }
      .fitting(length, of: ranked.count, "; ")
  }
}

extension [String] {
  /// The texts that fit, at least one, and the number of the others.
  fileprivate func fitting(
    _ length: Int, of count: Int, _ separator: String = ", "
  ) -> String {
    var kept: [String] = []
    var used = 0
    for text in self {
      if !kept.isEmpty, used + text.count > length { break }
      kept.append(text)
      used += text.count + separator.count
    }
    let rest = count - kept.count
    return kept.joined(separator: separator) + (rest > 0 ? " and \(rest) more" : "")
  }
}

extension Series {
  fileprivate var remarkLabel: String { shortLabel.asRemarkLabel }
}

extension String {
  /// The name in a list: one that would fill a line is cut.
  var asRemarkLabel: String {
    let name = printable
    let most = 24
    return name.count > most ? name.prefix(most - 3) + "..." : name
  }
}

extension FitParameter {
  /// The order in which people read parameters.
  static func isReadBefore(_ one: FitParameter, _ other: FitParameter) -> Bool {
    func place(_ parameter: FitParameter) -> Int { forPeople.firstIndex(of: parameter) ?? 0 }
    return place(one) < place(other)
  }

  /// A value with its unit, in running text; r goes without.
  func inWords(_ value: Double) -> String {
    let unit = self == .r || reportedUnit.isEmpty ? "" : reportedUnit
    return "\(symbol) \(NumberStyle.significant(3).format(reportedValue(value)))"
      + (unit.isEmpty ? "" : unit.hasPrefix("1/") ? " \(unit.dropFirst())" : " \(unit)")
  }
}

extension SeriesFailure {
  /// The cause, without advice and without the numbers of one series.
  fileprivate var cause: String {
    switch self {
    case .tooFewReadings: "too few readings for so many parameters"
    case .badData(let diagnostic): diagnostic.message.firstClause.prefix(70) + " (\(code))"
    default: description.firstClause.prefix(70) + " (\(code))"
    }
  }
}

extension String {
  /// The text up to the first semicolon, behind which messages have their advice.
  var firstClause: String { String(prefix { $0 != ";" }) }
}

extension SeriesFit {
  /// The suspicion that a warning raises about the data, and its detail; nil if it raises none.
  fileprivate func suspicion(_ warning: FitWarning) -> (reason: String, detail: String)? {
    let times = warning.times.isEmpty ? "" : " at \(Note.minutes(warning.times))"
    switch warning {
    case .aboveDose: return ("readings above what the dose can give", "")
    case .kaRange: return value(.ka, low: "late absorption?", high: "absorption not sampled?")
    case .betaRange: return value(.beta, low: "a missing drink?", high: "limb too short?")
    case .rRange: return value(.r, low: "a missing drink?", high: "dose or weight too high?")
    case .outlyingReadings: return ("readings off the curve by 3 SD", times)
    case .curveAtZero: return ("readings where the curve is zero, a missing drink?", times)
    case .beforeDrinking: return ("readings above zero before drinking", times)
    case .notIdentifiable(.ka, _, _):
      guard let first = readings.first(where: \.use.isUsed)?.time, first.minutes > 60 else {
        return nil
      }
      return ("no reading in the first hour, k_a undetermined", ": \(Note.minutes([first]))")
    default: return nil
    }
  }

  private func value(
    _ parameter: FitParameter, low: String, high: String
  ) -> (reason: String, detail: String) {
    let value = values[parameter] ?? .nan
    let isLow = value < parameter.traits.typicalValue
    return (
      isLow ? "low \(parameter.symbol), \(low)" : "high \(parameter.symbol), \(high)",
      stated(parameter).map {
        ": \(NumberStyle.significant(3).format(parameter.reportedValue($0)))"
      }
        ?? ""
    )
  }
}

extension FitWarning {
  /// The meaning of the warning with advice; nil if ``SeriesFit/suspicion(_:)`` or a limit covers
  /// it.
  fileprivate var advice: String? {
    switch self {
    case .aboveDose, .kaRange, .betaRange, .rRange, .outlyingReadings, .curveAtZero,
      .beforeDrinking,
      .notIdentifiable, .atBound:
      nil
    case .residualsNotRandom:
      "residuals not random, so that 95 % intervals may hold in 75 %, try --model all"
    case .notConverged: "search not converged, try --starts"
    case .equalMinimum: "other values fit as well, see W_EQUAL_MINIMUM, try --bound"
    case .singleStart: "only one start found the minimum, try --starts"
    case .notSettled: "error model did not settle, try another --error"
    case .degreesOfFreedom(let spare) where spare > 0:
      "hardly more readings than parameters, so intervals too narrow, try --fix"
    case .degreesOfFreedom: "as many parameters as readings, so no intervals, try --fix"
    case .limbShort: "beta rests on fewer than three readings after the peak"
    case .nothingAbsorbed: "intravenous doses, k_a not estimated"
    case .rPublishedRange: "r outside the method's published range"
    case .priorDominated(let parameter, _): "\(parameter.symbol) mostly from the prior"
    case .outsidePrior: "people unlike those of the prior"
    case .zeroInterval: "interval of the time to zero too narrow, state the error next to zero"
    case .zerosAsRead: "zeros without a limit of detection, so intervals too narrow, state --lod"
    }
  }
}

extension StudyWarning {
  /// The finding and the option that helps, in a few words; nil for a notice, which has a line of its own.
  fileprivate var brief: String? {
    switch self {
    case .correlationModelled: nil
    case .correlatedErrors(let lag):
      "neighbouring residuals "
        + (lag.lagOne > lag.expected
          ? "are correlated, intervals too narrow: --correlation exponential"
          : "alternate in sign: were readings averaged or entered twice?")
    case .errorsDiffer: "errors differ between people: --error-from subject"
    case .trendOverTime: "curves deviate over time: --model all"
    case .trendOverConcentration: "curves deviate over concentration: --model all"
    case .betterModel(let evidence): "\(evidence.candidate.title) fits better"
    }
  }
}
