public import AlcoholKinetics
import Estimation
public import Foundation
import RealModule
import StudyData
import StudyFiles

/// A population in a file: the tables of `promille population --format json` that define the model, with the rows of one
/// fit. Other tables and columns are ignored.
///
/// Shipped priors and files written by hand leave out `r_factor`, as there is one fit, and may state more than results do:
/// `sd_df`, `absorption_kg_per_g` and `correlation_min` in `residual` (``ReadingErrors``), covariances
/// between studies, standard errors `se` of the logarithms of typical values, and their domain in `applies_to`.
public struct PopulationFile: Codable, Sendable {
  private let schemaVersion: Double?
  let title: String?
  private let madeBy: String?
  private let population: [Fit]
  private let typical: [Typical]
  private let between: [Spread]
  private let within: [Spread]
  private let studies: [Spread]
  private let covariates: [Effect]
  private let residual: [ResidualError]
  private let estimateCovariance: [EstimatePair]?
  /// The domain of the population; nil if unknown.
  let appliesTo: PriorDomain?
  private let provenance: Provenance?

  private static let currentVersion = 1
  private static let notTables: Set = [
    "schema_version", "title", "made_by", "applies_to", "provenance", "answer", "text",
  ]

  /// Reads a file, strictly: a misspelt parameter would otherwise count as fixed, without variability.
  ///
  /// - Throws: `Problem`, with the place, the finding and the expected content.
  public init(_ data: Data) throws(Problem) {
    do throws(DescriptorProblem) {
      let root = try data.withUnsafeBytes { bytes -> Result<JSONNode, DescriptorProblem> in
        Result { () throws(DescriptorProblem) in try JSONReader.read(file: bytes) }
      }.get()
      for member in root.members ?? [] {
        if case .array = member.node.value { continue }
        guard Self.notTables.contains(member.name) else {
          throw DescriptorProblem(
            place: member.place,
            message:
              "\(member.name.quoted) is not a list of rows. Write tables as promille population --format json does, "
              + #"as in "typical": [{"parameter": "ka", "value": 3}]; earlier versions read objects of numbers, too"#
          )
        }
      }
      try JSONObject(root, called: "the population").object("applies_to")?.refuseUnknown(
        besides: ["food", "age_y", "ethanol_g_per_kg"])
      self = try root.decoded(Self.self, from: data)
      try check(root)
    } catch {
      throw .file("line \(error.place.line), column \(error.place.column): \(error.message)")
    }
  }

  /// Refuses values that decode but are impossible.
  private func check(_ root: JSONNode) throws(DescriptorProblem) {
    func refuse(_ path: String..., for complaint: String?) throws(DescriptorProblem) {
      if let complaint { throw root.problem(at: path, complaint) }
    }
    if let version = schemaVersion, version != Double(Self.currentVersion) {
      try refuse(
        "schemaVersion",
        for: "schema_version is \(version); this version of promille reads \(Self.currentVersion)")
    }
    try refuse("population", for: population.isEmpty ? "population has no row" : fit.complaint)
    let tables: [(String, [any FitRow])] = [
      ("typical", typical), ("between", between), ("within", within), ("studies", studies),
      ("covariates", covariates), ("residual", residual),
    ]
    for (part, rows) in tables {
      var names: Set<String> = []
      for (index, row) in rows.enumerated() where row.rFactor == fit.rFactor {
        let unknown = row.parameters.lazy.compactMap { complaint(about: $0, in: part) }.first
        let isTwice = row.name.map { !names.insert($0).inserted } ?? false
        try refuse(
          part, "\(index)",
          for: unknown ?? row.complaint(in: part)
            ?? (isTwice ? "\(part) has \(row.name ?? "") twice" : nil))
      }
    }
    for (part, rows) in [("between", between), ("within", within), ("studies", studies)] {
      try refuse(part, for: Spread.complaint(about: fitRows(rows), in: part))
    }
    try refuse(
      "estimateCovariance",
      for: estimatePairs.isEmpty || estimates != nil
        ? nil : "estimate_covariance lacks a covariance, or is not positive definite")
    if let water = provenance?.options?.bloodWater, !(0.5...1 ~= water) {
      try refuse("provenance", for: "blood_water is \(water), which is out of range")
    }
    for text in held {
      let isSound =
        Self.value(of: text).map { fit.complaint(about: .kinetic($0.parameter), in: "fix") == nil }
      try refuse(
        "provenance",
        for: isSound == true ? nil : "fix has \(text.quoted), which cannot be held so")
    }
  }

