import AlcoholKinetics
import Foundation
import TestSupport
import Testing

/// Equivalent forms of a study: in another unit, on another clock, with its rows in another order, under other names,
/// and with each drink as two halves: no verdict of any command changes, and no number by more than 1e-6.
@Suite struct MetamorphicTests {
  /// The compared commands: one of each kind that computes.
  private static let commands = [
    ["fit", "--estimate", "ka,beta,r"],
    ["fit", "--estimate", "ka,beta,r", "--error", "proportional"],
    ["fit", "--prior", "fed"],
    ["compare", "--food", "fasted"],
    ["compare", "--parameters", "fitted"],
    ["sober", "--food", "fasted"],
    ["population", "--random", "ka,beta,r", "--starts", "1"],
    ["forecast", "--prior", "fed", "--after", "first:4"],
    ["forecast", "--prior", "fed", "--score", "--draws", "200"],
    ["simulate", "--food", "fasted", "--every", "30"],
  ]

  /// As many as are asked for, each of which is also told in one other way alone; else a few.
  private static let asked = ProcessInfo.processInfo.environment["PROMILLE_TOLD_STUDIES"].flatMap {
    Int($0)
  }
  private static let studies = 1...(asked ?? 4)

  @Test(arguments: studies)
  func equivalentStudiesGiveTheSameResults(_ seed: Int) async throws {
    let study = ToldStudy(seed: UInt64(seed))
    let all = ToldStudy.Telling.allCases
    let tellings = [Set(all)] + (Self.asked == nil ? [] : [[all[seed % all.count]]])
    let folder = try TemporaryFolder()
    for command in Self.commands {
      let known = try await Answer(command, study, to: folder("study"))
      for var telling in tellings {
        // Curves begin at midnight.
        if command[0] == "simulate" { telling.remove(.clock) }
        let twin = try await Answer(command, study.told(telling), to: folder("study"))
        let differences = known.differences(from: twin, shift: telling.contains(.clock))
        #expect(
          differences.isEmpty,
          "study \(seed), \(command), \(telling): \(differences.prefix(8)) of \(differences.count)")
      }
    }
  }
}

/// Some people, what they drank and what was measured, and how a file tells it.
private struct ToldStudy {
  enum Telling: CaseIterable {
    case unit, clock, order, names, halves
  }

  private struct Drink {
    let person, minute, duration: Int
    let grams: Double
  }

  private struct Reading {
    let person, minute: Int
    /// In the first of the units.
    let shown: Double
  }

  /// The shift of the clock, in min.
  static let shift = 137
  /// The name of a person, and another that sorts the other way and stands for no number.
  static func name(_ person: Int, _ telling: Set<Telling> = []) -> String {
    telling.contains(.names) ? "zz\(9 - person)q" : "p\(person)"
  }

  private let measures: [String]
  private let drinks: [Drink]
  private let readings: [Reading]
  /// Two columns of the same matrix, and what a number of the first is multiplied with to be one of the second.
  private let units: (first: String, second: String, factor: Double)
  /// The limit of detection in the first unit.
  private let limit: Double?
  private var telling: Set<Telling> = []
  private let seed: UInt64

  init(seed: UInt64) {
    self.seed = seed
    var random = SeededGenerator(seed: seed)
    let kinds = [
      ("brac_mg_per_l", "brac_ug_per_100ml", 100, 1.055 / 2.1, 0.01),
      ("bac_g_per_l", "bac_mg_per_100ml", 100, 1.055, 0.001),
      ("bac_g_per_kg", "bac_g_per_l", 1.055, 1, 0.001),
      ("brac_mg_per_l", "brac_g_per_210l", 0.21, 1.055 / 2.1, 0.005),
    ]
    let (first, second, factor, perBlood, step) = kinds[Int(seed % 4)]
    units = (first, second, factor)
    limit = seed % 3 == 0 ? 2 * step : nil
    var (measures, drinks, readings): ([String], [Drink], [Reading]) = ([], [], [])
    for person in 1...4 {
      let isMale = Bool.random(using: &random)
      let weight = Int.random(in: isMale ? 65...100 : 50...80, using: &random)
      measures.append(
        "\(isMale ? "male" : "female"),\(Int.random(in: 19...60, using: &random)),"
          + "\(Int.random(in: isMale ? 165...195 : 155...180, using: &random)),\(weight)")
      let own = (0..<Int.random(in: 1...2, using: &random)).map { number in
        Drink(
          person: person, minute: number * Int.random(in: 20...60, using: &random),
          duration: [0, 10, 15][Int.random(in: 0...2, using: &random)],
          grams: (10 * random.uniform(20...45)).rounded() / 10)
      }
      drinks += own
      let (ka, beta, r) = (
        random.logUniform(0.8...12), random.uniform(0.1...0.22), random.uniform(0.5...0.85)
      )
      let noise = [0.01, 0.03][Int(seed / 4 % 2)]
      let every = [15, 30, 50][Int(seed / 8 % 3)]
      // Widmark's equation, as if each drink were taken at once.
      for minute in stride(from: Int.random(in: 10...60, using: &random), through: 420, by: every) {
        let hours = Double(minute) / 60
        let absorbed = own.reduce(0.0) { sum, drink in
          let since = hours - Double(drink.minute) / 60
          return since < 0 ? sum : sum + drink.grams / r / Double(weight) * (1 - exp(-ka * since))
        }
        let level = max(0, absorbed - beta * hours + noise * random.nearlyNormal()) * perBlood
        let shown = (level / step).rounded() * step
        readings.append(
          Reading(person: person, minute: minute, shown: (shown * 1e4).rounded() / 1e4))
      }
    }
    (self.measures, self.drinks, self.readings) = (measures, drinks, readings)
  }

