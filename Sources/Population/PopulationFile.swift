public import AlcoholKinetics
import Estimation
public import Foundation
import RealModule

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
/// typical size of errors is worth beside a person's own; `absorption_kg_per_g`, how errors grow with what is not
/// yet absorbed; `correlation_min`, a list of equally likely correlation times in min. `applies_to` tells the people
/// that the population is about (``PriorDomain``): `food`, and ranges of `age_y` and `ethanol_g_per_kg`.
public struct PopulationFile: Sendable {
  /// The title in the file.
  public let title: String?
  /// How ethanol is eliminated; nil if the file does not say.
  public let elimination: EliminationModel?
  /// The r-factor method whose prediction is a person's typical r; nil for none.
  public let rFactor: String?
  /// The water content of blood with which that method works.
  public let bloodWater: BloodWater
  /// How many people it was estimated from.
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
  private let between: [String: Double]
  private let within: [String: Double]
  private let studies: [String: Double]
  private let residual: [String: Double]
  private let correlationMinutes: [Double]
  /// Whom it is about.
  public let domain: PriorDomain

  /// An effect of a covariate, as it was estimated.
  public struct CovariateValue: Hashable, Sendable {
    /// On what, of what, and how.
    public let covariate: PopulationModel.Covariate
    /// The coefficient theta.
    public let coefficient: Double
    /// The centre; nil if the file does not say.
    public let center: Double?
  }

  /// Reads a file.
  ///
  /// - Throws: ``PopulationFailure/badFile(_:)``, with what was found and what is to be there.
  public init(_ data: Data) throws(PopulationFailure) {
    let object: Any
    do {
      object = try JSONSerialization.jsonObject(with: data)
    } catch {
      throw .badFile("it is not valid JSON: \(error.localizedDescription)")
    }
    guard let whole = object as? [String: Any] else {
      throw .badFile(
        "it is not an object; write {\"typical\": {...}, \"between\": {...}, \"residual\": {...}}")
    }
    let (document, head) = try Self.best(of: whole)
    title = document["title"] as? String
    people = (head["people"] as? NSNumber)?.intValue
    series = (head["series"] as? NSNumber)?.intValue
    let provenance = whole["provenance"] as? [String: Any]
    let options = provenance?["options"] as? [String: Any] ?? whole
    let water = (options["blood_water"] as? NSNumber)?.doubleValue
    bloodWater = water.map { BloodWater(content: $0) } ?? .perKilogram
    let name = head["r_factor"] as? String
    rFactor = name == "none" ? nil : name
    if let model = head["model"] as? String {
      guard let known = EliminationModel(rawValue: model) else {
        throw .badFile("there is no model \(model)")
      }
      elimination = known
    } else {
      elimination = nil
    }
    fixed = try Self.fixedValues(document["fixed"] ?? options["fix"])
    typical = try Self.typicalValues(document)
    var errors: [PopulationParameter: Double] = [:]
    let parts = [("typical", "rse_pct", 0.01), ("typical_se", "value", 1)]
    for (part, value, unit) in parts where part != "typical" || document[part] is [Any] {
      for (name, number) in try Self.numbers(document, part, keys: ["parameter"], value: value) {
        if let parameter = PopulationParameter(rawValue: name) { errors[parameter] = unit * number }
      }
    }
    typicalErrors = errors
    between = try Self.numbers(
      document, "between", keys: ["parameter", "other"], value: "covariance")
    within = try Self.numbers(
      document, "within", keys: ["parameter", "other"], value: "covariance")
    studies = try Self.numbers(document, "studies", keys: ["parameter"], value: "variance")
    var rest = document
    correlationMinutes = try Self.correlationTimes(&rest)
    residual = try Self.numbers(rest, "residual", keys: ["error"], value: "value")
    domain = try PriorDomain(document["applies_to"])
    covariates = try Self.covariateValues(document)
  }

  /// Takes the list of correlation times out of `residual`, whose other entries are numbers.
  private static func correlationTimes(
    _ document: inout [String: Any]
  ) throws(PopulationFailure) -> [Double] {
    guard var part = document["residual"] as? [String: Any],
      let entry = part.removeValue(forKey: "correlation_min")
    else { return [] }
    document["residual"] = part
    guard let minutes = entry as? [NSNumber] else {
      throw .badFile("correlation_min in residual is not a list of minutes, as in [12, 24, 48]")
    }
    return minutes.map(\.doubleValue)
  }

  /// How readings err about a typical error.
  func readingErrors(_ typical: CombinedError) throws(PopulationFailure) -> ReadingErrors {
    try ReadingErrors(
      typical: typical, degreesOfFreedom: residual["sd_df"],
      absorption: residual["absorption_kg_per_g"], correlationMinutes: correlationMinutes)
  }

