import AlcoholKinetics
import Estimation
public import Foundation
import RealModule

/// Values of a population as a file has them: what `promille population --format json` wrote, or as short as
///
///     {"typical": {"ka": 0.8, "ke": 0.1, "r": 0.7},
///      "between": {"ka": 0.3, "ke": 0.03, "r": 0.01, "ke,r": 0.005},
///      "residual": {"cv": 0.1}}
///
/// `typical` has values in the units of the columns, a lag in min; `between` variances and covariances of the
/// natural logarithms; `within` variances between occasions; `studies` variances between studies; `residual` the standard deviation `sd` in g/kg and the
/// coefficient of variation `cv`; `covariates` coefficients by "parameter,covariate".
public struct PopulationFile: Sendable {
  /// Typical values, each in the parameter's unit.
  public let typical: [PopulationParameter: Double]
  private let between: [String: Double]
  private let within: [String: Double]
  private let studies: [String: Double]
  private let covariates: [String: Double]
  private let residual: [String: Double]

  /// Reads a file.
  ///
  /// - Throws: ``PopulationFailure/badFile(_:)``, with what was found and what is to be there.
  public init(_ data: Data) throws(PopulationFailure) {
    let object: Any
    do {
      object = try JSONSerialization.jsonObject(with: data)
    } catch {
      throw .badFile("it is no JSON: \(error.localizedDescription)")
    }
    guard let document = object as? [String: Any] else {
      throw .badFile(
        "it holds no object; write {\"typical\": {...}, \"between\": {...}, \"residual\": {...}}")
    }
    let typical = try Self.numbers(document, "typical", keys: ["parameter"], value: "value")
    var values: [PopulationParameter: Double] = [:]
    for (name, number) in typical {
      guard let parameter = PopulationParameter(rawValue: name) else {
        throw .badFile("there is no parameter \(name) among the typical values")
      }
      let value = parameter.value(reported: number)
      guard value.isFinite, value > 0 else {
        throw .badFile("the typical value of \(name) is \(number); it must be above zero")
      }
      values[parameter] = value
    }
    self.typical = values
    between = try Self.numbers(
      document, "between", keys: ["parameter", "other"], value: "covariance")
    within = try Self.numbers(document, "within", keys: ["parameter"], value: "variance")
    studies = try Self.numbers(document, "studies", keys: ["parameter"], value: "variance")
    covariates = try Self.numbers(
      document, "covariates", keys: ["parameter", "covariate"], value: "coefficient")
    residual = try Self.numbers(document, "residual", keys: ["error"], value: "value")
  }

  /// The numbers of a part: rows with keys and a value, or an object of numbers.
  private static func numbers(
    _ document: [String: Any], _ part: String, keys: [String], value: String
  ) throws(PopulationFailure) -> [String: Double] {
    switch document[part] {
    case nil: return [:]
    case let object as [String: Any]:
      var numbers: [String: Double] = [:]
      for (name, entry) in object {
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

  /// The values for a model. Where this has no study level, a person is one of a study that has not been
  /// seen, and the variances between studies are added to those between people.
  ///
  /// - Throws: ``PopulationFailure/badFile(_:)`` if one is missing.
  public func values(of model: PopulationModel) throws(PopulationFailure) -> PopulationValues {
    let coordinates = try Coordinates(model)
    let parameters = coordinates.structure.parameters
    var logarithms = [Double](repeating: 0, count: parameters.count)
    for place in coordinates.typical {
      guard let value = typical[parameters[place]] else {
        throw .badFile("typical has no value of \(parameters[place].rawValue)")
      }
      logarithms[place] = .log(value)
    }
    let random = model.random
    var spread = Dense(random.count, random.count)
    for (row, parameter) in random.enumerated() {
      for (column, other) in random.enumerated() {
        let names = [
          "\(parameter.rawValue),\(other.rawValue)", "\(other.rawValue),\(parameter.rawValue)",
        ]
        let given =
          row == column
          ? between[parameter.rawValue] ?? between[names[0]]
          : between[names[0]] ?? between[names[1]]
        guard let variance = given ?? (row == column ? nil : 0) else {
          throw .badFile("between has no variance of \(parameter.rawValue)")
        }
        spread[row, column] = variance
      }
      if model.studyLevel.isEmpty { spread[row, row] += studies[parameter.rawValue] ?? 0 }
    }
    func variances(
      _ part: String, _ given: [String: Double], _ parameters: [PopulationParameter]
    ) throws(PopulationFailure) -> [Double] {
      try parameters.map { parameter throws(PopulationFailure) in
        guard let variance = given[parameter.rawValue] else {
          throw .badFile("\(part) has no variance of \(parameter.rawValue)")
        }
        return variance
      }
    }
    var coefficients: [Double] = []
    for covariate in model.covariates {
      guard let coefficient = covariates["\(covariate.parameter.rawValue),\(covariate.name)"] else {
        throw .badFile("covariates has no \(covariate.parameter.rawValue),\(covariate.name)")
      }
      coefficients.append(coefficient)
    }
    let needed = Set(coordinates.residual.map(\.rawValue))
    for name in needed.sorted() where residual[name] == nil {
      throw .badFile("residual has no \(name)")
    }
    var values = PopulationValues(
      typical: logarithms, coefficients: coefficients, between: spread.numbers,
      within: try variances("within", within, model.occasional),
      studies: try variances("studies", studies, model.studyLevel))
    (values.sd, values.cv) = model.knownError
    if needed.contains("sd") { values.sd = residual["sd"] ?? 0 }
    if needed.contains("cv") { values.cv = residual["cv"] ?? 0 }
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
