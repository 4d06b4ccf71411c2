@_spi(StudyDay) import AlcoholKinetics
import DayDatabase
@_spi(StudyDay) import Estimation
import Foundation
@_spi(StudyDay) import Population
@_spi(StudyDay) import StudyData
import Synchronization

/// What the readings so far say of what will be.
struct PersonForecast: Sendable {
  /// Minutes from the session's start to the release limit: draws; nil where nothing could be computed.
  var minutes: Draws?
  var curve: Person.Curve?
  /// The reading that would tell most, in min from the session's start; nil where none would.
  var next: (minutes: Double, gain: Double)?
  var whyNot: String?
  /// How many other people the prior learned from.
  var learnedFrom = 0
  var because = ""
  /// Whether it is of earlier data, or of none, and computed anew.
  var isPending = false

  /// How many readings after the last drink a forecast needs.
  static let readingsNeeded = 2
  /// The share of draws that are below the limit by "not before": the upper end of the 95 % interval, and of the band of
  /// the curve, so that picture and words agree.
  static let certainty = 0.975

  func prediction(of person: PersonRecord, at now: Int64) -> (
    forecast: Person.Prediction?, whyNot: String?
  ) {
    let isOpen = person.entries.contains {
      $0.state == "conflict" && ($0.kind == .reading || $0.kind == .drink)
    }
    if isOpen {
      return (nil, "An entry has two values. Decide which one holds.")
    }
    guard let minutes, whyNot == nil else {
      return (nil, whyNot ?? "There is nothing to forecast from.")
    }
    func moment(_ minutes: Double) -> String {
      ISOTime.text(person.session.starts + Int64((minutes * 60_000).rounded()))
    }
    let (low, high) = (minutes.quantile(1 - Self.certainty), minutes.quantile(Self.certainty))
    let elapsed = Double(now - person.session.starts) / 60_000
    let next = next.flatMap { $0.minutes > elapsed ? $0 : nil }
    return (
      Person.Prediction(
        thresholdGPerKg: person.session.releaseLimit, median: moment(minutes.median),
        low: moment(low),
        high: moment(high), notBefore: moment(high),
        probabilityNow: minutes.probability(atMost: elapsed),
        bestReading: next.map { moment($0.minutes) }, bestReadingGain: next?.gain,
        learnedFrom: learnedFrom > 0 ? learnedFrom : nil, because: because),
      nil
    )
  }
}

/// What completed sessions say of further people, computed once for each set of them.
private final class Learning: Sendable {
  private struct Place: Hashable {
    var sessions: [Series]
    var food: String
    var factors: ConversionFactors
  }

  private struct State {
    var sessions = RecentlyUsed<Place, CompletedSeries?>(limit: 500)
    var priors = RecentlyUsed<Place, (prior: PopulationPrior, people: Int)>(limit: 500)
    var count = 0
  }

  private let state = Mutex(State())

  var count: Int { state.withLock { $0.count } }

  /// The prior that learned from sessions, and the number of their people. Who asks at the same time waits, and computes
  /// nothing twice.
  func prior(
    _ usual: PopulationPrior, after food: String, from sessions: [Series],
    _ options: Posterior.Options
  ) -> (prior: PopulationPrior, people: Int) {
    guard !sessions.isEmpty else { return (usual, 0) }
    return state.withLock { state in
      let all = Place(sessions: sessions, food: food, factors: options.factors)
      if let known = state.priors[all] { return known }
      var completed: [CompletedSeries] = []
      for session in sessions {
        let one = Place(sessions: [session], food: food, factors: options.factors)
        if state.sessions[one] == nil {
          var series = session.inOrderOfTime
          series.readings = series.readings.thinned(to: Forecaster.mostReadings)
          state.sessions[one] = .some(
            try? CompletedSeries(series, prior: usual, options: options))
          state.count += 1
        }
        if let known = state.sessions[one], let known { completed.append(known) }
      }
      let learned = (
        prior: usual.learned(from: completed), people: Set(completed.map(\.subject)).count
      )
      state.priors[all] = learned
      state.count += 1
      return learned
    }
  }
}

/// Fits subjects as readings come, each once per state of their data.
final class Forecaster: Sendable {
  private struct Key: Hashable {
    var series: Series
    var food: String
    var limit: Double
    var factors: ConversionFactors
    var completed: [Series]
  }

  private static let (draws, points) = (400, 97)
  fileprivate static let mostReadings = 400

  let records = PersonRecords()
  private let priors: [String: PopulationPrior]
  private let cache = Mutex(RecentlyUsed<Int64, (key: Key, outlook: PersonForecast)>(limit: 1000))
  private let queue = FitQueue()
  private let learning = Learning()
  private let fits = Mutex(0)
  /// Hears of people whose fit is ready that nobody waited for.
  private let ready: @Sendable (String) -> Void

  /// How many fits were computed.
  var fitCount: Int { fits.withLock { $0 } }
  /// How many completed sessions, and sets of them, were looked at.
  var learningCount: Int { learning.count }