  private func complaint(about parameter: PopulationParameter, in part: String) -> String? {
    let isKnown =
      typicalValues[parameter] != nil || parameter == .kinetic(.r) && fit.methodOfR != nil
    return fit.complaint(about: parameter, in: part)
      ?? (isKnown ? nil : "\(part) has \(parameter.rawValue), which has no typical value")
  }
}

// MARK: - Rows

/// A row of a table that has rows of several fits.
private protocol FitRow: Codable {
  var rFactor: String? { get }
  /// The name of the row, unique within its fit; nil if it need not be.
  var name: String? { get }
  var parameters: [PopulationParameter] { get }
  /// The reason why the values are impossible; nil if they are not.
  func complaint(in part: String) -> String?
}

extension PopulationFile {
  struct Fit: Codable {
    var rFactor: String?
    var model: EliminationModel?
    var method: String?
    // Counts; JSON has no other numbers.
    var people: Double?
    var series: Double?
    var readings: Double?
    var estimated: Double?
    var minusTwoLogLikelihood: Double?
    var standing: String?
    var status: String?

    /// The rank of the fit; the lowest is the best.
    var rank: (Int, Double) {
      (["first", "tied"].contains(standing) ? 0 : 1, minusTwoLogLikelihood ?? .infinity)
    }

    /// The name of the r-factor method; nil for none.
    var methodOfR: String? { rFactor == "none" ? nil : rFactor }

    var complaint: String? {
      let counts = [
        ("people", people, 1.0), ("series", series, 1), ("readings", readings, 0),
        ("estimated", estimated, 0),
      ]
      return counts.lazy.compactMap { name, count, least in
        guard let count, !(least...1e9 ~= count && count == count.rounded()) else { return nil }
        return "\(name) is \(count), which is out of range"
      }.first
    }

    /// Refuses a parameter of another model.
    func complaint(about parameter: PopulationParameter, in part: String) -> String? {
      guard let model else { return nil }
      let kinetic: FitParameter = if case .kinetic(let value) = parameter { value } else { .ke }
      return model.parameters.contains(kinetic)
        ? nil : "the \(model.rawValue) model has no \(parameter.rawValue), which \(part) has"
    }
  }

  fileprivate struct Typical: FitRow {
    let rFactor: String?
    let parameter: PopulationParameter
    let unit: String?
    let value: Double
    let isFixed: String?
    /// The relative standard error in percent; files written by hand may have ``se`` instead.
    let rsePct: Double?
    let se: Double?

    /// The standard error of the logarithm.
    var error: Double? { rsePct.map { 0.01 * $0 } ?? se }

    var name: String? { parameter.rawValue }
    var parameters: [PopulationParameter] { [parameter] }

    func complaint(in part: String) -> String? {
      let name = parameter.rawValue
      let number = parameter.value(reported: value)
      if let unit, unit != parameter.reportedUnit {
        return "typical has \(name) in \(unit); its unit is \(parameter.reportedUnit)"
      }
      guard number.isFinite, number > 0 else {
        return "the typical value of \(name) is \(value); it must be above zero"
      }
      return error ?? 0 < 0
        ? "the standard error of \(name) is \(error ?? 0); it must be 0 or more" : nil
    }
  }

