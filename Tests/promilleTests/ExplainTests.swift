import AlcoholKinetics
import StudyData
import Testing

@Suite struct ExplainTests {
  @Test func explainsFindingAndRemedy() async throws {
    let run = try await Command.promille("explain", "W_AT_BOUND", "e_sex")
    #expect(run.status == 0)
    try Snapshot.expect(run.output, named: "explain.txt")
  }

  @Test func explainsFormerCodes() async throws {
    let run = try await Command.promille("explain", "E_AGE_RANGE", "time_day")
    #expect(run.status == 0)
    #expect(run.output.hasPrefix("E_RANGE (error, was E_AGE_RANGE)\n"))
    #expect(run.output.contains("\nE_TIME (error, was E_TIME_DAY)\n"))
  }

  /// A column goes before a code without its letter.
  @Test func explainsColumnNamedLikeACode() async throws {
    let run = try await Command.promille("explain", "subject")
    #expect(run.status == 0 && run.output.hasPrefix("subject (column)"), "\(run.output)")
  }

  @Test func explainsWordsOfTheSubject() async throws {
    for (word, column) in [
      ("beta", "beta_g_per_kg_h"), ("ka", "ka_per_h"), ("holm", "holm_p"),
      ("sobriety", "sober_measured_min"), ("lod", "lod"),
    ] {
      let run = try await Command.promille("explain", word)
      #expect(run.status == 0 && run.output.hasPrefix("\(column) ("), "\(word): \(run.output)")
    }
  }

  /// The article is made of the explanations when the documentation is built.
  @Test func explanationsMatchTheArticle() async throws {
    let run = try await Command.shell("Documentation/codes.sh")
    #expect(run.status == 0)
    let rows = run.output.split(separator: "\n").filter { $0.hasPrefix("| `") }
    #expect(
      rows.map(String.init)
        == CodeExplanation.all.map { code in
          let former =
            code.formerCodes.isEmpty ? "" : " (was \(code.formerCodes.joined(separator: ", ")))"
          return "| `\(code.code)` | \(code.finding) \(code.why)\(former) | \(code.remedy) |"
        })
    for section in CodeExplanation.sections {
      #expect(run.output.contains("\n## \(section.title)\n"))
    }
  }

  @Test func listsAllCodes() async throws {
    let run = try await Command.promille("explain")
    #expect(run.status == 0)
    #expect(run.output.hasPrefix("The study as a whole\n  E_NO_SUCH_STUDY\n    There is nothing"))
    #expect(run.output.split(separator: "\n").allSatisfy { $0.count <= 90 })
  }

  @Test func explainsColumns() async throws {
    let run = try await Command.promille("explain", "beta_g_per_kg_h", "unchanged", "W_AT_BOUND")
    #expect(run.status == 0)
    for text in [
      "beta_g_per_kg_h (column)\n", "in g/kg/h", "times (promille sober)",
      "records already present [count]\n    Tables: imported (promille import)", "W_AT_BOUND (warn",
    ] {
      #expect(run.output.contains(text), "\(text)")
    }
    #expect(run.output.split(separator: "\n").allSatisfy { $0.count <= 90 })
    let wrong = try await Command.promille("explain", "beta_g_per_l_h")
    #expect(wrong.status == 64)
    #expect(wrong.errors.contains("Did you mean beta_g_per_kg_h?"))
  }

  @Test func listsTheNamesForColumns() async throws {
    let run = try await Command.promille("explain", "map")
    #expect(run.status == 0 && run.output.contains("\n  weight_lb "))
    #expect(run.output.split(separator: "\n").allSatisfy { $0.count <= 90 })
    let one = try await Command.promille("explain", "weight_st")
    #expect(one.output == "weight_st (name for --map)\n  body weight, stone\n")
  }

  @Test func listsTheMethodsOfR() async throws {
    let run = try await Command.promille("explain", "r-factor")
    #expect(run.status == 0)
    for method in RFactorMethods.known() {
      #expect(run.output.contains("\n  \(method.name)  "), "\(method.name)")
      #expect(run.output.contains("  \(method.reference); "), "\(method.name)")
    }
    #expect(run.output.split(separator: "\n").allSatisfy { $0.count <= 90 })
    let column = try await Command.promille("explain", "r_factor")
    #expect(column.output.hasPrefix("r_factor (column)"))
  }

  @Test func listsTheUnits() async throws {
    let run = try await Command.promille("explain", "units")
    #expect(run.status == 0)
    for unit in ConcentrationUnit.allCases {
      #expect(run.output.contains("\n  \(unit.rawValue)  "), "\(unit)")
    }
  }

  @Test func suggestsSimilarCode() async throws {
    let run = try await Command.promille("explain", "W_AT_BOUNDARY")
    #expect(run.status == 64)
    #expect(run.output.isEmpty)
    #expect(run.errors.contains("Did you mean W_AT_BOUND?"))
    let misspelt = try await Command.promille("explain", "w_at_buond")
    #expect(misspelt.errors.contains("Did you mean W_AT_BOUND?"))
  }

  @Test(arguments: ["w_at_bound", "W-AT-BOUND", "at_bound", "At-Bound"])
  func acceptsAnySpellingOfACode(_ name: String) async throws {
    let run = try await Command.promille("explain", name)
    #expect(run.status == 0)
    #expect(run.output.hasPrefix("W_AT_BOUND (warning)"))
  }
}
