import AlcoholKinetics
import Estimation
import StudyData
import StudyFiles

/// Takes the parts of a population's file, in its short form or as results have them: rows, of which those of one
/// fit count.
///
/// What it does not know it refuses: a parameter that is misspelt would be known exactly, as if nobody differed.
struct PopulationReader {
  /// The whole file.
  let root: JSONObject
  /// The row of the fit; in the short form the whole file.
  let head: JSONObject
  /// The r-factor method.
  let method: String?
  /// How ethanol is eliminated; nil if the file does not say.
  let elimination: EliminationModel?

  /// The version of results that is known.
  static let schemaVersion = 1

  /// The names of the parts in the short form.
  private static let parts: Set = [
    "schema_version", "title", "made_by", "model", "r_factor", "blood_water", "people", "series",
    "typical",
    "typical_se", "between", "within", "studies", "residual", "covariates", "fixed", "applies_to",
    "estimate_covariance", "provenance",
  ]

  init(_ bytes: UnsafeRawBufferPointer) throws(DescriptorProblem) {
    root = try JSONObject(
      try JSONReader.read(file: bytes), called: "the population", ignoringNull: true)
    if let version = try root.number("schema_version", where: { _ in true }),
      version != Double(Self.schemaVersion)
    {
      throw DescriptorProblem(
        place: root.place(of: "schema_version"),
        message:
          "schema_version is \(version); this version of promille reads \(Self.schemaVersion)")
    }
    if let rows = try root.list("population") {
      head = try Self.best(of: rows, root.place(of: "population"))
    } else {
      head = root
      try root.refuseUnknown(besides: Self.parts)
    }
    method = try head.string("r_factor")
    elimination = try Self.word(head, "model", EliminationModel.init(rawValue:))
  }

  /// Of several fits the one that was ranked first, of tied ones or without a ranking the one with the highest likelihood.
  private static func best(
    of rows: [JSONNode], _ place: Place
  ) throws(DescriptorProblem) -> JSONObject {
    var best: (row: JSONObject, height: (Int, Double))?
    for node in rows {
      let row = try JSONObject(node, called: "a row of population", ignoringNull: true)
      let isFirst = ["first", "tied"].contains(try row.string("standing"))
      let height = (
        isFirst ? 0 : 1, try row.number("minus_two_log_likelihood") { _ in true } ?? .infinity
      )
      if best.map({ height < $0.height }) ?? true { best = (row, height) }
    }
    guard let best else {
      throw DescriptorProblem(place: place, message: "population has no row")
    }
    return best.row
  }

  private static func word<Value>(
    _ object: JSONObject, _ key: String, _ value: (String) -> Value?
  ) throws(DescriptorProblem) -> Value? {
    guard let text = try object.string(key) else { return nil }
    guard let value = value(text) else {
      throw DescriptorProblem(
        place: object.place(of: key), message: "there is no \(key) \(text.quoted)")
    }
    return value
  }

  // MARK: Values

  /// How many of something there were.
  func count(_ key: String) throws(DescriptorProblem) -> Int? {
    try head.number(key) { 1...1e9 ~= $0 && $0 == $0.rounded() }.map { Int($0) }
  }

  func bloodWater() throws(DescriptorProblem) -> BloodWater {
    try options().number("blood_water") { 0.5...1 ~= $0 }.map { BloodWater(content: $0) }
      ?? .perKilogram
  }

  /// The options of the command that made a result; the file itself if it was written by hand.
  private func options() throws(DescriptorProblem) -> JSONObject {
    try root.object("provenance")?.object("options") ?? root
  }