  init(ready: @escaping @Sendable (String) -> Void = { _ in }) {
    self.ready = ready
    var priors: [String: PopulationPrior] = [:]
    for name in PopulationPrior.shippedNames {
      guard let text = PopulationPrior.shippedText(name),
        let file = try? PopulationFile(Data(text.utf8))
      else { continue }
      priors[name] = try? PopulationPrior(file)
    }
    self.priors = priors
  }

  /// What the readings of a person say; computed only if something has changed.
  ///
  /// - Throws: `CancellationError`.
  func outlook(of person: PersonRecord) async throws -> PersonForecast {
    let known = known(of: person)
    guard known.isPending else { return known }
    return try await queue.value(of: person.session.series, upTo: person.seq, fit(person))
  }

  /// What a drink that is not entered would do, whatever can be said against a forecast.
  func outlook(of person: PersonRecord, adding drink: Drink) async throws -> PersonForecast {
    try await queue.value { self.computed(person, adding: drink, unless: $0) }
  }

  /// What is known of a person; where something has changed since, the curve as it was, until it is computed.
  func known(of person: PersonRecord) -> PersonForecast {
    let known = cache.withLock { $0[person.session.series] }
    if let known, known.key == key(of: person) { return known.outlook }
    return PersonForecast(
      curve: known?.outlook.curve, whyNot: "The forecast is being computed.", isPending: true)
  }

  /// Has people computed of whom something has changed, and waits for them no longer than a time; nil for as long as it
  /// takes.
  func prepare(_ people: [PersonRecord], within time: Duration?) async throws {
    cache.withLock { $0.makeRoom(for: people.count) }
    var missing = people.filter { known(of: $0).isPending }
    for person in missing { queue.ask(person.session.series, upTo: person.seq, fit(person)) }
    let end = time.map { ContinuousClock.now + $0 }
    while !missing.isEmpty, end.map({ .now < $0 }) ?? true {
      try await Task.sleep(for: .milliseconds(10))
      missing.removeAll { !known(of: $0).isPending }
    }
  }

  private func key(of person: PersonRecord) -> Key {
    Key(
      series: person.series, food: person.session.food, limit: person.session.releaseLimit,
      factors: person.factors,
      completed: person.completed)
  }

  private func fit(_ person: PersonRecord) -> FitQueue.Fit {
    { [self] isOutdated in
      guard let outlook = computed(person, unless: isOutdated) else { return nil }
      fits.withLock { $0 += 1 }
      cache.withLock { $0[person.session.series] = (key(of: person), outlook) }
      ready(person.session.subject)
      return outlook
    }
  }

  /// - Parameter isOutdated: Whether nobody wants it any longer; then it is nil.
  func computed(
    _ person: PersonRecord, adding drink: Drink? = nil, unless isOutdated: () -> Bool = { false }
  ) -> PersonForecast? {
    guard !isOutdated() else { return nil }
    guard let usual = priors[person.session.food] else {
      return PersonForecast(whyNot: "There is no prior for \(person.session.food).")
    }
    var series = person.series
    if let drink { series.drinks.append(drink) }
    // Neighbours in a stream of readings say the same.
    series.readings = series.readings.thinned(to: Self.mostReadings)
    guard !series.drinks.isEmpty else {
      return PersonForecast(whyNot: "No drink has been entered.")
    }
    guard series.subject.weight != nil else {
      return PersonForecast(whyNot: "The body weight is missing.")
    }
    do {
      let learned = learning.prior(
        usual, after: person.session.food, from: person.completed,
        Posterior.Options(draws: Self.draws, factors: person.factors))
      let prior = learned.prior
      guard !isOutdated() else { return nil }
      let posterior = try Posterior(
        of: series.inOrderOfTime, prior: prior,
        options: .init(draws: Self.draws, factors: person.factors))
      guard !isOutdated() else { return nil }
      let forecast = try Forecast(posterior)
      var outlook = PersonForecast()
      if drink == nil { outlook.whyNot = try doubt(forecast, prior, person.factors) }
      guard !isOutdated() else { return nil }
      let start = series.drinks.map(\.time.minutes).min() ?? 0
      let limit = GramsPerKilogram(person.session.releaseLimit)
      let last = posterior.series.readings.last { !$0.isExcluded }
      let shown = last.map { ($0.time, $0.bloodConcentration(using: person.factors)) }
      let minutes = try forecast.minutesToThreshold(limit, after: shown)
      outlook.curve = curve(
        forecast, of: series,
        reaching: Hours((start + minutes.quantile(PersonForecast.certainty)) / 60))
      guard minutes.values.allSatisfy({ $0 < Self.longest }) else {
        return PersonForecast(curve: outlook.curve, whyNot: "The curve does not fall to the limit.")
      }
      // 0 says that the limit is never passed, which holds from the beginning.
      outlook.minutes = Draws(minutes.values.map { $0 + start })
      outlook.next = try forecast.nextReading(about: limit)
        .flatMap { $0.gain < Self.leastGain ? nil : ($0.minutes + start, $0.gain) }
      let count = posterior.readingCount
      let beyond = prior.reasonsOutside(of: series).map { ". Beyond its people: \($0)" } ?? ""
      let people = learned.people
      outlook.learnedFrom = people
      let taught =
        people == 0 ? "" : ", learned from \(people) \(people == 1 ? "person" : "people")"
      outlook.because =
        "\(count) reading\(count == 1 ? "" : "s") and the prior of \(prior.title ?? person.session.food)\(taught)\(beyond)"
      return outlook
    } catch {
      return PersonForecast(whyNot: "No curve can be fitted: \(error.description).")
    }
  }

