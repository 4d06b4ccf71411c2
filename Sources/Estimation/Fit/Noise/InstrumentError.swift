import AlcoholKinetics
import StudyData

/// What the study says about the error of its instrument.
struct InstrumentError {
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