  /// What was held: an object of numbers, or the options NAME=VALUE of the command.
  ///
  /// - Parameter typical: What has a typical value: of this an option held that value alone.
  func fixedValues(
    besides typical: [PopulationParameter: Double]
  ) throws(DescriptorProblem) -> [FitParameter: Double] {
    var values: [FitParameter: Double] = [:]
    func add(_ name: String, _ number: Double?, at place: Place) throws(DescriptorProblem) {
      guard let number, let parameter = FitParameter(rawValue: name),
        parameter.allows(parameter.value(reported: number))
      else {
        throw DescriptorProblem(
          place: place, message: "fixed has \(name.quoted), which cannot be held so")
      }
      try refuseOther(.kinetic(parameter), in: "fixed", at: place)
      guard values.updateValue(parameter.value(reported: number), forKey: parameter) == nil else {
        throw DescriptorProblem(place: place, message: "fixed has \(name) twice")
      }
    }
    for member in try root.object("fixed")?.members ?? [] {
      guard case .number(let number) = member.node.value else {
        throw DescriptorProblem(
          place: member.node.place, message: "fixed has no number for \(member.name.quoted)")
      }
      try add(member.name, number, at: member.place)
    }
    guard let given = try options().strings("fix") else { return values }
    for (text, place) in given {
      let words = text.split(separator: "=", maxSplits: 1).map { String($0) }
      if words.first.flatMap(PopulationParameter.init).flatMap({ typical[$0] }) != nil { continue }
      try add(words.first ?? "", words.count == 2 ? Double(words[1]) : nil, at: place)
    }
    return values
  }

  /// Typical values, each in its unit, the standard errors of their logarithms, and which were held.
  func typicalValues() throws(DescriptorProblem) -> (
    values: [PopulationParameter: Double], errors: [PopulationParameter: Double],
    held: Set<PopulationParameter>
  ) {
    var (values, errors) = ([PopulationParameter: Double](), [PopulationParameter: Double]())
    var held: Set<PopulationParameter> = []
    for row in try rows("typical", keys: ["parameter"], value: "value") {
      let parameter = try parameter(row.names[0], of: row, in: "typical")
      if let unit = try row.object?.string("unit"), unit != parameter.reportedUnit {
        throw DescriptorProblem(
          place: row.object?.place(of: "unit") ?? row.place,
          message:
            "typical has \(parameter.rawValue) in \(unit); its unit is \(parameter.reportedUnit)")
      }
      let value = parameter.value(reported: row.number)
      guard value.isFinite, value > 0 else {
        throw row.problem(
          "the typical value of \(parameter.rawValue) is \(row.number); it must be above zero")
      }
      guard values.updateValue(value, forKey: parameter) == nil else {
        throw row.problem("typical has \(parameter.rawValue) twice")
      }
      errors[parameter] = try row.error("rse_pct").map { 0.01 * $0 }
      if try row.object?.string("is_fixed") == "yes" { held.insert(parameter) }
    }
    for row in try rows("typical_se", keys: ["parameter"], value: "value") {
      let parameter = try parameter(row.names[0], of: row, in: "typical_se")
      guard row.number >= 0, row.number.isFinite else {
        throw row.problem(
          "the standard error of \(parameter.rawValue) is \(row.number); it must be 0 or more")
      }
      errors[parameter] = row.number
    }
    return (values, errors, held)
  }

  /// Variances and covariances of logarithms, and their standard errors in a result, by "a,b".
  ///
  /// - Parameter typical: What has a typical value.
  func spread(
    _ part: String, of typical: [PopulationParameter: Double]
  ) throws(DescriptorProblem) -> Known {
    let isOneName = part == "studies" && !isShort(part)
    var (numbers, errors) = ([String: Double](), [String: Double]())
    var varied: [PopulationParameter] = []
    var pairs: [(one: PopulationParameter, other: PopulationParameter, row: Row)] = []
    for row in try rows(
      part, keys: isOneName ? ["parameter"] : ["parameter", "other"],
      value: isOneName ? "variance" : "covariance")
    {
      let one = try parameter(row.names[0], of: row, in: part)
      let other = try parameter(row.names[row.names.count - 1], of: row, in: part)
      let name = "\(one.rawValue),\(other.rawValue)"
      guard numbers["\(other.rawValue),\(one.rawValue)"] == nil,
        numbers.updateValue(row.number, forKey: name) == nil
      else { throw row.problem("\(part) has \(one == other ? one.rawValue : name) twice") }
      guard row.number.isFinite, one != other || row.number > 0 else {
        throw row.problem(
          "\(part) has the variance \(row.number) of \(one.rawValue); it must be above zero. Leave out what does not differ"
        )
      }
      try requireTypical(one, typical, row, in: part)
      errors[name] = try row.error("se")
      if one == other { varied.append(one) } else { pairs.append((one, other, row)) }
    }
    for (one, other, row) in pairs {
      for parameter in [one, other] where !varied.contains(parameter) {
        throw row.problem(
          "\(part) has the covariance \(one.rawValue),\(other.rawValue), and no variance of \(parameter.rawValue)"
        )
      }
    }
    try requireDefinite(numbers, varied, part)
    return (numbers, errors)
  }

