import Foundation
import TestSupport
import Testing

@Suite struct CaseCommandTests {
  private static let back = [
    "case", "back", "--measured", "95", "--unit", "bac_mg_per_100ml", "--measured-at", "02:30+1",
    "--drinking-ended", "22:00", "--at", "00:30+1", "--limit", "80",
  ]
  /// The arguments with other values of some options.
  private static func back(_ changes: [String]) -> [String] {
    var arguments = back
    for place in stride(from: 0, to: changes.count, by: 2) {
      if let old = arguments.firstIndex(of: changes[place]), changes[place] != "--drink" {
        arguments[old + 1] = changes[place + 1]
      } else {
        arguments += changes[place...(place + 1)]
      }
    }
    return arguments
  }
  private static let person = ["--sex", "male", "--age", "35", "--height", "180", "--weight", "80"]

  private static let file = """
    {"question": "later", "name": "<script>alert(1)</script> \\u202e O'Brien *x* [a](b) | c", "date": "2024-03-01",
     "person": {"sex": "male", "age_y": 28, "height_cm": 186, "weight_kg": 106.6, "weight_sd_kg": 2},
     "drinks": [{"time": "10:00", "until": "10:55", "ethanol_g": 90.6},
       {"time": "15:00", "until": "15:30", "volume_ml": 344.5, "abv_percent": 20, "abv_sd_percent": 0.5, "later": true}],
     "measurement": {"time": "16:05", "value": 103.63, "sd": 2, "unit": "bac_mg_per_100ml"},
     "at": "14:45", "limits": [80], "assumptions": {"stomach": "fasted", "beta": "normal:0.17,0.03"}}
    """

  /// The JSON of every question, in both modes, follows the schema, and its first row is the answer.
  @Test(arguments: [
    [
      "back", "--measured", "0.4", "--unit", "brac_mg_per_l", "--measured-at", "23:00", "--at",
      "21:00",
    ],
    ["forward", "--drink", "19:00..20:00=1000ml@5%", "--at", "22:00"],
    [
      "drinks", "--measured", "1.1", "--unit", "serum_g_per_l", "--measured-at", "23:00",
      "--drinking-began", "19:00",
    ],
    [
      "later", "--measured", "1", "--unit", "bac_g_per_kg", "--measured-at", "23:00", "--at",
      "21:00",
      "--later-drink", "22:00=40ml@40%", "--drink", "17:00=60g",
    ],
    ["sober", "--drink", "19:00=60g", "--limit", "0.5", "--answer-unit", "bac_g_per_l"],
  ])
  func answerHasTheDeclaredColumns(_ question: [String]) async throws {
    for mode in ["guideline", "monte-carlo"] {
      let draws = mode == "guideline" ? [] : ["--draws", "500"]
      let stomach = question[0] == "back" ? [] : ["--stomach", "fed"]
      let run = try await Command.promille(
        ["case"] + question + Self.person + ["--mode", mode, "--format", "json"] + draws + stomach)
      #expect(run.status == 0, "\(run.errors)")
      #expect(try ColumnList().problems(with: run.output) == [])
      let csv = try await Command.promille(
        ["case"] + question + Self.person + ["--mode", mode, "--format", "csv"] + draws)
      let row = try #require(try CSVText.rows(csv.output).first)
      let numbers = ["low", "likeliest", "high"].compactMap { Double(row[$0] ?? "") }
      #expect(row["question"] == question[0] && numbers.count == 3)
      #expect(numbers == numbers.sorted())
      // Only going back was tried on measured people.
      #expect((row["measured_held"] == "") == (question[0] != "back"))
    }
  }

