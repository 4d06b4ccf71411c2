import TestSupport
import Testing

/// Equal seeds give equal bytes; another seed moves the ends of intervals and nothing else.
@Suite struct SeedTests {
  static let summaries = [["--summary"], ["--pairs"], ["--by", "sex"]]

  private let folder: TemporaryFolder
  private let estimates: String

  init() throws {
    folder = try TemporaryFolder()
    estimates = try SmallEstimates().write(to: folder)
  }

  private var studies: [String] { ["datasets/nacar-2021", estimates] }

  /// Few replicates take no time and scatter more.
  private func compare(
    _ study: String, _ options: [String], seed: String?, format: String = "csv"
  ) async throws -> String {
    let seed = seed.map { ["--seed", $0] } ?? []
    let run = try await Command.promille(
      ["compare", study, "--replicates", "100", "--format", format] + options + seed)
    #expect(run.status == 0)
    return run.output
  }

  /// JSON has everything that is summed up.
  @Test func equalSeedsGiveEqualBytes() async throws {
    for study in studies {
      async let first = compare(study, ["--by", "sex"], seed: "7", format: "json")
      async let second = compare(study, ["--by", "sex"], seed: "7", format: "json")
      #expect(try await first == second)
    }
  }

  @Test func seedDefaultsToOne() async throws {
    for study in studies {
      async let given = compare(study, ["--summary"], seed: "1", format: "json")
      async let assumed = compare(study, ["--summary"], seed: nil, format: "json")
      #expect(try await given == assumed)
    }
  }

  @Test(arguments: summaries)
  func otherSeedsChangeIntervalsOnly(_ options: [String]) async throws {
    var many = SmallEstimates()
    for subject in 1...8 {
      many.estimates +=
        "s\(subject),male,\(30 + subject),180,\(70 + 2 * subject),50,,,,0.\(61 + subject)\n"
    }
    let study = try many.write(to: folder, as: "many")
    async let first = compare(study, options, seed: "1")
    async let second = compare(study, options, seed: "18446744073709551615")
    let changed = try await changedColumns(first, second)
    let isInterval = { (name: String) in
      (name.hasSuffix("_low") || name.hasSuffix("_high")) && !name.hasPrefix("loa_")
    }
    #expect(!changed.isEmpty)
    #expect(changed.allSatisfy(isInterval), "\(changed)")
  }

  /// Too few subjects are not drawn again.
  @Test(arguments: summaries)
  func fewSubjectsUseNoSeed(_ options: [String]) async throws {
    for study in studies {
      async let first = compare(study, options, seed: "1")
      async let second = compare(study, options, seed: "2")
      #expect(try await first == second)
    }
  }

  @Test func rowsPerSubjectUseNoSeed() async throws {
    for study in studies {
      async let first = compare(study, [], seed: "1")
      async let second = compare(study, [], seed: "2")
      #expect(try await first == second)
    }
  }

  /// The names of the columns in which two tables of equal shape differ.
  private func changedColumns(_ first: String, _ second: String) throws -> Set<String> {
    let rows = (try CSVText.rows(first), try CSVText.rows(second))
    try #require(rows.0.count == rows.1.count)
    return zip(rows.0, rows.1).reduce(into: []) { changed, pair in
      changed.formUnion(pair.0.keys.filter { pair.0[$0] != pair.1[$0] })
    }
  }
}
