package import AlcoholKinetics
package import Estimation
import RealModule
package import StudyData

/// The subjects of a study, prepared for a population model.
struct PopulationData: Sendable {
  /// All subjects, in the order of the study. Each has buffers of its own and is used by one thread at a time: see
  /// ``map(_:)``.
  nonisolated(unsafe) let all: [SubjectLikelihood]
  /// The units with independent readings: subjects, or whole studies where studies differ.
  nonisolated(unsafe) let units: [SubjectLikelihood]
  /// The names of the studies; empty without a study level.
  let studies: [String]
  /// The subjects, in the order of ``all``.
  let subjects: [Subject]
  /// The series of each subject, one for each occasion.
  let series: [[Series]]
  /// The series that could not be used, and why.
  let leftOut: [LeftOutSeries]
  /// Unused readings of the series that are used.
  let leftOutReadings: [LeftOutReading]
  /// The number of readings by use, over all series, including those left out.
  let uses: [ReadingUse: Int]
  let instrument: Instrument?
  /// The centre of each covariate.
  let centers: [Double]
  let coordinates: Coordinates
  /// The error that the study states of its instrument.
  let statedError: ObservationModel
  let jobs: Int

  /// - Parameter isWhole: Whether to include readings below detection that the fit skips, such as further zeros after the
  ///   first. Simulations need all readings.
  init(
    _ study: [Series], instrument: Instrument?, _ model: PopulationModel, centers: [Double]?,
    jobs: Int, isWhole: Bool = false
  ) throws(Problem) {
    coordinates = try Coordinates(model)
    let parameters = coordinates.structure.parameters
    for covariate in model.covariates where !parameters.contains(covariate.parameter) {
      throw .badOptions(
        "a covariate acts on \(covariate.parameter.rawValue), which is not estimated")
    }
    self.jobs = max(1, jobs)
    let options = try Self.options(model, coordinates.structure)
    var taken: [Occasion] = []
    var leftOut: [LeftOutSeries] = []
    var allUses: [ReadingUse: Int] = [:]
    var statedError = ObservationModel(sd: 0, cv: 0)
    var unused: [LeftOutReading] = []
    for series in study.map(\.inOrderOfTime) {
      let uses = options.uses(of: series, instrument)
      for use in uses { allUses[use, default: 0] += 1 }
      do throws(SeriesFailure) {
        let occasion = try Occasion(
          series, instrument, model, options, coordinates.structure, isWhole: isWhole)
        statedError = occasion.statedError
        taken.append(occasion)
        for (reading, use) in zip(series.readings, uses) where !use.isUsed {
          unused.append(
            LeftOutReading(
              subject: series.subject.id, occasion: series.occasion, time: reading.time,
              value: reading.value, unit: reading.unit, use: use))
        }
      } catch {
        leftOut.append(LeftOutSeries(series, error, uses))
      }
    }
    let people = taken.grouped(by: \.series.subject.id).map(\.values)
    let raw: [[[Double]]]
    do throws(SeriesFailure) {
      raw = try people.map { occasions throws(SeriesFailure) in
        try occasions.map { occasion throws(SeriesFailure) in
          try model.covariates.map { covariate throws(SeriesFailure) in
            try covariate.value(for: occasion.series.subject)
          }
        }
      }
    } catch {
      throw .badOptions(error.description)
    }
    let centers = centers ?? Self.centers(model.covariates, raw)
    let areR = parameters.map { $0 == .kinetic(.r) }
    let random = coordinates.random
    let likelihoods = people.enumerated().map { index, occasions in
      let covariates = raw[index].map { values in
        zip(model.covariates, zip(values, centers)).map { $0.shifted($1.0, center: $1.1) }
      }
      return SubjectLikelihood(
        index, occasions.map(\.readings),
        offsets: occasions.map { occasion in areR.map { $0 ? occasion.offset : 0 } },
        covariates: covariates, random, size: parameters.count)
    }
    self.centers = centers
    all = likelihoods
    subjects = people.map { $0[0].series.subject }
    series = people.map { $0.map(\.series) }
    self.leftOut = leftOut
    leftOutReadings = unused
    self.statedError = statedError
    uses = allUses
    self.instrument = instrument
    (units, studies) =
      model.studyLevel.isEmpty
      ? (likelihoods, [])
      : try Self.units(likelihoods, subjects, model.studyColumn, random)
  }