  /// The rows of one fit and its head; of several fits, those of the one that was ranked first, or without a ranking of
  /// the one with the highest likelihood.
  private static func best(
    of document: [String: Any]
  ) throws(PopulationFailure) -> (rows: [String: Any], head: [String: Any]) {
    guard let fits = document["population"] as? [[String: Any]] else { return (document, document) }
    func height(_ fit: [String: Any]) -> Double {
      (fit["minus_two_log_likelihood"] as? NSNumber)?.doubleValue ?? .infinity
    }
    let first = fits.first { $0["standing"] as? String == "first" }
    guard let head = first ?? fits.min(by: { height($0) < height($1) }) else {
      throw .badFile("its population has no row")
    }
    let method = head["r_factor"] as? String
    let rows = document.mapValues { part -> Any in
      (part as? [[String: Any]])?.filter { ($0["r_factor"] as? String) == method } ?? part
    }
    return (rows, head)
  }

  private static func typicalValues(
    _ document: [String: Any]
  ) throws(PopulationFailure) -> [PopulationParameter: Double] {
    var values: [PopulationParameter: Double] = [:]
    for (name, number) in try numbers(document, "typical", keys: ["parameter"], value: "value") {
      guard let parameter = PopulationParameter(rawValue: name) else {
        throw .badFile("there is no parameter \(name) among the typical values")
      }
      let value = parameter.value(reported: number)
      guard value.isFinite, value > 0 else {
        throw .badFile("the typical value of \(name) is \(number); it must be above zero")
      }
      values[parameter] = value
    }
    return values
  }

  /// What was held: an object of numbers, or the options NAME=VALUE of a command.
  private static func fixedValues(_ part: Any?) throws(PopulationFailure) -> [FitParameter: Double]
  {
    var numbers: [String: Double] = [:]
    switch part {
    case let object as [String: NSNumber]: numbers = object.mapValues(\.doubleValue)
    case let options as [String]:
      for option in options {
        let words = option.split(separator: "=").map(String.init)
        guard words.count == 2, let number = Double(words[1]) else { continue }
        numbers[words[0]] = number
      }
    case nil: break
    default: throw .badFile("fixed is not an object of numbers")
    }
    var values: [FitParameter: Double] = [:]
    for (name, number) in numbers.sorted(by: { $0.key < $1.key }) {
      guard let parameter = FitParameter(rawValue: name),
        parameter.allows(parameter.value(reported: number))
      else { throw .badFile("\(name) cannot be fixed at \(number)") }
      values[parameter] = parameter.value(reported: number)
    }
    return values
  }

  private static func covariateValues(
    _ document: [String: Any]
  ) throws(PopulationFailure) -> [CovariateValue] {
    let rows: [[String: Any]] =
      (document["covariates"] as? [[String: Any]])
      ?? (document["covariates"] as? [String: Any] ?? [:]).sorted { $0.key < $1.key }.map {
        name, entry in
        let names = name.split(separator: ",").map(String.init)
        var row = entry as? [String: Any] ?? ["coefficient": entry]
        if names.count == 2 { (row["parameter"], row["covariate"]) = (names[0], names[1]) }
        return row
      }
    return try rows.map { row throws(PopulationFailure) in
      guard let name = row["parameter"] as? String, let covariate = row["covariate"] as? String,
        let parameter = PopulationParameter(rawValue: name),
        let coefficient = row["coefficient"] as? NSNumber
      else {
        throw .badFile(
          "covariates must have a parameter, a covariate and a coefficient, as in {\"beta,sex\": 0.1}"
        )
      }
      let form = (row["form"] as? String).flatMap(PopulationModel.CovariateForm.init)
      return CovariateValue(
        covariate: PopulationModel.Covariate(
          parameter: parameter, name: covariate, form: form ?? .power),
        coefficient: coefficient.doubleValue, center: (row["center"] as? NSNumber)?.doubleValue)
    }
  }

  /// The numbers of a part: rows with keys and a value, or an object of numbers.
  private static func numbers(
    _ document: [String: Any], _ part: String, keys: [String], value: String
  ) throws(PopulationFailure) -> [String: Double] {
    switch document[part] {
    case nil: return [:]
    case let object as [String: Any]:
      var numbers: [String: Double] = [:]
      for (name, entry) in object.sorted(by: { $0.key < $1.key }) {
        guard let number = entry as? NSNumber else {
          throw .badFile("\(part) has something other than a number for \(name)")
        }
        numbers[name] = number.doubleValue
      }
      return numbers
    case let rows as [[String: Any]]:
      var numbers: [String: Double] = [:]
      for row in rows {
        let names = keys.compactMap { row[$0] as? String }
        // What has no value is not part of the model.
        guard names.count == keys.count, let number = row[value] as? NSNumber else { continue }
        numbers[names.joined(separator: ",")] = number.doubleValue
      }
      return numbers
    default:
      throw .badFile("\(part) is neither an object of numbers nor rows with \(value)")
    }
  }

