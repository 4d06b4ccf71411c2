@_spi(StudyDay) import AlcoholKinetics
import DayDatabase
@_spi(StudyDay) import Estimation
import Foundation
@_spi(StudyDay) import Population
@_spi(StudyDay) import StudyData
import Synchronization

/// Forecast of a person's curve from the readings so far.
struct PersonForecast: Sendable {
  /// Minutes from the session's start to the release limit: draws; nil where nothing could be computed.
  var minutes: Draws?
  var curve: Person.Curve?
  /// Most informative next reading, in min from the session's start; nil if none would shorten the interval.
  var next: (minutes: Double, gain: Double)?
  var whyNot: String?
  /// Number of other people that the prior learned from.
  var learnedFrom = 0
  var because = ""
  /// True while it shows earlier data, or none, and is computed anew.
  var isPending = false

  /// Number of readings after the last drink that a forecast needs.
  static let readingsNeeded = 2
  /// Share of draws below the limit at "not before": the upper end of the 95 % interval, and of the curve's band, so
  /// that figure and text agree.
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
    let low = minutes.quantile(1 - Self.certainty)
    let high = minutes.quantile(Self.certainty)
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

/// Cache of the priors that learned from completed sessions, one for each set of them.
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
  /// Held while something is computed. What is known already is found without waiting for it.
  private let computing = Mutex(())

  var count: Int { state.withLock { $0.count } }

  /// Returns the prior that learned from sessions, and the number of their people. One caller computes at a time, so that
  /// nothing is computed twice.
  func prior(
    _ usual: PopulationPrior, after food: String, from sessions: [Series],
    _ options: Posterior.Options
  ) -> (prior: PopulationPrior, people: Int) {
    guard !sessions.isEmpty else { return (usual, 0) }
    func place(_ sessions: [Series]) -> Place {
      Place(sessions: sessions, food: food, factors: options.factors)
    }
    let all = place(sessions)
    func known() -> (prior: PopulationPrior, people: Int)? { state.withLock { $0.priors[all] } }
    return known()
      ?? computing.withLock { _ in
        if let known = known() { return known }
        let completed = sessions.compactMap { session -> CompletedSeries? in
          let one = place([session])
          if let known = state.withLock({ $0.sessions[one] }) { return known }
          var series = session.inOrderOfTime
          series.readings = series.readings.thinned(to: Forecaster.mostReadings)
          let completed = try? CompletedSeries(series, prior: usual, options: options)
          state.withLock { state in
            state.sessions[one] = .some(completed)
            state.count += 1
          }
          return completed
        }
        let learned = (
          prior: usual.learned(from: completed), people: Set(completed.map(\.subject)).count
        )
        state.withLock { state in
          state.priors[all] = learned
          state.count += 1
        }
        return learned
      }
  }
}

/// Computes and caches forecasts, once for each state of a person's data.
final class Forecaster: Sendable {
  private struct Key: Hashable {
    var series: Series
    var food: String
    var limit: Double
    var factors: ConversionFactors
    var completed: [Series]
  }

  private static let draws = 400
  private static let points = 97
  fileprivate static let mostReadings = 400

  let records = PersonRecords()
  private let priors: [String: PopulationPrior]
  private let cache = Mutex(RecentlyUsed<Int64, (key: Key, forecast: PersonForecast)>(limit: 1000))
  private let queue = FitQueue()
  private let learning = Learning()
  private let fits = Mutex(0)
  /// Called with a subject whose forecast is ready.
  private let ready: @Sendable (String) -> Void

  /// Number of fits that were computed.
  var fitCount: Int { fits.withLock { $0 } }
  /// Number of completed sessions, and sets of them, that were evaluated.
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

  /// Returns the forecast of a person, computed only if something has changed.
  ///
  /// - Throws: `CancellationError`.
  func forecast(of person: PersonRecord) async throws -> PersonForecast {
    let cached = cached(for: person)
    guard cached.isPending else { return cached }
    return try await queue.value(of: person.session.series, upTo: person.seq, fit(person))
  }

  /// Returns the forecast with a drink that is not entered, even where the forecast itself is withheld.
  func forecast(of person: PersonRecord, adding drink: Drink) async throws -> PersonForecast {
    try await queue.value { self.computed(person, adding: drink, unless: $0) }
  }

  /// Returns the cached forecast without waiting; after a change, its old curve until the new one is computed.
  func cached(for person: PersonRecord) -> PersonForecast {
    let cached = cache.withLock { $0[person.session.series] }
    if let cached, cached.key == key(of: person) { return cached.forecast }
    return PersonForecast(
      curve: cached?.forecast.curve, whyNot: "The forecast is being computed.", isPending: true)
  }

