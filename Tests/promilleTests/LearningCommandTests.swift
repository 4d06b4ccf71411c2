import Foundation
import TestSupport
import Testing

/// `--learn` and `--learn-from` of `fit` and `forecast`, and the file that `prior` writes.
@Suite struct LearningCommandTests {
  /// Somebody with a factor of all readings, on some day.
  private typealias Person = (name: String, factor: Double, occasion: String)

  private static let people: [Person] = [
    ("ann", 1.1, "2026-05-09"), ("bob", 1, "2026-05-02"), ("cy", 0.93, "2026-04-30"),
  ]

  /// Readings down to 0.12 g/kg, those of running people up to 0.54.
  private func study(
    _ folder: TemporaryFolder, _ people: [Person] = people, running: Set<String> = [],
    hasDays: Bool = true, unit: (name: String, factor: Double) = ("bac_g_per_kg", 1)
  ) throws -> String {
    var small = SmallStudy()
    small.subjects = "subject,sex,weight_kg\n"
    small.drinks = "subject,occasion,time_min,ethanol_g\n"
    small.readings = "subject,occasion,time_min,\(unit.name)\n"
    for (name, factor, occasion) in people {
      let occasion = hasDays ? occasion : ""
      small.subjects += "\(name),male,80\n"
      small.drinks += "\(name),\(occasion),0,45\n"
      for (minute, level) in [
        (15, 0.35), (30, 0.652), (60, 0.675), (120, 0.540), (180, 0.390), (240, 0.240),
        (300, 0.12),
      ] where !running.contains(name) || minute <= 120 {
        small.readings += "\(name),\(occasion),\(minute),\(factor * level * unit.factor)\n"
      }
    }
    return try small.write(to: folder)
  }

  /// Somebody else, measured three times.
  private func next(_ folder: TemporaryFolder) throws -> String {
    try study(folder, [("eve", 0.98, "")], running: ["eve"], hasDays: false)
  }

  private func rows(_ arguments: [String]) async throws -> [String: [String: String]] {
    let run = try await Command.promille(arguments + ["--format", "csv"])
    #expect(run.status == 0, "\(run.errors)")
    return Dictionary(
      try CSVText.rows(run.output).map { ($0["subject"] ?? "", $0) }, uniquingKeysWith: { $1 })
  }

  private func expectAgreement(
    _ one: [String: String], _ other: [String: String], relative: Double, besides: Set<String> = []
  ) {
    #expect(one.count > 10 && one.keys == other.keys)
    for (column, text) in one where !besides.contains(column) {
      guard let value = Double(text), let twin = Double(other[column] ?? "") else {
        #expect(text == other[column], "\(column)")
        continue
      }
      #expect(agree(value, twin, relative: relative, absolute: 1e-9), "\(column): \(text) \(twin)")
    }
  }

  private static let commands = [
    ["fit"], ["forecast", "--draws", "300"], ["forecast", "--draws", "300", "--after", "first:2"],
  ]

  /// The only person of a study has nobody to learn from, and neither has the first.
  @Test(arguments: commands, ["others", "before"])
  func nobodyToLearnFromChangesNoBit(command: [String], rule: String) async throws {
    let folder = try TemporaryFolder()
    let study = try study(folder, [Self.people[0]])
    let call = [command[0], study, "--prior", "fed"] + command.dropFirst()
    let alone = try await rows(call)["ann"] ?? [:]
    var learned = try await rows(call + ["--learn", rule])["ann"] ?? [:]
    #expect(learned["learned_from"] == "0")
    learned["learned_from"] = alone["learned_from"]
    #expect(learned == alone)
  }

  @Test(arguments: commands)
  func orderOfPeopleDoesNotMatter(command: [String]) async throws {
    let (folder, other) = (try TemporaryFolder(), try TemporaryFolder())
    let options = ["--prior", "fed", "--learn", "others"] + command.dropFirst()
    let one = try await rows([command[0], try study(folder)] + options)
    let turned = try await rows(
      [command[0], try study(other, Self.people.reversed())] + options)
    #expect(one == turned && one.count == 3)
    #expect(one.values.allSatisfy { $0["learned_from"] == "2" })
    let alone = try await rows([command[0], try study(folder), "--prior", "fed"])
    #expect(one["ann"] != alone["ann"])
  }