  /// A variance or covariance between people; nil if the file has none.
  func between(_ parameter: PopulationParameter, _ other: PopulationParameter) -> Double? {
    Self.covariance(between, parameter, other)
  }

  /// The same between the occasions of a person.
  func within(_ parameter: PopulationParameter, _ other: PopulationParameter) -> Double? {
    Self.covariance(within, parameter, other)
  }

  private static func covariance(
    _ numbers: [String: Double], _ parameter: PopulationParameter, _ other: PopulationParameter
  ) -> Double? {
    let (name, others) = (parameter.rawValue, other.rawValue)
    return numbers["\(name),\(others)"] ?? numbers["\(others),\(name)"]
      ?? (parameter == other ? numbers[name] : nil)
  }

  /// A parameter of the residual error.
  func residual(_ parameter: ResidualParameter) -> Double? { residual[parameter.rawValue] }
}

extension PopulationFile {
  /// The model that the file is of: what has a value in it.
  ///
  /// - Throws: ``PopulationFailure/badFile(_:)`` if it says too little.
  public func model() throws(PopulationFailure) -> PopulationModel {
    let method = try method()
    let random = PopulationParameter.all.filter { between($0, $0) != nil }
    let error: ErrorModel
    switch (residual(.sd), residual(.cv)) {
    case (_?, _?): error = .combined(nil)
    case (_?, nil): error = .additive(sd: nil)
    case (nil, _?): error = .proportional(cv: nil)
    case (nil, nil): throw .badFile("residual has neither sd nor cv")
    }
    let occasional = PopulationParameter.all.filter { within($0, $0) != nil }
    let covariances =
      random.flatMap { one in random.filter { $0 < one }.map { between(one, $0) } }
      + occasional.flatMap { one in occasional.filter { $0 < one }.map { within(one, $0) } }
    return PopulationModel(
      elimination ?? .widmark,
      parameters: Array(typical.keys) + (method == nil ? [] : [.kinetic(.r)]),
      random: random, occasional: occasional,
      isFull: covariances.contains { $0 != nil && $0 != 0 },
      covariates: covariates.map(\.covariate), rFactor: method, error: error, fixed: fixed)
  }

  /// The covariance of some parameters, row-major.
  private static func matrix(
    _ parameters: [PopulationParameter], _ part: String,
    _ entry: (PopulationParameter, PopulationParameter) -> Double?
  ) throws(PopulationFailure) -> [Double] {
    var numbers: [Double] = []
    for parameter in parameters {
      for other in parameters {
        guard let number = entry(parameter, other) ?? (parameter == other ? nil : 0) else {
          throw .badFile("\(part) has no variance of \(parameter.rawValue)")
        }
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

  /// The values for a model. Where this has no study level, a person is one of a study that has not been seen,
  /// and the variances between studies are added to those between people.
  ///
  /// - Throws: ``PopulationFailure/badFile(_:)`` if one is missing.
  public func values(of model: PopulationModel) throws(PopulationFailure) -> PopulationValues {
    let coordinates = try Coordinates(model)
    let parameters = coordinates.structure.parameters
    var logarithms = [Double](repeating: 0, count: parameters.count)
    for place in coordinates.typical {
      guard let value = typical[parameters[place]] else {
        throw .badFile("typical has no value for \(parameters[place].rawValue)")
      }
      logarithms[place] = .log(value)
    }
    var spread = try Self.matrix(model.random, "between", between)
    if model.studyLevel.isEmpty {
      for (row, parameter) in model.random.enumerated() {
        for (column, other) in model.random.enumerated() {
          spread[row * model.random.count + column] +=
            Self.covariance(studies, parameter, other) ?? 0
        }
      }
    }
    let studyLevel = try model.studyLevel.map { parameter throws(PopulationFailure) in
      guard let variance = studies[parameter.rawValue] else {
        throw .badFile("studies has no variance of \(parameter.rawValue)")
      }
      return variance
    }
    let occasional = try Self.matrix(model.occasional, "within", within)
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
    (values.sd, values.cv) = model.knownError
    if coordinates.residual.contains(.sd) { values.sd = residual(.sd) ?? 0 }
    if coordinates.residual.contains(.cv) { values.cv = residual(.cv) ?? 0 }
    return values
  }
}

extension PopulationModel {
  /// What is known of the residual error: a and b, 0 where they are estimated.
  var knownError: (sd: Double, cv: Double) {
    switch error {
    case .additive(let sd): (sd ?? 0, 0)
    case .proportional(let cv): (0, cv ?? 0)
    case .combined(let given): (given?.sd ?? 0, given?.cv ?? 0)
    case .instrument: (0, 0)
    }
  }
}

extension PopulationParameter {
  /// Every one there is, in the order of results.
  static let all = FitParameter.allCases.map(PopulationParameter.kinetic) + [.clearance]

  /// The unit in which people and files have it: a lag is in min.
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
