import AlcoholKinetics
import FittingSupport
import Foundation
import StudyData
import TestSupport
import Testing

@testable import Estimation

@Suite struct ModelSelectionTests {
  /// Widmark's curve with errors of 0.01 g/kg; a reading every 20 minutes for 7 hours.
  private static func series() throws -> Series {
    var series = try SimulatedSeries.series(everyMinutes: 20, count: 21)
    var generator = SeededGenerator(seed: 1)
    for index in series.readings.indices {
      series.readings[index].value += 0.01 * generator.nearlyNormal()
      series.readings[index].value = max(0, series.readings[index].value)
    }
    return series
  }

  private static let options = FitOptions(
    rFactor: GivenRFactor(0.65), selection: ReadingSelection(censoring: .none),
    starts: StartDesign(count: 2))

  /// Two series, of which the first cannot be fitted; made once, since four models take their time.
  private static let selections = Result {
    var empty = try series()
    empty.readings = []
    return try ModelSelection.selections(
      of: Study(name: "study", series: [empty, try series()]), options: options, jobs: 2)
  }

  private func selection() throws -> ModelSelection {
    try #require(try Self.selections.get().last)
  }

  /// With additive errors -2 ln L = n ln(2 pi RSS / n) + n, and k counts the SD.
  @Test func modelsAreComparedByLikelihood() throws {
    let selection = try selection()
    for candidate in selection.candidates {
      let fit = try candidate.result.get()
      let (n, k) = (Double(fit.usedCount), Double(fit.estimates.count + 1))
      let deviance = n * log(2 * .pi * fit.rss / n) + n
      let aicc = deviance + 2 * k + 2 * k * (k + 1) / (n - k - 1)
      #expect(n == 21)
      #expect(candidate.criteria?.parameters == fit.estimates.count + 1)
      #expect(abs((candidate.criteria?.deviance ?? .nan) - deviance) < 1e-9)
      #expect(abs((candidate.criteria?.aicc ?? .nan) - aicc) < 1e-9)
      #expect(fit.estimates.values.allSatisfy { $0.low == nil && $0.high == nil })
    }
  }

  @Test func bestModelComesFirst() throws {
    let candidates = try selection().candidates
    #expect(Set(candidates.map(\.candidate)) == Set(ModelCandidate.all))
    let ranked = candidates.compactMap(\.difference)
    #expect(ranked.first == 0)
    #expect(ranked == ranked.sorted())
    #expect(abs(candidates.compactMap(\.weight).reduce(0, +) - 1) < 1e-12)
    #expect(candidates.first?.candidate.model == .widmark)
  }

  @Test func unfittableSeriesDoesNotStopOthers() throws {
    let selections = try Self.selections.get()
    #expect(selections.count == 2)
    #expect(selections[0].candidates.map(\.candidate) == ModelCandidate.all)
    #expect(selections[0].candidates.allSatisfy { $0.hasFailed && $0.weight == nil })
    #expect(selections[1].candidates.contains { $0.weight != nil })
  }

  /// The weights of three models that are equally good and of one that has no part.
  private static let threeAlike: [Double?] = [1.0 / 3, 1.0 / 3, 1.0 / 3, nil]

  @Test func failedFitHasNoWeight() throws {
    let fit = try SeriesFitter(options: Self.options).fit(try Self.series())
    let failed = Result<SeriesFit, SeriesFailure>.failure(.nothingMeasured)
    let selection = ModelSelection(
      try Self.series(), [.success(fit), failed, .success(fit), .success(fit)])
    #expect(selection.candidates.map(\.hasFailed) == [false, false, false, true])
    #expect(selection.candidates.map(\.weight) == Self.threeAlike)
  }

  /// Before a minimum a model is not at its best, and nothing can be said against it.
  @Test func unconvergedFitHasNoWeight() throws {
    // Of curves that go through no reading GSL goes round in circles for some.
    var options = FitOptions(
      rFactor: GivenRFactor(0.65), error: .proportional(cv: nil), interval: nil)
    options.engine = .gsl
    let fitter = try SeriesFitter(options: options)
    var generator = SeededGenerator(seed: 3)
    var odd = try Self.series()
    odd.drinks = [Drink(time: 0, ethanol: .perBodyWeight(0.57))]
    var found: SeriesFit?
    for _ in 0..<100 where found == nil {
      odd.readings = stride(from: 20, to: 140, by: 30).map {
        Reading(
          time: Hours(minutes: $0), value: generator.uniform(0...1), unit: .bloodGramsPerKilogram)
      }
      found = try? fitter.fit(odd)
      if found?.isConverged == true { found = nil }
    }
    let lost = try #require(found)
    let fit = try SeriesFitter(options: Self.options).fit(try Self.series())
    let selection = ModelSelection(
      try Self.series(), [.success(lost), .success(fit), .success(fit), .success(fit)])
    #expect(selection.candidates.map(\.weight) == Self.threeAlike)
  }

  // MARK: Options

  private func refusal(_ options: FitOptions) -> String? {
    do throws(SeriesFailure) {
      try ModelSelection.check(options)
      return nil
    } catch {
      return error.code == "E_OPTION" ? error.description : error.code
    }
  }

  @Test func refusesLossesWithoutLikelihood() {
    let robust = FitOptions(selection: ReadingSelection(censoring: .drop), loss: .huber)
    #expect(refusal(robust)?.contains("huber") == true)
    let oneSided = FitOptions(selection: ReadingSelection(censoring: .oneSided))
    #expect(refusal(oneSided)?.contains("one-sided") == true)
  }

  @Test func refusesOptionsThatCandidatesCannotHave() {
    #expect(refusal(FitOptions(fixed: [.lag: 0.1]))?.contains("lag") == true)
    #expect(refusal(FitOptions(bounds: [.r: 0.5...0.9]))?.contains("r has bounds") == true)
    #expect(
      refusal(FitOptions(estimate: [.ka, .beta, .r], fixed: [.r: 0.7]))?.contains("both") == true)
    #expect(refusal(FitOptions(starts: StartDesign(count: 0)))?.contains("start") == true)
    #expect(refusal(FitOptions(bounds: [.km: 0.01...1, .lag: 0...0.5])) == nil)
  }
}
