import AlcoholKinetics
import Estimation
import Foundation
public import Validation

/// The answer to "which r factor, and how far off is the time to sobriety?", the same words through every door.
struct SobrietyVerdict {
  private let comparison: SobrietyComparison
  private let options: PredictionOptions
  /// Which methods are ranked; with the numbers of readings where concentrations are compared, too.
  private let ranking: RankedMethods
  /// The pairs of which it was tried whether the difference stands with other k_a and beta; none where that was not.
  private let examined: [MethodPair]

  init(
    _ comparison: SobrietyComparison, _ options: PredictionOptions, examined: [MethodPair] = [],
    ranking: RankedMethods? = nil
  ) {
    self.ranking = ranking ?? comparison.ranking
    self.comparison = comparison
    self.options = options
    self.examined = examined.filter { $0.quantity == .sobriety && $0.sex == nil }
  }

  private var methods: [SobrietySummary] { comparison.ofEverybody }
  private var estimated: [SobrietySummary] { methods.filter { $0.estimate != nil } }

  /// The name of a method, with its people if it is not ranked.
  private static func name(_ summary: SobrietySummary) -> String {
    name(summary.rFactor)
      + (summary.isRanked ? "" : " on \(summary.knownSubjects.counted("person", "people"))")
  }

  /// What was asked, of how many people.
  var question: String {
    let threshold = SobrietyThreshold.briefWords(comparison.thresholds, options)
    return
      "When are they sober? \(people), \(comparison.series.counted("occasion")), at most \(threshold)."
  }

  private var people: String { comparison.people.counted("person", "people") }

  /// Typical errors, how many are small, and which method is shown to be better or what could have been shown.
  var sentences: [String] {
    guard !estimated.isEmpty else { return [unknown] }
    return [assumption, biases, precision, difference].compactMap(\.self)
  }

  private var unknown: String {
    if comparison.people == 0 {
      return comparison.measured == 0
        ? "The readings tell nothing about when anybody was sober."
        : "No method predicts a time to sobriety; the rows say why."
    }
    return
      "How far predictions are off cannot be estimated: too few times to sobriety lie between two readings, or one "
      + "error fits all of them. Limits are in the table."
  }

  /// What the numbers rest on where readings leave most of it open.
  private var assumption: String? {
    let doubtful = estimated.filter(\.isLeftToAssumption)
    guard let first = doubtful.first else { return nil }
    let between = first.count(.between)
    let known =
      switch between {
      case 0: "None of \(first.known) times lies"
      case 1: "Only 1 of \(first.known) times lies"
      default: "Only \(between) of \(first.known) times lie"
      }
    return
      "\(known) between two readings, so that these numbers rest on an assumed normal distribution. "
      + "Without it the mean error is "
      + doubtful.map { "\($0.errors?.bias.displayed ?? "unknown") min (\(Self.name($0.rFactor)))" }
      .inWords
      + "."
  }

  // MARK: Typical errors

  /// Wider intervals of a typical error, in percent, leave open whether a method is right.
  private static let widest = 20.0

  private var biases: String? {
    let known = estimated.compactMap { summary in
      summary.estimate?.biasPercentOfMeasured.map { (name: Self.name(summary), bias: $0) }
    }
    let sure = known.compactMap { method in
      method.bias.interval.map { (name: method.name, value: method.bias.value, interval: $0) }
    }
    guard sure.count == known.count else {
      return "Typical errors are "
        + known.map { "\(Self.signed($0.bias.value)) % (\($0.name))" }.inWords
        + " of the measured time; for an interval there are too few "
        + (comparison.people < 3 ? "people." : "times between two readings.")
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
      let names = parts.isEmpty ? "" : "of \(right.map(\.name).inWords) "
      parts.append("\(names)no bias is shown (at most \(Self.whole(most)) %)")
    }
    let unclear = open.filter { max(-$0.interval.low, $0.interval.high) > Self.widest }
    if !unclear.isEmpty {
      let ranges = unclear.map {
        "\($0.name) (\(Self.signed($0.interval.low)) to \(Self.signed($0.interval.high)) %)"
      }
      parts.append("of \(ranges.inWords) the bias is not known")
    }
    return parts.isEmpty ? nil : parts.joined(separator: "; ").capitalizedFirst + "."
  }

  // MARK: How many are nearly right

  private var precision: String? {
    let shares = estimated.filter(\.isRanked).compactMap { summary in
      summary.estimate?.within.min { abs($0.limit - 20) < abs($1.limit - 20) }
    }
    guard let limit = shares.first?.limit, let least = shares.map(\.percent).min(),
      let most = shares.map(\.percent).max()
    else { return nil }
    let base = min(10, comparison.series)
    let counts = [least, most].map { Int(($0 / 100 * Double(base)).rounded()) }
    let share = counts[0] == counts[1] ? "\(counts[0])" : "\(counts[0]) to \(counts[1])"
    return
      "A prediction is within \(NumberStyle.exact(limit)) % of the measured time in \(share) of \(base) "
      + (comparison.series > comparison.people ? "occasions" : base == 1 ? "person" : "people")
      + (counts[0] == counts[1] || shares.count == 1 ? "." : ", depending on the method.")
  }

  // MARK: Which is better

  private var difference: String? {
    guard !comparison.pairs.isEmpty else { return nil }
    let shown = comparison.shown
    guard !shown.isEmpty else {
      return "By mean |error| no method is shown to be better than another: \(power)."
    }
    let most = comparison.pairs.map(\.subjects).max() ?? 0
    // Of each method that is worse than some, the one that it is worse than by most.
    var margins: [String: [String]] = [:]
    for name in methods.map(\.rFactor) {
      let own = shown.filter { $0.worse == name }.max { abs($0.difference) < abs($1.difference) }
      if let own {
        margins[own.better(than: name), default: []].append(
          "\(Self.name(name)) by \(own.margin(of: most))")
      }
    }
    let parts = methods.map(\.rFactor).compactMap { best in
      margins[best].map { "\($0.inWords) further off than \(Self.name(best))" }
    }
    let rest =
      shown.count < comparison.pairs.count
      ? "; other pairs cannot be told apart: \(power)" : ""
    return "Mean |error|: " + parts.joined(separator: "; ") + "\(dependence)\(rest)."
  }

