import AlcoholKinetics
import Estimation
import Foundation
import Population
import StudyData
import StudyFiles
import TestSupport

/// Population data sets on which other programs' figures are published; they may not be shipped.
enum Yardstick {
  static var isThere: Bool { PackageFolder.hasShared("population/wang-2007.csv") }

  static func rows(_ name: String) throws -> [[String: String]] {
    let path = PackageFolder.shared("population/\(name).csv")
    return try CSVText.rows(try String(contentsOf: URL(filePath: path), encoding: .utf8))
  }

  /// The series of a table of events, one for each subject.
  ///
  /// - Parameters:
  ///   - dose: What a row gives, per kg of body weight; nil for none.
  ///   - reading: What a row measured; nil for none.
  static func series(
    _ rows: [[String: String]], time: String = "TIME", route: Route = .oral,
    dose: ([String: String]) -> Double?, reading: ([String: String]) -> Double?
  ) -> [Series] {
    var order: [String] = []
    var people: [String: Series] = [:]
    for row in rows {
      guard let id = row["ID"], let at = row[time].flatMap(Double.init) else { continue }
      if people[id] == nil {
        order.append(id)
        people[id] = Series(subject: Subject(id: id), drinks: [], readings: [])
      }
      if let amount = dose(row), amount > 0 {
        let every = row["ii"].flatMap(Double.init) ?? 0
        for more in 0...Int(row["addl"].flatMap(Double.init) ?? 0) {
          // A reading at the time of a dose is one after it.
          people[id]?.drinks.append(
            Drink(
              time: Hours(at + Double(more) * every - 1e-8),
              ethanol: .perBodyWeight(GramsPerKilogram(amount)), route: route))
        }
      }
      if let value = reading(row) {
        people[id]?.readings.append(
          Reading(time: Hours(at), value: value, unit: .bloodGramsPerKilogram))
      }
    }
    return order.compactMap { people[$0] }
  }

  /// Ten subjects, two readings each: y = 10 e^(-k t) (Wang 2007).
  static func wang() throws -> [Series] {
    var given: Set<String> = []
    return series(
      try rows("wang-2007"), time: "Time", route: .intravenous,
      dose: { given.insert($0["ID"] ?? "").inserted ? 10 : nil },
      reading: { $0["Y"].flatMap(Double.init) })
  }

  /// 100 units to each, for a weight of 10 unless told, so that a volume of 7.7 is an r of 0.77.
  static func warfarin(weight: Double = 10) throws -> [Series] {
    series(
      try rows("warfarin"),
      dose: { row in
        guard let amount = row["AMT"].flatMap(Double.init) else { return nil }
        return amount / weight
      },
      reading: { $0["DV"].flatMap(Double.init) })
  }

  static func theophylline() throws -> [Series] {
    series(
      try rows("theophylline"),
      dose: { row in
        guard let amount = row["AMT"].flatMap(Double.init),
          let weight = row["WT"].flatMap(Double.init)
        else { return nil }
        return amount / weight
      },
      reading: { $0["EVID"] == "0" ? $0["DV"].flatMap(Double.init) : nil })
  }

  /// Eight subjects, some of whom were given several doses; 70 L are taken for an r of 0.05.
  static func map001() throws -> [Series] {
    series(
      try rows("map-001"), time: "time",
      dose: { row in
        guard let amount = row["amt"].flatMap(Double.init) else { return nil }
        return amount / 1400
      },
      reading: { $0["DV"].flatMap(Double.init) })
  }

  /// 120 subjects with Michaelis-Menten elimination, doses in a unit of which 70,000 are taken for 1 g per kg,
  /// concentrations in one of which 1000 are 1 g/kg.
  static func michaelisMenten(upTo last: Int = 120) throws -> [Series] {
    series(
      try rows("oral-1cpt-mm").filter { Int($0["ID"] ?? "") ?? 0 <= last },
      dose: { row in row["AMT"].flatMap(Double.init).map { $0 / 70_000 } },
      reading: { row in row["MDV"] == "0" ? row["DV"].flatMap(Double.init).map { $0 / 1000 } : nil }
    )
  }

  static func log(_ value: Double) -> Double { Foundation.log(value) }
  static func exp(_ value: Double) -> Double { Foundation.exp(value) }
  static func cos(_ value: Double) -> Double { Foundation.cos(value) }
}
