/// Five linear equations for the values of a function at the stages of a step, with up to three
/// right-hand sides.
///
/// The function is a polynomial through its value at the start of the step and those at the stages
/// of the method Radau IIA of order 9 (Ehle 1969; Hairer, Wanner 1999). With the weights D of its
/// derivative and the diagonal J of a Jacobian, the equations are
///
///     (D + h J) y = right-hand side
struct MichaelisMentenStages {
  /// Where the stages are within a step: the zeros of the fourth derivative of x^4 (x - 1)^5.
  static var nodes: SIMD8<Double> {
    SIMD8(
      0.057_104_196_114_517_682, 0.276_843_013_638_123_828, 0.583_590_432_368_916_820,
      0.860_240_135_656_219_448, 1, 0, 0, 0)
  }

  /// What the value at the start adds to the right-hand side of each stage: its weights in the
  /// derivative, with the sign turned.
  static var startWeights: SIMD8<Double> {
    SIMD8(
      11.038_679_241_208_964, -3.583_068_522_501_074_6, 2.344_171_557_903_860_9,
      -2.282_635_500_205_714_4, 5, 0, 0, 0)
  }

  /// The weights of the stages in the derivative at the start of the step, times h.
  static var slopeWeights: SIMD8<Double> {
    SIMD8(
      27.780_933_944_064_637, -3.641_478_498_049_213_2, 1.252_547_721_169_118_7,
      -0.592_003_167_184_542_87, 0.2, 0, 0, 0)
  }

  /// The weight of the value at the start in that derivative.
  static let startSlopeWeight = -25.0

  private var first: SIMD8<Double>
  private var second: SIMD8<Double>
  private var third: SIMD8<Double>
  private var fourth: SIMD8<Double>
  private var fifth: SIMD8<Double>

  /// Sets up the equations.
  ///
  /// - Parameters:
  ///   - diagonal: h J at each stage.
  ///   - sides: Up to three right-hand sides, each with one number for each stage.
  init(
    diagonal: SIMD8<Double>, _ sideA: SIMD8<Double>, _ sideB: SIMD8<Double> = .zero,
    _ sideC: SIMD8<Double> = .zero
  ) {
    first = SIMD8(
      8.755_923_977_938_361_7 + diagonal[0], 2.891_942_615_380_117_4, -0.875_186_396_200_265_03,
      0.399_705_207_939_965_48, -0.133_706_163_849_215_84, sideA[0], sideB[0], sideC[0])
    second = SIMD8(
      -7.161_380_720_145_387_0, 1.806_077_724_083_644_4 + diagonal[1], 2.363_797_176_068_608_4,
      -0.865_900_780_283_134_52, 0.274_338_077_775_194_2, sideA[1], sideB[1], sideC[1])
    third = SIMD8(
      4.122_165_246_243_373_8, -4.496_017_125_813_394_7, 0.856_765_245_397_177_61 + diagonal[2],
      2.518_320_949_211_064_4, -0.657_062_757_134_360_11, sideA[2], sideB[2], sideC[2])
    fourth = SIMD8(
      -3.878_663_219_724_010_3, 3.393_151_918_064_954_2, -5.188_340_906_407_186_9,
      0.581_233_052_580_816_36 + diagonal[3], 2.809_983_655_279_712_3, sideA[3], sideB[3], sideC[3])
    fifth = SIMD8(
      8.412_424_223_594_288_7, -6.970_256_116_656_661_0, 8.777_114_204_150_473_2,
      -18.219_282_311_088_101, 13 + diagonal[4], sideA[4], sideB[4], sideC[4])
  }

  /// Solves the equations by Gauss and Jordan's elimination.
  ///
  /// No pivots are looked for: with its rows scaled D is positive definite (Hairer, Wanner 1996,
  /// IV.14), so that with J >= 0 no pivot is zero.
  mutating func solve() {
    first /= first[0]
    second -= second[0] * first
    third -= third[0] * first
    fourth -= fourth[0] * first
    fifth -= fifth[0] * first

    second /= second[1]
    first -= first[1] * second
    third -= third[1] * second
    fourth -= fourth[1] * second
    fifth -= fifth[1] * second

    third /= third[2]
    first -= first[2] * third
    second -= second[2] * third
    fourth -= fourth[2] * third
    fifth -= fifth[2] * third

    fourth /= fourth[3]
    first -= first[3] * fourth
    second -= second[3] * fourth
    third -= third[3] * fourth
    fifth -= fifth[3] * fourth

    fifth /= fifth[4]
    first -= first[4] * fifth
    second -= second[4] * fifth
    third -= third[4] * fifth
    fourth -= fourth[4] * fifth
  }

  /// The solution for a right-hand side, 0 to 2: the function's values at the stages.
  func solution(_ side: Int) -> SIMD8<Double> {
    let lane = 5 + side
    return SIMD8(first[lane], second[lane], third[lane], fourth[lane], fifth[lane], 0, 0, 0)
  }
}