  /// Requires that a covariance can be one, but for rounded digits.
  private func requireDefinite(
    _ numbers: [String: Double], _ parameters: [PopulationParameter], _ part: String
  ) throws(DescriptorProblem) {
    func entry(_ one: PopulationParameter, _ other: PopulationParameter) -> Double {
      numbers["\(one.rawValue),\(other.rawValue)"] ?? numbers["\(other.rawValue),\(one.rawValue)"]
        ?? 0
    }
    var correlations: [Double] = []
    for one in parameters {
      for other in parameters {
        let scale = (entry(one, one) * entry(other, other)).squareRoot()
        correlations.append(one == other ? 1 + Self.roundedDigits : entry(one, other) / scale)
      }
    }
    guard Cholesky.factor(of: correlations, size: parameters.count) != nil else {
      throw DescriptorProblem(
        place: root.place(of: part),
        message: "\(part) is not positive definite: a covariance is too large for its variances")
    }
  }

  /// How far correlations may be off that were rounded to some digits.
  private static let roundedDigits = 1e-3

  /// The error of readings by the names of its parameters, relative standard errors in percent, and correlation times
  /// in min.
  func residual() throws(DescriptorProblem) -> (known: Known, minutes: [Double]) {
    var (numbers, errors, minutes) = ([String: Double](), [String: Double](), [Double]())
    var known: Set = ["sd", "cv"]
    if isShort("residual") { known.formUnion(["sd_df", "absorption_kg_per_g", "correlation_min"]) }
    for row in try rows("residual", keys: ["error"], value: "value", except: "correlation_min") {
      let name = row.names[0]
      guard known.contains(name) else {
        throw row.problem(
          "residual has \(name.quoted), which is not one of \(known.sorted().joined(separator: ", "))"
        )
      }
      guard row.number >= 0, row.number.isFinite else {
        throw row.problem("residual has \(name) \(row.number); it must be 0 or more")
      }
      guard numbers.updateValue(row.number, forKey: name) == nil else {
        throw row.problem("residual has \(name) twice")
      }
      errors[name] = try row.error("rse_pct")
    }
    if isShort("residual"), let times = try root.object("residual")?.list("correlation_min") {
      for node in times {
        guard case .number(let time) = node.value, time > 0, time.isFinite else {
          throw DescriptorProblem(
            place: node.place,
            message: "correlation_min in residual has something other than minutes above zero")
        }
        minutes.append(time)
      }
    }
    return ((numbers, errors), minutes)
  }

  /// What a test against another fit has to know of a result.
  func likelihood() throws(DescriptorProblem) -> (
    minusTwoLogLikelihood: Double, estimated: Int, common: [String]
  )? {
    func count(_ key: String) throws(DescriptorProblem) -> Int? {
      try head.number(key) { 0...1e9 ~= $0 }.map { Int($0) }
    }
    guard let value = try head.number("minus_two_log_likelihood", where: { $0.isFinite }),
      let estimated = try count("estimated"), estimated > 0,
      let people = try count("people"), let series = try count("series"),
      let readings = try count("readings"), let how = try head.string("method")
    else { return nil }
    return (
      value, estimated,
      [
        "method \(how)", "\(people) people", "\(series) series", "\(readings) readings",
        "model \(elimination?.rawValue ?? "")", "r by \(method ?? "none")",
      ]
    )
  }

