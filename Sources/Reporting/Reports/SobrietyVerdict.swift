import AlcoholKinetics
import Estimation
import Foundation
import StudyData
package import Validation

/// The answer to "how far off is the time to sobriety, by my own model and by which r factor?", the same words through
/// every door.
struct SobrietyVerdict {
  private let comparison: SobrietyComparison
  private let options: PredictionOptions
  /// The ranked methods, with the numbers of readings if concentrations are compared, too.
  private let ranking: RankedMethods
  /// Why most series have no prediction; nil where all have one.
  private let failure: SeriesFailure?
  /// The pairs of which it was tried whether the difference stands with other k_a and beta; none where that was not.
  private let examined: [MethodPair]

  init(
    _ comparison: SobrietyComparison, _ options: PredictionOptions, examined: [MethodPair] = [],
    ranking: RankedMethods? = nil, scores: [Score] = []
  ) {
    failure =
      scores.compactMap(\.prediction.failure).grouped(by: { $0 }).max {
        $0.values.count < $1.values.count
      }?.key
    self.ranking = ranking ?? comparison.ranking
    self.comparison = comparison
    self.options = options
    self.examined = examined.filter { $0.quantity == .sobriety && $0.sex == nil }
  }

  private var methods: [SobrietySummary] { comparison.ofEverybody }
  private var estimated: [SobrietySummary] { methods.filter { $0.estimate != nil } }
  /// The summaries of given models.
  private var models: [SobrietySummary] { methods.filter(\.isGiven) }

  private func name(_ method: String) -> String { options.title(of: method) }

  /// The name of a method, with its people if it is not ranked.
  private func name(_ summary: SobrietySummary) -> String {
    name(summary.method)
      + (summary.isRanked ? "" : " on \(summary.knownSubjects.counted("person", "people"))")
  }

  /// The question and the number of people, for the first line.
  var question: String {
    let threshold = SobrietyThreshold.briefWords(comparison.thresholds, options)
    return
      "When are they sober? \(people), \(comparison.series.counted("occasion")), at most \(threshold)."
  }

  private var people: String { comparison.people.counted("person", "people") }

  /// The answer: the errors of each given model beside those of the methods; without a model,
  /// typical errors, the share of small ones, and which method is shown to be better, or the
  /// difference that could have been shown.
  var sentences: [String] {
    let aboutModels = models.flatMap { sentences(on: $0) }
    guard !estimated.isEmpty else { return aboutModels + [unknown] }
    let ofMethods = [assumption, biases(of: estimated.filter { !$0.isGiven })]
    return (aboutModels + ofMethods + (models.isEmpty ? [precision, difference] : [])).compactMap(
      \.self)
  }

  private var unknown: String {
    if comparison.people == 0 {
      return comparison.measured == 0
        ? "The readings do not show when anybody was sober."
        : "No method predicts a time to sobriety" + (failure.map { ": \($0)." } ?? ".")
    }
    return
      "How far predictions are off cannot be estimated: too few times to sobriety lie between two readings, or one "
      + "error fits all of them. The limits of each error are in the rows of people."
  }

  /// The assumption behind the numbers where readings leave most times open.
  private var assumption: String? {
    guard let first = estimated.first(where: \.isLeftToAssumption) else { return nil }
    let between = first.count(.between)
    let fewTimes =
      switch between {
      case 0: "None of \(first.known) times lies"
      case 1: "Only 1 of \(first.known) times lies"
      default: "Only \(between) of \(first.known) times lie"
      }
    return
      "\(fewTimes) between two readings, so that these numbers rest on an assumed normal distribution."
  }

  // MARK: Typical errors

  /// Wider intervals of a typical error, in percent, leave open whether a method is right.
  private static let widest = 20.0

