import AlcoholKinetics
import Estimation
import StudyData
import Validation

/// A prediction whose every value is known.
///
/// 80 kg, 40 g at once, k_a 64 /h and beta 1/8 g/kg/h: an hour and more later what is left in the gut
/// is less than e^-64, and the curve is D - t/8 with D = 0.5 / r g/kg. It peaks where
/// e^(-64 t) D = 1/512.
enum KnownCurve {
  static let parameters = PredictionParameters.given(ka: 64, beta: 0.125)

  /// D = 1 g/kg: 0.875, 0.75, 0.5 and 0.25 g/kg at the times of the readings, and sober at 8 h.
  static let half = ConstantMethod(name: "half", r: 0.5)

  /// At 1, 2, 4 and 6 h; the first is above D for r = 0.5, and the last is sober.
  static let readings = [1.25, 0.5, 0.25, 0]

  static func series(
    _ id: String = "man", occasion: String? = nil, sex: Sex? = .male,
    readings: [Double] = readings
  ) -> Series {
    Series(
      subject: Subject(id: id, sex: sex, weight: 80), occasion: occasion,
      drinks: [Drink(time: 0, ethanol: .mass(40))],
      readings: zip([1, 2, 4, 6], readings).map { time, value in
        Reading(time: Hours(time), value: value, unit: .bloodGramsPerKilogram)
      })
  }

  static func comparisons(
    _ series: [Series] = [series()], by methods: [any RFactorMethod] = [half],
    _ parameters: PredictionParameters = parameters
  ) throws -> [Score] {
    try Scorer(PredictionOptions(parameters: parameters, methods: methods, threshold: 0)).scores(
      of: Sample.study(series))
  }
}
