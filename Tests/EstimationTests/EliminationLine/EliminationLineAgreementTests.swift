import AlcoholKinetics
import Estimation
import FittingSupport
import StudyData
import StudyFiles
import TestSupport
import Testing

/// The elimination line beside the nonlinear fit of k_a, beta and r, on the series of Wilkinson et
/// al. (1977): the table of the article on the elimination line.
@Suite(.enabled(if: PackageFolder.hasShared("wilkinson-1977-oral"), "the data may not be shipped"))
struct EliminationLineAgreementTests {
  /// One series by both methods.
  private struct Pair {
    let line: EliminationLine
    let curve: SeriesFit

    var betaDifference: Double { line.beta.value.value - curve.value(.beta) }

    /// The difference in standard errors of both estimates together.
    var standardizedDifference: Double {
      let curveError = curve.estimates[.beta]?.standardError ?? .infinity
      let lineError = line.beta.standardError.value
      return betaDifference / (lineError * lineError + curveError * curveError).squareRoot()
    }

    var rDifference: Double {
      (line.r?.value.value ?? .nan) - curve.value(.r)
    }
  }

  /// Mean and range of some numbers.
  private struct Summary {
    let mean: Double
    let least: Double
    let greatest: Double

    init(_ values: [Double]) {
      mean = values.reduce(0, +) / Double(values.count)
      least = values.min() ?? .nan
      greatest = values.max() ?? .nan
    }
  }

  private let study: Study
  private let lines: [EliminationLineFit]
  private let pairs: [Pair]

  init() throws {
    study = try StudyReader.read(PackageFolder.shared("wilkinson-1977-oral"))
    lines = try EliminationLineFit.fits(of: study)
    let curves = try StudyFit.fits(
      of: study,
      options: FitOptions(
        estimate: [.ka, .beta, .r], selection: ReadingSelection(censoring: .none), interval: nil,
        correlation: .independent))
    pairs = zip(lines, curves).compactMap { line, curve in
      guard let line = try? line.result.get(), let curve = try? curve.result.get() else {
        return nil
      }
      return Pair(line: line, curve: curve)
    }
  }

  @Test func agreementMatchesPython() throws {
    let rows = try PackageFolder.expectations("elimination-line-agreement")
    #expect(pairs.count == rows.count)
    for (pair, row) in zip(pairs, rows) {
      let line = try #require(try row.number("beta_line"))
      let curve = try #require(try row.number("beta_curve"))
      #expect(abs(pair.line.beta.value.value / line - 1) < 1e-9)
      // As in PublishedStudyTests.
      #expect(abs(pair.curve.value(.beta) / curve - 1) < 1e-5)
    }
  }

  /// Two estimates from overlapping readings of one curve. Three standard errors of both together
  /// is what chance would hardly exceed; these come to 2.5, because the two mean different things
  /// by beta, as the article says.
  @Test func lineAndCurveAgreeWithinTheirErrors() {
    for pair in pairs {
      #expect(abs(pair.standardizedDifference) < 3)
    }
  }

  /// The line is the flatter one throughout: absorption that still goes on holds it up, and the
  /// curve takes the steep fall after the peak into its beta. Held to the digits of the article.
  @Test func differencesMatchTheArticle() {
    let beta = Summary(pairs.map(\.betaDifference))
    #expect(abs(beta.mean - -0.029) < 0.0005)
    #expect(abs(beta.least - -0.079) < 0.0005)
    #expect(abs(beta.greatest - -0.003) < 0.0005)
    let r = Summary(pairs.map(\.rDifference))
    #expect(abs(r.mean - 0.086) < 0.0005)
    #expect(abs(r.least - 0.028) < 0.0005)
    #expect(abs(r.greatest - 0.173) < 0.0005)
  }

  /// After the smallest dose, 11 g, there is nothing above 0.1 g/kg left when the limb begins.
  @Test func smallestDoseHasNoLimb() {
    let failed = lines.filter(\.hasFailed).map(\.series)
    #expect(failed.map { "\($0.subject.id)/\($0.occasion ?? "")" } == ["1/1", "2/1", "3/3", "4/3"])
    for series in failed {
      #expect(series.drinks.allSatisfy { $0.ethanol.mass(forBodyWeight: nil) ?? 0 < 12 })
    }
  }
}
