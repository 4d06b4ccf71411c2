import AlcoholKinetics
import Estimation
import StudyData
import StudyFiles
import TestSupport
import Testing

/// Ends of profiles that have several branches, against a search that follows none
/// (Tests/Tools/profile_ends.py).
@Suite struct ProfileEndsTests {
  /// The ends are roots to 1e-6 of a standard error, and it may be of the order of the estimate.
  private static let tolerance = 1e-5

  private static let options = FitOptions(estimate: [.ka, .beta, .r], correlation: .independent)

  /// Counts the ends that are there; every one of them must agree, and so must those that are not.
  private func check(_ fit: SeriesFit, _ row: [String: String]) throws -> Int {
    #expect(Double(fit.usedCount) == (try row.number("n")), "\(row)")
    #expect(agree(fit.rss, try row.number("rss"), relative: 1e-6), "\(row)")
    var count = 0
    for (parameter, estimate) in fit.estimates {
      for (end, found) in [("low", estimate.low), ("high", estimate.high)] {
        let expected = try row.number("\(parameter.rawValue)_\(end)")
        #expect(agree(found, expected, relative: Self.tolerance), "\(parameter) \(end) \(row)")
        count += expected == nil ? 0 : 1
      }
    }
    return count
  }

  private func lowDoses() throws -> [String: Series] {
    try Dictionary(
      grouping: try PackageFolder.expectations("low-dose-series")
    ) { $0["subject"] ?? "" }.mapValues { rows in
      let dose = GramsPerKilogram(try rows[0].known("dose_g_per_kg"))
      return Series(
        subject: Subject(id: rows[0]["subject"] ?? ""),
        drinks: [Drink(time: 0, ethanol: .perBodyWeight(dose))],
        readings: try rows.map { row in
          Reading(
            time: Hours(minutes: try row.known("time_min")),
            value: try row.known("bac_g_per_kg"), unit: .bloodGramsPerKilogram)
        })
    }
  }

  @Test func lowDosesAgreeWithAnExhaustiveSearch() throws {
    let series = try lowDoses()
    let fitter = try SeriesFitter(options: Self.options)
    let rows = try PackageFolder.expectations("profile-ends-low-dose")
    #expect(rows.count == 40)
    var ends = 0
    for row in rows {
      let one = try #require(series[row["subject"] ?? ""])
      ends += try check(try fitter.fit(one), row)
    }
    #expect(ends > 180)
  }

  /// A profile that rises because of a bound of another parameter has no end, and neither has its picture.
  @Test func openProfilesStayBelowTheThreshold() throws {
    let series = try lowDoses()
    var options = Self.options
    options.keepsProfiles = true
    let fitter = try SeriesFitter(options: options)
    var open = 0
    for one in try series.keys.sorted().map({ try #require(series[$0]) }) where open < 6 {
      let fit = try fitter.fit(one)
      guard fit.estimates.values.contains(where: { $0.high == nil && !$0.isAtBound }) else {
        continue
      }
      for profile in fit.profiles {
        let estimate = try #require(fit.estimates[profile.parameter])
        guard estimate.high == nil, !estimate.isAtBound else { continue }
        open += 1
        let beyond = profile.points.filter { $0.value > estimate.value }
        #expect(beyond.allSatisfy { $0.rise <= profile.threshold }, "\(one.subject.id) \(profile)")
      }
    }
    #expect(open >= 6)
  }

  @Test(.enabled(if: PackageFolder.hasShared("wilkinson-1977-oral"), "the data may not be shipped"))
  func wilkinsonAgreesWithAnExhaustiveSearch() throws {
    let fits = try StudyFit.fits(
      of: try StudyReader.read(PackageFolder.shared("wilkinson-1977-oral")), options: Self.options)
    let rows = try PackageFolder.expectations("profile-ends-wilkinson-1977-oral")
    #expect(fits.count == rows.count)
    var ends = 0
    for (fit, row) in zip(fits, rows) {
      #expect(fit.series.subject.id == row["subject"])
      #expect(fit.series.occasion ?? "" == row["occasion"])
      ends += try check(try fit.result.get(), row)
    }
    #expect(ends > 85)
  }
}