  /// A variance or covariance of natural logarithms.
  fileprivate struct Spread: FitRow {
    let rFactor: String?
    let parameter: PopulationParameter
    let other: PopulationParameter?
    let covariance: Double?
    /// The variance of a parameter, as results state it between studies.
    let variance: Double?
    let se: Double?

    var second: PopulationParameter { other ?? parameter }
    var number: Double? { covariance ?? variance }

    func isOf(_ row: PopulationParameter, _ column: PopulationParameter) -> Bool {
      parameter == row && second == column || parameter == column && second == row
    }

    var name: String? {
      parameters.min() == parameters.max()
        ? parameter.rawValue : parameters.sorted().map(\.rawValue).joined(separator: ",")
    }
    var parameters: [PopulationParameter] { [parameter, second] }

    func complaint(in part: String) -> String? {
      guard let number else { return "a row of \(part) has neither covariance nor variance" }
      guard number > 0 || parameter != second else {
        return
          "\(part) has the variance \(number) of \(parameter.rawValue); it must be above zero. Leave out what "
          + "does not differ"
      }
      return se ?? 0 < 0
        ? "\(part) has the standard error \(se ?? 0) of \(parameter.rawValue); it must be 0 or more"
        : nil
    }

    /// The reason why rows are no covariance matrix, apart from rounding; nil if they are one.
    static func complaint(about rows: [Self], in part: String) -> String? {
      let varied = rows.filter { $0.parameter == $0.second }.map(\.parameter)
      for row in rows {
        for parameter in [row.parameter, row.second] where !varied.contains(parameter) {
          return
            "\(part) has the covariance \(row.parameter.rawValue),\(row.second.rawValue), and no variance of \(parameter.rawValue)"
        }
      }
      func entry(_ row: PopulationParameter, _ column: PopulationParameter) -> Double {
        rows.first { $0.isOf(row, column) }?.number ?? 0
      }
      let correlations = varied.flatMap { row in
        varied.map { column in
          row == column
            ? 1 + Self.roundedDigits
            : entry(row, column) / (entry(row, row) * entry(column, column)).squareRoot()
        }
      }
      return Cholesky.factor(of: correlations, size: varied.count) == nil
        ? "\(part) is not positive definite: a covariance is too large for its variances" : nil
    }

    /// The tolerance for correlations rounded to some digits.
    private static let roundedDigits = 1e-3
  }

  /// An effect of a covariate.
  struct Effect: FitRow {
    let rFactor: String?
    let parameter: PopulationParameter
    let covariate: String
    let form: PopulationModel.CovariateForm?
    let coefficient: Double
    let center: Double?
    let se: Double?

    var model: PopulationModel.Covariate {
      PopulationModel.Covariate(parameter: parameter, name: covariate, form: form ?? .power)
    }

    var name: String? { "\(parameter.rawValue),\(covariate)" }
    var parameters: [PopulationParameter] { [parameter] }

    func complaint(in part: String) -> String? {
      guard let center, center <= 0, model.form == .power, !model.isBinary else { return nil }
      return "center is \(center), which is out of range"
    }
  }

  fileprivate struct ResidualError: FitRow {
    let rFactor: String?
    let error: String
    let value: Double
    let rsePct: Double?

    private static let names = ["absorption_kg_per_g", "correlation_min", "cv", "sd", "sd_df"]

    var name: String? { error == "correlation_min" ? nil : error }
    var parameters: [PopulationParameter] { [] }

    func complaint(in part: String) -> String? {
      guard Self.names.contains(error) else {
        return
          "residual has \(error.quoted), which is not one of \(Self.names.joined(separator: ", "))"
      }
      guard value >= 0, rsePct ?? 0 >= 0, error != "correlation_min" || value > 0 else {
        return "residual has \(error) \(value); it must be 0 or more, and its rse_pct, too"
      }
      return error == "sd_df" && !(1...1000 ~= value && value == value.rounded())
        ? "residual has sd_df \(value); it must be a whole number from 1 to 1000" : nil
    }
  }

  fileprivate struct EstimatePair: Codable {
    let rFactor: String?
    let estimate: String
    let other: String
    let covariance: Double
  }

