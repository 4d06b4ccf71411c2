import AlcoholKinetics

/// A parameter of the errors of readings.
package enum ResidualParameter: String, CaseIterable, Sendable { case sd, cv }

/// The standard deviation sigma of a reading as a function of the predicted concentration.
///
/// To add a model, add a line to ``allCases`` with its parameters of ``ObservationModel`` and its text in help. Options,
/// help, searches and populations follow from that. Parameters that are not given are estimated from the residuals.
public struct ErrorModel: CaseIterable, Hashable, Sendable {
  /// The name in options and results.
  public let name: String
  /// The parameters a (SD) and b (CV) that it has, in this order; empty for the errors that the study states of its
  /// instrument.
  package let parameters: [ResidualParameter]
  /// The start of a search for them.
  package let start: ObservationModel
  /// The text in help.
  package let words: String
  /// The parameters, if they are given.
  package private(set) var given: ObservationModel?

  private init(
    _ name: String, _ parameters: [ResidualParameter], start: (sd: Double, cv: Double) = (0, 0),
    _ words: String
  ) {
    self.name = name
    self.parameters = parameters
    self.start = ObservationModel(sd: start.sd, cv: start.cv)
    self.words = words
  }

  /// All models, with parameters that are estimated.
  public static let allCases = [
    ErrorModel("additive", [.sd], start: (0.1, 0), "additive:0.02 (g/kg)"),
    ErrorModel("proportional", [.cv], start: (0, 0.2), "proportional:0.05 (of c)"),
    ErrorModel("combined", [.sd, .cv], start: (0.05, 0.1), "combined:0.01,0.05 (both)"),
    ErrorModel("instrument", [], "resolution and accuracy stated by the study"),
  ]

  /// sigma = a, in g/kg.
  public static func additive(sd: Double?) -> ErrorModel {
    allCases[0].with(sd.map { ObservationModel(sd: $0, cv: 0) })
  }

  /// sigma = b f, f never below ``concentrationFloor`` (``ObservationModel``).
  public static func proportional(cv: Double?) -> ErrorModel {
    allCases[1].with(cv.map { ObservationModel(sd: 0, cv: $0) })
  }

  /// sigma^2 = a^2 + b^2 f^2, a in g/kg; both given or both estimated, a then as at least that of the
  /// last digit (``smallestSD``).
  public static func combined(_ given: ObservationModel?) -> ErrorModel { allCases[2].with(given) }

  /// sigma^2 = d^2 / 12 + (e f)^2 / 3, from the instrument's resolution d and declared relative
  /// accuracy e.
  ///
  /// Both are limits within which any error is as likely as another: JCGM 100:2008 (GUM), 4.3.7.
  public static let instrument = allCases[3]

  /// Selects the model with the given errors.
  ///
  /// - Parameter isEstimated: Whether the parameters are to be estimated anew.
  package init(of errors: ObservationModel, isEstimated: Bool) {
    let parameters: [ResidualParameter] =
      errors.cv == 0 ? [.sd] : errors.sd == 0 ? [.cv] : [.sd, .cv]
    let model = Self.allCases.first { $0.parameters == parameters } ?? .additive(sd: nil)
    self = isEstimated ? model : model.with(errors)
  }

  /// Returns the model with given parameters; nil to estimate them.
  package func with(_ given: ObservationModel?) -> ErrorModel {
    var model = self
    model.given = given
    return model
  }

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

  /// Returns the errors of readings, with values for parameters that are not given.
  ///
  /// - Parameters:
  ///   - unit: The value of a if it is not given, or of b for a proportional error.
  ///   - ratio: The ratio b / a of a combined error, in kg/g.
  ///   - instrument: The errors that the study states of its instrument.
  package func observation(
    unit: Double = 1, ratio: Double = 1, _ instrument: ObservationModel
  ) -> ObservationModel {
    guard !parameters.isEmpty else { return instrument }
    let cv = hasSD ? unit * ratio : unit
    return given
      ?? ObservationModel(sd: hasSD ? unit : 0, cv: parameters.contains(.cv) ? cv : 0)
  }

  /// True if its parameters are estimated.
  package var isEstimated: Bool { given == nil && !parameters.isEmpty }

  /// The number of its parameters that are estimated.
  var estimatedCount: Int { isEstimated ? parameters.count : 0 }

  /// True if it has estimated parameters that the series of a study share.
  var hasSharedParameters: Bool { isEstimated && !isConstant }

  /// True if the ratio of two parameters is estimated.
  var hasRatio: Bool { estimatedCount == 2 }

  /// True if it has a standard deviation at zero.
  package var hasSD: Bool { parameters != [.cv] }

  /// True if sigma is the same for all readings.
  package var isConstant: Bool { parameters == [.sd] }
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
    guard let model = Self.allCases.first(where: { $0.name == parts[0] }) else {
      let names = Self.allCases.map(\.name)
      throw .badOptions(
        "choose \(names.dropLast().joined(separator: ", ")) or \(names.last ?? "").")
    }
    guard values.isEmpty || values.count == model.parameters.count else {
      throw .badOptions(
        "\(Self.forms(of: 1)) take one value, \(Self.forms(of: 2)) two, \(Self.forms(of: 0)) none.")
    }
    var given = ObservationModel(sd: 0, cv: 0)
    for (parameter, value) in zip(model.parameters, values) { given[parameter] = value }
    self = values.isEmpty ? model : model.with(given)
  }

  /// All models, as help lists them.
  package static let namesInWords = {
    let names = allCases.map { $0.parameters.isEmpty ? "\($0.name) (\($0.words))" : $0.name }
    return names.dropLast().joined(separator: ", ") + ", or " + (names.last ?? "")
  }()

  /// The models with parameters that are given, as help lists them.
  package static let examplesInWords = allCases.filter { !$0.parameters.isEmpty }.map(\.words)
    .joined(separator: ", ")

  /// The written forms of the models with a number of parameters.
  private static func forms(of count: Int) -> String {
    allCases.filter { $0.parameters.count == count }.map { model in
      let values = model.parameters.map { $0.rawValue.uppercased() }.joined(separator: ",")
      return values.isEmpty ? model.name : "\(model.name):\(values)"
    }.joined(separator: " and ")
  }

  /// The values of the parameters, if they are given.
  var givenValues: [Double] { given.map { given in parameters.map { given[$0] } } ?? [] }

  public var text: String {
    givenValues.isEmpty ? name : name + ":" + givenValues.map(\.exactText).joined(separator: ",")
  }
}
