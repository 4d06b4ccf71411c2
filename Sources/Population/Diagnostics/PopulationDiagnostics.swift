package import AlcoholKinetics
package import Estimation
import RealModule
package import StudyData

/// Goodness-of-fit diagnostics of a population model: residuals (IWRES, CWRES, NPDE), a visual predictive check, and EBEs
/// against covariates.
package struct PopulationDiagnostics: Codable, Hashable, Sendable {
  /// Settings of the simulations.
  package struct Options: Hashable, Sendable {
    /// The number of replicates of the study; it should be 10 times the readings of a subject or more.
    package var simulations: Int
    /// The seed of the random numbers.
    package var seed: UInt64
    /// The number of time bins of the predictive check; nil for about ten readings in each, and ten bins at most.
    package var bins: Int?
    /// The number of threads.
    package var jobs: Int

    /// Everything has a default.
    package init(simulations: Int = 1000, seed: UInt64 = 1, bins: Int? = nil, jobs: Int = 1) {
      self.simulations = simulations
      self.seed = seed
      self.bins = bins
      self.jobs = jobs
    }
  }

  /// A reading with its predictions and residuals; concentrations are in g per kg of blood.
  package struct Reading: Codable, Hashable, Sendable {
    /// The subject's name.
    package let subject: String
    /// The occasion, if there are several.
    package let occasion: String?
    /// The time on the clock of the series.
    package let time: Hours
    /// The time after the first drink.
    package let sinceFirstDrink: Hours
    /// The measured concentration.
    package let observed: Double
    /// The limit of detection; nil if unknown.
    package let limit: Double?
    /// Whether the reading is below the limit of detection. Such readings are included even if the fit skips them.
    package let isBelowDetection: Bool
    /// The population prediction (PRED): that of a typical subject with the same covariates.
    package let population: Double
    /// The individual prediction (IPRED), by the subject's EBEs.
    package let individual: Double
    /// The individual weighted residual; nil below detection.
    package let iwres: Double?
    /// The conditional weighted residual (Hooker, Staatz & Karlsson 2007); nil below detection.
    package let cwres: Double?
    /// The normalised prediction distribution error (Brendel et al. 2006); nil if it cannot be computed.
    package let npde: Double?
    /// The prediction-corrected reading; nil if it has none or is below detection.
    package internal(set) var predictionCorrected: Double?
    /// The prediction- and variability-corrected reading; nil likewise.
    package internal(set) var variabilityCorrected: Double?
  }

  /// Every reading, in the order of the study.
  package let readings: [Reading]
  /// The visual predictive check.
  package let predictiveCheck: PredictiveCheck
  /// The EBEs against covariates.
  package let covariates: [EffectAgainstCovariate]
  /// The number of simulated replicates.
  package let simulations: Int
  /// The largest number of readings of a subject.
  package let mostReadings: Int

  /// Whether conditional weighted residuals are standard normal; nil without any.
  package var cwres: StandardNormalTest? { StandardNormalTest(readings.compactMap(\.cwres)) }
  /// Whether prediction distribution errors are standard normal; nil without any.
  package var npde: StandardNormalTest? { StandardNormalTest(readings.compactMap(\.npde)) }

  /// Computes the diagnostics of a fit to a study.
  ///
  /// - Throws: ``Problem`` if the study is not that of the fit, there are too few simulations, or the task is
  ///   cancelled.
  package init(
    of fit: PopulationFit, _ study: [Series], instrument: Instrument? = nil,
    options: Options = Options()
  ) throws(Problem) {
    guard options.simulations >= Self.fewest else {
      throw .badOptions(
        "\(options.simulations) simulations are too few for percentiles; take \(Self.fewest) or more"
      )
    }
    let data = try PopulationData(
      study, instrument: instrument, fit.model, centers: fit.centers, jobs: options.jobs,
      isWhole: true)
    let names = data.subjects.map(\.id)
    guard names == fit.individuals.map(\.subject),
      zip(data.all, fit.individuals).allSatisfy({ $0.count == $1.effects.count })
    else { throw .badOptions("the fit is of other people than the study; fit the study again") }
    guard
      let simulation = PopulationSimulation(data, fit.model, fit.values, seed: options.seed)
    else {
      throw .badOptions(
        "Omega is not positive definite; give variances above zero and correlations below 1")
    }
    let answers = data.map { subject in
      SubjectResiduals(
        subject, fit.individuals[subject.index].effects, fit.method, simulation,
        simulations: options.simulations)
    }
    var readings = zip(data.all, answers).flatMap { subject, residuals in
      Self.readings(of: subject, residuals, data, fit.model)
    }
    guard !Task.isCancelled else { throw .cancelled }
    predictiveCheck = PredictiveCheck(
      &readings, simulation, deviations: answers.flatMap(\.simulatedDeviations), options)
    guard !Task.isCancelled else { throw .cancelled }
    self.readings = readings
    covariates = EffectAgainstCovariate.all(of: fit, data.subjects)
    simulations = options.simulations
    mostReadings = data.all.map(\.readingCount).max() ?? 0
  }

  /// The smallest number of simulations for 95 % bands.
  package static let fewest = 100

  private static func readings(
    of subject: SubjectLikelihood, _ residuals: SubjectResiduals, _ data: PopulationData,
    _ model: PopulationModel
  ) -> [Reading] {
    var row = -1
    return zip(subject.occasions, data.series[subject.index]).flatMap { occasion, series in
      (0..<occasion.count).map { index in
        row += 1
        let reading = series.readings[occasion.places[index]]
        return Reading(
          subject: series.subject.id, occasion: series.occasion, time: reading.time,
          sinceFirstDrink: reading.time - series.start,
          observed: reading.bloodConcentration(using: model.factors).value,
          limit: occasion.limits[index], isBelowDetection: occasion.areCensored[index],
          population: residuals.population[row], individual: residuals.individual[row],
          iwres: residuals.iwres[row], cwres: residuals.cwres[row], npde: residuals.npde[row])
      }
    }
  }
}

