import Foundation
import StudyFiles
import TestSupport
import Testing

@Suite struct DesignCommandTests {
  private static let person = [
    "--drinks", "0:40g", "--sex", "male", "--age", "30", "--height", "180", "--weight", "80",
    "--estimate", "ka,beta,r",
  ]

  private func design(_ options: String...) async throws -> Outcome {
    try await Command.promille(["design"] + Self.person + options)
  }

  @Test func answerComesFirst() async throws {
    let run = try await design(
      "--readings", "60,120,180,240", "--simulations", "0", "--format", "table")
    #expect(run.status == 0, "\(run.errors)")
    let lines = run.output.split(separator: "\n")
    #expect(lines.first?.hasPrefix("When should 4 readings be taken? 1 person") == true)
    #expect(lines.dropFirst().first?.hasPrefix("Take readings at ") == true)
    let text = lines.joined(separator: " ")
    #expect(text.contains("times the information of the times that you plan"))
  }

  /// A row per design and quantity, the times in a table of their own, and the same for any threads.
  @Test func rowsAreOfBothDesigns() async throws {
    let options = ["--readings", "30,60,120,200", "--threshold", "0.2", "--simulations", "40"]
    let one = try await Command.promille(
      ["design"] + Self.person + options + ["--format", "csv", "--jobs", "1"])
    let two = try await Command.promille(
      ["design"] + Self.person + options + ["--format", "csv", "--jobs", "2"])
    #expect(one.status == 0 && one.output == two.output, "\(one.errors)")
    let rows = try CSVText.rows(one.output)
    #expect(
      rows.map { $0["design"] } == Array(repeating: "best", count: 4)
        + Array(repeating: "planned", count: 4))
    #expect(rows.prefix(4).map { $0["quantity"] } == ["ka", "beta", "r", "time-to-threshold"])
    #expect(rows.last?["times_min"] == "30;60;120;200")
    for row in rows {
      let efficiency = try #require(Double(row["efficiency_pct"] ?? ""))
      #expect(efficiency > 0 && efficiency <= 100)
      let isTime = row["quantity"] == "time-to-threshold"
      #expect((row["rse_pct"] ?? "").isEmpty == isTime)
      #expect((row["undetermined_pct"] ?? "").isEmpty == isTime)
    }
    let json = try await Command.promille(
      ["design"] + Self.person + options + ["--format", "json"]
    ).json
    #expect((json["design_times"] as? [[String: Any]])?.count == 8)
  }

  @Test func designUsesInstrumentAndPeopleOfAStudy() async throws {
    let run = try await Command.promille(
      "design", "datasets/nacar-2021", "--prior", "fasted", "--count", "3", "--for", "beta",
      "--every", "15", "--simulations", "0", "--format", "json")
    #expect(run.status == 0, "\(run.errors)")
    let rows = try #require(try run.json["designs"] as? [[String: Any]])
    let times = try #require(rows.first?["times_min"] as? String).split(separator: ";")
    #expect(times.count == 3)
  }

  @Test func figureShowsBothDesigns() async throws {
    let folder = try TemporaryFolder()
    let path = folder("design.svg")
    let run = try await design(
      "--readings", "30,60,120,200", "--simulations", "0", "--figure", path)
    #expect(run.status == 0, "\(run.errors)")
    let svg = try folder.read("design.svg")
    #expect(svg.contains("best times") && svg.contains("planned times"))
  }

  @Test func peopleAreSimulated() async throws {
    let folder = try TemporaryFolder()
    var study = SmallStudy()
    study.subjects = "subject,sex,age_y,height_cm,weight_kg\n"
    study.drinks = "subject,time_min,ethanol_g\n"
    study.readings = "subject,time_min,bac_g_per_kg\n"
    for (name, sex, height, weight) in [
      ("a", "male", 180, 95), ("b", "female", 165, 58), ("c", "male", 172, 64),
      ("d", "female", 170, 82),
    ] {
      study.subjects += "\(name),\(sex),30,\(height),\(weight)\n"
      study.drinks += "\(name),0,\(weight / 2)\n"
      study.readings += "\(name),60,0.5\n"
    }
    let path = try study.write(to: folder)
    let told = try await Command.promille(
      "design", path, "--prior", "fasted", "--people", "watson:0.5", "--readings", "60,120,180",
      "--format", "json")
    #expect(told.status == 0, "\(told.errors)")
    let needed = try #require(try told.json["people_needed"] as? [[String: Any]])
    let people = try #require(needed.first?["people"] as? Int)
    #expect((2...40).contains(people))
    let powers = try #require(try told.json["people_tried"] as? [[String: Any]])
      .compactMap { $0["result_pct"] as? Double }
    #expect(powers.last == 100)
    let typical = try await Command.promille(
      "design", path, "--prior", "fasted", "--people", "rse:10", "--estimate", "ka,beta,r",
      "--readings", "10,20,40,60,120,180", "--format", "json")
    let rows = try #require(try typical.json["people_needed"] as? [[String: Any]])
    #expect(rows.map { $0["quantity"] as? String } == ["ka", "beta", "r"])
    // k_a differs most between people.
    let counts = rows.compactMap { $0["people"] as? Int }
    #expect(counts.count == 3 && counts.max() == counts[0])
    let effect = try await Command.promille(
      "design", path, "--prior", "fasted", "--people", "ka=food:-60", "--estimate", "ka",
      "--occasions", "2", "--readings", "10,20,40,60,120,180", "--format", "json")
    #expect(effect.status == 0, "\(effect.errors)")
    let found = try #require(try effect.json["people_needed"] as? [[String: Any]])
    #expect(found.first?["quantity"] as? String == "ka=food")
    #expect((6...40).contains(try #require(found.first?["people"] as? Int)))
  }

  /// Body measures that a method needs and a study lacks are bad data, not a wrong command line.
  @Test func missingMeasuresAreBadData() async throws {
    let folder = try TemporaryFolder()
    var study = SmallStudy()
    study.subjects = "subject,sex,weight_kg\na,male,80\n"
    study.drinks = "subject,time_min,ethanol_g\na,0,40\n"
    study.readings = "subject,time_min,bac_g_per_kg\na,60,0.5\n"
    let path = try study.write(to: folder)
    let told = try await Command.promille("design", path, "--simulations", "0")
    #expect(told.status == 65 && told.errors.contains("E_MEASURE_MISSING"), "\(told.errors)")
  }

  @Test(arguments: [
    (["--count", "0"], "--count is 0"), (["--readings", "10,x"], "'x' is not a number of min"),
    (["--error", "additive"], "--error needs the size of errors"),
    (["--for", "time-to-threshold"], "--for time-to-threshold needs a threshold"),
    (["--for", "peak,beta"], "there is no parameter 'peak'"),
    (["--people", "rse:10"], "--people simulates people"),
    (["--people", "beta=sex:0", "--prior", "fasted"], "from -95 to 1000 % and not 0"),
    (["--people", "beta=sex:nan", "--prior", "fasted"], "from -95 to 1000 % and not 0"),
    (["--people", "beta=:5", "--prior", "fasted"], "it must be PARAMETER=COVARIATE:PERCENT"),
    (["--people", "beat=sex:5", "--prior", "fasted"], "there is no parameter 'beat'"),
    (["--people", "beta=sex:5", "--prior", "fasted"], "the same for everybody"),
    (["--people", "rse:10", "--prior", "fasted", "--occasions", "0"], "--occasions is 0"),
    (["--occasions", "2"], "add --people"),
    (["--people", "rse:10", "--prior", "fasted", "--readings", "9999"], "tell nothing of people"),
    (["--forbid", "90"], "it must be FROM:TO"),
    (["--figure", "x.png"], "the name must end in .svg"),
    (["--count", "40", "--apart", "30"], "do not fit"),
    (["--for", "lag"], "lag is aimed at but not estimated"),
  ])
  func refusalsStateARemedy(options: [String], message: String) async throws {
    let run = try await Command.promille(["design"] + Self.person + options)
    #expect(run.status != 0 && run.output.isEmpty)
    #expect(run.errors.replacing("\n", with: " ").contains(message), "\(run.errors)")
  }
}
