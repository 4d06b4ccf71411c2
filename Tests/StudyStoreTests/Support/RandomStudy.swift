import AlcoholKinetics
import StudyData
import TestSupport

/// Studies that hold everything that a study can hold, and numbers with all their digits. Only what is
/// excluded is impossible: a database tells of anything else.
struct RandomStudy {
  private var generator: SeededGenerator

  init(seed: UInt64) {
    generator = SeededGenerator(seed: seed)
  }

  mutating func make() -> Study {
    let count = Int.random(in: 1...6, using: &generator)
    return Study(
      name: "study \(count)",
      title: maybe { _ in "Title \"1\", \u{FC}ber 日本" },
      instrument: maybe { $0.instrument() },
      series: (0..<count).flatMap { series(of: subject($0)) },
      diagnostics: maybe { [$0.finding(.descriptorKey)] } ?? [],
      inputs: [
        InputDigest(file: "a/subjects.csv", sha256: String(repeating: "0a", count: 32)),
        InputDigest(file: "a/readings.csv", sha256: String(repeating: "1b", count: 32)),
      ])
  }

  private mutating func maybe<Value>(_ make: (inout RandomStudy) -> Value) -> Value? {
    Bool.random(using: &generator) ? make(&self) : nil
  }

  private mutating func number(_ range: ClosedRange<Double>) -> Double {
    generator.uniform(range)
  }

  private mutating func instrument() -> Instrument {
    Instrument(
      name: maybe { _ in "AL 5500" }, resolution: maybe { $0.number(0.001...0.1) },
      relativeAccuracy: maybe { $0.number(0...1) }, limitOfDetection: maybe { $0.number(0...0.1) },
      mouthAlcoholWindow: maybe { Hours($0.number(0...1)) })
  }

  private mutating func subject(_ index: Int) -> Subject {
    Subject(
      id: ["ann", "b, \"ob\"", "c\nem", "日本", "\u{1F469}", ""][index],
      sex: maybe { Sex.allCases.randomElement(using: &$0.generator) ?? .male },
      age: maybe { Years($0.number(18...90)) },
      height: maybe { Metres($0.number(1.4...2.1)) },
      weight: maybe { Kilograms($0.number(40...150)) },
      covariates: maybe { _ in ["fed": "yes", "site": "", "x y": "1e3"] } ?? [:])
  }

  private mutating func series(of subject: Subject) -> [Series] {
    let occasions: [String?] = [nil, "1", "2024-05-01", ""].filter { _ in
      Bool.random(using: &generator)
    }
    let finding = maybe { [$0.finding(.range), $0.finding(.timeOrder)] } ?? []
    return occasions.map { occasion in
      let (drinks, readings) = (drinks(), readings())
      var series = Series(
        subject: subject, occasion: occasion, drinks: drinks, readings: readings,
        uuids: GivenUUIDs(
          drinks: drinks.map { _ in generator.maybeUUID() },
          readings: maybe { random in readings.map { _ in random.generator.maybeUUID() } } ?? []),
        diagnostics: finding)
      for index in readings.indices { series.sources[index] = maybe { _ in "a \"b\", c" } }
      return series
    }
  }

  private mutating func drinks() -> [Drink] {
    var time = number(-2...0)
    return (0..<Int.random(in: 1...4, using: &generator)).map { _ in
      time += maybe { $0.number(0...1) } ?? 0
      let duration = maybe { Hours($0.number(0...1)) } ?? 0
      let grams = number(0...80)
      let isMass = Bool.random(using: &generator)
      return Drink(
        time: Hours(time), duration: duration,
        ethanol: isMass ? .mass(Grams(grams)) : .perBodyWeight(GramsPerKilogram(grams / 80)),
        route: Route.allCases.randomElement(using: &generator) ?? .oral)
    }
  }

  private mutating func readings() -> [Reading] {
    let unit =
      ConcentrationUnit.allCases.randomElement(using: &generator) ?? .breathGramsPer210Litres
    var time = number(-1...1)
    return (0..<Int.random(in: 0...120, using: &generator)).map { _ in
      time += Int.random(in: 0..<10, using: &generator) == 0 ? 0 : number(0...0.5)
      let isExcluded = Bool.random(using: &generator)
      return Reading(
        time: Hours(time), value: number(isExcluded ? -1...3 : 0...3), unit: unit,
        limitOfDetection: maybe { $0.number(0...0.1) }, isExcluded: isExcluded)
    }
  }

  private mutating func finding(_ code: DiagnosticCode) -> Diagnostic {
    let line = maybe { Int.random(in: 1...99, using: &$0.generator) }
    let place = SourceLocation(file: "a/b.csv", line: line, column: line.map { $0 + 1 })
    return Diagnostic(code, at: place, message: "what \"is\" wrong", remedy: "do this")
  }
}