  /// A reading that takes away less of the interval is not worth a word.
  private static let leastGain = 0.05

  /// No drink lasts longer than a year, in minutes.
  private static let longest = 366.0 * 1440

  private func doubt(
    _ forecast: Forecast, _ prior: PopulationPrior, _ factors: ConversionFactors
  ) throws(SeriesFailure) -> String? {
    let posterior = forecast.posterior
    let end = posterior.series.drinks.map { ($0.time + $0.duration).value }.max() ?? 0
    // Zeros after the first say nothing new, and are not among them.
    let after = posterior.readingTimes.count { $0.value > end }
    guard after >= PersonForecast.readingsNeeded else {
      return
        "A forecast needs \(PersonForecast.readingsNeeded) readings after the last drink, where zeros count once; there \(after == 1 ? "is" : "are") \(after)."
    }
    guard posterior.diagnostics.isReliable else {
      return "The readings do not fit what is known of people. Check them, and take another."
    }
    guard let last = posterior.series.readings.lastIndex(where: { !$0.isExcluded }) else {
      return nil
    }
    // A reading that helped to draw the curve is near it; what counts is what the others expect of it.
    let others = try Forecast(
      Posterior(
        of: posterior.series, prior: prior, knowing: { $0 != last },
        options: .init(draws: Self.draws / 2, factors: factors)))
    let reading = posterior.series.readings[last]
    let shown = reading.bloodConcentration(using: factors).value
    let expected = others.reading(at: reading.time).draws.interval(0.99)
    guard shown >= expected.low - 1e-9, shown <= expected.high + 1e-9 else {
      return "The last reading lies off the curve. Take another."
    }
    if let count = Self.runOff(forecast, after: end, factors) {
      return
        "The last \(count) readings lie on one side of the curve: this person is not as expected. Take another."
    }
    return nil
  }

  /// How many of the last readings lie on one side of the curve, further together than chance has it in one of 100
  /// people; nil if none do.
  private static func runOff(
    _ forecast: Forecast, after end: Double, _ factors: ConversionFactors
  ) -> Int? {
    let used = forecast.posterior.readingTimes.filter { $0.value > end }.suffix(Self.longestRun)
    let deviations = used.reversed().compactMap { time -> (hours: Double, deviation: Double)? in
      guard
        let reading = forecast.posterior.series.readings.last(where: {
          !$0.isExcluded && $0.time == time
        })
      else { return nil }
      let expected = forecast.concentrations(at: time).median
      let distance = reading.bloodConcentration(using: factors).value - expected
      return (time.value, distance / forecast.posterior.deviation(at: expected))
    }
    guard let first = deviations.first?.deviation else { return nil }
    var sum = 0.0
    for (index, one) in deviations.enumerated() {
      guard one.deviation * first > 0 else { return nil }
      sum += one.deviation
      // Errors that come in runs are no sign by themselves.
      let variance = forecast.posterior.errors.varianceOfSum(
        at: deviations[...index].map(\.hours))
      if index >= 2, abs(sum) > 2.58 * variance.squareRoot() { return index + 1 }
    }
    return nil
  }

  /// How many readings back a curve is held against them.
  private static let longestRun = 12

  /// The curve from the start to two hours after the last reading, at least four hours, and to where it has fallen to
  /// the limit, if that is within a day.
  private func curve(
    _ forecast: Forecast, of series: Series, reaching limit: Hours
  ) -> Person.Curve {
    let start = min(0, series.drinks.map(\.time.value).min() ?? 0)
    let last = max(
      series.readings.map(\.time.value).max() ?? 0, series.drinks.map(\.time.value).max() ?? 0)
    let end = max(start + 4, last + 2, limit.value < start + 24 ? limit.value : 0)
    var curve = Person.Curve(timeMin: [], fitted: [], low: [], high: [])
    func rounded(_ x: Double) -> Double { (x * 10_000).rounded() / 10_000 }
    for index in 0..<Self.points {
      let time = start + (end - start) * Double(index) / Double(Self.points - 1)
      let draws = forecast.concentrations(at: Hours(time))
      curve.timeMin.append((time * 600).rounded() / 10)
      curve.fitted.append(rounded(draws.median))
      curve.low.append(rounded(draws.quantile(1 - PersonForecast.certainty)))
      curve.high.append(rounded(draws.quantile(PersonForecast.certainty)))
    }
    return curve
  }
}
