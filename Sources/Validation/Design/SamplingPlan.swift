package import AlcoholKinetics
package import Estimation
import RealModule
import Statistics
import StudyData

/// Times of readings and their expected precision.
package struct SamplingDesign: Sendable {
  /// The times, in min since the first drink.
  package let minutes: [Double]
  /// The design criterion: a mean of logarithms.
  package let value: Double
  /// The expected precision of each parameter and quantity.
  package internal(set) var expected: [ExpectedPrecision]
}

/// The precision that readings are expected to give a parameter or a derived quantity.
package struct ExpectedPrecision: Sendable {
  /// The estimated parameter or quantity.
  package enum Subject: Hashable, Sendable {
    case parameter(FitParameter)
    case quantity(DerivedQuantity)
  }

  package let subject: Subject
  /// The true value in the reported unit; the median over cases.
  package let value: Double
  /// The standard error of the coordinate: of a logarithm, or of a time in h. The median over
  /// cases.
  package let coordinateError: Double
  /// The standard error in the reported unit.
  package let standardError: Double
  /// The interval about the truth; nil if no degree of freedom is left for the size of errors.
  package let interval: Interval?
  /// The share of simulated people whose fit leaves the parameter undetermined; nil if nobody was
  /// simulated, and for derived quantities.
  package internal(set) var undetermined: Double?
  /// The root mean square of the errors of simulated estimates that are determined, each over its expected
  /// standard error: 1 if the linear theory holds.
  package internal(set) var simulatedRatio: Double?

  /// The standard error relative to the value; nil of times on a clock.
  package var relativeError: Double? { isLogarithmic && value > 0 ? standardError / value : nil }
  /// Half the interval relative to the value; nil without an interval, and of times on a clock.
  package var relativeHalfWidth: Double? {
    guard isLogarithmic, value > 0 else { return nil }
    return interval.map { ($0.high - $0.low) / 2 / value }
  }

  private var isLogarithmic: Bool { subject.isLogarithmic }
}

extension ExpectedPrecision.Subject {
  package var isLogarithmic: Bool {
    switch self {
    case .parameter(let parameter): parameter.isLogarithmic
    case .quantity(let quantity): quantity.isLogarithmic
    }
  }
}

/// The best times for readings, beside times that were planned.
package struct SamplingPlan: Sendable {
  /// The best times.
  package let best: SamplingDesign
  /// The planned times; nil without any.
  package let planned: SamplingDesign?
  /// The efficiency of the planned times relative to the best, as a ratio of numbers of readings; nil
  /// without planned times.
  package let efficiency: Double?
  /// The people that the times are optimal for.
  package let cases: [DesignCase]
  /// The settings of the search.
  package let options: SamplingOptions

  /// Finds the best times.
  ///
  /// - `count`: The number of readings to choose.
  /// - `cases`: The people to plan for, with equal weights.
  /// - `planned`: Times to compare with, in min since the first drink.
  /// - `jobs`: The number of threads. The result does not depend on it.
  /// - Throws: `SeriesFailure` if the options are impossible, or a curve cannot be integrated.
  package init(
    of count: Int, for cases: [DesignCase], planned: [Double]? = nil, options: SamplingOptions,
    jobs: Int = 1
  ) throws(SeriesFailure) {
    let candidates = try Candidates(
      cases, options, beside: planned ?? [], readings: count + options.kept.count)
    guard
      let best = try candidates.search.best(
        count, starts: options.starts, seed: options.seed, jobs: jobs)
    else {
      throw .badOptions(
        "\(count) readings \(options.apart.formatted) min apart do not fit into the times at which readings can be "
          + "taken; ask for fewer, or let them lie closer")
    }
    self.best = try candidates.design(best, jobs: jobs)
    if let planned {
      let design = try candidates.design(candidates.indices(of: planned), jobs: jobs)
      let criterionDimension = Double(candidates.search.cases.first?.criterionDimension ?? 1)
      efficiency = .exp((design.value - self.best.value) / criterionDimension)
      self.planned = design
    } else {
      self.planned = nil
      efficiency = nil
    }
    self.cases = cases
    self.options = options
  }
}