  /// The studies as units, in the order of their first subjects, with their names.
  private static func units(
    _ likelihoods: [SubjectLikelihood], _ subjects: [Subject], _ column: String,
    _ random: RandomEffects
  ) throws(Problem) -> ([SubjectLikelihood], [String]) {
    let names = try subjects.map { subject throws(Problem) in
      guard let name = subject.covariates[column], !name.isEmpty else {
        throw .badOptions(
          "\(subject.id) has no study in the covariate \(column); fill it in, or leave the study level out"
        )
      }
      return name
    }
    let studies = names.indices.grouped { names[$0] }
    guard studies.count > 1 else {
      throw .badOptions(
        "a spread between studies needs two studies or more; the column \(column) has \(studies.count)"
      )
    }
    let units = studies.enumerated().map { index, study in
      SubjectLikelihood(study: index, of: study.values.map { likelihoods[$0] }, random)
    }
    return (units, studies.map(\.key))
  }

  /// Refuses covariates that are constant or a linear combination of earlier ones, whose effects are not identifiable.
  func requireVaryingCovariates(_ model: PopulationModel) throws(Problem) {
    for parameter in coordinates.structure.parameters {
      // An orthonormal basis of the typical value and the earlier covariates (Gram-Schmidt).
      var span = [[Double](repeating: 1 / Double(seriesCount).squareRoot(), count: seriesCount)]
      for (index, covariate) in model.covariates.enumerated()
      where covariate.parameter == parameter {
        let column = all.flatMap { $0.covariates.map { $0[index] } }
        let size = dot(column, column).squareRoot()
        var rest = column
        // Twice, since the first pass leaves rounding errors.
        for vector in span + span {
          let share = dot(vector, rest)
          rest = zip(rest, vector).map { $0 - share * $1 }
        }
        let left = dot(rest, rest).squareRoot()
        guard left > 1e-9 * size else {
          let isConstant = column.allSatisfy { $0 == column.first }
          throw .badOptions(
            "the effect of the covariate \(covariate.name) on \(parameter.rawValue) cannot be estimated: "
              + (isConstant
                ? "it is the same for everybody" : "it follows from the covariates before it")
              + "; leave it out")
        }
        span.append(rest.map { $0 / left })
      }
    }
  }

  /// The options that select the readings, and fit a subject's own readings.
  static func options(
    _ model: PopulationModel, _ structure: Structure
  ) throws(Problem) -> FitOptions {
    var options = FitOptions(
      model: model.elimination, estimate: Set(structure.kinetic),
      fixed: model.fixed.filter { !structure.kinetic.contains($0.key) }, selection: model.selection,
      error: model.error, interval: nil, factors: model.factors)
    if let method = model.rFactor { options.rFactor = method }
    do throws(SeriesFailure) {
      // Wrong options are wrong for everybody.
      try options.check()
    } catch {
      throw .badOptions(error.description)
    }
    return options
  }

  private static func centers(
    _ covariates: [PopulationModel.Covariate], _ values: [[[Double]]]
  ) -> [Double] {
    covariates.enumerated().map { index, covariate in
      covariate.isBinary
        ? 0 : Sample(values.compactMap { $0.first?[index] })?.median ?? 1
    }
  }

  var seriesCount: Int { series.reduce(0) { $0 + $1.count } }
  var readingCount: Int { all.reduce(0) { $0 + $1.readingCount } }
  var quantifiedCount: Int { all.reduce(0) { $0 + $1.quantifiedCount } }

  /// Transforms each subject, on several threads. Results are in the order of the subjects.
  func map<Value: Sendable>(_ transform: @Sendable (SubjectLikelihood) -> Value) -> [Value] {
    Parallel.map(all.count, jobs: jobs) { transform(all[$0]) }
  }

  /// Transforms each unit, on several threads. Results are in the order of the units.
  func mapUnits<Value: Sendable>(_ transform: @Sendable (SubjectLikelihood) -> Value) -> [Value] {
    Parallel.map(units.count, jobs: jobs) { transform(units[$0]) }
  }
}

/// A series that can be used, as one occasion of a subject.
private struct Occasion {
  let series: Series
  let readings: ReadingsLikelihood
  /// The logarithm of the r predicted by the method; 0 without one.
  let offset: Double
  let statedError: ObservationModel