  /// The parameters whose variances between people were held, by the options of the command.
  func fixedVariances() throws(DescriptorProblem) -> Set<String> {
    Set(
      try options().strings("fix_omega")?.compactMap {
        $0.text.split(separator: "=").first.map(String.init)
      } ?? [])
  }

  /// The covariance of the estimates of a result.
  func estimates() throws(DescriptorProblem) -> PopulationEstimates? {
    var names: [String] = []
    var numbers: [[String]: Double] = [:]
    for object in try objects("estimate_covariance") {
      let pair = try Self.names(of: object, ["estimate", "other"])
      let number = try object.number("covariance") { $0.isFinite }
      numbers[pair] = try object.required("covariance", number)
      if pair[0] == pair[1] { names.append(pair[0]) }
    }
    guard !names.isEmpty else { return nil }
    var matrix = Dense(names.count, names.count)
    for (row, one) in names.enumerated() {
      for (column, other) in names.enumerated() {
        guard let number = numbers[[one, other]] ?? numbers[[other, one]] else {
          throw DescriptorProblem(
            place: root.place(of: "estimate_covariance"),
            message: "estimate_covariance has no covariance of \(one) and \(other)")
        }
        matrix[row, column] = number
      }
    }
    guard let estimates = PopulationEstimates(names, matrix) else {
      throw DescriptorProblem(
        place: root.place(of: "estimate_covariance"),
        message:
          "estimate_covariance is not positive definite: a covariance is too large for its variances"
      )
    }
    return estimates
  }

  func covariates(
    of typical: [PopulationParameter: Double]
  ) throws(DescriptorProblem) -> [PopulationFile.CovariateValue] {
    var values: [PopulationFile.CovariateValue] = []
    for row in try covariateRows() {
      let (name, object) = (row.names.joined(separator: ","), row.object)
      let parameter = try parameter(row.names[0], of: row, in: "covariates")
      try requireTypical(parameter, typical, row, in: "covariates")
      let form = try object.flatMap { object throws(DescriptorProblem) in
        try Self.word(object, "form", PopulationModel.CovariateForm.init(rawValue:))
      }
      let covariate = PopulationModel.Covariate(
        parameter: parameter, name: row.names[1], form: form ?? .power)
      let given = try object?.number("coefficient") { $0.isFinite }
      guard let coefficient = object == nil ? row.number : given else {
        throw row.problem("covariates has no coefficient of \(name)")
      }
      let center = try object?.number("center") { center in
        center.isFinite && (center > 0 || covariate.form == .exponential || covariate.isBinary)
      }
      let isTwice = values.contains {
        $0.covariate.parameter == parameter && $0.covariate.name == covariate.name
      }
      guard !isTwice else { throw row.problem("covariates has \(name) twice") }
      values.append(
        PopulationFile.CovariateValue(
          covariate: covariate, coefficient: coefficient, center: center,
          error: try row.error("se")))
    }
    return values
  }

  /// The effects of covariates: parameter and covariate, and either their description or a coefficient alone.
  private func covariateRows() throws(DescriptorProblem) -> [Row] {
    guard isShort("covariates") else {
      return try objects("covariates").map { object throws(DescriptorProblem) in
        Row(
          names: try Self.names(of: object, ["parameter", "covariate"]), number: 0,
          place: object.place, object: object)
      }
    }
    return try (root.object("covariates")?.members ?? []).map { member throws(DescriptorProblem) in
      let names = Self.names(of: member)
      guard names.count == 2 else {
        throw DescriptorProblem(
          place: member.place,
          message:
            "covariates has the key \(member.name.quoted); write parameter,covariate, as in {\"beta,sex\": 0.1}"
        )
      }
      if case .number(let number) = member.node.value, number.isFinite {
        return Row(names: names, number: number, place: member.place, object: nil)
      }
      let object = try JSONObject(member.node, called: member.name, ignoringNull: true)
      try object.refuseUnknown(besides: ["coefficient", "form", "center"])
      return Row(names: names, number: 0, place: member.place, object: object)
    }
  }