  /// Options of the command that complete a result.
  fileprivate struct Provenance: Codable {
    struct Options: Codable {
      let bloodWater: Double?
      let fix: [String]?
      let fixOmega: [String]?
    }
    let options: Options?
  }
}

// MARK: - Values

extension PopulationFile {
  /// The fit ranked first; among tied ones, or without a ranking, that of the highest likelihood.
  var fit: Fit { population.min { $0.rank < $1.rank } ?? Fit() }

  /// The rows of the fit.
  private func fitRows<Row: FitRow>(_ rows: [Row]) -> [Row] {
    rows.filter { $0.rFactor == fit.rFactor }
  }

  /// The number of subjects that it was estimated from.
  package var people: Int? { fit.people.map { Int($0) } }
  /// The number of their series.
  package var series: Int? { fit.series.map { Int($0) } }

  /// Typical values, each in the parameter's unit.
  public var typicalValues: [PopulationParameter: Double] {
    Dictionary(fitRows(typical).map { ($0.parameter, $0.parameter.value(reported: $0.value)) }) {
      $1
    }
  }

  /// Standard errors of the logarithms of the typical values.
  var typicalErrors: [PopulationParameter: Double] {
    Dictionary(
      uniqueKeysWithValues: fitRows(typical).compactMap { row in
        row.error.map { (row.parameter, $0) }
      }
    )
  }

  /// The effects of covariates.
  var effects: [Effect] { fitRows(covariates) }

  private var estimatePairs: [EstimatePair] {
    estimateCovariance?.filter { $0.rFactor == fit.rFactor } ?? []
  }

  /// The covariance of the estimates; nil in a file that was written by hand.
  var estimates: PopulationEstimates? {
    let names = estimatePairs.filter { $0.estimate == $0.other }.map(\.estimate)
    let numbers = Dictionary(
      estimatePairs.flatMap {
        [([$0.estimate, $0.other], $0.covariance), ([$0.other, $0.estimate], $0.covariance)]
      }
    ) { $1 }
    let matrix = names.flatMap { row in names.compactMap { numbers[[row, $0]] } }
    guard matrix.count == names.count * names.count else { return nil }
    return PopulationEstimates(names, Dense(names.count, names.count, matrix))
  }

  /// The fixed values among the options that have no typical value.
  private var held: [String] {
    (provenance?.options?.fix ?? []).filter { text in
      !fitRows(typical).contains { text.hasPrefix("\($0.parameter.rawValue)=") }
    }
  }

  private static func value(of text: String) -> (parameter: FitParameter, value: Double)? {
    let words = text.split(separator: "=", maxSplits: 1)
    guard words.count == 2, let number = Double(words[1]),
      let parameter = FitParameter(rawValue: String(words[0]))
    else { return nil }
    let value = parameter.value(reported: number)
    return parameter.allows(value) ? (parameter, value) : nil
  }

  private subscript(level: PopulationLevel) -> [Spread] {
    switch level {
    case .study: fitRows(studies)
    case .person: fitRows(between)
    case .occasion: fitRows(within)
    }
  }

  /// A variance or covariance on a level; nil if the file has none.
  private func covariance(
    _ level: PopulationLevel, _ parameter: PopulationParameter, _ other: PopulationParameter
  ) -> Double? {
    self[level].first { $0.isOf(parameter, other) }?.number
  }

  /// The parameters with variability on a level.
  private func varied(_ level: PopulationLevel) -> [PopulationParameter] {
    PopulationParameter.all.filter { covariance(level, $0, $0) != nil }
  }

  /// The parameters with between-study variability.
  var studyLevel: [PopulationParameter] { varied(.study) }

  /// The degrees of freedom equivalent to the standard error of a variance; nil without one.
  func freedom(
    of parameter: PopulationParameter, _ level: PopulationLevel, _ variance: Double
  ) -> Double? {
    self[level].first { $0.isOf(parameter, parameter) }?.se.map {
      2 * (variance / $0) * (variance / $0)
    }
  }

