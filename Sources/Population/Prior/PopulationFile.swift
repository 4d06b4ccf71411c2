public import AlcoholKinetics
import Estimation
public import Foundation
import RealModule
import StudyData
import StudyFiles

/// A population in a file: what `promille population --format json` wrote, or as short as
///
///     {"model": "first-order",
///      "typical": {"ka": 0.8, "ke": 0.1, "r": 0.7},
///      "between": {"ka": 0.3, "ke": 0.03, "r": 0.01, "ke,r": 0.005},
///      "residual": {"cv": 0.1}}
///
/// `typical` has values in the units of the columns, a lag in min; `between` variances and covariances of the
/// natural logarithms; `within` those between occasions, and `studies` those between studies; `residual` the
/// standard deviation `sd` in g/kg and the coefficient of variation `cv`; `covariates` coefficients by
/// "parameter,covariate", or objects with `coefficient`, `form` and `center`; `typical_se` standard errors of the
/// logarithms of typical values; `fixed` values of parameters that were held. `model`, `r_factor`, `blood_water`,
/// `people`, `series` and `title` are what their names say.
///
/// `residual` may also say how errors differ and come in runs (``ReadingErrors``): `sd_df`, the readings that the
/// typical size of errors is worth beside a subject's own; `absorption_kg_per_g`, how errors grow with what is not
/// yet absorbed; `correlation_min`, a list of equally likely correlation times in min. `applies_to` tells the subjects
/// that the population is about (``PriorDomain``): `food`, and ranges of `age_y` and `ethanol_g_per_kg`.
public struct PopulationFile: Sendable {
  /// The title in the file.
  public let title: String?
  /// How ethanol is eliminated; nil if the file does not say.
  public let elimination: EliminationModel?
  /// The r-factor method whose prediction is a subject's typical r; nil for none.
  public let rFactor: String?
  /// The water content of blood with which that method works.
  public let bloodWater: BloodWater
  /// How many subjects it was estimated from.
  public let people: Int?
  /// How many series these have together.
  public let series: Int?
  /// Typical values, each in the parameter's unit.
  public let typical: [PopulationParameter: Double]
  /// Parameters that were held, each in its unit.
  public let fixed: [FitParameter: Double]
  /// Standard errors of their logarithms.
  public let typicalErrors: [PopulationParameter: Double]
  /// The effects of covariates, with coefficients and centres.
  public let covariates: [CovariateValue]
  /// The covariance of the estimates; nil in a file that was written by hand.
  public let estimates: PopulationEstimates?
  /// What became of the fit, as results call it; nil in a file that was written by hand.
  let status: String?
  /// Variances and covariances on each level, with standard errors, by "a,b".
  private let spreads: PerLevel<PopulationReader.Known>
  /// The residual error, with relative standard errors in percent.
  private let residual: PopulationReader.Known
  private let correlationMinutes: [Double]
  /// Whom it is about.
  public let domain: PriorDomain
  /// -2 ln L, constants included, and what else a test against another fit has to know; nil in a file that was written by
  /// hand, or of values that were not estimated.
  private let tested: (minusTwoLogLikelihood: Double, estimated: Int, common: [String])?
  private let fixedVariances: Set<String>
  private let fixedTypical: Set<PopulationParameter>

  /// An effect of a covariate, as it was estimated.
  public struct CovariateValue: Hashable, Sendable {
    /// On what, of what, and how.
    public let covariate: PopulationModel.Covariate
    /// The coefficient theta.
    public let coefficient: Double
    /// The centre; nil if the file does not say.
    public let center: Double?
    /// Its standard error; nil if the file does not say.
    let error: Double?
  }

  /// Reads a file, strictly: whatever is not understood is refused.
  ///
  /// - Throws: ``PopulationFailure/badFile(_:)``, with the place, what was found and what is to be there.
  public init(_ data: Data) throws(PopulationFailure) {
    self = try data.withUnsafeBytes { bytes -> Result<PopulationFile, PopulationFailure> in
      do throws(DescriptorProblem) {
        return .success(try PopulationFile(PopulationReader(bytes)))
      } catch {
        return .failure(
          .badFile("line \(error.place.line), column \(error.place.column): \(error.message)"))
      }
    }.get()
  }

  private init(_ reader: PopulationReader) throws(DescriptorProblem) {
    title = try reader.root.string("title")
    people = try reader.count("people")
    series = try reader.count("series")
    status = try reader.head.string("status")
    bloodWater = try reader.bloodWater()
    rFactor = reader.method == "none" ? nil : reader.method
    elimination = reader.elimination
    (typical, typicalErrors, fixedTypical) = try reader.typicalValues()
    let known = typical
    fixed = try reader.fixedValues(besides: known)
    spreads = try PerLevel { level throws(DescriptorProblem) in
      try reader.spread(level.part, of: known)
    }
    (residual, correlationMinutes) = try reader.residual()
    domain = try PriorDomain(reader.root.object("applies_to"))
    tested = try reader.likelihood()
    fixedVariances = try reader.fixedVariances()
    covariates = try reader.covariates(of: typical)
    estimates = try reader.estimates()
  }

