import AlcoholKinetics
import StudyFiles
import TestSupport
import Testing

@testable import Spreadsheets
@testable import StudyData

/// A study is read as the same study from every form of sheet.
@Suite struct SheetFormTests {
  private struct Person {
    let id: String
    let sex: String
    let kilograms: Int
    let centimetres: Int
    let grams: Int
    /// Minutes after the drink, and mg/L.
    let readings: [(minutes: Int, value: Double)]
  }

  private static func people(_ generator: inout SeededGenerator) -> [Person] {
    (1...Int.random(in: 1...5, using: &generator)).map { number in
      let minutes =
        [30, 60, 95, 150, 215, 300].filter { _ in Bool.random(using: &generator) } + [360]
      return Person(
        id: "p\(number)", sex: Bool.random(using: &generator) ? "male" : "female",
        kilograms: .random(in: 50...100, using: &generator),
        centimetres: .random(in: 155...195, using: &generator),
        grams: .random(in: 10...60, using: &generator),
        readings: minutes.map { ($0, Double(Int.random(in: 5...50, using: &generator)) / 100) })
    }
  }

  private static func canonical(_ people: [Person]) throws -> [Series] {
    var (subjects, drinks, readings) = (
      "subject,sex,height_cm,weight_kg\n", "subject,time_min,ethanol_g\n",
      "subject,time_min,brac_mg_per_l\n"
    )
    for person in people {
      subjects += "\(person.id),\(person.sex),\(person.centimetres),\(person.kilograms)\n"
      drinks += "\(person.id),0,\(person.grams)\n"
      for reading in person.readings {
        readings += "\(person.id),\(reading.minutes),\(reading.value)\n"
      }
    }
    return try StudyReader(
      subjects: Array(subjects.utf8), drinks: Array(drinks.utf8), readings: Array(readings.utf8)
    ).study().series
  }

  private static func clock(_ minutes: Int) -> String {
    let all = (23 * 60 + 20 + minutes) % 1440
    return "\(all / 60):\(all % 60 < 10 ? "0" : "")\(all % 60)"
  }

  /// A person's columns, in front of those of an event.
  private static func head(_ person: Person) -> String {
    "\(person.id)|\(person.sex)|\(person.centimetres)|\(person.kilograms)"
  }

  private static func oneSheet(_ people: [Person], time: String, _ text: (Int) -> String) -> String
  {
    people.reduce(
      into: "Participant|Gender|Height (cm)|Weight (kg)|\(time)|Ethanol (g)|BrAC (mg/L)"
    ) {
      $0 += "\n\(head($1))|\(text(0))|\($1.grams)|"
      for reading in $1.readings {
        $0 += "\n\(head($1))|\(text(reading.minutes))||\(reading.value)"
      }
    }
  }

  private static func wide(_ people: [Person]) -> String {
    let times = [30, 60, 95, 150, 215, 300, 360]
    return people.reduce(
      into: "Participant|Gender|Height (cm)|Weight (kg)|Dose (g)|"
        + times.map { "BrAC \($0) min" }.joined(separator: "|")
    ) { text, person in
      text += "\n\(head(person))|\(person.grams)|"
      text += times.map { time in
        person.readings.first { $0.minutes == time }.map { "\($0.value)" } ?? ""
      }.joined(separator: "|")
    }
  }

  private static func agree(_ one: [Series], _ other: [Series], weights tolerance: Double = 0)
    -> Bool
  {
    one.count == other.count
      && zip(one, other).allSatisfy { one, other in
        let (first, second) = (one.subject.weight?.value ?? 0, other.subject.weight?.value ?? 0)
        return one.subject.id == other.subject.id && one.subject.sex == other.subject.sex
          && one.subject.height == other.subject.height && abs(first - second) <= tolerance
          && one.drinks == other.drinks && one.readings == other.readings
          && one.occasion == other.occasion
      }
  }