  private func residual(_ name: String) -> Double? {
    fitRows(residual).first { $0.error == name }?.value
  }

  private func residual(_ parameter: ResidualParameter) -> Double? { residual(parameter.rawValue) }

  /// The standard error of the logarithm of a parameter of the residual error; nil if the file has none.
  func residualError(_ parameter: ResidualParameter) -> Double? {
    fitRows(residual).first { $0.error == parameter.rawValue }?.rsePct.map { 0.01 * $0 }
  }

  /// The residual error model with a typical error.
  func readingErrors(_ typical: ObservationModel) -> ReadingErrors {
    ReadingErrors(
      typical, degreesOfFreedom: residual("sd_df").map { Int($0) },
      absorption: residual("absorption_kg_per_g") ?? 0,
      correlationTimes: fitRows(residual).filter { $0.error == "correlation_min" }.map {
        Hours($0.value / 60)
      })
  }

  /// The likelihood of the fit, for a test against another; nil if the file does not state it.
  ///
  /// - Throws: ``Problem``.
  package func likelihood() throws(Problem) -> FitLikelihood? {
    guard let value = fit.minusTwoLogLikelihood, let estimatedCount = fit.estimated,
      estimatedCount > 0,
      let people, let series, let readings = fit.readings, let method = fit.method
    else { return nil }
    var model = try model()
    model.studyLevel = studyLevel
    for row in fitRows(typical) where row.isFixed == "yes" {
      model.fixedTypical[row.parameter] = typicalValues[row.parameter]
    }
    let held = provenance?.options?.fixOmega ?? []
    let names = FitLikelihood.names(of: model) { row, column, level in
      row == column
        ? level != .person || !held.contains { $0.hasPrefix("\(row.rawValue)=") }
        : covariance(level, row, column) ?? 0 != 0
    }
    let estimated = fitRows(residual).filter { $0.rsePct != nil }
    let errors = (estimated.isEmpty ? fitRows(residual) : estimated).map(\.error)
    return FitLikelihood(
      minusTwoLogLikelihood: value, estimated: Int(estimatedCount),
      common: [
        "method \(method)", "\(people) people", "\(series) series", "\(Int(readings)) readings",
        "model \(fit.model?.rawValue ?? "")", "r by \(fit.rFactor ?? "none")",
      ], names: names.union(errors.map { "variance of readings, \($0)" }))
  }

  /// The model of the file, from the values in it.
  ///
  /// - Throws: `Problem` if values are missing.
  public func model() throws(Problem) -> PopulationModel {
    let method = try fit.methodOfR.map { name throws(Problem) in
      let water = provenance?.options?.bloodWater.map { BloodWater(content: $0) } ?? .perKilogram
      guard let method = RFactorMethods.named(name, bloodWater: water) else {
        throw .file("there is no r-factor method \(name)")
      }
      return method
    }
    let elimination = fit.model ?? .widmark
    let fixed = Dictionary(held.compactMap { Self.value(of: $0) }) { $1 }
    let parameters = fitRows(typical).map(\.parameter) + (method == nil ? [] : [.kinetic(.r)])
    let structure: Structure
    do throws(Problem) {
      structure = try Structure(elimination, parameters)
    } catch {
      throw .file(error.description)
    }
    let available = Set(fixed.keys).union(structure.kinetic)
    let missing = elimination.defaultEstimate.subtracting(available).sorted()
    guard missing.isEmpty else {
      throw .file(
        "typical has no \(missing.map(\.rawValue).joined(separator: ", ")), which the \(elimination.rawValue) model "
          + "needs; give a typical value")
    }
    if let twice = structure.kinetic.first(where: { fixed[$0] != nil }) {
      throw .file("\(twice.rawValue) follows from typical and is fixed; keep one of them")
    }
    let error: ErrorModel
    switch (residual(.sd), residual(.cv)) {
    case (_?, _?): error = .combined(nil)
    case (_?, nil): error = .additive(sd: nil)
    case (nil, _?): error = .proportional(cv: nil)
    case (nil, nil): throw .file("residual has neither sd nor cv")
    }
    let isFull = (self[.person] + self[.occasion]).contains {
      $0.parameter != $0.second && $0.number != 0
    }
    return PopulationModel(
      elimination, parameters: parameters, random: varied(.person), occasional: varied(.occasion),
      isFull: isFull, covariates: effects.map(\.model), rFactor: method, error: error,
      fixed: fixed)
  }