/// The predictions and residuals of a subject, one for each reading of all occasions.
private struct SubjectResiduals: Sendable {
  var population: [Double] = []
  var individual: [Double] = []
  var iwres: [Double?] = []
  var cwres: [Double?] = []
  var npde: [Double?] = []
  /// The standard deviation of each reading over the replicates.
  var simulatedDeviations: [Double] = []

  init(
    _ subject: SubjectLikelihood, _ effects: [Double], _ method: PopulationMethod,
    _ simulation: PopulationSimulation, simulations: Int
  ) {
    addConditional(subject, effects, method, simulation.prepared)
    addDistributed(subject, simulation, simulations)
  }

  // MARK: CWRES

  /// Adds the predictions, IWRES and CWRES.
  ///
  /// With f linear about the mode, readings have the mean f - G b and the covariance G Lambda G^T + Sigma, whose symmetric
  /// inverse root gives the residuals. FO is linear about b = 0, where these are NONMEM's WRES. Sigma follows the typical
  /// curve by FO and FOCE, and the subject's own with interaction.
  private mutating func addConditional(
    _ subject: SubjectLikelihood, _ effects: [Double], _ method: PopulationMethod,
    _ prepared: PreparedPopulation
  ) {
    let typical = [Double](repeating: 0, count: subject.count)
    let center = method == .fo ? typical : effects
    let isInteracting = method != .fo && method != .foce
    var errors: [Double] = []
    var variances: [Double] = []
    var indices: [Int] = []
    var rows: [[Double]] = []
    for (occasion, readings) in subject.occasions.enumerated() {
      let atTypical = readings.predictions(
        at: subject.logarithms(typical, on: occasion, prepared)
      ).values
      let atMode = readings.predictions(
        at: subject.logarithms(effects, on: occasion, prepared)
      ).values
      let about = readings.predictions(at: subject.logarithms(center, on: occasion, prepared))
      for index in 0..<readings.count {
        if !readings.areCensored[index] {
          let row = subject.byEffects(about.derivatives, of: index, on: occasion)
          rows.append(row)
          indices.append(population.count)
          errors.append(readings.levels[index] - about.values[index] + dot(row, center))
          variances.append(
            prepared.residual.variance(at: isInteracting ? atMode[index] : atTypical[index]))
        }
        let deviation = prepared.residual.variance(at: atMode[index]).squareRoot()
        iwres.append(
          readings.areCensored[index] ? nil : (readings.levels[index] - atMode[index]) / deviation)
        population.append(atTypical[index])
        individual.append(atMode[index])
      }
    }
    cwres = population.map { _ in nil }
    let design = Dense(rows.count, subject.count, rows.flatMap(\.self))
    guard !rows.isEmpty,
      let spread = subject.precision(prepared).inverted?.inverse,
      let root = (design * (spread * design.transposed) + Dense(diagonal: variances)).inverseRoot
    else { return }
    for (index, residual) in zip(indices, root * errors) where residual.isFinite {
      cwres[index] = residual
    }
  }