extension SamplingPlan {
  /// A time, the reading expected of the first case in g/kg, and its sensitivity to each coordinate
  /// in standard deviations of the reading, in the order of the parameters.
  package typealias Sensitivity = (minutes: Double, predicted: Double, slopes: [Double])

  /// The information of readings over the whole time, every minute.
  package var sensitivities: [Sensitivity] {
    guard let firstCase = cases.first, let end = try? firstCase.minutes(to: 0), end.isFinite else {
      return []
    }
    let last = max(end, (best.minutes + (planned?.minutes ?? [])).max() ?? 0)
    let minutes = Array(stride(from: 0, through: last, by: max(1, last / 600)))
    guard let readings = options.expected(of: firstCase, at: minutes) else { return [] }
    let rows = readings.informativeRows(level: options.level)
    return minutes.indices.map { (minutes[$0], readings.predictions[$0], rows[$0]) }
  }
}

/// Times at which readings can be taken, and the information in them on each case.
struct Candidates {
  let search: DesignSearch
  private let cases: [DesignCase]
  private let options: SamplingOptions
  private let readings: [ExpectedReadings]
  /// The rows of each case that count.
  private let rows: [[[Double]]]

  /// - Parameters:
  ///   - planned: Times that are looked at, too, though they may not be candidates.
  ///   - count: The number of readings of a design.
  init(
    _ cases: [DesignCase], _ options: SamplingOptions, beside planned: [Double],
    readings count: Int
  ) throws(SeriesFailure) {
    try options.check(cases)
    self.cases = cases
    self.options = options
    let grid = try Self.grid(cases, options)
    let minutes = Set(grid + planned + options.kept).sorted()
    let onGrid = Set(grid)
    let expected = cases.compactMap { options.expected(of: $0, at: minutes) }
    guard expected.count == cases.count else {
      throw .badOptions("a curve cannot be followed at all times")
    }
    readings = expected
    rows = readings.map { $0.informativeRows(level: options.level) }
    let parameters = readings.first?.parameters ?? []
    let isOfInterest = { (parameter: FitParameter) in
      if case .parameters(let targets) = options.aim { targets.contains(parameter) } else { true }
    }
    let nuisance = parameters.indices.filter { !isOfInterest(parameters[$0]) }
    let order = nuisance + parameters.indices.filter { isOfInterest(parameters[$0]) }
    var information: [CaseInformation] = []
    for (expected, rows) in zip(readings, rows) {
      var direction: [Double]?
      if case .quantity(let quantity) = options.aim {
        let gradient = expected.gradient(of: quantity, threshold: options.derived.threshold)?
          .gradient
        // A case whose curve has no such quantity contributes nothing.
        guard let gradient, gradient.contains(where: { $0 != 0 }) else { continue }
        direction = order.map { gradient[$0] }
      }
      information.append(
        CaseInformation(
          rows.map { row in order.map { row[$0] } }, hours: minutes.map { $0 / 60 },
          nuisance: nuisance.count, direction: direction,
          correlationTime: options.correlationTime?.value))
    }
    guard !information.isEmpty else {
      throw .badOptions(
        "the curve has no such quantity, or it does not depend on what is estimated; choose another aim"
      )
    }
    search = DesignSearch(
      cases: information, minutes: minutes,
      allowed: minutes.indices.filter { onGrid.contains(minutes[$0]) },
      kept: minutes.indices.filter { options.kept.contains(minutes[$0]) }, apart: options.apart)
  }