  /// - Throws: `SeriesFailure` if it cannot be used.
  init(
    _ series: Series, _ instrument: Instrument?, _ model: PopulationModel, _ options: FitOptions,
    _ structure: Structure, isWhole: Bool
  ) throws(SeriesFailure) {
    self.series = series
    let observed = try ObservedSeries(series, options, instrument)
    _ = try options.estimated(of: observed.regimen)
    // One reading is enough, since the other subjects inform the rest.
    try observed.requireReadings(1, error: options.error)
    // Without a dose the curve is zero whatever the parameters are.
    guard observed.regimen.total > 0 else { throw .nothingPredicted }
    guard observed.observations.all.contains(where: { !$0.isCensored || model.hasLikelihood })
    else { throw .nothingMeasured }
    if let method = model.rFactor, structure.parameters.contains(.kinetic(.r)) {
      offset = .log(try method.value(for: series.subject))
    } else {
      offset = 0
    }
    statedError = observed.statedError
    let observations =
      isWhole
      ? model.everyReading(of: series, observed.uses, instrument) : observed.observations
    readings = ReadingsLikelihood(
      observations.all, of: observed.elapsedRegimen, held: observed.heldValues, structure)
  }
}

extension PopulationModel {
  /// Whether readings below detection count by their likelihood.
  var hasLikelihood: Bool { selection.censoring == .m3 }

  /// The used readings, with the skipped ones below detection as censored.
  fileprivate func everyReading(
    of series: Series, _ uses: [ReadingUse], _ instrument: Instrument?
  ) -> Observations {
    let whole = zip(series.readings, uses).map { reading, use -> ReadingUse in
      guard use == .belowDetection || use == .repeatedZero,
        let limit = selection.limitOfDetection(of: reading, instrument), reading.value < limit
      else { return use }
      return .censored
    }
    return Observations(series, uses: whole, selection, instrument, factors, isForFit: true)
  }
}

extension PopulationModel {
  /// The series of a study that a fit of this model leaves out, and why.
  package func leftOut(of study: Study) throws(Problem) -> [LeftOutSeries] {
    try PopulationData(study.series, instrument: study.instrument, self, centers: nil, jobs: 1)
      .leftOut
  }
}

extension PopulationModel.Covariate {
  /// Whether the covariate is binary.
  package var isBinary: Bool { name == "sex" || name == "food" }

  /// The value of a covariate of a subject; nil if it is missing or not a number.
  static func number(_ name: String, of subject: Subject) -> Double? {
    let value: Double? =
      switch name {
      case "sex": subject.sex.map { $0 == .female ? 1 : 0 }
      case "food": subject.food.map { $0 == .fed ? 1 : 0 }
      case "age_y": subject.age?.value
      case "height_cm": subject.height.map { 100 * $0.value }
      case "weight_kg": subject.weight?.value
      default: subject.covariates[name].flatMap(Double.init)
      }
    return value.flatMap { $0.isFinite ? $0 : nil }
  }

  /// The value of the covariate for a subject.
  ///
  /// - Throws: `SeriesFailure/badOptions(_:)` if it is missing, not a number, or cannot enter as a power.
  package func value(for subject: Subject) throws(SeriesFailure) -> Double {
    guard let value = Self.number(name, of: subject) else {
      throw .badOptions(
        "the covariate \(name) of \(subject.id) is missing or not a number; fill in the column, or leave "
          + "the covariate out")
    }
    guard form == .exponential || isBinary || value > 0 else {
      throw .badOptions(
        "the covariate \(name) of \(subject.id) is \(value), which cannot enter as a power; use "
          + "\(parameter.rawValue)=\(name):exponential")
    }
    return value
  }

  /// The value relative to the centre, as it enters the logarithm of a typical value.
  package func shifted(_ value: Double, center: Double) -> Double {
    form == .power && !isBinary ? .log(value / center) : value - center
  }
}

/// An unused reading.
package struct LeftOutReading: Hashable, Sendable {
  /// The subject's name.
  package let subject: String
  /// The occasion, if there are several.
  package let occasion: String?
  /// The time of the reading.
  package let time: Hours
  /// The value in ``unit``.
  package let value: Double
  /// The unit of the value.
  package let unit: ConcentrationUnit
  /// The reason why it is unused.
  package let use: ReadingUse
}