  // MARK: NPDE

  /// Adds the NPDE: normal scores of the rank of each reading among simulated ones, both decorrelated by the mean and the
  /// covariance of the simulated ones (Brendel et al. 2006; Comets, Brendel & Mentré 2008).
  private mutating func addDistributed(
    _ subject: SubjectLikelihood, _ simulation: PopulationSimulation, _ simulations: Int
  ) {
    let replicates = simulation.table(subject, simulations)
    let means = replicates.map { $0.reduce(0, +) / Double(simulations) }
    let centred = zip(replicates, means).map { row, mean in row.map { $0 - mean } }
    npde = means.map { _ in nil }
    simulatedDeviations = centred.map { row in
      (dot(row, row) / Double(simulations - 1)).squareRoot()
    }
    guard simulations > 2 * replicates.count,
      let observed = Self.completed(subject, simulation),
      let whitening = Self.decorrelating(centred, simulatedDeviations)
    else { return }
    let decorrelated = whitening * zip(observed, means).map { $0 - $1 }
    var white = [Double](repeating: 0, count: simulations)
    for row in decorrelated.indices where decorrelated[row].isFinite {
      for replicate in white.indices { white[replicate] = 0 }
      for column in 0...row {
        let factor = whitening[row, column]
        for replicate in white.indices {
          white[replicate] += factor * centred[column][replicate]
        }
      }
      // A reading beyond all replicates counts as half a replicate from the end, so that its score is finite.
      let rank = Double(white.count { $0 < decorrelated[row] })
      let share = Swift.min(Swift.max(rank, 0.5), Double(simulations) - 0.5) / Double(simulations)
      npde[row] = NormalScores.quantile(share)
    }
  }

  /// The readings, with those below detection imputed from their probability of being below (Nguyen, Comets & Mentré 2012);
  /// nil if the mode cannot be found.
  ///
  /// The probability is conditional on random effects drawn from the subject's posterior. Unconditional draws would belong to
  /// another subject and look like misfit.
  private static func completed(
    _ subject: SubjectLikelihood, _ simulation: PopulationSimulation
  ) -> [Double]? {
    guard subject.quantifiedCount < subject.readingCount else {
      return subject.occasions.flatMap(\.levels)
    }
    let prepared = simulation.prepared
    guard let mode = subject.mode(prepared),
      let factor = mode.information.inverted?.inverse.cholesky
    else { return nil }
    var stream = simulation.stream(subject, -1)
    let direction = factor * mode.effects.map { _ in stream.normal() }
    let effects = zip(mode.effects, direction).map { $0 + $1 }
    return subject.occasions.enumerated().flatMap { occasion, readings -> [Double] in
      let predicted = readings.predictions(
        at: subject.logarithms(effects, on: occasion, prepared)
      ).values
      return readings.levels.indices.map { index in
        let level = readings.levels[index]
        guard readings.areCensored[index] else { return level }
        let deviation = prepared.residual.deviation(at: predicted[index])
        let below = Double.exp(-0.5 * BelowLimit.cost((level - predicted[index]) / deviation))
        let drawn =
          predicted[index] + deviation * NormalScores.quantile(below * stream.uniform())
        // A prediction far above the limit leaves no finite quantile.
        return drawn.isFinite ? Swift.min(level, drawn) : level
      }
    }
  }

