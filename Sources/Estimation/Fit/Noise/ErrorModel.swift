/// How the standard deviation sigma of a reading depends on what there is to read.
///
/// Parameters that are not given are estimated from the residuals. f is the predicted reading.
public enum ErrorModel: Hashable, Sendable {
  /// sigma = a, in g/kg.
  case additive(sd: Double?)
  /// sigma = b f, f never below ``concentrationFloor`` (``ObservationModel``).
  case proportional(cv: Double?)
  /// sigma^2 = a^2 + b^2 f^2, a in g/kg; both given or both estimated, a then as at least that of the
  /// last digit (``smallestSD``).
  case combined(ObservationModel?)
  /// sigma^2 = d^2 / 12 + (e f)^2 / 3, from the instrument's resolution d and declared relative
  /// accuracy e.
  ///
  /// Both are limits within which any error is as likely as another: JCGM 100:2008 (GUM), 4.3.7.
  case instrument

  /// The prediction below which a proportional error shrinks no further, 0.01 g/kg.
  ///
  /// Without it a reading near sobriety would outweigh all others. It is the last digit that
  /// breathalysers and laboratories report.
  public static let concentrationFloor = 0.01

  /// The standard deviation below which none at zero is estimated where the study does not state
  /// the instrument's resolution, 1e-4 g/kg.
  ///
  /// Nothing is known better than to its last digit, and 1e-4 g/kg is the last that laboratories keep.
  /// A stated resolution d takes its place as d / sqrt(12), the standard deviation that rounding alone
  /// leaves (JCGM 100:2008 (GUM), F.2.2.1). Without any, a curve that meets some readings exactly, as
  /// one that is zero does zeros, would have a likelihood without limit.
  public static let smallestSD = 1e-4

  /// The name of the model, as options and results carry it.
  public var name: String {
    switch self {
    case .additive: "additive"
    case .proportional: "proportional"
    case .combined: "combined"
    case .instrument: "instrument"
    }
  }

  /// The errors of readings with parameters that are not given put in.
  ///
  /// - Parameters:
  ///   - unit: What a is where it is not given, or b of a proportional error.
  ///   - ratio: What b over a is of a combined error, in kg/g.
  ///   - instrument: What the study states.
  package func observation(
    unit: Double = 1, ratio: Double = 1, _ instrument: ObservationModel
  ) -> ObservationModel {
    switch self {
    case .additive(let sd): ObservationModel(sd: sd ?? unit, cv: 0)
    case .proportional(let cv): ObservationModel(sd: 0, cv: cv ?? unit)
    case .combined(let given): given ?? ObservationModel(sd: unit, cv: unit * ratio)
    case .instrument: instrument
    }
  }

  /// How many of its parameters are estimated.
  var estimatedCount: Int {
    switch self {
    case .additive(let sd): sd == nil ? 1 : 0
    case .proportional(let cv): cv == nil ? 1 : 0
    case .combined(let given): given == nil ? 2 : 0
    case .instrument: 0
    }
  }

  /// Whether it has a standard deviation at zero.
  package var hasSD: Bool { if case .proportional = self { false } else { true } }

  /// Whether sigma is the same for all readings.
  package var isConstant: Bool {
    if case .additive = self { true } else { false }
  }
}

extension ErrorModel: TextOption {
  /// Reads `additive:0.02`, `combined:0.01,0.05` or a name alone, whose parameters are estimated then.
  public init(parsing text: String) throws(SeriesFailure) {
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    var values: [Double] = []
    let words =
      parts.count < 2 ? [] : parts[1].split(separator: ",", omittingEmptySubsequences: false)
    for word in words {
      guard let value = Double(word), value > 0, value.isFinite else {
        throw .badOptions("'\(word)' is not a positive number.")
      }
      values.append(value)
    }
    switch (parts.first, values.count) {
    case ("additive", 0...1): self = .additive(sd: values.first)
    case ("proportional", 0...1): self = .proportional(cv: values.first)
    case ("combined", 0): self = .combined(nil)
    case ("combined", 2): self = .combined(ObservationModel(sd: values[0], cv: values[1]))
    case ("instrument", 0): self = .instrument
    case ("additive", _), ("proportional", _), ("combined", _), ("instrument", _):
      throw .badOptions(
        "additive:SD and proportional:CV take one value, combined:SD,CV two, instrument none.")
    default:
      throw .badOptions("choose additive, proportional, combined or instrument.")
    }
  }

  /// The parameters that are given.
  var given: [Double] {
    switch self {
    case .additive(let sd): [sd].compactMap(\.self)
    case .proportional(let cv): [cv].compactMap(\.self)
    case .combined(let both): [both?.sd, both?.cv].compactMap(\.self)
    case .instrument: []
    }
  }

  public var text: String {
    given.isEmpty ? name : name + ":" + given.map(\.exactText).joined(separator: ",")
  }
}