  /// Candidate times from the first drink to sobriety, without forbidden ones.
  private static func grid(
    _ cases: [DesignCase], _ options: SamplingOptions
  ) throws(SeriesFailure) -> [Double] {
    var end = 0.0
    for designCase in cases {
      // Curves of other models than Widmark's never end.
      let limit = max(options.limit ?? 0, designCase.parameters.model == .widmark ? 0 : 0.01)
      end = max(end, try designCase.minutes(to: GramsPerKilogram(limit)))
    }
    end = min(options.until ?? end, Self.longest)
    guard end / options.step < Double(Self.mostCandidates) + 1 else {
      throw .badOptions("the steps between candidates are too small; make them larger")
    }
    let count = Int(end / options.step)
    let spoiled = cases.map {
      SpoiledTimes($0.series.drinks, window: options.mouthAlcoholWindow)
    }
    let times = options.candidates ?? (0...count).map { Double($0) * options.step }
    return times.filter { minute in
      minute > 0 && !options.forbidden.contains { $0.contains(minute) }
        && !zip(cases, spoiled).contains { $1.contains($0.time(minute)) }
    }
  }

  /// The last candidate, in min: after two days everybody is sober.
  private static let longest = 48 * 60.0
  private static let mostCandidates = 5000

  /// Returns the indices of times among the candidates.
  func indices(of minutes: [Double]) -> [Int] {
    let indices = Dictionary(zip(search.minutes, search.minutes.indices)) { first, _ in first }
    return minutes.compactMap { indices[$0] }.sorted()
  }

  /// Computes the expected precision of readings.
  func design(_ indices: [Int], jobs: Int) throws(SeriesFailure) -> SamplingDesign {
    let minutes = indices.map { search.minutes[$0] }
    var design = SamplingDesign(
      minutes: minutes, value: search.value(of: indices), expected: [])
    let covariances = rows.map { covariance(of: indices, $0) }
    design.expected = expected(of: indices, covariances)
    guard options.simulations > 0 else { return design }
    let trial = try DesignTrial(
      of: minutes, for: cases, expecting: covariances.map { $0?.diagonal.map { $0.squareRoot() } },
      options: options, jobs: jobs)
    for (index, precision) in design.expected.enumerated() {
      guard case .parameter(let parameter) = precision.subject else { continue }
      design.expected[index].undetermined = trial.undetermined[parameter]
      design.expected[index].simulatedRatio = trial.ratios[parameter]
    }
    return design
  }

  private func expected(of indices: [Int], _ covariances: [Dense?]) -> [ExpectedPrecision] {
    let parameters = readings.first?.parameters ?? []
    let quantile = options.quantile(ofReadings: indices.count)
    let ofParameters = parameters.enumerated().map { index, parameter in
      let values = cases.map { $0.parameters.values[known: parameter] }
      return ExpectedPrecision(
        .parameter(parameter), values, covariances.map { $0?[index, index].squareRoot() },
        quantile
      ) { parameter.reportedValue($0) }
    }
    let ofQuantities = options.quantities.compactMap { quantity -> ExpectedPrecision? in
      let gradients = zip(readings, covariances).compactMap { expected, covariance in
        expected.gradient(of: quantity, threshold: options.derived.threshold).map {
          value, gradient in
          (value, covariance.map { dot(gradient, $0 * gradient).squareRoot() })
        }
      }
      let isTime = !quantity.isLogarithmic
      return gradients.isEmpty
        ? nil
        : ExpectedPrecision(
          .quantity(quantity), gradients.map { isTime ? $0.0 / 60 : $0.0 }, gradients.map(\.1),
          quantile
        ) { isTime ? 60 * $0 : $0 }
    }
    return ofParameters + ofQuantities
  }

  /// The covariance of the coordinates, in the order of the parameters; nil if readings leave one
  /// undetermined.
  private func covariance(of indices: [Int], _ rows: [[Double]]) -> Dense? {
    let information = CaseInformation(
      rows, hours: search.minutes.map { $0 / 60 }, nuisance: 0,
      correlationTime: options.correlationTime?.value)
    let sum = information.information(of: indices)
    let size = information.size
    var matrix = Dense(size, size)
    for i in 0..<size {
      for j in 0...i {
        matrix[i, j] = sum[i * (i + 1) / 2 + j]
        matrix[j, i] = matrix[i, j]
      }
    }
    return matrix.inverted?.inverse
  }
}