  /// Computes outdated forecasts of people, and waits for them up to a time; nil waits for all.
  func prepare(_ people: [PersonRecord], within time: Duration?) async throws {
    cache.withLock { $0.makeRoom(for: people.count) }
    var missing = people.filter { cached(for: $0).isPending }
    for person in missing { queue.enqueue(person.session.series, upTo: person.seq, fit(person)) }
    let end = time.map { ContinuousClock.now + $0 }
    while !missing.isEmpty, end.map({ .now < $0 }) ?? true {
      try await Task.sleep(for: .milliseconds(10))
      missing.removeAll { !cached(for: $0).isPending }
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
      guard let forecast = computed(person, unless: isOutdated) else { return nil }
      fits.withLock { $0 += 1 }
      cache.withLock { $0[person.session.series] = (key(of: person), forecast) }
      ready(person.session.subject)
      return forecast
    }
  }

  /// Computes a forecast; nil once it is outdated.
  ///
  /// - Parameter isOutdated: True if nobody needs the result any longer.
  func computed(
    _ person: PersonRecord, adding drink: Drink? = nil, unless isOutdated: () -> Bool = { false }
  ) -> PersonForecast? {
    guard !isOutdated() else { return nil }
    guard let usual = priors[person.session.food] else {
      return PersonForecast(whyNot: "There is no prior for \(person.session.food).")
    }
    var series = person.series
    if let drink { series.drinks.append(drink) }
    // Neighbours in a stream of readings are redundant.
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
      var result = PersonForecast()
      if drink == nil { result.whyNot = try reasonToWithhold(forecast, prior, person.factors) }
      guard !isOutdated() else { return nil }
      let start = series.drinks.map(\.time.minutes).min() ?? 0
      let limit = GramsPerKilogram(person.session.releaseLimit)
      let last = posterior.series.readings.last { !$0.isExcluded }
      let shown = last.map { ($0.time, $0.bloodConcentration(using: person.factors)) }
      let minutes = try forecast.minutesToThreshold(limit, after: shown)
      result.curve = curve(
        forecast, of: series,
        reaching: Hours((start + minutes.quantile(PersonForecast.certainty)) / 60))
      guard minutes.values.allSatisfy({ $0 < Self.longest }) else {
        return PersonForecast(curve: result.curve, whyNot: "The curve does not fall to the limit.")
      }
      // 0 says that the limit is never passed, which holds from the beginning.
      result.minutes = Draws(minutes.values.map { $0 + start })
      result.next = try forecast.nextReading(about: limit)
        .flatMap { $0.gain < Self.leastGain ? nil : ($0.minutes + start, $0.gain) }
      let count = posterior.readingCount
      let beyond = prior.reasonsOutside(of: series).map { ". Beyond its people: \($0)" } ?? ""
      let people = learned.people
      let taught =
        people == 0 ? "" : ", learned from \(people) \(people == 1 ? "person" : "people")"
      result.learnedFrom = people
      result.because =
        "\(count) reading\(count == 1 ? "" : "s") and the prior of \(prior.title ?? person.session.food)\(taught)\(beyond)"
      return result
    } catch {
      return PersonForecast(whyNot: "No curve can be fitted: \(error.description).")
    }
  }

  /// Smallest shortening of the interval for which a reading is suggested.
  private static let leastGain = 0.05

  /// No drink lasts longer than a year, in minutes.
  private static let longest = 366.0 * 1440

  private func reasonToWithhold(
    _ forecast: Forecast, _ prior: PopulationPrior, _ factors: ConversionFactors
  ) throws(SeriesFailure) -> String? {
    let posterior = forecast.posterior
    let end = posterior.series.drinks.map { ($0.time + $0.duration).value }.max() ?? 0
    // Zeros after the first carry no information and are not counted.
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
    // The curve is drawn near every reading that it was fitted to, so that the last is judged by a fit without it.
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
    if let count = Self.readingsOnOneSide(forecast, after: end, factors) {
      return
        "The last \(count) readings lie on one side of the curve: this person is not as expected. Take another."
    }
    return nil
  }

  /// Returns the number of last readings on one side of the curve, if chance explains that in less than one of 100
  /// people; nil otherwise.
  private static func readingsOnOneSide(
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
    for (index, point) in deviations.enumerated() {
      guard point.deviation * first > 0 else { return nil }
      sum += point.deviation
      // The variance allows for correlated errors, which make runs by themselves.
      let variance = forecast.posterior.errors.varianceOfSum(
        at: deviations[...index].map(\.hours))
      if index >= 2, abs(sum) > 2.58 * variance.squareRoot() { return index + 1 }
    }
    return nil
  }

  /// Number of last readings that are compared with the curve.
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