  /// What a test against another fit has to know; nil if the file does not say.
  ///
  /// - Throws: ``PopulationFailure``.
  public func likelihood() throws(PopulationFailure) -> FitLikelihood? {
    guard let tested else { return nil }
    var model = try model()
    model.studyLevel = studyLevel
    for parameter in typical.keys where fixedTypical.contains(parameter) {
      model.fixedTypical[parameter] = typical[parameter]
    }
    let names = FitLikelihood.names(of: model) { one, other, level in
      one == other
        ? level != .person || !fixedVariances.contains(one.rawValue)
        : covariance(level, one, other) ?? 0 != 0
    }
    let errors = residual.numbers.keys.filter {
      residual.errors[$0] != nil || residual.errors.isEmpty
    }
    return FitLikelihood(
      minusTwoLogLikelihood: tested.minusTwoLogLikelihood, estimated: tested.estimated,
      common: tested.common, names: names.union(errors.map { "variance of readings, \($0)" }))
  }

  /// How readings err about a typical error.
  func readingErrors(_ typical: ObservationModel) throws(PopulationFailure) -> ReadingErrors {
    try ReadingErrors(
      typical: typical, degreesOfFreedom: residual.numbers["sd_df"],
      absorption: residual.numbers["absorption_kg_per_g"], correlationMinutes: correlationMinutes)
  }

  /// A variance or covariance on a level; nil if the file has none.
  private func covariance(
    _ level: PopulationLevel, _ parameter: PopulationParameter, _ other: PopulationParameter
  ) -> Double? {
    let (name, others) = (parameter.rawValue, other.rawValue)
    let numbers = spreads[level].numbers
    return numbers["\(name),\(others)"] ?? numbers["\(others),\(name)"]
  }

  /// The degrees of freedom that the standard error of a variance stands for; nil without one.
  func freedom(
    of parameter: PopulationParameter, _ level: PopulationLevel, _ variance: Double
  ) -> Double? {
    spreads[level].errors["\(parameter.rawValue),\(parameter.rawValue)"].map {
      2 * (variance / $0) * (variance / $0)
    }
  }

  /// The standard error of the logarithm of a parameter of the residual error; nil if the file has none.
  func residualError(_ parameter: ResidualParameter) -> Double? {
    residual.errors[parameter.rawValue].map { 0.01 * $0 }
  }

  /// The parameters in which studies differ.
  var studyLevel: [PopulationParameter] {
    PopulationParameter.all.filter { covariance(.study, $0, $0) != nil }
  }

  /// A parameter of the residual error.
  func residual(_ parameter: ResidualParameter) -> Double? {
    residual.numbers[parameter.rawValue]
  }
}

extension PopulationFile {
  /// The model that the file is of: what has a value in it.
  ///
  /// - Throws: ``PopulationFailure/badFile(_:)`` if it says too little.
  public func model() throws(PopulationFailure) -> PopulationModel {
    let method = try method()
    let elimination = elimination ?? .widmark
    let held = Set(fixed.keys)
    let structure: Structure
    do throws(PopulationFailure) {
      structure = try Structure(
        elimination, Array(typical.keys) + (method == nil ? [] : [.kinetic(.r)]))
    } catch {
      throw .badFile(error.description)
    }
    let known = held.union(structure.kinetic)
    let missing = elimination.defaultEstimate.subtracting(known).sorted()
    guard missing.isEmpty else {
      throw .badFile(
        "typical has no \(missing.map(\.rawValue).joined(separator: ", ")), which the \(elimination.rawValue) model "
          + "needs; give a typical value, or hold it in fixed")
    }
    if let twice = structure.kinetic.first(where: held.contains) {
      throw .badFile("\(twice.rawValue) is in typical and in fixed; keep one of them")
    }
    let varied = PerLevel { level in
      PopulationParameter.all.filter { covariance(level, $0, $0) != nil }
    }
    let error: ErrorModel
    switch (residual(.sd), residual(.cv)) {
    case (_?, _?): error = .combined(nil)
    case (_?, nil): error = .additive(sd: nil)
    case (nil, _?): error = .proportional(cv: nil)
    case (nil, nil): throw .badFile("residual has neither sd nor cv")
    }
    let isFull = [PopulationLevel.person, .occasion].contains { level in
      varied[level].contains { one in
        varied[level].contains { $0 < one && covariance(level, one, $0) ?? 0 != 0 }
      }
    }
    return PopulationModel(
      elimination,
      parameters: Array(typical.keys) + (method == nil ? [] : [.kinetic(.r)]),
      random: varied.person, occasional: varied.occasion, isFull: isFull,
      covariates: covariates.map(\.covariate), rFactor: method, error: error, fixed: fixed)
  }