  /// The typical error of some methods, in percent of the measured time, with its interval.
  private func biases(of summaries: [SobrietySummary]) -> String? {
    let estimates = summaries.compactMap { summary in
      summary.estimate?.biasPercentOfMeasured.map { (name: name(summary), bias: $0) }
    }
    let sure = estimates.compactMap { method in
      method.bias.interval.map { (name: method.name, value: method.bias.value, interval: $0) }
    }
    let without = estimates.filter { $0.bias.interval == nil }.map {
      "\(Self.signed($0.bias.value)) % (\($0.name))"
    }
    let tooFew =
      "too few \(comparison.people < 3 ? "people" : "times between two readings") for an interval"
    guard !sure.isEmpty else {
      return without.isEmpty
        ? nil
        : "\(without.count == 1 ? "The typical error is" : "Typical errors are") \(without.inWords) of the measured "
          + "time, with \(tooFew)."
    }
    let open = sure.filter { $0.interval.low <= 0 && $0.interval.high >= 0 }
    let right = open.filter { max(-$0.interval.low, $0.interval.high) <= Self.widest }
    var parts: [String] = []
    for (word, side) in [
      ("late", sure.filter { $0.interval.low > 0 }),
      ("early", sure.filter { $0.interval.high < 0 }),
    ] where !side.isEmpty {
      let sizes = side.map { abs($0.value) }.sorted().map(Self.whole)
      let subject = "\(side.map(\.name).inWords) \(side.count == 1 ? "is" : "are")"
      let range =
        sizes[0] == sizes[sizes.count - 1] ? sizes[0] : "\(sizes[0]) to \(sizes[sizes.count - 1])"
      let ends = [abs(side[0].interval.low), abs(side[0].interval.high)].sorted().map(Self.whole)
      parts.append(
        "\(subject) \(range) % too \(word) on average"
          + (side.count == 1 ? " (\(ends[0]) to \(ends[1]))" : "")
      )
    }
    if !right.isEmpty {
      let most = right.map { max(-$0.interval.low, $0.interval.high) }.max() ?? 0
      let names = right.map(\.name).inWords
      parts.append(
        (summaries.count == 1
          ? "\(names) shows no bias"
          : parts.isEmpty ? "no bias is shown" : "of \(names) no bias is shown")
          + " (at most \(Self.whole(most)) %)")
    }
    let unclear = open.filter { max(-$0.interval.low, $0.interval.high) > Self.widest }
    if unclear.count == 1, let method = unclear.first {
      parts.append(
        "\(method.name) lies between \(Self.whole(-method.interval.low)) % too early and "
          + "\(Self.whole(method.interval.high)) % too late on average")
    } else if !unclear.isEmpty {
      let ranges = unclear.map {
        "\($0.name) (\(Self.signed($0.interval.low)) to \(Self.signed($0.interval.high)) %)"
      }
      parts.append("it is open whether \(ranges.inWords) are right on average")
    }
    if !without.isEmpty {
      parts.append(
        "\(without.count == 1 ? "the typical error is" : "typical errors are") \(without.inWords), with \(tooFew)"
      )
    }
    return parts.joined(separator: "; ").capitalizedFirst + "."
  }

  // MARK: Given models

  /// The typical error of a model, the methods it is shown to be better or worse than, and the
  /// coverage of its intervals.
  private func sentences(on model: SobrietySummary) -> [String] {
    guard model.series > 0 else {
      return ["\(name(model.method)) predicts nothing that can be scored."]
    }
    guard model.estimate != nil else {
      return [
        "How far \(name(model.method)) is off cannot be estimated: \(model.reasonWithoutEstimate)."
      ]
    }
    return [
      [biases(of: [model]), differences(of: model.method), held(by: model)].compactMap(\.self)
        .joined(separator: " ")
    ]
  }

  private func held(by model: SobrietySummary) -> String? {
    model.intervals.map { intervals in
      "Its \(intervals.percent) % intervals hold the time in \(intervals.heldInWords(" to ")) of \(intervals.series)."
    }
  }

  /// The methods that a model is shown to be better or worse than, by mean absolute error.
  private func differences(of model: String) -> String? {
    let comparisons = comparison.pairs.filter { $0.first == model || $0.second == model }
    guard !comparisons.isEmpty else { return nil }
    let shown = comparisons.filter(\.isShown)
    let most = comparisons.map(\.subjects).max() ?? 0
    let parts = [(isWorse: true, word: "worse"), (false, "better")].compactMap { isWorse, word in
      let margins = shown.filter { ($0.worse == model) == isWorse }.map { pair in
        "\(name(pair.other(than: model))) by \(pair.margin(of: most))"
      }
      return margins.isEmpty ? nil : "\(word) than \(margins.inWords)"
    }
    let open = comparisons.filter { !$0.isShown }
    let others = open.map { name($0.other(than: model)) }
    let rest =
      others.isEmpty
      ? nil
      : "\(others.inWords) cannot be told apart from it: \(power(of: open))"
    let certain =
      parts.isEmpty ? nil : "it is \(parts.joined(separator: ", and "))\(dependence(of: shown))"
    let words = [certain, rest].compactMap(\.self).joined(separator: "; ")
    return words.isEmpty ? nil : "By mean |error| \(words)."
  }

  // MARK: How many are nearly right

  private var precision: String? {
    let shares = estimated.filter { $0.isRanked && !$0.isGiven }.compactMap { summary in
      summary.estimate?.within.min { abs($0.limit - 20) < abs($1.limit - 20) }
    }
    guard let limit = shares.first?.limit, let least = shares.map(\.percent).min(),
      let most = shares.map(\.percent).max()
    else { return nil }
    let base = min(10, comparison.series)
    let counts = [least, most].map { Int(($0 / 100 * Double(base)).rounded()) }
    let share = counts[0] == counts[1] ? "\(counts[0])" : "\(counts[0]) to \(counts[1])"
    let within = "within \(NumberStyle.exact(limit)) % of the measured time"
    let counted =
      "\(share) of \(base) "
      + (comparison.series > comparison.people ? "occasions" : base == 1 ? "person" : "people")
    // A range fits into a line of 80 columns.
    return counts[0] == counts[1]
      ? "A prediction is \(within) in \(counted)."
      : "\(within.capitalizedFirst): \(counted), by method."
  }