  private func requireTypical(
    _ parameter: PopulationParameter, _ typical: [PopulationParameter: Double], _ row: Row,
    in part: String
  ) throws(DescriptorProblem) {
    guard typical[parameter] != nil || parameter == .kinetic(.r) && method ?? "none" != "none"
    else { throw row.problem("\(part) has \(parameter.rawValue), which has no typical value") }
  }

  private func parameter(
    _ name: String, of row: Row, in part: String
  ) throws(DescriptorProblem) -> PopulationParameter {
    guard let parameter = PopulationParameter(rawValue: name) else {
      throw row.problem("there is no parameter \(name.quoted), which \(part) has")
    }
    try refuseOther(parameter, in: part, at: row.place)
    return parameter
  }

  /// Refuses a parameter of another model than the file's.
  private func refuseOther(
    _ parameter: PopulationParameter, in part: String, at place: Place
  ) throws(DescriptorProblem) {
    guard let elimination else { return }
    let isOwn =
      switch parameter {
      case .kinetic(let own): elimination.parameters.contains(own)
      case .clearance: elimination.parameters.contains(.ke)
      }
    guard isOwn else {
      throw DescriptorProblem(
        place: place,
        message: "the \(elimination.rawValue) model has no \(parameter.rawValue), which \(part) has"
      )
    }
  }
}

// MARK: - Rows

extension PopulationReader {
  /// Numbers and their standard errors, by name.
  typealias Known = (numbers: [String: Double], errors: [String: Double])

  /// A number, of what it is and where it stands.
  struct Row {
    let names: [String]
    let number: Double
    let place: Place
    /// The whole row; nil in the short form.
    let object: JSONObject?

    func problem(_ message: String) -> DescriptorProblem {
      DescriptorProblem(place: place, message: message)
    }

    /// A standard error beside the number; nil in the short form.
    func error(_ column: String) throws(DescriptorProblem) -> Double? {
      try object?.number(column) { $0 >= 0 && $0.isFinite }
    }
  }

  /// Whether a part is an object of numbers, and not rows.
  private func isShort(_ part: String) -> Bool { root.node(part)?.members != nil }

  /// The rows of a part, of one fit.
  private func objects(_ part: String) throws(DescriptorProblem) -> [JSONObject] {
    var objects: [JSONObject] = []
    for node in try root.list(part) ?? [] {
      let object = try JSONObject(node, called: "a row of \(part)", ignoringNull: true)
      if try object.string("r_factor") == method { objects.append(object) }
    }
    return objects
  }

  private static func names(
    of object: JSONObject, _ keys: [String]
  ) throws(DescriptorProblem) -> [String] {
    try keys.map { key throws(DescriptorProblem) in
      try object.required(key, try object.string(key))
    }
  }

  private static func names(of member: JSONNode.Member) -> [String] {
    member.name.split(separator: ",", omittingEmptySubsequences: false).map { String($0) }
  }

  /// The numbers of a part: rows with keys and a value, or an object of numbers.
  private func rows(
    _ part: String, keys: [String], value: String, except other: String? = nil
  ) throws(DescriptorProblem) -> [Row] {
    var rows: [Row] = []
    guard isShort(part) else {
      for object in try objects(part) {
        let names = try Self.names(of: object, keys)
        // What has no value is not part of the model.
        guard let number = try object.number(value, where: { _ in true }) else { continue }
        rows.append(
          Row(names: names, number: number, place: object.place(of: value), object: object))
      }
      return rows
    }
    for member in root.node(part)?.members ?? [] where member.name != other {
      let names = Self.names(of: member)
      guard names.count <= keys.count else {
        throw DescriptorProblem(
          place: member.place,
          message: "\(part) has the key \(member.name.quoted), which names too much")
      }
      guard case .number(let number) = member.node.value else {
        throw DescriptorProblem(
          place: member.node.place,
          message: "\(part) has something other than a number for \(member.name.quoted)")
      }
      rows.append(Row(names: names, number: number, place: member.place, object: nil))
    }
    return rows
  }
}
