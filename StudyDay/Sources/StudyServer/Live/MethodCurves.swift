@_spi(StudyDay) import AlcoholKinetics
import DayDatabase
@_spi(StudyDay) import StudyData

/// Predictions of five r methods from the entered drinks, with typical values for people who ate, or did not.
/// Readings are not used.
struct MethodCurves: Encodable, Sendable {
  struct MethodCurve: Encodable, Sendable {
    var method: String
    var r: Double
    var gPerKg: [Double]
    /// Time from which the curve stays at or below the release limit; nil if it is never above.
    var belowLimit: String?
  }

  /// A method that does not apply to this person, and the reason.
  struct LeftOut: Encodable, Sendable {
    var method: String
    var why: String
  }

  /// Minutes since the session began.
  var timeMin: [Double] = []
  var curves: [MethodCurve] = []
  var leftOut: [LeftOut] = []
  var kinetics: String

  private static let step = 5.0

  init(_ person: PersonRecord) throws(Problem) {
    let series = person.series.inOrderOfTime
    let food = FoodState(rawValue: person.session.food)
    let values = TypicalKinetics(of: food).values(of: .widmark, for: series.subject.sex)
    let ka = values[.ka] ?? 0
    let beta = values[.beta] ?? 0
    kinetics =
      "typical of \(person.session.food) people: k_a \(rounded(ka, 100)) /h, beta \(rounded(beta, 1000)) g/kg/h"
    guard let first = series.drinks.first?.time.value, let last = series.drinks.last?.time.value
    else { throw Problem(.closed, "No drink has been entered.") }
    guard let weight = series.subject.weight else {
      throw Problem(.closed, "The body weight is missing.")
    }
    let end = max(min(0, first) + 8, last + 6, (series.readings.last?.time.value ?? 0) + 1)
    timeMin = stride(from: min(0, first) * 60, through: min(end, first + 48) * 60, by: Self.step)
      .map { rounded($0, 10) }
    for method in RFactorMethods.all() {
      let r: RFactor
      do { r = try method.rFactor(for: series.subject) } catch {
        leftOut.append(LeftOut(method: method.name, why: error.description))
        continue
      }
      do {
        let curve = Trajectory(
          try Regimen(series.drinks, bodyWeight: weight),
          try KineticParameters(
            ka: PerHour(ka), beta: GramsPerKilogramHour(beta), r: r, lag: Hours(values[.lag] ?? 0)))
        curves.append(
          MethodCurve(
            method: method.name, r: rounded(r.value, 1000),
            gPerKg: timeMin.map {
              rounded(curve.concentration(at: Hours($0 / 60)).value, 10_000)
            },
            belowLimit: curve.timeToThreshold(GramsPerKilogram(person.session.releaseLimit)).map {
              ISOTime.text(person.session.starts + Int64(($0.value * 3_600_000).rounded()))
            }))
      } catch {
        throw Problem(.closed, "No curve can be drawn: \(error).")
      }
    }
  }
}

private func rounded(_ x: Double, _ parts: Double) -> Double { (x * parts).rounded() / parts }
