package import AlcoholKinetics
package import Estimation
import RealModule
package import StudyData

/// Simulates studies of new subjects from a population, with the drinks and reading times of a given study.
///
/// For each study, typical values, coefficients, variances and the residual error are drawn from the uncertainty of the
/// estimates: by their covariance (``PopulationEstimates``), widened for few subjects. Without a covariance in the file they
/// are drawn independently: means from normal distributions, variances from scaled inverse chi-squared distributions with
/// the degrees of freedom of their standard errors (2 (v / se)^2; without one, subjects minus one). Subjects, occasions and
/// residual errors follow.
///
/// A study depends only on the seed and its number.
package struct StudySimulation: Sendable {
  /// A series of a simulated study, with its true parameters.
  package struct Person: Sendable {
    /// The series with simulated readings.
    package let series: Series
    /// The true parameters on the occasion, each in its unit.
    package let truth: [FitParameter: Double]

    /// Makes a simulated series.
    package init(series: Series, truth: [FitParameter: Double]) {
      self.series = series
      self.truth = truth
    }
  }

  private let file: PopulationFile
  /// Whether the estimates are drawn with their covariance, not independently.
  package var isCorrelated: Bool { file.estimates != nil }
  private let model: PopulationModel
  private let values: PopulationValues
  private let seed: UInt64
  private let isUncertain: Bool
  private let factors: ConversionFactors

  /// - `file`: The population.
  /// - `isUncertain`: Whether to draw the population values for each study from their uncertainty.
  /// - Throws: ``Problem`` if the file is incomplete.
  package init(
    _ file: PopulationFile, seed: UInt64, isUncertain: Bool = true,
    factors: ConversionFactors = ConversionFactors()
  ) throws(Problem) {
    // The checks of a prior apply to simulations as well.
    let kinetic = try PopulationPrior(file).structure.kinetic
    self.file = file
    model = try file.model()
    values = try file.values(of: model, studies: file.studyLevel)
    self.seed = seed
    self.isUncertain = isUncertain
    self.factors = factors
    guard kinetic.contains(.r) || model.fixed[.r] != nil else {
      throw .file(
        "there is no r; give a typical r, hold it in fixed, or name a method in r_factor")
    }
  }

  /// Simulates one study, in the order of the template.
  ///
  /// - `number`: The number of the study, from 1.
  /// - Throws: `SeriesFailure` if a curve cannot be followed.
  package func study(
    _ number: Int, like template: [Series], instrument: Instrument?
  ) throws(SeriesFailure) -> [Person] {
    var stream = RandomStream(seed, UInt64(number))
    let values = isUncertain ? try drawn(&stream) : values
    let prior: PopulationPrior
    do throws(Problem) {
      prior = try PopulationPrior(
        title: nil, model, values, centers: file.effects.map { $0.center ?? 0 },
        typicalErrors: [:], counts: (.max, .max), errors: file.readingErrors(values.residual))
    } catch {
      throw .badOptions(error.description)
    }
    let structure = prior.structure
    func shifts(_ level: PopulationLevel, _ parameters: [PopulationParameter]) -> [Double] {
      var shifts = [Double](repeating: 0, count: structure.count)
      guard let factor = values[level].cholesky else { return shifts }
      let deviates = parameters.map { _ in stream.normal() }
      for (parameter, shift) in zip(parameters, factor * deviates) {
        if let index = structure.parameters.firstIndex(of: parameter) { shifts[index] = shift }
      }
      return shifts
    }
    let ofStudy = shifts(.study, file.studyLevel)
    var subjects: [String: (shifts: [Double], size: Double)] = [:]
    var people: [Person] = []
    for var series in template {
      let id = series.subject.id
      if subjects[id] == nil {
        let shifts = shifts(.person, model.random)
        let freedom = prior.errors.degreesOfFreedom
        let size = freedom.map { (Double($0) / stream.chiSquared($0)).squareRoot() } ?? 1
        subjects[id] = (shifts, size)
      }
      let person = subjects[id] ?? ([], 1)
      let ofOccasion = shifts(.occasion, model.occasional)
      let mean = try prior.mean(for: series.subject)
      let logarithms = mean.indices.map {
        mean[$0] + ofStudy[$0] + person.shifts[$0] + ofOccasion[$0]
      }
      var truth = model.fixed
      for (parameter, value) in zip(structure.kinetic, structure.kinetic(logarithms)) {
        truth[parameter] = .exp(value)
      }
      series.readings = readings(
        of: series, instrument, try model.elimination.with(truth), try series.regimen(),
        prior.errors, size: person.size, &stream)
      series.uuids = GivenUUIDs()
      series.sources = [:]
      people.append(Person(series: series, truth: truth))
    }
    return people
  }

  /// The readings of a series with simulated values, as an instrument would show them.
  private func readings(
    of series: Series, _ instrument: Instrument?, _ curve: ModelParameters, _ regimen: Regimen,
    _ errors: ReadingErrors, size: Double, _ stream: inout RandomStream
  ) -> [Reading] {
    let times = errors.correlationTimes.map(\.value)
    let time =
      times.isEmpty ? 0 : times[min(times.count - 1, Int(stream.uniform() * Double(times.count)))]
    let share = times.isEmpty ? 0 : ReadingErrors.correlatedShare
    var correlated = stream.normal()
    var last: Double?
    let predicted = curve.predictions(of: regimen, at: series.readings.map(\.time.value))
    return zip(series.readings, predicted).map { reading, prediction in
      let decay = last.map { Double.exp(-(reading.time.value - $0) / max(time, 1e-9)) } ?? 1
      correlated = decay * correlated + (1 - decay * decay).squareRoot() * stream.normal()
      last = reading.time.value
      let deviation =
        size
        * errors.deviation(
          at: prediction,
          unabsorbed: errors.absorption > 0 ? regimen.unabsorbed(at: reading.time, curve) : 0)
      let error = share.squareRoot() * correlated + (1 - share).squareRoot() * stream.normal()
      let unit = reading.unit.gramsPerKilogram(using: factors)
      var simulated = reading
      let shown = (prediction + deviation * error) / unit
      let step = instrument?.resolution.flatMap { $0 > 0 ? $0 : nil } ?? 1e-6
      // Rounded to the resolution of the display.
      simulated.value = (1e9 * (shown / step).rounded() * step).rounded() / 1e9
      // A display shows zero below its limit of detection.
      let least = reading.limitOfDetection ?? instrument?.limitOfDetection ?? 0
      if simulated.value < least || simulated.value < 0 { simulated.value = 0 }
      return simulated
    }
  }

  /// Population values drawn from the uncertainty of the estimates, with their covariance if the file has one.
  func drawn(_ stream: inout RandomStream) throws(SeriesFailure) -> PopulationValues {
    if let estimates = file.estimates {
      var model = model
      model.studyLevel = file.studyLevel
      let coordinates: Coordinates
      do throws(Problem) { coordinates = try Coordinates(model) } catch {
        throw .badOptions(error.description)
      }
      let widening = PopulationPrior.smallSampleFactor(file.people ?? .max).squareRoot()
      let deviations = estimates.draw(&stream, widening: widening)
      let vector = zip(coordinates.vector(values), coordinates.names(model)).map { number, name in
        number + (deviations[name] ?? 0)
      }
      return coordinates.values(vector, from: values)
    }
    return independent(&stream)
  }

  private func independent(_ stream: inout RandomStream) -> PopulationValues {
    var drawn = values
    let people = file.people.map(Double.init)
    for (index, parameter) in model.parameters.enumerated() where !model.isPredicted(parameter) {
      let error =
        file.typicalErrors[parameter].map {
          $0 * PopulationPrior.smallSampleFactor(file.people ?? .max).squareRoot()
        }
        ?? people.flatMap { people in
          model.random.firstIndex(of: parameter).map {
            (values[.person][$0, $0] / people).squareRoot()
          }
        } ?? 0
      drawn.typical[index] += error * stream.normal()
    }
    for (index, effect) in file.effects.enumerated() {
      drawn.coefficients[index] += (effect.se ?? 0) * stream.normal()
    }
    for level in PopulationLevel.ofVectors {
      let parameters = level == .study ? file.studyLevel : model[level]
      let scales = parameters.enumerated().map { row, parameter -> Double in
        let freedom = file.freedom(of: parameter, level, values[level][row, row])
        guard let freedom = freedom ?? people.map({ $0 - 1 }), freedom >= 1 else { return 1 }
        let count = Int(min(1000, freedom).rounded())
        return (Double(count) / stream.chiSquared(count)).squareRoot()
      }
      drawn[level] = Dense(diagonal: scales) * (values[level] * Dense(diagonal: scales))
    }
    if let error = file.residualError(.sd) { drawn.sd *= .exp(error * stream.normal()) }
    if let error = file.residualError(.cv) { drawn.cv *= .exp(error * stream.normal()) }
    return drawn
  }
}