  /// Whether a difference stands with other k_a and beta.
  private var dependence: String {
    guard !examined.isEmpty else { return " with these k_a and beta" }
    let stands = comparison.shown.allSatisfy { shown in
      examined.contains {
        $0.first == shown.first && $0.second == shown.second && $0.verdict == .better
      }
    }
    return stands ? "" : " with these k_a and beta, but not with all others that people have"
  }

  /// What the study could have shown; nothing where that is longer than a day.
  private var power: String {
    guard let minutes = comparison.detectableMinutes, minutes < 1440 else {
      return "\(people) cannot show a difference"
    }
    let share = comparison.typicalMinutes.map { typical in
      typical > 0 ? " (\(Self.whole(100 * minutes / typical)) % of the typical time)" : ""
    }
    return "\(people) can show differences of "
      + "\(Self.whole(minutes)) min\(share ?? "") or more"
  }

  // MARK: Below the table

  /// What the reader has to know beside the table.
  var remarks: [String] {
    let withoutFormula = comparison.undefined.sorted { $0.key < $1.key }.map { method, sex in
      "\(Self.name(method)) has no formula for \(sex == .female ? "women" : "men")."
    }
    var remarks = [
      (["95 % intervals over people.", knowledge] + withoutFormula).filter { !$0.isEmpty }
        .joined(separator: " ")
    ]
    remarks += ranking.sentences.map(\.capitalizedFirst)
    let never = methods.filter { $0.predictedNeverAbove > 0 }
    if !never.isEmpty {
      remarks.append(
        "Predicted never to be above the threshold though it was measured, counted as 100 % off and not in the error "
          + "in %: "
          + never.map { "\(Self.name($0.rFactor)) \($0.predictedNeverAbove)" }.joined(
            separator: ", ") + ".")
    }
    let measured = methods.map(\.measuredNeverAbove).max() ?? 0
    if measured > 0 {
      remarks.append(
        "Predicted above the threshold, but not at a first reading within an hour, and counted in the same way: "
          + "\(measured).")
    }
    let agreed = methods.filter { $0.agreedNeverAbove > 0 }
    if !agreed.isEmpty {
      remarks.append(
        "Neither measured nor predicted above the threshold, and left out: "
          + agreed.map { "\(Self.name($0.rFactor)) \($0.agreedNeverAbove)" }.joined(separator: ", ")
          + ".")
    }
    return remarks
  }

  private var knowledge: String {
    guard let widest = methods.max(by: { $0.series < $1.series }) else { return "" }
    let (between, late, early) = (
      widest.count(.between), widest.count(.atLeast), widest.count(.atMost)
    )
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

  private static func signed(_ number: Double) -> String {
    let text = whole(number)
    return number > 0 && text != "0" ? "+" + text : text
  }

  static func name(_ rFactor: String) -> String {
    rFactor == SobrietyScore.givenCurve ? "the given prediction" : rFactor.capitalized
  }
}

extension MethodPair {
  fileprivate var worse: String { difference > 0 ? first : second }

  /// The difference in min with its interval.
  ///
  /// - Parameter most: How many people the ranked methods have.
  fileprivate func margin(of most: Int) -> String {
    let whole = NumberStyle.decimals(0)
    let ends = interval.map { [abs($0.low), abs($0.high)].sorted().map(whole.format) }
    return "\(whole.format(abs(difference))) min" + (ends.map { " (\($0[0]) to \($0[1]))" } ?? "")
      + (subjects < most ? " on \(subjects) people" : "")
  }

  fileprivate func better(than name: String) -> String { name == first ? second : first }
}

extension Report {
  /// The report of how far off predicted times to sobriety are, a row per method.
  ///
  /// - Parameter limits: Within how many percent of the measured time errors were counted.
  public static func sobrietySummary(
    _ comparison: SobrietyComparison, of scores: [SobrietyScore], options: PredictionOptions,
    within limits: [Double], provenance: Provenance
  ) -> Report {
    let table = Section(SobrietySummary.table(within: limits), rows: comparison.methods)
    let verdict = SobrietyVerdict(comparison, options)
    return Report(
      introduction: sourceLines(of: comparison.methods.map(\.rFactor), options),
      sections: [table, Section(pairs, rows: comparison.pairs)],
      notes: [SobrietySummary.description(of: comparison.methods)].compactMap(\.self)
        + verdict.remarks,
      provenance: provenance,
      firstScreen: FirstScreen(
        question: verdict.question, answer: verdict.sentences, tables: [table.table],
        remarks: verdict.remarks + doubts(in: scores) + [
          "A row per person: without --summary. Pairs, limits, k_a and beta: --details."
        ]))
  }

  /// What is in doubt, in a line: which measured times rest on little, and what errors say beyond their bias.
  ///
  /// - Parameter codes: The codes of what errors say.
  static func doubts(in scores: [SobrietyScore], _ codes: [String] = []) -> [String] {
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

  /// What was predicted with, unless the curves came from elsewhere.
  static func sourceLines(of methods: [String], _ options: PredictionOptions) -> [String] {
    let isForeign = !methods.isEmpty && methods.allSatisfy { $0 == SobrietyScore.givenCurve }
    return isForeign ? ["Scoring the predictions given with --predictions."] : options.sourceLines
  }
}
