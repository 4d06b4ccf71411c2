package import AlcoholKinetics
package import Estimation
import GSL
package import Population
import RealModule
import Statistics
package import StudyData

/// The objective of a sampling design.
package enum DesignAim: Hashable, Sendable {
  /// Everything that is estimated, together (D-optimality).
  case everything
  /// Some of the parameters that are estimated, whatever becomes of the others (Ds-optimality).
  case parameters(Set<FitParameter>)
  /// A derived quantity (c-optimality, by the delta method).
  case quantity(DerivedQuantity)
}

/// The measurement process, the fit and the objective of a sampling design.
package struct SamplingOptions: Sendable {
  /// The parameters that fits estimate; the others are fixed at their true values.
  package var estimate: Set<FitParameter>
  /// The objective.
  package var aim: DesignAim
  /// The derived quantities to report, and the threshold.
  package var derived: DerivedOptions
  /// The error model of readings.
  package var error: ObservationModel
  /// Whether fits know the size of errors. If not, each person's readings estimate it for any error
  /// model: the assumed knowledge must not depend on the model, or more noise would seem to be
  /// better.
  package var isErrorKnown: Bool
  /// The correlation time of errors; nil if they are independent.
  package var correlationTime: Hours?
  /// The smallest step of the display, in g/kg; 0 for none.
  package var resolution: Double
  /// The limit of detection, in g/kg; nil for none.
  package var limit: Double?
  /// The time after a drink in which mouth alcohol excludes readings.
  package var mouthAlcoholWindow: Hours
  /// The periods without readings, in min since the first drink, both ends included.
  package var forbidden: [ClosedRange<Double>]
  /// The smallest distance between two readings, in min.
  package var apart: Double
  /// The distance between candidates, in min.
  package var step: Double
  /// The last candidate, in min since the first drink; nil for sobriety.
  package var until: Double?
  /// The candidate times, in min since the first drink; nil for a regular grid.
  package var candidates: [Double]?
  /// The times of readings taken in any case, in min since the first drink.
  package var kept: [Double]
  /// The number of random starts of the search.
  package var starts: Int
  /// The seed of the starts and of simulated readings.
  package var seed: UInt64
  /// The level of intervals.
  package var level: Double
  /// The number of simulated people fitted to count undetermined parameters; 0 for none.
  package var simulations: Int

  /// Everything has a default.
  package init(
    estimate: Set<FitParameter> = EliminationModel.widmark.defaultEstimate,
    aim: DesignAim = .everything, derived: DerivedOptions = DerivedOptions(),
    error: ObservationModel = ObservationModel(sd: 0.02, cv: 0), isErrorKnown: Bool = false,
    correlationTime: Hours? = nil, resolution: Double = 0, limit: Double? = nil,
    mouthAlcoholWindow: Hours = 0, forbidden: [ClosedRange<Double>] = [], apart: Double = 5,
    step: Double = 1, until: Double? = nil, candidates: [Double]? = nil, kept: [Double] = [],
    starts: Int = 8, seed: UInt64 = 1,
    level: Double = Interval.defaultLevel, simulations: Int = 200
  ) {
    self.estimate = estimate
    self.aim = aim
    self.derived = derived
    self.error = error
    self.isErrorKnown = isErrorKnown
    self.correlationTime = correlationTime
    self.resolution = resolution
    self.limit = limit
    self.mouthAlcoholWindow = mouthAlcoholWindow
    self.forbidden = forbidden
    self.apart = apart
    self.step = step
    self.until = until
    self.candidates = candidates
    self.kept = kept
    self.starts = starts
    self.seed = seed
    self.level = level
    self.simulations = simulations
  }

  /// The error model with rounding included: a display with steps of d adds a variance of d^2 / 12.
  package var shownError: ObservationModel {
    guard resolution > 0 else { return error }
    return ObservationModel(
      sd: (error.sd * error.sd + resolution * resolution / 12).squareRoot(), cv: error.cv)
  }

  /// Whether intervals are Student's, with as many degrees of freedom as readings are more than parameters.
  package var isErrorEstimated: Bool { !isErrorKnown }

  /// All reported quantities, including the objective.
  var quantities: [DerivedQuantity] {
    guard case .quantity(let quantity) = aim, !derived.quantities.contains(quantity) else {
      return derived.quantities
    }
    return derived.quantities + [quantity]
  }
}

/// One person of a design: the drinks and the true parameters.
package struct DesignCase: Sendable {
  /// The subject and the drinks; readings are ignored.
  package let series: Series
  /// The true parameters.
  package let parameters: ModelParameters
  /// The doses per kg of body weight.
  package let regimen: Regimen

  /// Combines a series with true parameters.
  ///
  /// - Throws: `SeriesFailure` if the drinks make no regimen, or there are none.
  package init(_ series: Series, _ parameters: ModelParameters) throws(SeriesFailure) {
    self.series = series
    self.parameters = parameters
    regimen = try series.regimen()
    guard regimen.start != nil, !regimen.isIntravenous else {
      throw .badOptions(
        "readings are planned for people who drink; subject \(series.subject.id) has no drinks by mouth"
      )
    }
  }

  /// The curve.
  package func curve() throws(SeriesFailure) -> any BloodCurve {
    do { return try parameters.curve(of: regimen) } catch { throw .kinetics(error) }
  }

  /// A time on the clock of the drinks, of minutes since the first drink.
  package func time(_ minutes: Double) -> Hours { series.start + Hours(minutes / 60) }

  /// When the concentration has fallen to a limit for good, in min since the first drink; 0 if it is never above.
  package func minutes(to limit: GramsPerKilogram) throws(SeriesFailure) -> Double {
    try curve().timeToThreshold(limit).map { ($0 - series.start).minutes } ?? 0
  }
}

extension DesignCase {
  /// Draws people from a prior by a quasi-random sequence, so that a few represent all of it.
  ///
  /// - Throws: `SeriesFailure` if something that the prior needs is missing.
  package static func drawn(
    _ count: Int, from population: PopulationPrior, for series: Series
  ) throws(SeriesFailure) -> [DesignCase] {
    let prior = try population.prior(of: series)
    let size = prior.parameters.count
    let points: [[Double]]
    do {
      points = try QuasiRandomSequence(.sobol, dimension: size).points(count)
    } catch {
      throw .solver(error.description)
    }
    guard let factor = Dense(size, size, prior.covariance).cholesky else {
      throw .badOptions("the covariance of the prior is not positive definite")
    }
    let held = try population.typicalValues(
      of: population.elimination.parameters.subtracting(prior.parameters), for: series.subject)
    var cases: [DesignCase] = []
    for point in points {
      let shifts = factor * point.map(NormalScores.quantile)
      var values = held
      for (index, parameter) in prior.parameters.enumerated() {
        let value = parameter.value(at: prior.mean[index] + shifts[index])
        let bounds = parameter.defaultBounds
        values[parameter] = min(max(value, bounds.lowerBound), bounds.upperBound)
      }
      cases.append(try DesignCase(series, try population.elimination.with(values)))
    }
    return cases
  }
}
