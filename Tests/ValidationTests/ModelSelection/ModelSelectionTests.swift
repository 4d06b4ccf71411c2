import AlcoholKinetics
import Foundation
import StudyData
import TestSupport
import Testing

@testable import Validation

@Suite struct ModelSelectionTests {
  /// Widmark's curve with errors of 0.01 g/kg; a reading every 20 minutes for 7 hours.
  private func series(seed: UInt64 = 1) throws -> Series {
    var series = try SimulatedSeries.series(everyMinutes: 20, count: 21)
    var generator = SeededGenerator(seed: seed)
    for index in series.readings.indices {
      // The sum of twelve uniform deviates less 6 is nearly standard normal.
      let deviate = (0..<12).reduce(-6) { sum, _ in sum + generator.uniform(0...1) }
      series.readings[index].value = max(0, series.readings[index].value + 0.01 * deviate)
    }
    return series
  }

  private let options = FitOptions(
    rFactor: GivenRFactor(0.65), selection: ReadingSelection(censoring: .none),
    starts: StartDesign(count: 2))

  private func selection(_ series: Series) throws -> ModelSelection {
    let study = Study(name: "study", series: [series])
    return try #require(try ModelSelection.selections(of: study, options: options).first)
  }

  /// With additive errors -2 ln L = n ln(2 pi RSS / n) + n, and k counts the SD.
  @Test func judgesByTheLikelihood() throws {
    let selection = try selection(try series())
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

  @Test func putsTheBestFirst() throws {
    let candidates = try selection(try series()).candidates
    #expect(Set(candidates.map(\.candidate)) == Set(ModelCandidate.all))
    let ranked = candidates.compactMap(\.difference)
    #expect(ranked.first == 0)
    #expect(ranked == ranked.sorted())
    #expect(abs(candidates.compactMap(\.weight).reduce(0, +) - 1) < 1e-12)
    #expect(candidates.first?.candidate.model == .widmark)
  }

  @Test func aSeriesThatCannotBeFittedStopsNobody() throws {
    var empty = try series()
    empty.readings = []
    let study = Study(name: "study", series: [empty, try series()])
    let selections = try ModelSelection.selections(of: study, options: options, jobs: 2)
    #expect(selections.count == 2)
    #expect(selections[0].candidates.map(\.candidate) == ModelCandidate.all)
    #expect(selections[0].candidates.allSatisfy { $0.hasFailed && $0.weight == nil })
    #expect(selections[1].candidates.contains { $0.weight != nil })
  }

  /// Before a minimum a model is not at its best, and nothing can be said against it.
  @Test func whatDidNotConvergeHasNoWeight() throws {
    let results = try selection(try series()).candidates.map(\.result)
    let selection = ModelSelection(
      try series(), results.enumerated().map { $0 == 1 ? .failure(.nothingMeasured) : $1 })
    #expect(selection.candidates.last?.hasFailed == true)
    #expect(selection.candidates.compactMap(\.weight).count <= 3)
    #expect(abs(selection.candidates.compactMap(\.weight).reduce(0, +) - 1) < 1e-12)
  }

  // MARK: Options

  private func refusal(_ options: FitOptions) -> String? {
    do throws(SeriesFailure) {
      try ModelSelection.check(options)
      return nil
    } catch {
      return error.code == "E_FIT_OPTIONS" ? error.description : error.code
    }
  }

  @Test func refusesWhatHasNoLikelihood() {
    let robust = FitOptions(selection: ReadingSelection(censoring: .drop), loss: .huber)
    #expect(refusal(robust)?.contains("huber") == true)
    let oneSided = FitOptions(selection: ReadingSelection(censoring: .oneSided))
    #expect(refusal(oneSided)?.contains("one-sided") == true)
  }

  @Test func refusesWhatTheCandidatesCannotHave() {
    #expect(refusal(FitOptions(fixed: [.lag: 0.1]))?.contains("lag") == true)
    #expect(refusal(FitOptions(bounds: [.r: 0.5...0.9]))?.contains("r has bounds") == true)
    #expect(
      refusal(FitOptions(estimate: [.ka, .beta, .r], fixed: [.r: 0.7]))?.contains("both") == true)
    #expect(refusal(FitOptions(starts: StartDesign(count: 0)))?.contains("start") == true)
    #expect(refusal(FitOptions(bounds: [.km: 0.01...1, .lag: 0...0.5])) == nil)
  }
}