  // MARK: Which is better

  private var difference: String? {
    guard !comparison.pairs.isEmpty else { return nil }
    let shown = comparison.shown
    guard !shown.isEmpty else {
      return
        "By mean |error| no method is shown to be better than another: \(power(of: comparison.pairs))."
    }
    let most = comparison.pairs.map(\.subjects).max() ?? 0
    // Of each method that is worse than some, the one that it is worse than by most.
    var margins: [String: [String]] = [:]
    for method in methods.map(\.method) {
      let widest = shown.filter { $0.worse == method }.max {
        abs($0.difference) < abs($1.difference)
      }
      if let widest {
        margins[widest.other(than: method), default: []].append(
          "\(name(method)) by \(widest.margin(of: most))")
      }
    }
    let parts = methods.map(\.method).compactMap { best in
      margins[best].map { "\($0.inWords) further off than \(name(best))" }
    }
    let rest =
      shown.count < comparison.pairs.count
      ? "; other pairs cannot be told apart: \(power(of: comparison.pairs))" : ""
    return "Mean |error|: " + parts.joined(separator: "; ") + "\(dependence(of: shown))\(rest)."
  }

  /// A reservation if differences do not hold with other k_a and beta; else empty.
  private func dependence(of pairs: [MethodPair]) -> String {
    guard !examined.isEmpty else { return " with these k_a and beta" }
    let stands = pairs.allSatisfy { shown in
      examined.contains {
        $0.first == shown.first && $0.second == shown.second && $0.verdict == .better
      }
    }
    return stands ? "" : " with these k_a and beta, but not with all others that people have"
  }

  /// The smallest difference that the study can show between two methods; nothing if it exceeds a
  /// day.
  private func power(of pairs: [MethodPair]) -> String {
    guard let minutes = SobrietyComparison.detectableMinutes(in: pairs), minutes < 1440 else {
      return "\(people) cannot show a difference"
    }
    let share = comparison.typicalMinutes.map { typical in
      typical > 0 ? " (\(Self.whole(100 * minutes / typical)) % of the typical time)" : ""
    }
    return "\(people) can show differences of "
      + "\(Self.whole(minutes)) min\(share ?? "") or more"
  }

  // MARK: Below the table

  /// The notes below the table.
  var remarks: [String] {
    let withoutFormula = comparison.undefined.sorted { $0.key < $1.key }.map { method, sex in
      "\(name(method)) has no formula for \(sex == .female ? "women" : "men")."
    }
    let remarks =
      [
        (["95 % intervals over people.", knowledge] + withoutFormula).filter { !$0.isEmpty }
          .joined(separator: " ")
      ] + ranking.sentences.map(\.capitalizedFirst) + unestimated
      + [correction].compactMap(\.self)
    let measured = methods.map(\.measuredNeverAbove).max() ?? 0
    let counts: [String?] = [
      methods.listing(\.predictedNeverAbove, name).map {
        "Predicted never to be above the threshold though it was measured, counted as 100 % off and not in the error "
          + "in %: \($0)."
      },
      measured == 0
        ? nil
        : "Predicted above the threshold, but not at a first reading within an hour, and counted in the same way: "
          + "\(measured).",
      methods.listing(\.agreedNeverAbove, name).map {
        "Neither measured nor predicted above the threshold, and left out: \($0)."
      },
    ]
    return remarks + counts.compactMap(\.self)
  }

  /// The methods of the table without an estimate, by reason.
  private var unestimated: [String] {
    methods.filter { $0.estimate == nil && $0.known > 0 }.grouped(by: \.reasonWithoutEstimate)
      .map { reason, summaries in
        "Not estimated for \(summaries.map { name($0.method) }.inWords): \(reason)."
      }
  }

  private var knowledge: String {
    guard let widest = methods.max(by: { $0.series < $1.series }) else { return "" }
    let between = widest.count(.between)
    let late = widest.count(.atLeast)
    let early = widest.count(.atMost)
    guard between + late + early > 0 else { return "" }
    guard late + early > 0 else {
      return between == 1
        ? "The time lies between two readings." : "All \(between) times lie between two readings."
    }
    let open = [
      late > 0 ? "\(late) after the last" : nil, early > 0 ? "\(early) before the first" : nil,
    ].compactMap(\.self)
    return "\(between) of \(between + late + early) times lie between two readings, "
      + "\(open.joined(separator: ", "))."
  }