  /// Ann was there last, though she has the first row; by rows without days she learns from nobody.
  @Test(arguments: commands)
  func beforeIsByDateAndElseByRow(command: [String]) async throws {
    let (folder, other) = (try TemporaryFolder(), try TemporaryFolder())
    let options = ["--prior", "fed", "--learn", "before"] + command.dropFirst()
    let byDate = try await rows([command[0], try study(folder)] + options)
    #expect(byDate.mapValues { $0["learned_from"] } == ["ann": "2", "bob": "1", "cy": "0"])
    let byRow = try await rows([command[0], try study(other, hasDays: false)] + options)
    #expect(byRow.mapValues { $0["learned_from"] } == ["ann": "0", "bob": "1", "cy": "2"])
  }

  @Test(arguments: commands)
  func runningPeopleTeachNobody(command: [String]) async throws {
    let (folder, other) = (try TemporaryFolder(), try TemporaryFolder())
    let options = ["--prior", "fed", "--learn", "others"] + command.dropFirst()
    let two = try await rows([command[0], try study(folder, Array(Self.people[..<2]))] + options)
    let running = try await rows([command[0], try study(other, running: ["cy"])] + options)
    #expect(running["ann"] == two["ann"] && running["bob"] == two["bob"])
    #expect(running["cy"]?["learned_from"] == "2")
  }

