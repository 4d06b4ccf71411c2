import TestSupport
import Testing

/// Numbers of options as people write them: with a decimal comma, and with a unit where the option is a measure.
@Suite struct OptionUnitTests {
  private static func drinks(_ person: [String], drink: String = "21:00=500ml@5%") async throws
    -> Outcome
  {
    try await Command.promille(
      ["case", "forward", "--sex", "male", "--at", "23:00", "--drink", drink] + person
        + ["--format", "csv"])
  }

  private static func answer(_ outcome: Outcome) throws -> [Double] {
    let row = try #require(try CSVText.rows(outcome.output).first, "\(outcome.errors)")
    return ["low", "likeliest", "high"].compactMap { Double(row[$0] ?? "") }
  }

  private static func agree(_ one: Outcome, _ other: Outcome) throws -> Bool {
    let (one, other) = try (answer(one), answer(other))
    return one.count == 3 && zip(one, other).allSatisfy { abs($0 - $1) < 1e-9 }
  }

  @Test(arguments: [
    ["--age", "35", "--height", "180.34", "--weight", "81.6466266"],
    ["--age", "35y", "--height", "5'11\"", "--weight", "180lb"],
    ["--age", "35 years", "--height", "1,8034m", "--weight", "180 lbs"],
    ["--age", "35", "--height", "71in", "--weight", "12st 12lb"],
  ])
  func measureOptionsAcceptUnits(_ person: [String]) async throws {
    let usual = try await Self.drinks([
      "--age", "35", "--height", "180.34", "--weight", "81.6466266",
    ])
    let run = try await Self.drinks(person)
    #expect(run.status == 0, "\(run.errors)")
    #expect(try Self.agree(run, usual))
  }

  @Test(arguments: ["500ml@5%", "0,5l@5%", "50cl@5,0%", "0.5 l@5%"])
  func drinkVolumesAcceptUnits(_ drink: String) async throws {
    let person = ["--age", "35", "--height", "180", "--weight", "80"]
    let usual = try await Self.drinks(person)
    let run = try await Self.drinks(person, drink: "21:00=\(drink)")
    #expect(run.status == 0, "\(run.errors)")
    #expect(try Self.agree(run, usual))
  }

  @Test(arguments: [
    (["--weight", "80 pints"], "180lb"), (["--height", "1,250"], "5'11\""),
    (["--weight", "5'11\""], "kg"),
    (["--age", "old"], "34y"),
  ])
  func anotherUnitIsAUsageError(_ option: [String], _ says: String) async throws {
    let run = try await Self.drinks(option)
    #expect(run.status == 64)
    #expect(run.errors.contains(says), "\(run.errors)")
  }

  @Test func measuredValuesAcceptADecimalComma() async throws {
    func back(_ value: String) async throws -> Outcome {
      try await Command.promille(
        "case", "back", "--measured", value, "--unit", "bac_g_per_kg", "--measured-at", "23:00",
        "--at",
        "21:00", "--sex", "male", "--age", "35", "--height", "180", "--weight", "80", "--format",
        "csv")
    }
    let (comma, point) = try await (back("0,95"), back("0.95"))
    #expect(comma.status == 0, "\(comma.errors)")
    #expect(try Self.agree(comma, point))
    let unit = try await back("95 mg/100ml")
    #expect(unit.status == 64 && unit.errors.contains("stated elsewhere"))
    #expect(try await back("1,250").status == 64)
  }
}