extension ExpectedPrecision {
  /// - Parameters:
  ///   - values: The value of each case, logarithmic ones in the reported unit, times in h.
  ///   - errors: The standard error of each case's coordinate; nil if undetermined.
  ///   - reported: Turns a value into the unit of reports.
  fileprivate init(
    _ subject: Subject, _ values: [Double], _ errors: [Double?], _ quantile: Double?,
    reported: (Double) -> Double
  ) {
    self.subject = subject
    let middle = { (numbers: [Double]) in EmpiricalQuantile.type7(0.5, ofSorted: numbers.sorted()) }
    let value = middle(values)
    let error = middle(errors.map { $0 ?? .infinity })
    self.value = reported(value)
    coordinateError = error
    standardError = reported(subject.isLogarithmic ? error * value : error)
    interval = quantile.flatMap { quantile in
      guard error.isFinite else { return nil }
      let half = quantile * error
      return subject.isLogarithmic
        ? Interval(low: reported(value * .exp(-half)), high: reported(value * .exp(half)))
        : Interval(low: reported(value - half), high: reported(value + half))
    }
  }
}

extension ExpectedReadings {
  /// The sensitivities, with zeros for readings near zero. A curve of Widmark's model that stops
  /// before such a reading lies close to it, and has no sensitivity there; if it is inside the
  /// interval, no parameter has an upper limit. So readings count from z + 1 standard deviations
  /// on, z being the normal quantile of the level: with all rows the best times were next to
  /// sobriety, and 44 % of simulated people had no interval. Student's quantile for few readings
  /// would drop informative ones.
  fileprivate func informativeRows(level: Double) -> [[Double]] {
    let least = 1 + NormalScores.quantile((1 + level) / 2)
    return zip(rows, zip(predictions, deviations)).map { row, reading in
      reading.0 < least * reading.1 ? row.map { _ in 0 } : row
    }
  }
}

extension SamplingOptions {
  /// Expected readings of a person at some minutes; nil if the curve cannot be integrated.
  fileprivate func expected(of designCase: DesignCase, at minutes: [Double]) -> ExpectedReadings? {
    ExpectedReadings(
      at: minutes.map { designCase.time($0).value }, of: designCase.regimen, designCase.parameters,
      estimate: estimate, error: shownError, limit: limit)
  }

  /// The quantile of intervals from so many readings; nil if none is left to estimate the error.
  fileprivate func quantile(ofReadings count: Int) -> Double? {
    ConfidenceQuantile(
      degreesOfFreedom: isErrorEstimated ? Double(count - estimate.count) : nil, level: level)?
      .value
  }

  /// Throws if the options cannot be planned.
  fileprivate func check(_ cases: [DesignCase]) throws(SeriesFailure) {
    guard let model = cases.first?.parameters.model, !estimate.isEmpty else {
      throw .badOptions("there is nobody, or nothing to estimate")
    }
    if let parameter = estimate.subtracting(model.parameters).sorted().first {
      throw .badOptions("the \(model.rawValue) model has no \(parameter.rawValue)")
    }
    if case .parameters(let targets) = aim,
      let parameter = targets.subtracting(estimate).sorted().first
    {
      throw .badOptions("\(parameter.rawValue) is aimed at but not estimated")
    }
    guard step > 0, step.isFinite, apart >= 0, apart.isFinite else {
      throw .badOptions("steps must be above 0 min, and distances 0 min or more")
    }
    guard shownError.sd > 0 || shownError.cv > 0 else {
      throw .badOptions("readings without any error tell everything at once; state an error")
    }
  }
}

extension Double {
  /// The number without needless decimals.
  fileprivate var formatted: String {
    Int(exactly: self).map { "\($0)" } ?? "\(self)"
  }
}
