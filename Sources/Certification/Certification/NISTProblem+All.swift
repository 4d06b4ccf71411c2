extension NISTProblem {
  /// All 27, the easier ones first, in NIST's order.
  public static let all: [NISTProblem] = lower + average + higher

  private static let lower = [
    misra1a, chwirut2, chwirut1, lanczos3, gauss1, gauss2, danWood, misra1b,
  ]

  private static let average = [
    kirby2, hahn1, nelson, mgh17, lanczos1, lanczos2, gauss3, misra1c, misra1d, roszman1, enso,
  ]

  private static let higher = [
    mgh09, thurber, boxBOD, rat42, mgh10, eckerle4, rat43, bennett5,
  ]
}
