import AlcoholKinetics
import Estimation
import FittingSupport
import RealModule
import StudyData
import Testing
import Validation

@Suite struct PredictionParametersTests {
  private func series(_ subject: String, ka: Double, beta: Double) throws -> Series {
    var series = try SimulatedSeries.series(ka: PerHour(ka), beta: GramsPerKilogramHour(beta))
    series.subject.id = subject
    return series
  }

  private func parameters(_ study: Study) throws -> [ModelParameters?] {
    let options = PredictionOptions(
      parameters: .leftOut(starts: 8), methods: [GivenRFactor(0.65)])
    return try Scorer(options).scores(of: study).map(\.parameters)
  }

  /// Each is predicted with the median of the other two's logarithms, never with its own.
  @Test func ownFitIsLeftOut() throws {
    let study = Study(
      name: "three",
      series: [
        try series("a", ka: 2, beta: 0.10), try series("b", ka: 4, beta: 0.15),
        try series("c", ka: 8, beta: 0.20),
      ])
    let found = try parameters(study)
    let expected = [(4.0 * 8, 0.15 * 0.20), (2.0 * 8, 0.10 * 0.20), (2.0 * 4, 0.10 * 0.15)]
    #expect(found.count == expected.count)
    for (parameters, products) in zip(found, expected) {
      let parameters = try #require(parameters)
      #expect(abs((parameters[.ka] ?? .nan) / products.0.squareRoot() - 1) < 1e-6)
      #expect(abs((parameters[.beta] ?? .nan) / products.1.squareRoot() - 1) < 1e-6)
    }
  }

  @Test func everyOccasionOfASubjectIsLeftOut() throws {
    var again = try series("a", ka: 3, beta: 0.12)
    again.occasion = "2"
    let study = Study(
      name: "two",
      series: [try series("a", ka: 2, beta: 0.10), again, try series("b", ka: 8, beta: 0.20)])
    let found = try parameters(study)
    #expect(abs((found[0]?[.ka] ?? 0) - 8) < 1e-5)
    #expect(abs((found[1]?[.ka] ?? 0) - 8) < 1e-5)
    #expect(abs((found[2]?[.ka] ?? 0) - 6.0.squareRoot()) < 1e-5)
  }

  /// Against the median of the others' mean logarithms, taken for everybody anew.
  @Test func leftOutValuesMatchMediansOfTheOthers() throws {
    let study = Study(
      name: "many",
      series: try (0..<12).map { index in
        let offset = Double(index)
        return try series("s\(index % 10)", ka: 1 + 2 * offset, beta: 0.1 + 0.01 * offset)
      })
    let fits = try StudyFit.fits(
      of: study,
      options: FitOptions(
        rFactor: GivenRFactor(0.65), starts: StartDesign(count: 8), interval: nil))
    let found = try parameters(study)
    #expect(found.count == 12)
    for (series, parameters) in zip(study.series, found) {
      let parameters = try #require(parameters)
      var others: [String: [ParameterValues]] = [:]
      for fit in fits where fit.series.subject.id != series.subject.id {
        let value = try fit.result.get()
        if value.isConverged {
          others[fit.series.subject.id, default: []].append(value.values)
        }
      }
      #expect(others.count == 9)
      let median = { (parameter: FitParameter) -> Double in
        let means = others.values.map { fits in
          fits.reduce(0) { $0 + .log($1[parameter] ?? .nan) } / Double(fits.count)
        }
        return .exp(Sample(means)?.median ?? .nan)
      }
      let (ka, beta) = (median(.ka), median(.beta))
      #expect(abs((parameters[.ka] ?? .nan) / ka - 1) < 1e-12)
      #expect(abs((parameters[.beta] ?? .nan) / beta - 1) < 1e-12)
    }
  }

  /// Read from the third hour on, most of these are absorbed before: their fits stop at the limit of the
  /// search. Means follow it, to beyond everybody; the median stays where the others are.
  @Test func fitsAtSearchLimitsDoNotDominate() throws {
    let slow = try (0..<5).map { try series("slow\($0)", ka: 2 + 0.5 * Double($0), beta: 0.15) }
    let fast = try (0..<3).map { index in
      var fast = try series("fast\(index)", ka: 30, beta: 0.15)
      fast.readings.removeAll { $0.time < 3 }
      return fast
    }
    let study = Study(name: "fast", series: slow + fast + [try series("new", ka: 3, beta: 0.15)])
    let new = try #require(try parameters(study).last ?? nil)
    // In order 2, 2.5, 3, 3.5, 4 and three beyond; the middle of these eight is between 3.5 and 4.
    #expect(3.4..<4.1 ~= new[.ka] ?? 0)
    #expect(abs((new[.beta] ?? .nan) - 0.15) < 0.005)

    // Where most are beyond, it is the nearest that is not.
    let few = Study(name: "few", series: [slow[4]] + fast + [try series("new", ka: 3, beta: 0.15)])
    let next = try #require(try parameters(few).last ?? nil)
    #expect(abs((next[.ka] ?? .nan) - 4) < 1e-3)
  }

  @Test func leftOutValuesAreIndependentOfSubjectOrder() throws {
    let all = try (0..<7).map { index in
      try series("s\(index)", ka: 1 + Double(index), beta: 0.1 + 0.01 * Double(index))
    }
    let found = try parameters(Study(name: "one", series: all))
    let reversed = try parameters(Study(name: "other", series: all.reversed()))
    #expect(found == reversed.reversed())
  }

  @Test func leftOutParametersNeedAnotherSubject() throws {
    let study = Study(name: "one", series: [try series("a", ka: 2, beta: 0.10)])
    let options = PredictionOptions(parameters: .leftOut(starts: 8), methods: [GivenRFactor(0.65)])
    let score = try #require(try Scorer(options).scores(of: study).first)
    guard case .failure(let failure) = score.prediction else {
      Issue.record("predicted from nobody")
      return
    }
    #expect(failure == .noOtherFit)
    #expect(failure.code == "E_NO_OTHER_FIT")
  }
}