  private static func whole(_ number: Double) -> String { NumberStyle.decimals(0).format(number) }

  private static func signed(_ number: Double) -> String { NumberStyle.decimals(0).signed(number) }

  /// The number of comparisons that p values are corrected for, and the number with given models.
  private var correction: String? {
    let names = Set(models.map(\.method))
    let withModels = comparison.pairs.count {
      names.contains($0.first) || names.contains($0.second)
    }
    guard withModels > 0, withModels < comparison.pairs.count else { return nil }
    return
      "P values are corrected for \(comparison.pairs.count) comparisons, \(withModels) of them with "
      + "\(models.map { name($0.method) }.inWords)."
  }
}

extension SobrietySummary {
  /// Why limits of errors do not determine an estimate.
  fileprivate var reasonWithoutEstimate: String {
    if known == 1 { return "only one time is known" }
    return count(.between) == 0
      ? "no time lies between two readings" : "one error fits all times, so that no spread is known"
  }
}

extension [SobrietySummary] {
  /// The methods with a count above zero, as `Watson 2, Ulrich 1`; nil if there is none.
  func listing(_ count: (SobrietySummary) -> Int, _ name: (String) -> String) -> String? {
    let some = filter { count($0) > 0 }.map { "\(name($0.method)) \(count($0))" }
    return some.isEmpty ? nil : some.joined(separator: ", ")
  }
}

extension PredictionOptions {
  /// The name of a method in sentences.
  func title(of method: String) -> String {
    guard !models.contains(method) else { return method.printable }
    return method.hasPrefix(ColumnRFactor.prefix)
      ? String(method.dropFirst(ColumnRFactor.prefix.count)).printable : method.capitalized
  }

}

extension MethodPair {
  fileprivate var worse: String { difference > 0 ? first : second }

  /// The difference in min with its interval.
  ///
  /// - Parameter most: The number of people of the ranked methods.
  fileprivate func margin(of most: Int) -> String {
    let whole = NumberStyle.decimals(0)
    let ends = interval.map { [abs($0.low), abs($0.high)].sorted().map(whole.format) }
    return "\(whole.format(abs(difference))) min" + (ends.map { " (\($0[0]) to \($0[1]))" } ?? "")
      + (subjects < most ? " on \(subjects) people" : "")
  }

  fileprivate func other(than name: String) -> String { name == first ? second : first }
}

extension Report {
  /// The report of how far off predicted times to sobriety are, a row per method.
  ///
  /// - `shares`: What the errors are made of, where that was worked out.
  /// - `limits`: Within how many percent of the measured time errors were counted.
  package static func sobrietySummary(
    _ comparison: SobrietyComparison, of scores: [Score], shares: [TimeErrorShares] = [],
    options: PredictionOptions, within limits: [Double], provenance: Provenance
  ) -> Report {
    let table = Section(SobrietySummary.table(within: limits), rows: comparison.methods)
    let verdict = SobrietyVerdict(comparison, options, scores: scores)
    return Report(
      introduction: sourceLines(of: options),
      sections: [table, Section(pairs, rows: comparison.pairs)] + Section.errorShares(shares),
      notes: [
        SobrietySummary.description(of: comparison.methods),
        TimeErrorShares.sentence(on: shares, options),
      ].compactMap(\.self) + verdict.remarks,
      provenance: provenance,
      firstScreen: FirstScreen(
        question: verdict.question, answer: verdict.sentences, tables: [table.table],
        remarks: verdict.remarks + GivenModelCheck(scores).findings.map(\.remark)
          + doubts(in: scores) + [
            "A row per person: without --summary. Pairs, k_a and beta: --details."
          ]))
  }

  /// The codes of doubtful measured times and of the diagnostics of errors, in one line.
  ///
  /// - Parameter codes: The codes of the diagnostics of errors.
  static func doubts(in scores: [Score], _ codes: [String] = []) -> [String] {
    var names: [String: [String]] = [:]
    for score in scores {
      for code in score.doubts.map(\.code)
      where names[code]?.contains(score.series.shortLabel) != true {
        names[code, default: []].append(score.series.shortLabel)
      }
    }
    let parts =
      names.sorted { $0.key < $1.key }.map { "\($0) \($1.shortened(to: 4))" }
      + Set(codes).sorted()
    return parts.isEmpty
      ? [] : ["Warnings (promille explain CODE): \(parts.joined(separator: "; "))."]
  }

  /// The given models and the parameters of the predictions, in lines for people.
  static func sourceLines(of options: PredictionOptions) -> [String] {
    (options.models.isEmpty
      ? [] : ["Compared models: \(options.models.map(\.printable).inWords)."])
      + options.sourceLines
  }
}
