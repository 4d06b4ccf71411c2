import AlcoholKinetics
import Estimation
import StudyData
import StudyFiles

/// Reads a study, fits its first subject, and says when they were sober.
@main
struct FitOneSubject {
  static func main() throws {
    let path = CommandLine.arguments.dropFirst().first ?? "datasets/nacar-2021"
    let study = try StudyReader.read(path)
    guard let series = study.series.first(where: { $0.firstError == nil }) else {
      return print("\(path) has no subject without an error")
    }
    print("subject \(series.subject.id): \(series.readings.count) readings")
    try fit(series, of: study)
    try predict(series)
  }

  /// k_a, beta and r with 95 % intervals from the profile likelihood.
  private static func fit(_ series: Series, of study: Study) throws {
    let options = FitOptions(estimate: [.ka, .beta, .r])
    let fit = try SeriesFitter(options: options).fit(series, instrument: study.instrument)
    for (parameter, estimate) in fit.estimates.sorted(by: { $0.key < $1.key }) {
      let verdict = estimate.isIdentifiable == false ? ", not identifiable" : ""
      print(
        "\(parameter.rawValue): \(rounded(estimate.value)), "
          + "\(rounded(estimate.low)) to \(rounded(estimate.high)) \(parameter.unit)\(verdict)")
    }
  }

  /// What Watson's r predicts with k_a 18 /h and beta 0.15 g/kg/h.
  private static func predict(_ series: Series) throws {
    let r = try Watson().rFactor(for: series.subject)
    let curve = Trajectory(
      try Regimen(series.drinks, bodyWeight: series.subject.weight),
      try KineticParameters(ka: 18, beta: 0.15, r: r))
    print("r by Watson: \(rounded(r.value)) kg/kg")
    print("sober after \(rounded(curve.timeToThreshold(0)?.minutes)) min")
  }

  private static func rounded(_ value: Double?) -> String {
    value.map { String(($0 * 1000).rounded() / 1000) } ?? "?"
  }
}