  func told(_ telling: Set<Telling>) -> ToldStudy {
    var other = self
    other.telling = telling
    return other
  }

  /// Writes the three tables.
  func write(to folder: String) throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let shift = telling.contains(.clock) ? Self.shift : 0
    func name(_ person: Int) -> String { Self.name(person, telling) }
    func write(_ file: String, _ header: String, _ rows: [String]) throws {
      var rows = rows
      var random = SeededGenerator(seed: seed)
      if telling.contains(.order) { rows.shuffle(using: &random) }
      try ([header] + rows).map { $0 + "\n" }.joined()
        .write(toFile: "\(folder)/\(file).csv", atomically: true, encoding: .utf8)
    }
    try write(
      "subjects", "subject,sex,age_y,height_cm,weight_kg",
      measures.enumerated().map { "\(name($0 + 1)),\($1)" })
    try write(
      "drinks", "subject,time_min,duration_min,ethanol_g",
      drinks.flatMap { drink in
        let parts = telling.contains(.halves) ? 2 : 1
        return Array(
          repeating: "\(name(drink.person)),\(drink.minute + shift),\(drink.duration),"
            + "\(drink.grams / Double(parts))",
          count: parts)
      })
    let isOther = telling.contains(.unit)
    func number(_ shown: Double) -> String { "\(isOther ? shown * units.factor : shown)" }
    try write(
      "readings",
      "subject,time_min,\(isOther ? units.second : units.first)\(limit == nil ? "" : ",lod")",
      readings.map { reading in
        "\(name(reading.person)),\(reading.minute + shift),\(number(reading.shown))"
          + (limit.map { ",\(number($0))" } ?? "")
      })
  }
}

/// The answer of a command for a study.
private struct Answer {
  private let status: Int32
  private let content: [String: Any]

  /// Runs a command on a study whose people have other names, which are put back.
  init(_ command: [String], _ study: ToldStudy, to folder: String) async throws {
    try study.write(to: folder)
    let isCSV = command[0] == "simulate"
    let run = try await Command.promille(
      [command[0], folder] + command.dropFirst() + ["-q"] + (isCSV ? [] : ["--format", "json"]))
    status = run.status
    var text = run.output
    for person in 1...4 {
      text = text.replacing(ToldStudy.name(person, [.names]), with: ToldStudy.name(person))
    }
    if isCSV {
      content = ["curves": try CSVText.rows(text).map { $0 as [String: Any] }]
    } else {
      let json = try JSONSerialization.jsonObject(with: Data(text.utf8))
      // The text has the rows in their order in the files, as wide as the names, and times on the study's clock.
      content = (json as? [String: Any] ?? [:]).filter {
        !["provenance", "text"].contains($0.key)
      }
    }
  }

  /// The differences from another answer, as lines of text.
  func differences(from other: Answer, shift: Bool) -> [String] {
    guard status == other.status else { return ["exit code \(status), \(other.status)"] }
    var found: [String] = []
    compare(content, other.content, "", shift ? Double(ToldStudy.shift) : 0, &found)
    return found
  }

  /// Returns true for times on a study's own clock.
  private static func isClock(_ place: String) -> Bool {
    place.hasSuffix(".time_min") && place.hasPrefix(".left_out")
  }
  private static func isInUnitsOfTheStudy(_ place: String) -> Bool {
    place.hasPrefix(".left_out") && (place.hasSuffix(".unit") || place.hasSuffix(".value"))
  }

  private func compare(
    _ one: Any, _ other: Any, _ place: String, _ shift: Double, _ found: inout [String]
  ) {
    switch (one, other) {
    case (let one as [String: Any], let other as [String: Any]):
      for key in Set(one.keys).union(other.keys).sorted() {
        compare(one[key] ?? "none", other[key] ?? "none", "\(place).\(key)", shift, &found)
      }
    case (let one as [Any], let other as [Any]) where one.count == other.count:
      for (index, pair) in zip(Self.inOrder(one), Self.inOrder(other)).enumerated() {
        compare(pair.0, pair.1, "\(place)[\(index)]", shift, &found)
      }
    default:
      let (first, second) = ("\(one)", "\(other)")
      guard first != second, !Self.isInUnitsOfTheStudy(place) else { return }
      let moved = Self.isClock(place) ? shift : 0
      if let number = Double(first), let twin = Double(second),
        agree(
          number + moved, twin, relative: 1e-6,
          absolute: place.hasSuffix(".correlation") ? 1e-6 : 1e-7)
      {
        return
      }
      found.append("\(place): \(first), \(second)")
    }
  }

  /// Rows of people in the order of their names; so are those of methods in a summary, which come as they are met.
  private static func inOrder(_ rows: [Any]) -> [Any] {
    func name(_ row: Any) -> String {
      guard let row = row as? [String: Any] else { return "" }
      let names = row["subject"] == nil ? ["quantity", "stage", "method"] : ["subject"]
      return names.map { "\(row[$0] ?? "")" }.joined(separator: " ")
    }
    return rows.enumerated().sorted { (name($0.1), $0.0) < (name($1.1), $1.0) }.map(\.1)
  }
}