  /// The covariance of a model's parameters on a level, row-major.
  private func matrix(
    _ model: PopulationModel, _ level: PopulationLevel
  ) throws(PopulationFailure) -> [Double] {
    var numbers: [Double] = []
    for parameter in model[level] {
      for other in model[level] {
        guard
          let number = covariance(level, parameter, other) ?? (parameter == other ? nil : 0)
        else { throw .badFile("\(level.part) has no variance of \(parameter.rawValue)") }
        numbers.append(number)
      }
    }
    return numbers
  }

  private func method() throws(PopulationFailure) -> (any RFactorMethod)? {
    guard let rFactor else { return nil }
    guard let method = RFactorMethods.named(rFactor, bloodWater: bloodWater) else {
      throw .badFile("there is no r-factor method \(rFactor)")
    }
    return method
  }

  /// The centres of a model's covariates; nil if one is not in the file.
  public func centers(of model: PopulationModel) -> [Double]? {
    let centers = model.covariates.compactMap { value(of: $0)?.center }
    return centers.count == model.covariates.count ? centers : nil
  }

  /// What the file has of a covariate's effect, whatever its form.
  private func value(of covariate: PopulationModel.Covariate) -> CovariateValue? {
    covariates.first {
      $0.covariate.parameter == covariate.parameter && $0.covariate.name == covariate.name
    }
  }

  /// The values for a model. Where this has no study level, a subject is one of a study that has not been seen,
  /// and the variances between studies are added to those between subjects.
  ///
  /// - Throws: ``PopulationFailure/badFile(_:)`` if one is missing.
  public func values(of model: PopulationModel) throws(PopulationFailure) -> PopulationValues {
    var values = try values(of: model, studies: model.studyLevel)
    if model.studyLevel.isEmpty {
      for (place, variance) in studySpread(of: model).enumerated() {
        values.between[place] += variance
      }
    }
    return values
  }

  /// The covariances between studies of a model's random parameters, row-major; zeros where the file has none.
  func studySpread(of model: PopulationModel) -> [Double] {
    model.random.flatMap { row in
      model.random.map { covariance(.study, row, $0) ?? 0 }
    }
  }

  /// The values for a model, with the variances of the parameters in which studies differ beside those between subjects.
  func values(
    of model: PopulationModel, studies: [PopulationParameter]
  ) throws(PopulationFailure) -> PopulationValues {
    let coordinates = try Coordinates(model)
    let parameters = coordinates.structure.parameters
    var logarithms = [Double](repeating: 0, count: parameters.count)
    for place in parameters.indices where !model.isPredicted(parameters[place]) {
      guard let value = model.fixedTypical[parameters[place]] ?? typical[parameters[place]] else {
        throw .badFile("typical has no value for \(parameters[place].rawValue)")
      }
      logarithms[place] = .log(value)
    }
    let spread = try matrix(model, .person)
    let studyLevel = try studies.map { parameter throws(PopulationFailure) in
      guard let variance = covariance(.study, parameter, parameter) else {
        throw .badFile("studies has no variance of \(parameter.rawValue)")
      }
      return variance
    }
    let occasional = try matrix(model, .occasion)
    var coefficients: [Double] = []
    for covariate in model.covariates {
      guard let value = value(of: covariate) else {
        throw .badFile("covariates has no \(covariate.parameter.rawValue),\(covariate.name)")
      }
      coefficients.append(value.coefficient)
    }
    for parameter in coordinates.residual where residual(parameter) == nil {
      throw .badFile("residual has no \(parameter.rawValue)")
    }
    var values = PopulationValues(
      typical: logarithms, coefficients: coefficients, between: spread, within: occasional,
      studies: studyLevel)
    values.residual = model.error.observation(unit: 0, ObservationModel(sd: 0, cv: 0))
    if coordinates.residual.contains(.sd) { values.sd = residual(.sd) ?? 0 }
    if coordinates.residual.contains(.cv) { values.cv = residual(.cv) ?? 0 }
    return values
  }
}

extension PopulationParameter {
  /// Every one there is, in the order of results.
  static let all = FitParameter.allCases.map(PopulationParameter.kinetic) + [.clearance]

  /// The unit in which subjects and files have it: a lag is in min.
  public var reportedUnit: String {
    switch self {
    case .kinetic(let parameter): parameter.reportedUnit
    case .clearance: unit
    }
  }

  /// A value in ``reportedUnit``.
  public func reportedValue(_ value: Double) -> Double {
    switch self {
    case .kinetic(let parameter): parameter.reportedValue(value)
    case .clearance: value
    }
  }

  /// The value of a number in ``reportedUnit``.
  public func value(reported number: Double) -> Double {
    switch self {
    case .kinetic(let parameter): parameter.value(reported: number)
    case .clearance: number
    }
  }
}