  /// The covariance of a model's parameters on a level, row-major.
  private func matrix(
    _ model: PopulationModel, _ level: PopulationLevel
  ) throws(Problem) -> [Double] {
    for parameter in model[level] where covariance(level, parameter, parameter) == nil {
      throw .file("\(level.part) has no variance of \(parameter.rawValue)")
    }
    return model[level].flatMap { row in model[level].map { covariance(level, row, $0) ?? 0 } }
  }

  /// An effect of a covariate, whatever its form.
  private func effect(_ covariate: PopulationModel.Covariate) -> Effect? {
    effects.first { $0.parameter == covariate.parameter && $0.covariate == covariate.name }
  }

  /// The centres of a model's covariates; nil if one is missing.
  public func centers(of model: PopulationModel) -> [Double]? {
    let centers = model.covariates.compactMap { effect($0)?.center }
    return centers.count == model.covariates.count ? centers : nil
  }

  /// The values for a model. If it has no study level, the between-study variances are added to those between subjects, as
  /// for subjects of a new study.
  ///
  /// - Throws: `Problem` if a value is missing.
  public func values(of model: PopulationModel) throws(Problem) -> PopulationValues {
    var values = try values(of: model, studies: model.studyLevel)
    if model.studyLevel.isEmpty {
      for (index, covariance) in studySpread(of: model).enumerated() {
        values.between[index] += covariance
      }
    }
    return values
  }

  /// The between-study covariance of a model's random parameters, row-major; zeros where the file has none.
  func studySpread(of model: PopulationModel) -> [Double] {
    model.random.flatMap { row in model.random.map { covariance(.study, row, $0) ?? 0 } }
  }

  /// The values for a model, with the between-study variances of some parameters.
  func values(
    of model: PopulationModel, studies: [PopulationParameter]
  ) throws(Problem) -> PopulationValues {
    let coordinates = try Coordinates(model)
    let logarithms = try coordinates.structure.parameters.map {
      parameter throws(Problem) -> Double in
      if model.isPredicted(parameter) { return 0 }
      guard let value = model.fixedTypical[parameter] ?? typicalValues[parameter] else {
        throw .file("typical has no value for \(parameter.rawValue)")
      }
      return .log(value)
    }
    let between = try matrix(model, .person)
    let studyLevel = try studies.map { parameter throws(Problem) in
      guard let variance = covariance(.study, parameter, parameter) else {
        throw .file("studies has no variance of \(parameter.rawValue)")
      }
      return variance
    }
    let within = try matrix(model, .occasion)
    let coefficients = try model.covariates.map { covariate throws(Problem) in
      guard let effect = effect(covariate) else {
        throw .file("covariates has no \(covariate.parameter.rawValue),\(covariate.name)")
      }
      return effect.coefficient
    }
    for parameter in coordinates.residual where residual(parameter) == nil {
      throw .file("residual has no \(parameter.rawValue)")
    }
    var values = PopulationValues(
      typical: logarithms, coefficients: coefficients, between: between, within: within,
      studies: studyLevel)
    values.residual = model.error.observation(unit: 0, ObservationModel(sd: 0, cv: 0))
    if coordinates.residual.contains(.sd) { values.sd = residual(.sd) ?? 0 }
    if coordinates.residual.contains(.cv) { values.cv = residual(.cv) ?? 0 }
    return values
  }
}
