/// A way to estimate the distribution factor r of a person from body measures.
///
/// r is in kg/kg: dose / (r x weight) is a concentration in g per kg of blood.
public protocol RFactorMethod: Sendable {
  /// The method's name in tables and on the command line, lower case.
  var name: String { get }

  /// The publication, as authors and year.
  var reference: String { get }

  /// The variability of r between people about the method's value.
  var spread: RFactorSpread { get }

  /// Estimates r for a subject.
  ///
  /// The value is the formula's, also where it leaves ``publishedRange(for:)``.
  ///
  /// - Throws: ``Problem`` if a needed body measure is missing, the method has no formula for
  ///   the subject, or the formula leaves the positive numbers.
  func rFactor(for subject: Subject) throws(Problem) -> RFactor

  /// The range of r that the method's authors state for a sex, or nil if they state none.
  ///
  /// It is there to warn of an r outside it, never to clip one.
  func publishedRange(for sex: Sex) -> ClosedRange<RFactor>?
}

extension RFactorMethod {
  /// No stated range.
  public func publishedRange(for sex: Sex) -> ClosedRange<RFactor>? { nil }
}

/// The coefficient of variation of r between people about a method's value, by sex.
///
/// For the methods here it is the standard deviation of observed over predicted r, divided by its mean, of 31 men and 19
/// women (data `scs-beta60`), which the water content of blood does not change. Published spreads, of the people
/// whom a formula was made from, are smaller: 9 to 10 %.
public struct RFactorSpread: Hashable, Sendable {
  /// The coefficient of variation for men, as a fraction.
  public let men: Double
  /// The coefficient of variation for women, as a fraction.
  public let women: Double

  /// States the two as fractions of r.
  public init(men: Double, women: Double) {
    self.men = men
    self.women = women
  }

  /// The coefficient of variation for a sex; that of men if it is not known.
  package func cv(of sex: Sex?) -> Double { sex == .female ? women : men }
}

/// The published r-factor methods.
public enum RFactorMethods {
  /// The methods that Nacar (2021) compares, in the order tables show them.
  ///
  /// This is what a comparison of "all" methods means; ``known(bloodWater:)`` has the others too.
  ///
  /// - Parameter bloodWater: The water content of blood, for the methods built on body water.
  public static func all(bloodWater: BloodWater = .perKilogram) -> [any RFactorMethod] {
    [Widmark(), Watson(bloodWater: bloodWater), Forrest(), Seidl(), Ulrich()]
  }

  /// Every method there is: those of ``all(bloodWater:)``, then the others.
  ///
  /// A new file in `Methods` has its one line here. A test compares the two.
  ///
  /// - Parameter bloodWater: The water content of blood, for the methods built on body water.
  public static func known(bloodWater: BloodWater = .perKilogram) -> [any RFactorMethod] {
    all(bloodWater: bloodWater) + [
      WatsonWithoutHeight(bloodWater: bloodWater),
      HumeWeyers(bloodWater: bloodWater),
      PoseyMozayani(),
    ]
  }

  /// The known method of that name, or nil.
  ///
  /// Upper and lower case are the same, and Nacar's spelling `seidel` is accepted for `seidl`.
  public static func named(
    _ name: String, bloodWater: BloodWater = .perKilogram
  ) -> (any RFactorMethod)? {
    let canonical = name.lowercased() == "seidel" ? "seidl" : name.lowercased()
    return known(bloodWater: bloodWater).first { $0.name == canonical }
  }

  /// The method of a text: a known name, `column:NAME`, or r itself in kg/kg; nil for anything else.
  package static func stated(_ text: String, bloodWater: BloodWater) -> (any RFactorMethod)? {
    if let method = named(text, bloodWater: bloodWater) { return method }
    if text.hasPrefix(ColumnRFactor.prefix) {
      let column = text.dropFirst(ColumnRFactor.prefix.count)
      return column.isEmpty ? nil : ColumnRFactor(String(column))
    }
    guard let r = Double(text), r > 0, r.isFinite else { return nil }
    return GivenRFactor(RFactor(r))
  }
}

