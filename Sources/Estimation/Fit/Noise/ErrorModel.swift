import AlcoholKinetics
import StudyData

/// How the standard deviation sigma of a reading depends on what there is to read.
///
/// Parameters that are not given are estimated from the residuals. f is the predicted reading.
public enum ErrorModel: Hashable, Sendable {
  /// sigma = a, in g/kg.
  case additive(sd: Double?)
  /// sigma = b f, but at least b times ``concentrationFloor``.
  case proportional(cv: Double?)
  /// sigma^2 = a^2 + b^2 f^2, a in g/kg; both given or both estimated, a then as at least that of the
  /// last digit (``smallestSD``).
  case combined(CombinedError?)
  /// sigma^2 = d^2 / 12 + (e f)^2 / 3, from the instrument's resolution d and declared relative
  /// accuracy e.
  ///
  /// Both are limits within which any error is as likely as another: JCGM 100:2008 (GUM), 4.3.7. The
  /// accuracy applies to at least ``concentrationFloor``.
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

  /// How many of its parameters are estimated.
  var estimatedCount: Int {
    switch self {
    case .additive(let sd): sd == nil ? 1 : 0
    case .proportional(let cv): cv == nil ? 1 : 0
    case .combined(let given): given == nil ? 2 : 0
    case .instrument: 0
    }
  }

  /// Whether sigma is the same for all readings.
  var isConstant: Bool {
    if case .additive = self { true } else { false }
  }
}

/// The two parameters of the combined error model.
public struct CombinedError: Hashable, Sendable {
  /// The standard deviation a at zero, in g/kg.
  public var sd: Double
  /// The coefficient of variation b at high concentrations.
  public var cv: Double

  /// Puts the two together.
  public init(sd: Double, cv: Double) {
    self.sd = sd
    self.cv = cv
  }

  /// sqrt(a^2 + (b f)^2) at a prediction f, in g/kg.
  package func deviation(at prediction: Double) -> Double {
    (sd * sd + cv * cv * prediction * prediction).squareRoot()
  }
}

/// What the study says about the error of its instrument.
struct InstrumentError: Hashable, Sendable {
  /// The smallest step of the display, in g/kg; 0 if not stated.
  let resolution: Double
  /// The declared relative accuracy as a fraction; 0 if not stated.
  let accuracy: Double

  /// Reads the description of an instrument whose readings are in a unit.
  init(_ instrument: Instrument?, unit: ConcentrationUnit, _ factors: ConversionFactors) {
    let step = instrument?.resolution.map {
      unit.bloodConcentration(of: $0, using: factors).value
    }
    resolution = step ?? 0
    accuracy = instrument?.relativeAccuracy ?? 0
  }

  /// Whether the study states anything.
  var isStated: Bool { resolution > 0 || accuracy > 0 }

  /// The smallest standard deviation at zero that is believed, in g/kg: d / sqrt(12), what rounding
  /// alone leaves, or ``ErrorModel/smallestSD``.
  var smallestSD: Double {
    resolution > 0 ? resolution / 12.0.squareRoot() : ErrorModel.smallestSD
  }

  /// sqrt(d^2/12 + (e f)^2/3) at a prediction f, in g/kg.
  func deviation(at prediction: Double) -> Double {
    let relative = accuracy * prediction
    return (resolution * resolution / 12 + relative * relative / 3).squareRoot()
  }
}
