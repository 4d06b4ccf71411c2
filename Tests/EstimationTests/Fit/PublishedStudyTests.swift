import AlcoholKinetics
import Estimation
import FittingSupport
import Foundation
import StudyData
import StudyFiles
import TestSupport
import Testing

/// Fits of real studies against the best minimum that SciPy's least_squares finds from 128 starts
/// (Tests/Tools/wilkinson_scipy.py).
@Suite struct PublishedStudyTests {
  private func fits(_ study: String, estimating parameters: Set<FitParameter>) throws -> [StudyFit]
  {
    try StudyFit.fits(
      of: try StudyReader.read(PackageFolder.shared(study)),
      // The reference takes every zero at face value, and Watson's r with B = 0.844.
      options: FitOptions(
        estimate: parameters, rFactor: Watson(bloodWater: .perLitre),
        selection: ReadingSelection(censoring: .none), interval: nil,
        correlation: .independent))
  }

  /// The search for an interval's end can leave k_a at its search limit, where it is no estimate.
  @Test(
    .enabled(
      if: PackageFolder.hasShared("mumenthaler-2000-individual"),
      "needs ../shared/data/mumenthaler-2000-individual"))
  func estimateAtItsSearchLimitIsMarked() throws {
    let fits = try StudyFit.fits(
      of: try StudyReader.read(PackageFolder.shared("mumenthaler-2000-individual")),
      options: FitOptions(estimate: [.ka, .beta, .r], error: .proportional(cv: nil)))
    let fit = try #require(try fits.first?.result.get())
    let ka = try #require(fit.estimates[.ka])
    #expect(ka.isAtBound && ka.isIdentifiable == false)
    #expect(fit.warnings.contains(.atBound(.ka)))
  }

  private func check(
    _ study: String, against expectations: String, estimating parameters: Set<FitParameter>
  ) throws {
    let fits = try fits(study, estimating: parameters)
    let rows = try PackageFolder.expectations(expectations)
    #expect(fits.count == rows.count)
    for (fit, row) in zip(fits, rows) {
      #expect(fit.series.subject.id == row["subject"])
      #expect(fit.series.occasion ?? "" == row["occasion"])
      let found = try fit.result.get()
      let best = try #require(try row.number("rss"))
      // Where the best known minimum is not at finite parameters, the bounds end the fit near it.
      guard let ka = try row.number("ka_per_h"), ka > 0, ka.isFinite else {
        #expect(found.rss <= best * 1.01, "\(row)")
        #expect(found.warnings.contains { $0.code == "W_AT_BOUND" }, "\(row)")
        continue
      }
      #expect(found.rss <= best * (1 + 1e-6), "\(row)")
      let beta = try #require(try row.number("beta_g_per_kg_h"))
      let r = try #require(try row.number("r"))
      // A sum of squares within 1e-6 fixes a well-determined parameter to about 1e-3 standard
      // errors; the solver's tolerances give better.
      #expect(abs(found.value(.ka) / ka - 1) < 1e-5, "\(row)")
      #expect(abs(found.value(.beta) / beta - 1) < 1e-5, "\(row)")
      #expect(abs(found.value(.r) / r - 1) < 1e-5, "\(row)")
      try check(found.estimates, row)
    }
  }

  /// Standard errors from the Jacobian by complex steps, in Python.
  private func check(
    _ found: [FitParameter: ParameterEstimate], _ row: [String: String]
  ) throws {
    for (parameter, estimate) in found {
      let error = try #require(estimate.standardError)
      let expected = try #require(try row.number("\(parameter.rawValue)_se"))
      #expect(abs(error / expected - 1) < 1e-3, "\(parameter) \(row)")
    }
  }

  @Test(.enabled(if: PackageFolder.hasShared("wilkinson-1977-oral"), "the data may not be shipped"))
  func wilkinsonWithFittedRMatchesReference() throws {
    try check(
      "wilkinson-1977-oral", against: "wilkinson-1977-oral", estimating: [.ka, .beta, .r])
  }

  @Test(.enabled(if: PackageFolder.hasShared("wilkinson-1977-oral"), "the data may not be shipped"))
  func wilkinsonWithWatsonsRMatchesReference() throws {
    try check(
      "wilkinson-1977-oral", against: "wilkinson-1977-oral-ka-beta", estimating: [.ka, .beta])
  }

  @Test(.enabled(if: PackageFolder.hasShared("hip-flask"), "the data may not be shipped"))
  func hipFlaskDrinksMatchReference() throws {
    try check("hip-flask", against: "hip-flask", estimating: [.ka, .beta, .r])
  }

  @Test(
    .enabled(
      if: PackageFolder.hasShared("mumenthaler-2000-individual"), "the data may not be shipped"))
  func dosesPerKilogramMatchReference() throws {
    try check(
      "mumenthaler-2000-individual", against: "mumenthaler-2000-individual",
      estimating: [.ka, .beta, .r])
  }

  @Test(
    .enabled(if: PackageFolder.hasShared("thierauf-emberger-2023"), "the data may not be shipped"))
  func sparseSerumReadingsMatchReference() throws {
    try check(
      "thierauf-emberger-2023", against: "thierauf-emberger-2023", estimating: [.ka, .beta, .r])
  }
}