  /// A prior that was written, and the study that it learned from, say the same of the next person: the same numbers up to
  /// the rounding of exp(ln x), and of what follows from it.
  @Test(arguments: commands)
  func theWrittenPriorIsTheLearnedOne(command: [String]) async throws {
    let (folder, other) = (try TemporaryFolder(), try TemporaryFolder())
    let (study, next) = (try study(folder), try next(other))
    let file = folder("updated.json")
    let written = try await Command.promille("prior", study, "--prior", "fasted", "-o", file)
    #expect(written.status == 0, "\(written.errors)")
    #expect(written.errors.contains("3 people are completed in"))
    let call = [command[0], next] + command.dropFirst()
    let learned = try await rows(call + ["--prior", "fasted", "--learn-from", study])["eve"] ?? [:]
    let read = try await rows(call + ["--prior", file])["eve"] ?? [:]
    var twin = learned
    if command[0] == "fit" { twin["learned_from"] = nil }
    expectAgreement(read, twin, relative: 1e-6, besides: ["learned_from"])
    #expect(learned["learned_from"] == "3")
    let usual = try await rows(call + ["--prior", "fasted"])["eve"] ?? [:]
    #expect(
      usual["median_min"] != read["median_min"]
        || usual["beta_g_per_kg_h"] != read["beta_g_per_kg_h"])
    // Everything that takes a prior takes the file.
    let people = try await Command.promille(
      "simulate", study, "--from", file, "--studies", "2", "-o", folder("people"))
    #expect(people.status == 0, "\(people.errors)")
    let again = try await Command.promille("prior", next, "--prior", file, "--format", "json")
    #expect(again.status == 0 && again.errors.contains("0 people are completed in"))
  }

  /// Without completed people the file is the prior itself.
  @Test func aPriorThatLearnedNothingIsUnchanged() async throws {
    let folder = try TemporaryFolder()
    let next = try next(folder)
    let file = folder("updated.json")
    let written = try await Command.promille("prior", next, "--prior", "fasted", "-o", file)
    #expect(written.status == 0 && written.errors.contains("so nothing is learned"))
    let call = ["fit", next, "--prior"]
    let (usual, read) = (
      try await rows(call + ["fasted"])["eve"] ?? [:], try await rows(call + [file])["eve"] ?? [:]
    )
    expectAgreement(read, usual, relative: 1e-6)
  }

  @Test func unitsOfTheOtherStudyDoNotMatter() async throws {
    let folders = try (0..<3).map { _ in try TemporaryFolder() }
    let (kg, litre) = (
      try study(folders[0]), try study(folders[1], unit: ("bac_g_per_l", 1.055))
    )
    let next = try next(folders[2])
    let call = ["forecast", next, "--prior", "fed", "--learn-from"]
    let (one, other) = (
      try await rows(call + [kg])["eve"] ?? [:], try await rows(call + [litre])["eve"] ?? [:]
    )
    expectAgreement(one, other, relative: 1e-6)
  }

  /// The study itself as the other one: nobody learns from the own series there either, and none counts twice.
  @Test func theOwnStudyAgainTeachesNothingNew() async throws {
    let folder = try TemporaryFolder()
    let study = try study(folder)
    let call = ["fit", study, "--prior", "fed"]
    let others = try await rows(call + ["--learn", "others"])
    #expect(try await rows(call + ["--learn-from", study]) == others)
    #expect(try await rows(call + ["--learn", "others", "--learn-from", study]) == others)
  }

  /// A person without readings, or without a weight, teaches nobody, and is told of.
  @Test func peopleWhoSayNothingAreLeftOut() async throws {
    let folder = try TemporaryFolder()
    let study = try study(folder)
    let usual = try await rows(["fit", study, "--prior", "fed", "--learn", "others"])
    for (file, row) in [("subjects.csv", "dan,male,80\n"), ("drinks.csv", "dan,,0,45\n")] {
      let path = study + "/" + file
      let text = try String(contentsOfFile: path, encoding: .utf8)
      try (text + row).write(toFile: path, atomically: true, encoding: .utf8)
    }
    for options in [["--learn", "others"], ["--learn-from", study]] {
      let run = try await Command.promille(
        ["fit", study, "--prior", "fed", "--format", "csv"] + options)
      let rows = try CSVText.rows(run.output)
      #expect(
        rows.filter { $0["subject"] != "dan" }
          == usual.values.sorted { $0["subject"] ?? "" < $1["subject"] ?? "" })
    }
    let path = study + "/subjects.csv"
    let text = try String(contentsOfFile: path, encoding: .utf8)
    try text.replacing("cy,male,80", with: "cy,male,").write(
      toFile: path, atomically: true, encoding: .utf8)
    let run = try await Command.promille("prior", study, "--prior", "fed", "--format", "json")
    #expect(run.status == 0 && run.errors.contains("1 completed series cannot be learned from"))
    #expect(run.errors.contains("2 people are completed in"))
  }

  @Test func wrongUsesAreReported() async throws {
    let folder = try TemporaryFolder()
    let study = try study(folder)
    for (arguments, status, word) in [
      (["fit", study, "--learn", "others"], 64, "add --prior FILE"),
      (["fit", study, "--learn-from", study], 64, "add --prior FILE"),
      (["fit", study, "--prior", "fed", "--learn", "all"], 64, "--learn"),
      (["fit", study, "--prior", "fed", "--learn-from", folder("no")], 66, "no"),
      (["prior", study], 64, "add --prior FILE"),
      (["forecast", study, "--learn", "others"], 64, "E_OPTION"),
    ] as [([String], Int32, String)] {
      let run = try await Command.promille(arguments)
      #expect(run.status == status && run.errors.contains(word), "\(arguments): \(run.errors)")
    }
    let population = folder("p.json")
    try """
    {"population": [{"model": "widmark", "r_factor": "seidl", "people": 9, "series": 9}],
     "typical": [{"r_factor": "seidl", "parameter": "ka", "value": 3}, {"r_factor": "seidl", "parameter": "beta", "value": 0.15}],
     "between": [{"r_factor": "seidl", "parameter": "ka", "other": "ka", "covariance": 0.1},
       {"r_factor": "seidl", "parameter": "beta", "other": "beta", "covariance": 0.01},
       {"r_factor": "seidl", "parameter": "r", "other": "r", "covariance": 0.01}],
     "within": [], "studies": [], "covariates": [],
     "residual": [{"r_factor": "seidl", "error": "sd", "value": 0.02}]}
    """.write(toFile: population, atomically: true, encoding: .utf8)
    try "subject,sex,weight_kg,height_cm,age_y\nann,male,80,180,30\n".write(
      toFile: study + "/subjects.csv", atomically: true, encoding: .utf8)
    let run = try await Command.promille("prior", study, "--prior", population)
    #expect(run.status != 0 && run.errors.contains("--learn-from STUDY"), "\(run.errors)")
  }
}