/// An r factor given by the researcher, the same for every subject.
public struct GivenRFactor: RFactorMethod {
  /// The number itself, so that several can be told apart.
  public var name: String { String(r.value) }
  public let reference = "given"
  /// None: the number is taken as certain.
  public let spread = RFactorSpread(men: 0, women: 0)

  /// The factor.
  public let r: RFactor

  /// Uses `r` for every subject.
  public init(_ r: RFactor) {
    self.r = r
  }

  public func rFactor(for subject: Subject) throws(Problem) -> RFactor {
    try checked(r.value)
  }
}

/// An r factor that a study gives of each subject in a column of its own, such as a measurement of body water or a formula
/// that is not among the methods.
public struct ColumnRFactor: RFactorMethod {
  /// The prefix of the column name in options.
  public static let prefix = "column:"

  /// The name of the column, as the study spells it.
  public let column: String

  /// Takes r from a column of `subjects.csv`.
  public init(_ column: String) {
    self.column = column
  }

  public var name: String { Self.prefix + column }
  public let reference = "a column of the study"
  /// As large as that of the published methods, since how r was measured is not known.
  public let spread = RFactorSpread(men: 0.14, women: 0.14)

  public func rFactor(for subject: Subject) throws(Problem) -> RFactor {
    let text = subject.covariates[column] ?? ""
    let isMissing = ["", ".", "NA"].contains(text)
    guard let value = isMissing ? nil : Double(text) ?? Double(text.replacing(",", with: "."))
    else {
      throw isMissing
        ? .missingMeasure(column, method: name)
        : Problem(
          "E_NUMBER",
          "\(name) is \"\(text.prefix(40))\" for this subject, which is not a number; write r in kg/kg, as 0.68"
        )
    }
    return try checked(value)
  }
}

extension Subject {
  func require<Measure>(
    _ measure: Measure?, named column: String, for method: some RFactorMethod
  ) throws(Problem) -> Measure {
    guard let measure else { throw .missingMeasure(column, method: method.name) }
    return measure
  }

  func requireSex(for method: some RFactorMethod) throws(Problem) -> Sex {
    try require(sex, named: "sex", for: method)
  }

  /// Age in years.
  func requireAge(for method: some RFactorMethod) throws(Problem) -> Double {
    try require(age, named: "age_y", for: method).value
  }

  /// Height in metres.
  func requireHeight(for method: some RFactorMethod) throws(Problem) -> Double {
    try require(height, named: "height_cm", for: method).value
  }

  /// Weight in kg.
  func requireWeight(for method: some RFactorMethod) throws(Problem) -> Double {
    try require(weight, named: "weight_kg", for: method).value
  }
}

extension RFactorMethod {
  /// Labels a formula's value as r, refusing what no body can have.
  func checked(_ value: Double) throws(Problem) -> RFactor {
    guard value > 0, value.isFinite else {
      throw Problem(
        "E_RANGE", "the \(name) formula gives r = \(value) for this body; check height and weight")
    }
    return RFactor(value)
  }
}

extension Problem {
  /// A method needs a body measure that is not known, named as its column.
  public static func missingMeasure(_ measure: String, method: String) -> Self {
    Self(
      "E_MEASURE_MISSING",
      "the \(method) method needs \(measure); add it to the study or choose another method")
  }

  /// A method has no formula for this sex.
  public static func methodNotDefined(_ method: String, for sex: Sex) -> Self {
    Self(
      methodNotDefinedCode,
      "the \(method) method has no formula for a \(sex.rawValue) subject; choose another method")
  }

  /// True if a method has no formula for the subject's sex, so that it does not apply.
  package var isMethodNotDefined: Bool { code == Self.methodNotDefinedCode }

  private static let methodNotDefinedCode = "N_R_NOT_DEFINED"
}