  /// The inverse Cholesky factor of the covariance of replicates; nil if it is singular.
  private static func decorrelating(_ centred: [[Double]], _ deviations: [Double]) -> Dense? {
    let divisor = Double((centred.first?.count ?? 2) - 1)
    let entries = centred.indices.flatMap { row in
      centred[...row].map { dot(centred[row], $0) / divisor }
    }
    let covariance = Dense(centred.count, lowerTriangle: { entries[$0] })
    guard let factor = covariance.cholesky,
      zip(factor.diagonal, deviations).allSatisfy({ $0 > 1e-6 * $1 })
    else { return nil }
    return factor.inverseOfLower
  }
}

/// The EBEs of a parameter against a covariate: variability still to explain.
package struct EffectAgainstCovariate: Codable, Hashable, Sendable {
  /// A subject.
  package struct Point: Codable, Hashable, Sendable {
    /// The subject's name.
    package let subject: String
    /// The value of the covariate.
    package let value: Double
    /// The EBE of the random effect.
    package let effect: Double
  }

  /// The parameter of the random effect.
  package let parameter: PopulationParameter
  /// The column name of the covariate; `sex` is 1 for women and 0 for men.
  package let covariate: String
  /// All subjects with a numeric value of the covariate.
  package let points: [Point]
  /// Pearson's correlation; nil for fewer than 4 subjects, a constant covariate, or a shrinkage above 99 %, where EBEs are
  /// rounding errors.
  package let correlation: Double?
  /// The 95 % confidence interval of the correlation by Fisher's z; nil as above.
  package let interval: Interval?

  /// - Parameter spread: omega, the standard deviation of the random effects.
  init(
    _ parameter: PopulationParameter, _ covariate: String, _ points: [Point], spread: Double
  ) {
    self.parameter = parameter
    self.covariate = covariate
    self.points = points
    correlation = Self.correlation(points, spread)
    interval = correlation.map { correlation in
      let reach = 1.959964 / Double(points.count - 3).squareRoot()
      let center = Double.atanh(correlation)
      return Interval(low: .tanh(center - reach), high: .tanh(center + reach))
    }
  }

  private static func correlation(_ points: [Point], _ spread: Double) -> Double? {
    guard points.count > 3, let x = Sample(points.map(\.value)),
      let y = Sample(points.map(\.effect)),
      let width = x.standardDeviation, let height = y.standardDeviation,
      // Smaller deviations are rounding errors.
      width > 1e-12 * x.meanMagnitude, height > 0.01 * spread, height > 1e-12 * y.meanMagnitude
    else { return nil }
    let xMean = x.mean
    let yMean = y.mean
    let sum = points.reduce(0) {
      $0 + ($1.value - xMean) / width * (($1.effect - yMean) / height)
    }
    return Swift.max(-1, Swift.min(1, sum / Double(points.count - 1)))
  }

  /// All random parameters against all covariates with a numeric value.
  static func all(of fit: PopulationFit, _ subjects: [Subject]) -> [EffectAgainstCovariate] {
    let measures = ["sex", "age_y", "height_cm", "weight_kg"]
    let further = Set(subjects.flatMap(\.covariates.keys)).subtracting(measures).sorted()
    return (measures + further).flatMap { name -> [EffectAgainstCovariate] in
      let values = subjects.map { PopulationModel.Covariate.number(name, of: $0) }
      guard values.contains(where: { $0 != nil }) else { return [] }
      return fit.model.random.enumerated().map { index, parameter in
        let points = zip(values, fit.individuals).compactMap { value, individual in
          value.map {
            Point(subject: individual.subject, value: $0, effect: individual.effects[index])
          }
        }
        let variance = fit.values.between[index * (fit.model.random.count + 1)]
        return EffectAgainstCovariate(parameter, name, points, spread: variance.squareRoot())
      }
    }
  }
}