  @Test func backAnswerMatchesGuideline() async throws {
    let run = try await Command.promille(Self.back + ["--format", "table"])
    #expect(run.status == 0 && run.errors.isEmpty)
    let first = run.output.prefix { $0 != "\n" }
    #expect(first.hasPrefix("At ") && first.contains(" the concentration in blood was "))
    #expect(first.hasSuffix(" was most likely 133 mg/100 ml, between 113 and 153."))
    #expect(run.output.contains("The whole range is above 80 mg/100 ml."))
    let lines = run.output.split(separator: "\n")
    #expect(
      lines[1]
        == "2 h 0 min from 00:30+1 to 02:30+1: 95 + 2 h x 19 (9 to 29) mg/100 ml/h = 133 (113 to 153) mg/100 ml."
    )
    let text = run.output.replacing("\n", with: " ")
    #expect(text.contains("On 59 measured pairs of readings"))
    let words = text.split(separator: " ").joined(separator: " ")
    #expect(
      words.contains(
        "held the earlier concentration in 53 (90 %); it was too high in 5 and too low in 1."))
    #expect(text.ranges(of: "59").count == 1, "said once")
    #expect(run.output.contains("that of drinking drivers"))
  }

  @Test(arguments: [
    ("E_CASE_ABSORPTION", ["--drinking-ended", "23:00"]),
    ("E_CASE_INPUT", ["--measured-at", "02:30"]),
    ("E_CASE_INPUT", ["--unit", "bac_g_per_kg"]), ("E_CASE_INPUT", ["--measured", "0.95"]),
    ("E_CASE_INPUT", ["--beta", "15"]),
    ("E_CASE_INPUT", ["--beta", "0.15", "--beta-population", "volunteers"]),
    ("E_CASE_INPUT", ["--at", "half past nine"]), ("E_CASE_MISSING", ["--mode", "monte-carlo"]),
    ("E_CASE_INPUT", ["--measured", "95", "--measured", "101"]),
    ("E_CASE_INPUT", ["--measured-at", "02:30+1", "--measured-at", "03:30+1"]),
    ("E_CASE_INPUT", ["--time-zone", "Europe/Berlin"]),
    ("E_CASE_INPUT", ["--at", "2024-03-31 02:30", "--time-zone", "Europe/Berlin"]),
    ("E_CASE_INPUT", ["--drink", "20:00=500ml"]), ("E_CASE_INPUT", ["--drink", "20:00=0.5ml@5%"]),
    ("E_CASE_INPUT", ["--drink", "20:00=500ml@0.05%"]),
    ("E_CASE_INPUT", ["--drink", "20:00..19:00=20g"]),
    ("E_CASE_INPUT", ["--limit", "-5"]), ("E_CASE_INPUT", ["--measured", "-95"]),
    ("E_CASE_INPUT", ["--guideline", "german-least", "--beta", "0.15"]),
    ("E_CASE_INPUT", ["--drink", "2024-03-01 20:00=20g"]),
    ("E_CASE_INPUT", ["--drink", "20:00=0x10g"]), ("E_CASE_INPUT", ["--drink", "20:00=infg"]),
    ("E_CASE_INPUT", ["--drink", "20:00=20g", "--volume-cv", "5"]),
    (
      "E_CASE_INPUT",
      ["--mode", "monte-carlo", "--draws", "1000", "--level", "0.995", "--sex", "male"]
    ),
  ])
  func refusalsHaveACode(_ code: String, _ change: [String]) async throws {
    let isRepeated = change.count == 4 && change[0] == change[2]
    var arguments = Self.back(isRepeated ? Array(change.prefix(2)) : change)
    if isRepeated { arguments += change.suffix(2) }
    let run = try await Command.promille(arguments)
    #expect(run.status == 65 && run.output.isEmpty, "\(run.errors)")
    #expect(run.errors.contains("error \(code): "), "\(run.errors)")
  }

  @Test(arguments: [
    ["case"], ["case", "back", "--case", "x.json"], ["case", "backwards"],
    ["case", "back", "--level", "1"],
    ["case", "back", "--draws", "10"], ["case", "back", "--statement", "x.pdf"],
    ["case", "back", "--weight", "0"], ["case", "--case", "x.json", "--limit", "80"],
    ["case", "--case", "x.json", "--blood-breath-ratio", "2300"], ["case", "back", "--study", "x"],
    back + ["--time-zone", "Europe/Berlni"], back + ["--time-zone", ""],
    back + ["--time-zone", "BST"],
    back + ["--duplicate-limit", "3"], back + ["--author", "N. N."],
    back + ["--limit", "80", "--unit", "x"],
  ])
  func refusesWrongUsage(_ arguments: [String]) async throws {
    let run = try await Command.promille(arguments)
    #expect(run.status == 64 && run.output.isEmpty)
  }

  /// A file is held to its schema by both readers of it; what is wrong with it has its line and column.
  @Test func readsCaseFiles() async throws {
    let folder = try TemporaryFolder()
    try folder.write(Self.file, to: "case.json")
    #expect(try SchemaChecker().problems(with: Self.file, as: "case-file.schema.json") == [])
    let run = try await Command.promille("case", "--case", folder("case.json"), "--format", "json")
    #expect(run.status == 0, "\(run.errors)")
    #expect(run.output.contains("\"beta\"") && run.output.contains("sha256"))
    for (right, wrong, place) in [
      ("\"weight_kg\"", "\"weight_lb\"", "2:"), ("103.63", "NaN", "5:"),
      ("103.63", "\"103\"", "5:"),
      ("\"later\": true", "\"later\": 1", "4:"), ("\"later\",", "\"latest\",", "1:"),
      ("106.6", "-106.6", "2:"), ("[80]", "[\"80\"]", "6:"), ("\"time\": \"16:05\", ", "", "5:"),
      ("103.63", "1e999", "5:"), ("[{\"time\": \"10:00\"", "[3, {\"time\": \"10:00\"", "3:"),
    ] {
      try folder.write(Self.file.replacing(right, with: wrong), to: "wrong.json")
      let run = try await Command.promille("case", "--case", folder("wrong.json"))
      #expect(run.status == 65, "\(wrong)")
      #expect(
        run.errors.contains("error E_FILE_FORMAT: \(folder("wrong.json")):\(place)"),
        "\(run.errors)")
    }
    try folder.write(Self.file.replacing("\"15:00\"", with: "\"25:00\""), to: "wrong.json")
    let late = try await Command.promille("case", "--case", folder("wrong.json"))
    #expect(late.status == 65 && late.errors.contains("wrong.json:4:"), "\(late.errors)")
    let many = Array(repeating: "{\"time\": \"10:00\", \"ethanol_g\": 0.001}", count: 100_000)
    try folder.write(
      "{\"question\": \"forward\", \"at\": \"12:00\", \"drinks\": [\(many.joined(separator: ","))]}",
      to: "wrong.json")
    let crowd = try await Command.promille("case", "--case", folder("wrong.json"))
    #expect(crowd.status == 65 && crowd.errors.contains("E_CASE_INPUT"))
    let none = try await Command.promille("case", "--case", folder("none.json"))
    #expect(none.status == 66 && none.errors.contains("E_FILE_UNREADABLE"))
  }

  @Test(arguments: ["html", "md"])
  func statementEscapesNames(_ form: String) async throws {
    let folder = try TemporaryFolder()
    try folder.write(Self.file, to: "case.json")
    let run = try await Command.promille(
      "case", "--case", folder("case.json"), "--mode", "monte-carlo", "--draws", "500",
      "--statement",
      folder("s.\(form)"), "--quiet")
    #expect(run.status == 0, "\(run.errors)")
    let text = try folder.read("s.\(form)")
    #expect(!text.contains("<script") && !text.contains("\u{202e}"))
    #expect(!text.contains("[a](b)") || form == "html")
    for part in [
      "Question", "Stated", "Assumed", "How it was computed", "Most likely:",
      "What this does not say", "SHA-256",
      "Signature", "promille case --case",
      "Elapsed time: 1 h 20 min from 2024-03-01 14:45 to 2024-03-01 16:05.",
    ] {
      #expect(text.contains(part), "\(part)")
    }
    #expect(!text.contains("bac_mg_per_100ml") && !text.contains("SE of low"))
    let again = try await Command.promille(
      "case", "--case", folder("case.json"), "--statement", folder("case.json"))
    #expect(again.status != 0)
  }

  @Test func equalSeedsGiveEqualBits() async throws {
    let arguments =
      Self.back + ["--sex", "male", "--mode", "monte-carlo", "--format", "csv", "--draws", "4000"]
    async let one = Command.promille(arguments + ["--jobs", "1"])
    async let two = Command.promille(arguments + ["--jobs", "3"])
    async let other = Command.promille(arguments + ["--seed", "2"])
    #expect(try await one.output == two.output)
    #expect(try await one.output != other.output)
  }

  /// A person's own readings, made from k_a 3, beta 0.12 and r 0.8, take the place of textbook ranges.
  /// 20 mmol/L are 0.921368 g/L (NIST: 0.0460684 g are a millimole), and words are as good as names, in options and files.
  @Test(arguments: [
    ("mmol/L", "20"), ("bac_mmol_per_l", "20"), ("g/L", "0.921368"), ("mg%", "92.1368"),
    ("blood g/100 ml", "0.0921368"), ("BAC %", "0.0921368"), ("bac_g_per_l", "0.921368"),
  ])
  func unitsMayBeWords(unit: String, value: String) async throws {
    let case_ = ["--measured-at", "02:30+1", "--drinking-ended", "22:00", "--at", "00:30+1"]
    let run = try await Command.promille(
      ["case", "back", "--measured", value, "--unit", unit, "--answer-unit", "promille"] + case_
        + ["--format", "csv"])
    #expect(run.status == 0, "\(run.errors)")
    let usual = try await Command.promille(
      ["case", "back", "--measured", "0.921368", "--unit", "bac_g_per_l", "--answer-unit"]
        + ["bac_g_per_kg"] + case_ + ["--format", "csv"])
    for (row, expected) in zip(try run.rows, try usual.rows) {
      for column in ["likeliest", "low", "high"] where expected[column] != nil {
        let (a, b) = (Double(row[column] ?? ""), Double(expected[column] ?? ""))
        #expect(abs((a ?? 0) - (b ?? 1)) < 1e-9, "\(column)")
      }
    }
    let folder = try TemporaryFolder()
    try folder.write(
      """
      {"question": "back", "at": "00:30+1", "drinking": {"ended": "22:00"},
       "measurement": {"time": "02:30+1", "value": \(value), "unit": "\(unit)"}, "answer_unit": "per mille"}
      """, to: "case.json")
    let file = try await Command.promille("case", "--case", folder("case.json"), "--format", "csv")
    #expect(file.output == run.output, "\(file.errors)")
  }

  @Test func ambiguousUnitIsAsked() async throws {
    for (unit, said) in [("mg/L", "brac_mg_per_l"), ("mg of urine", "promille explain units")] {
      let run = try await Command.promille(
        "case", "back", "--measured", "95", "--unit", unit, "--measured-at", "23:00", "--at",
        "22:00")
      #expect(run.status == 64 && run.errors.contains(said), "\(run.errors)")
      let folder = try TemporaryFolder()
      try folder.write(
        """
        {"question": "back", "at": "22:00",
         "measurement": {"time": "23:00", "value": 1, "unit": "\(unit)"}}
        """, to: "case.json")
      let file = try await Command.promille("case", "--case", folder("case.json"))
      #expect(file.status == 65 && file.errors.contains(said), "\(file.errors)")
    }
  }

  @Test func subjectsReadingsAreUsed() async throws {
    let folder = try TemporaryFolder()
    let times = stride(from: 10, through: 300, by: 15).map(Double.init)
    let readings = times.enumerated().map { index, minutes in
      let hours = minutes / 60
      let blood =
        60 / (0.8 * 80) * (1 - exp(-3 * hours)) - 0.12 * hours + (index % 2 == 0 ? 0.004 : -0.004)
      return "p,\(minutes),\(max(0, blood))\n"
    }
    try folder.write(
      "subject,sex,age_y,height_cm,weight_kg\np,male,35,180,80\n", to: "subjects.csv")
    try folder.write("subject,time_min,ethanol_g\np,0,60\n", to: "drinks.csv")
    try folder.write("subject,time_min,bac_g_per_kg\n" + readings.joined(), to: "readings.csv")
    try folder.write(
      populationText(
        typical: ["ka": 3, "beta": 0.15, "r": 0.7],
        between: ["ka": 0.1, "beta": 0.04, "r": 0.02], residual: ["sd": 0.01]),
      to: "prior.json")
    for extra in [[], ["--prior", folder("prior.json")]] {
      for mode in ["guideline", "monte-carlo"] {
        let run = try await Command.promille(
          [
            "case", "forward", "--drink", "20:00=80g", "--at", "23:00", "--study", folder.path,
            "--same-evening", "--subject", "p", "--mode", mode, "--format", "csv",
          ] + (mode == "guideline" ? [] : ["--draws", "2000"]) + extra)
        #expect(run.status == 0, "\(run.errors)")
        let row = try #require(try CSVText.rows(run.output).first)
        let (low, most, high) = (row["low"], row["likeliest"], row["high"])
        let truth = 80 / (0.8 * 80) * (1 - exp(-9)) - 0.36
        #expect(agree(Double(most ?? ""), truth, within: 0.03))
        let width = (Double(high ?? "") ?? 9) - (Double(low ?? "") ?? 0)
        #expect(width > 0.005 && width < 0.2)
      }
    }
    // How far another evening differs only a prior with occasions knows.
    let other = [
      "case", "forward", "--drink", "20:00=80g", "--at", "23:00", "--study", folder.path,
      "--subject", "p", "--mode", "monte-carlo", "--format", "csv", "--draws", "2000",
    ]
    for extra in [[], ["--prior", folder("prior.json")]] {
      let run = try await Command.promille(other + extra)
      #expect(run.status == 65 && run.errors.contains("E_CASE_INPUT"), "\(run.errors)")
    }
    let run = try await Command.promille(other + ["--prior", "fasted"])
    let row = try #require(try CSVText.rows(run.output).first)
    let width = (Double(row["high"] ?? "") ?? 0) - (Double(row["low"] ?? "") ?? 9)
    #expect(width > 0.3 && width < 1, "\(row)")
    let both = try await Command.promille(other + ["--same-evening", "--r-factor", "0.6"])
    #expect(both.status == 64 && both.errors.contains("leave out --r-factor"))
    try folder.write(
      "subject,time_min,bac_g_per_kg\np,60,0.7\np,120,0.6\np,180,0.5\np,200,0.45\n",
      to: "readings.csv")
    let few = try await Command.promille(
      "case", "forward", "--drink", "20:00=80g", "--at", "23:00", "--study", folder.path,
      "--subject", "p", "--same-evening")
    #expect(few.status == 65 && few.errors.contains("E_CASE_INPUT"), "\(few.errors)")
    let nobody = try await Command.promille(
      "case", "forward", "--drink", "20:00=80g", "--at", "23:00", "--study", folder.path,
      "--subject", "q")
    #expect(nobody.status == 65 && nobody.errors.contains("E_CASE_INPUT"))
  }
}
