import AlcoholKinetics
import Estimation
import RealModule
import Statistics
import StudyData

/// Monte Carlo check of a design's linear theory: simulated people, measured at its times and fitted as by
/// `promille fit`.
struct DesignTrial {
  /// The share of simulated people whose fit leaves each parameter undetermined, or fails.
  let undetermined: [FitParameter: Double]
  /// The root mean square of the errors of determined estimates, each over its expected standard error.
  let ratios: [FitParameter: Double]

  /// Simulates and fits.
  ///
  /// - Parameters:
  ///   - minutes: Since the first drink.
  ///   - errors: The expected standard errors of each case's coordinates; nil if undetermined.
  init(
    of minutes: [Double], for cases: [DesignCase], expecting errors: [[Double]?],
    options: SamplingOptions, jobs: Int
  ) throws(SeriesFailure) {
    let parameters = options.estimate.sorted()
    let estimates = try ParallelMap.map(Array(0..<options.simulations), jobs: jobs) {
    } _: { (_: Void, index) -> [Double?] in
      let person = cases[index % cases.count]
      guard let series = person.simulated(at: minutes, options, index),
        let fit = try? SeriesFitter(options: person.fitOptions(options)).fit(series)
      else { return parameters.map { _ in nil } }
      return parameters.enumerated().map { position, parameter in
        guard let estimate = fit.estimates[parameter], estimate.isDetermined else { return nil }
        let error =
          parameter.coordinate(of: estimate.value)
          - parameter.coordinate(of: person.parameters.values[known: parameter])
        // Without an expected standard error the ratio is 0.
        return errors[index % cases.count].map { error / $0[position] } ?? 0
      }
    }
    var undetermined: [FitParameter: Double] = [:]
    var ratios: [FitParameter: Double] = [:]
    for (position, parameter) in parameters.enumerated() {
      let errors = estimates.compactMap { $0[position] }
      undetermined[parameter] = 1 - Double(errors.count) / Double(estimates.count)
      guard !errors.isEmpty else { continue }
      ratios[parameter] =
        (errors.reduce(0) { $0 + $1 * $1 } / Double(errors.count)).squareRoot()
    }
    self.undetermined = undetermined
    self.ratios = ratios
  }
}

extension DesignCase {
  /// Simulates readings; nil if the curve cannot be integrated.
  ///
  /// - Parameter number: The number of the simulation, which selects its random stream.
  func simulated(at minutes: [Double], _ options: SamplingOptions, _ number: Int) -> Series? {
    let times = minutes.map { time($0) }
    guard
      let expected = ExpectedReadings(
        at: times.map(\.value), of: regimen, parameters, estimate: options.estimate,
        error: options.error, limit: nil)
    else { return nil }
    var numbers = RandomStream(options.seed, UInt64(number), 0x6465_7369_676e)
    var run = 0.0
    var before = -Double.infinity
    var series = series
    series.readings = zip(times, zip(expected.predictions, expected.deviations)).map {
      time, reading in
      let decay = options.correlationTime.map { Double.exp((before - time.value) / $0.value) } ?? 0
      run = decay * run + (1 - decay * decay).squareRoot() * numbers.normal()
      before = time.value
      var shown = max(0, reading.0 + reading.1 * run)
      if options.resolution > 0 {
        shown = (shown / options.resolution).rounded() * options.resolution
      }
      if let limit = options.limit, shown < limit { shown = 0 }
      return Reading(
        time: time, value: shown, unit: .bloodGramsPerKilogram, limitOfDetection: options.limit)
    }
    return series
  }

  /// The options of a fit that makes the assumptions of the design.
  func fitOptions(_ options: SamplingOptions) -> FitOptions {
    let model = parameters.model
    var fixed: [FitParameter: Double] = [:]
    for parameter in model.parameters.subtracting(options.estimate) {
      fixed[parameter] = parameters.values[known: parameter]
    }
    let error = options.shownError
    return FitOptions(
      model: model, estimate: options.estimate, fixed: fixed,
      selection: ReadingSelection(mouthAlcoholWindow: 0),
      error: ErrorModel(of: error, isEstimated: options.isErrorEstimated),
      interval: IntervalOptions(level: options.level),
      correlation: options.correlationTime.map { .exponential(time: $0) } ?? .independent)
  }
}
