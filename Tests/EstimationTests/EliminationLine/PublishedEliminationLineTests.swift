import AlcoholKinetics
import Estimation
import StudyData
import StudyFiles
import TestSupport
import Testing

/// Elimination lines of real studies against SciPy's linregress on an independent choice of the
/// limb (Tests/Tools/elimination_line_scipy.py).
@Suite struct PublishedEliminationLineTests {
  /// Both sides add up a dozen numbers in double precision; 1e-9 leaves three digits to spare.
  private let tolerance = 1e-9

  private func check(
    _ study: String, against expectations: String,
    options: EliminationLineOptions = EliminationLineOptions()
  ) throws {
    let fits = try EliminationLineFit.fits(
      of: try StudyReader.read(PackageFolder.shared(study)), options: options)
    let rows = try PackageFolder.expectations("elimination-line-\(expectations)")
    #expect(fits.count == rows.count)
    for (fit, row) in zip(fits, rows) {
      #expect(fit.series.subject.id == row["subject"])
      #expect(fit.series.occasion ?? "" == row["occasion"])
      let count = try #require(try row.number("n"))
      guard count >= 3 else {
        #expect(fit.failure == .limbTooShort(found: Int(count), needed: 3), "\(row)")
        continue
      }
      try check(try fit.result.get(), row)
    }
  }

  private func check(_ line: EliminationLine, _ row: [String: String]) throws {
    #expect(Double(line.readings) == (try row.number("n")))
    for (column, value) in line.values {
      guard let expected = try row.number(column) else {
        #expect(value == nil, "\(column) \(row)")
        continue
      }
      let value = try #require(value)
      #expect(abs(value - expected) <= tolerance * abs(expected), "\(column) \(row)")
    }
  }

  @Test(.enabled(if: PackageFolder.hasShared("wilkinson-1977-oral"), "the data may not be shipped"))
  func wilkinsonMatchesReference() throws {
    try check("wilkinson-1977-oral", against: "wilkinson-1977-oral")
  }

  @Test(.enabled(if: PackageFolder.hasShared("wilkinson-1977-oral"), "the data may not be shipped"))
  func wilkinsonByAnotherRuleMatchesReference() throws {
    try check(
      "wilkinson-1977-oral", against: "wilkinson-1977-oral-other-limb",
      options: EliminationLineOptions(
        limbAfter: Hours(minutes: 60), limbAbove: 0.2, level: 0.99))
  }

  @Test(.enabled(if: PackageFolder.hasShared("hip-flask"), "the data may not be shipped"))
  func hipFlaskDrinksMatchReference() throws {
    try check("hip-flask", against: "hip-flask")
  }

  @Test(
    .enabled(
      if: PackageFolder.hasShared("mumenthaler-2000-individual"), "the data may not be shipped"))
  func dosesPerKilogramMatchReference() throws {
    try check("mumenthaler-2000-individual", against: "mumenthaler-2000-individual")
  }
}

extension EliminationLineFit {
  fileprivate var failure: SeriesFailure? {
    if case .failure(let failure) = result { failure } else { nil }
  }
}

extension EliminationLine {
  /// Its numbers by the names of the expected columns.
  fileprivate var values: [(String, Double?)] {
    [
      ("limb_from_min", from.minutes), ("limb_to_min", to.minutes),
      ("beta60_g_per_kg_h", beta.value.value), ("beta_se", beta.standardError.value),
      ("beta_low", beta.low.value), ("beta_high", beta.high.value),
      ("c0_g_per_kg", c0.value.value), ("c0_se", c0.standardError.value),
      ("c0_low", c0.low.value), ("c0_high", c0.high.value),
      ("r_observed", r?.value.value), ("r_low", r?.low.value), ("r_high", r?.high?.value),
      ("residual_sd", residualSD.value), ("r_squared", rSquared),
    ]
  }
}
