import AlcoholKinetics
import FittingSupport
import StudyData
import TestSupport
import Testing

@testable import Estimation

/// A problem never changes, and a fit keeps what was found out.
@Suite struct FitProblemTests {
  private static let options = FitOptions(
    estimate: [.ka, .beta, .r], selection: ReadingSelection(limitOfDetection: 0.1),
    error: .proportional(cv: nil))

  @Test func equalSeriesGiveEqualProblems() throws {
    let series = try NoisySeries.series(seed: 5, count: 30)
    let problem = try FitProblem(series, options: Self.options)
    #expect(try problem == FitProblem(series, options: Self.options))
    #expect(try Set([problem, FitProblem(series, options: Self.options)]).count == 1)
    var others = Self.options
    others.start = [.ka: 2]
    #expect(try FitProblem(series, options: others) != problem)
    var other = series
    other.readings[3].value += 0.01
    #expect(try FitProblem(other, options: Self.options) != problem)
  }

  /// Objectives at one noise do not know of those at another, and solving leaves none behind.
  @Test func objectivesAreIndependent() throws {
    let problem = try FitProblem(try NoisySeries.series(seed: 5, count: 30), options: Self.options)
    let solver = FitSolver(problem, LeastSquaresEngine(.gsl))
    let point = [1.2, -1.9, -0.4]
    let first = solver.preliminaryObjective
    let before = first.value(at: point)
    let minimum = try solver.engine.minimum(of: first, from: point, startKind: .initial)
    let solution = try solver.solution(from: minimum, of: first)
    #expect(solution.objective.value(at: point) != before)
    #expect(first.value(at: point) == before)
    let again = try solver.solution(from: minimum, of: first)
    #expect(again.minimum == solution.minimum)
    #expect(again.deviance == solution.deviance)
  }

  /// Profiles that a fit keeps for figures change nothing else about it.
  @Test(arguments: [IntervalOptions.Kind.profile, .wald])
  func profilesAreKeptOnRequest(kind: IntervalOptions.Kind) throws {
    let series = try NoisySeries.series(seed: 5, count: 30)
    var options = FitOptions(fixed: [.r: 0.65], interval: IntervalOptions(kind: kind))
    let without = try SeriesFitter(options: options).fit(series)
    options.keepsProfiles = true
    let fit = try SeriesFitter(options: options).fit(series)
    #expect(without.profiles.isEmpty)
    #expect(fit.estimates == without.estimates)
    #expect(fit.profiles.map(\.parameter) == [.ka, .beta])
    for profile in fit.profiles {
      let value = fit.value(profile.parameter)
      #expect(profile.points.count > 20)
      #expect(profile.points.map(\.rise).min() == 0)
      #expect(profile.points.first!.value < value && value < profile.points.last!.value)
    }
  }

  @Test func curveGivesConcentrationAtATime() throws {
    let series = try NoisySeries.series(seed: 5, count: 30)
    let fit = try SeriesFitter(options: FitOptions(fixed: [.r: 0.65], interval: nil)).fit(series)
    for reading in fit.readings {
      let concentration = fit.curve.concentration(at: reading.time)
      #expect(agree(concentration?.value, reading.predicted.value))
    }
    #expect(fit.curve.concentration(at: -1) == 0)
    #expect(fit.curve.concentration(at: Hours(.nan)) == nil)
  }

  @Test func aWarmStartIsTheFirstStart() throws {
    let series = try NoisySeries.series(seed: 5, count: 30)
    let fit = try SeriesFitter(options: FitOptions(fixed: [.r: 0.65], interval: nil)).fit(series)
    let warm = try SeriesFitter(
      options: FitOptions(
        fixed: [.r: 0.65], starts: StartDesign(count: 1), interval: nil,
        start: [.ka: fit.value(.ka), .beta: fit.value(.beta)])
    ).fit(series)
    #expect(warm.starts.count == 1)
    #expect(agree(warm.starts[0].start[.ka], fit.values[.ka], relative: 1e-14))
    #expect(warm.iterations < fit.iterations)
    #expect(agree(warm.values[.ka], fit.values[.ka], relative: 1e-10))
  }

  /// Descents from different starts end a part of 1e-8 from each other; with its last digits a fit is
  /// the same from all.
  @Test func fitsAreConvergedToLastDigits() throws {
    for seed in [5, 6, 7] {
      let series = try NoisySeries.series(seed: UInt64(seed), count: 30)
      let fits = try [(1.0, 0.3), (20, 0.1), (5, 0.2)].map { ka, beta in
        try SeriesFitter(
          options: FitOptions(
            fixed: [.r: 0.65], starts: StartDesign(count: 1), interval: nil,
            start: [.ka: ka, .beta: beta])
        ).fit(series)
      }
      for fit in fits {
        #expect(agree(fit.values[.ka], fits[0].values[.ka], relative: 1e-11))
        #expect(agree(fit.values[.beta], fits[0].values[.beta], relative: 1e-11))
      }
    }
  }
}
