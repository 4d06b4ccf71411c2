package import AlcoholKinetics
package import Estimation
package import StudyData

/// A reproducible cohort of men who have four drinks on one occasion, with curves by all r-factor
/// methods.
struct BenchmarkCohort {
  /// The drinks of each subject.
  let regimens: [Regimen]
  /// The parameters of each curve; the methods of a subject are consecutive.
  let parameters: [KineticParameters]
  /// The number of curves of a subject.
  let methodCount: Int

  /// The number of curves, by subject and method.
  var curveCount: Int { parameters.count }

  init(subjects: Int, ka: PerHour = 10) throws(Problem) {
    let methods = RFactorMethods.all()
    var regimens: [Regimen] = []
    var parameters: [KineticParameters] = []
    for index in 0..<subjects {
      var spread = GoldenSpread(start: index * 11)
      let subject = Subject(
        id: "\(index)", sex: .male, age: Years(spread.next(18...60)),
        height: Metres(spread.next(1.6...2)), weight: Kilograms(spread.next(60...110)))
      regimens.append(try Regimen(Self.drinks(&spread), bodyWeight: subject.weight))
      // All five have a formula for every man.
      for r in methods.compactMap({ try? $0.rFactor(for: subject) }) {
        parameters.append(try KineticParameters(ka: ka, beta: 0.15, r: r))
      }
    }
    self.regimens = regimens
    self.parameters = parameters
    methodCount = methods.count
  }

  /// The drinks and parameters of a curve.
  func input(of curve: Int) -> (Regimen, KineticParameters) {
    (regimens[curve / methodCount], parameters[curve])
  }

  private static func drinks(_ spread: inout GoldenSpread) -> [Drink] {
    (0..<4).map { _ in
      let minute = spread.next(0...300).rounded()
      return Drink(time: Hours(minutes: minute), ethanol: .mass(Grams(spread.next(10...25))))
    }
  }
}

/// Evenly scattered numbers without a random generator: fractional parts of multiples of the golden
/// ratio.
struct GoldenSpread {
  private var index: Int

  init(start: Int) {
    index = start
  }

  mutating func next(_ range: ClosedRange<Double>) -> Double {
    index += 1
    let share = (Double(index) * 0.618_033_988_749_894_9).truncatingRemainder(dividingBy: 1)
    return range.lowerBound + (range.upperBound - range.lowerBound) * share
  }
}

/// Reproducible simulated series of men with 25 breath readings, for fits.
///
/// Three drinks within an hour and a half, a reading every 20 minutes, k_a from 2 to 12 /h, beta from
/// 0.1 to 0.2 g/kg/h, and an error of up to 0.03 g/kg either way. `made_up_series.py` in `Tests/Tools`
/// makes up the same ones.
package enum BenchmarkSeries {
  /// The r factor of all subjects.
  package static let r: RFactor = 0.68

  /// Creates so many series.
  ///
  /// - Throws: `SeriesFailure.problem(_:)`, never for these numbers.
  package static func madeUp(_ count: Int) throws(SeriesFailure) -> [Series] {
    try (0..<count).map { index throws(SeriesFailure) in try series(index) }
  }

  private static func series(_ index: Int) throws(SeriesFailure) -> Series {
    var spread = GoldenSpread(start: index * 37)
    let weight = Kilograms(spread.next(60...110))
    let ka = PerHour(spread.next(2...12))
    let beta = GramsPerKilogramHour(spread.next(0.1...0.2))
    var series = Series(
      subject: Subject(id: "\(index)", sex: .male, age: 30, height: 1.8, weight: weight),
      drinks: drinks(&spread), readings: [])
    let regimen = try series.regimen()
    do {
      let curve = Trajectory(regimen, try KineticParameters(ka: ka, beta: beta, r: r))
      series.readings = readings(of: curve, &spread)
    } catch {
      throw .problem(error)
    }
    return series
  }

  private static func drinks(_ spread: inout GoldenSpread) -> [Drink] {
    let grams = (0..<3).map { _ in Grams(spread.next(12...30)) }
    let minutes = [0, spread.next(15...45).rounded(), spread.next(50...90).rounded()]
    return zip(minutes, grams).map { Drink(time: Hours(minutes: $0), ethanol: .mass($1)) }
  }

  private static func readings(
    of curve: Trajectory, _ spread: inout GoldenSpread
  ) -> [Reading] {
    (1...25).map { number in
      let time = Hours(minutes: Double(20 * number))
      let shown = curve.concentration(at: time).value + spread.next(-0.03...0.03)
      return Reading(time: time, value: max(0, shown), unit: .bloodGramsPerKilogram)
    }
  }
}
