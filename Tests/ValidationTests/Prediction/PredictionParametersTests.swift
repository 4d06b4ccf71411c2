import AlcoholKinetics
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

  private func parameters(_ study: Study) throws -> [KineticParameters?] {
    let options = PredictionOptions(
      parameters: .leftOut(starts: 8), methods: [GivenRFactor(0.65)])
    return try SobrietyScorer(options: options).scores(of: study).map { score in
      try? score.prediction.get().parameters
    }
  }

  /// Each is predicted with the geometric mean of the other two, never with its own.
  @Test func leavesTheSubjectOut() throws {
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
      #expect(abs(parameters.ka.value / products.0.squareRoot() - 1) < 1e-6)
      #expect(abs(parameters.beta.value / products.1.squareRoot() - 1) < 1e-6)
    }
  }

  @Test func leavesOutEveryOccasionOfTheSubject() throws {
    var again = try series("a", ka: 3, beta: 0.12)
    again.occasion = "2"
    let study = Study(
      name: "two",
      series: [try series("a", ka: 2, beta: 0.10), again, try series("b", ka: 8, beta: 0.20)])
    let found = try parameters(study)
    #expect(abs((found[0]?.ka.value ?? 0) - 8) < 1e-5)
    #expect(abs((found[1]?.ka.value ?? 0) - 8) < 1e-5)
    #expect(abs((found[2]?.ka.value ?? 0) - 6.0.squareRoot()) < 1e-5)
  }

  /// Against the mean of the others' logarithms, summed up for everybody anew.
  @Test func sumsAreThoseOfTheOthers() throws {
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
      let others = try fits.filter { $0.series.subject.id != series.subject.id }
        .map { try $0.result.get() }.filter(\.isConverged).map { try $0.kinetics }
      #expect(others.count >= 9)
      let count = Double(others.count)
      let ka = Double.exp(others.map { .log($0.ka.value) }.reduce(0, +) / count)
      let beta = Double.exp(others.map { .log($0.beta.value) }.reduce(0, +) / count)
      #expect(abs(parameters.ka.value / ka - 1) < 1e-12)
      #expect(abs(parameters.beta.value / beta - 1) < 1e-12)
    }
  }

  @Test func needsSomebodyElse() throws {
    let study = Study(name: "one", series: [try series("a", ka: 2, beta: 0.10)])
    let options = PredictionOptions(parameters: .leftOut(starts: 8), methods: [GivenRFactor(0.65)])
    let score = try #require(try SobrietyScorer(options: options).scores(of: study).first)
    guard case .failure(let failure) = score.prediction else {
      Issue.record("predicted from nobody")
      return
    }
    #expect(failure == .noOtherFit)
    #expect(failure.code == "E_NO_OTHER_FIT")
  }
}