  @Test(arguments: 0..<60)
  func sameStudyIsReadFromEveryForm(seed: Int) throws {
    var generator = SeededGenerator(seed: UInt64(seed))
    let people = Self.people(&generator)
    let expected = try Self.canonical(people)
    let minutes = Self.oneSheet(people, time: "Time (min)") { "\($0)" }
    #expect(Self.agree(try SheetText.study(minutes).series, expected))
    let clocks = Self.oneSheet(people, time: "Time", Self.clock)
    #expect(Self.agree(try SheetText.study(clocks).series, expected))
    let dated = Self.oneSheet(people, time: "DateTime") {
      "\(CivilDate.text(20_778 + (23 * 60 + 20 + $0) / 1440)) \(Self.clock($0))"
    }
    #expect(Self.agree(try SheetText.study(dated).series, expected))
    let wide = try SheetText.study(Self.wide(people), map: "*=brac_mg_per_l").series
    #expect(Self.agree(wide, expected))
    // A pound is 0.45359237 kg; written with four decimals.
    let pounds = Self.oneSheet(
      people.map {
        Person(
          id: $0.id, sex: $0.sex, kilograms: $0.kilograms * 100_000, centimetres: $0.centimetres,
          grams: $0.grams, readings: $0.readings)
      }, time: "Time (min)"
    ) { "\($0)" }.split(separator: "\n").enumerated().map { index, line -> String in
      guard index > 0 else { return String(line.replacing("(kg)", with: "(lb)")) }
      var cells = line.split(separator: "|", omittingEmptySubsequences: false).map(String.init)
      cells[3] = "\(((Double(cells[3]) ?? 0) / 45_359.237).rounded(.toNearestOrEven, to: 4))"
      return cells.joined(separator: "|")
    }.joined(separator: "\n")
    #expect(Self.agree(try SheetText.study(pounds).series, expected, weights: 5e-5))
  }

  @Test func doseInEveryRowIsOneDrink() throws {
    let sheet = """
      ID|Weight (kg)|Dose (g)|Time (h)|BrAC (mg/L)
      a|80|40|0.5|0.2
      a|80|40|1|0.25
      a|80|40|2|0.17
      b|60|30|0.5|0.2
      b|60|30|1|0.25
      b|60|30|2|0.17
      """
    let study = try SheetText.study(sheet)
    #expect(study.series.map(\.drinks.count) == [1, 1])
    #expect(study.series[0].readings.map(\.time.minutes) == [30, 60, 120])
    let note = try #require(SheetText.notes(sheet)["Dose (g)"])
    #expect(note.contains("one drink; at 0 min"))
    let clocks = sheet.replacing("Time (h)", with: "Time").replacing("|0.5|", with: "|20:00|")
      .replacing("|1|", with: "|20:30|").replacing("|2|", with: "|21:30|")
    #expect(SheetText.findings(clocks).map(\.code) == [.columnMissing])
  }

  @Test func clockTimesMayBeHeaders() throws {
    let sheet = """
      ID|Weight (kg)|Drink time|Dose (g)|22:30|23:50|00:10
      a|80|22:00|40|0.2|0.3|0.29
      """
    let series = try SheetText.study(sheet, map: "*=brac_mg_per_l").series[0]
    #expect(series.readings.map(\.time.minutes) == [30, 110, 130])
    #expect(SheetText.findings(sheet).map(\.code) == [.columnUnit])
    let evenings = sheet + "\na|80|22:00|40|0.2|0.3|0.28"
    #expect(
      try SheetText.study(evenings, map: "*=brac_mg_per_l").series.map(\.occasion) == ["1", "2"])
  }

  @Test func peopleDrinksAndReadingsMayStandInThreeTables() throws {
    let texts = [
      "ID|Gender|Weight (lb)\na|m|176.37", "ID|Time|Ethanol (g)\na|22:00|40",
      "ID|Time|BAC (g/kg)\na|23:00|0.5\na|00:30|0.4",
    ]
    let sheet = try #require(try SheetStudy(texts.map(SheetText.table), path: "book"))
    let series = try sheet.folder.study().series
    #expect(series.count == 1 && series[0].readings.map(\.time.minutes) == [60, 150])
    #expect(abs((series[0].subject.weight?.value ?? 0) - 80) < 0.001)
  }
}

extension Double {
  fileprivate func rounded(_ rule: FloatingPointRoundingRule, to places: Int) -> Double {
    var scale = 1.0
    for _ in 0..<places { scale *= 10 }
    return (self * scale).rounded(rule) / scale
  }
}
