import AlcoholKinetics
import GRDB
import StudyData
import StudyStore
import TestSupport
import Testing

/// Runs come back as they were kept, and differ where they differ.
@Suite struct RunTests {
  private let folder: TemporaryFolder
  private let store: StudyStore

  init() throws {
    folder = try TemporaryFolder()
    store = try StudyStore(path: folder("study.sqlite"), for: .writing)
  }

  private func run(beta: Double = 0.15, status: String = "ok") -> StoredRun {
    StoredRun(
      command: "fit", version: "1.2.3",
      options: [
        StoredRun.Option(name: "study", json: "\"a b\""),
        StoredRun.Option(name: "level", json: "0.95"),
      ],
      inputs: [InputDigest(file: "readings.csv", sha256: "00ff")],
      factors: ConversionFactors(serumBloodRatio: 1.14),
      results: [
        StoredResult(
          subject: "ann", occasion: "1", status: status,
          fits: [
            StoredFit(
              parameter: "beta", unit: "g/kg/h", value: beta, standardError: 0.01, low: 0.1,
              high: .infinity, isIdentifiable: true),
            StoredFit(parameter: "lag", unit: "h", value: 0, isEstimated: false),
          ],
          metrics: [
            StoredMetric(name: "n", value: 12), StoredMetric(name: "rss", value: 0.1 + 0.2),
          ]
        ),
        StoredResult(subject: "bob", method: "ulrich", status: "failed", reason: "E_X: why"),
      ])
  }

  @Test func aRunComesBack() throws {
    let id = try store.record(run())
    #expect(try store.run(id) == run())
  }

  /// A parameter at its search limit has limits and no value.
  @Test func aValueMayBeOpen() throws {
    var run = run(status: "undetermined")
    run.results[0].fits[0].value = nil
    #expect(try store.run(try store.record(run)) == run)
    #expect(try store.runs().map(\.withoutResult) == [1])
    let closed = RunDifference.differences(from: run, to: self.run(), tolerance: 0)
    #expect(closed.map(\.quantity) == ["status", "beta"])
    #expect(closed.map(\.first) == ["undetermined", nil])
  }

  @Test func aStudyIsListedByItsPathWhateverIsInIt() throws {
    for json in [#""\"a\" \\b\u00fc/""#, "5", "null", "no JSON"] {
      var run = run()
      run.options[0].json = json
      try store.record(run)
    }
    #expect(try store.runs().map(\.study) == [#""a" \bü/"#, nil, nil, nil])
  }

  @Test func runsAreListed() throws {
    try store.record(run())
    try store.record(run(beta: 0.2))
    let runs = try store.runs()
    #expect(runs.map(\.id) == [1, 2])
    #expect(runs.map(\.study) == ["a b", "a b"])
    #expect(runs.map(\.results) == [2, 2] && runs.map(\.withoutResult) == [1, 1])
  }

  @Test func anUnknownRunIsNotFound() throws {
    let error = #expect(throws: StoreError.self) { try store.run(7) }
    #expect(error?.code == .notFound)
  }

  @Test func aRunThatCannotBeKeptLeavesNothing() throws {
    var bad = run()
    bad.results[1].metrics = [StoredMetric(name: "n", value: .nan)]
    let error = #expect(throws: StoreError.self) { try store.record(bad) }
    #expect(error?.code == .value)
    #expect(try store.runs().isEmpty)
  }

  @Test func latestFitIsThatOfTheLastRun() throws {
    try store.record(run(beta: 0.2))
    try store.record(run())
    var failed = run()
    failed.results[0].fits = []
    try store.record(failed)
    let rows = try DatabaseQueue(path: store.path).read {
      try Row.fetchAll($0, sql: "SELECT * FROM latest_fit WHERE parameter = 'beta'")
    }
    #expect(rows.map { $0["value"] } == [0.15])
    #expect(rows.map { $0["run_id"] } == [2])
  }

  @Test func methodsAreSummedUp() throws {
    var compared = run()
    compared.results = [0.25, -0.75].enumerated().map { index, bias in
      StoredResult(
        subject: "s\(index)", method: "watson", status: "ok",
        metrics: [StoredMetric(name: "bias_g_per_kg", value: bias)])
    }
    try store.record(compared)
    let row = try DatabaseQueue(path: store.path).read {
      try Row.fetchOne($0, sql: "SELECT * FROM method_summary")
    }
    #expect(row?["method"] == "watson")
    #expect(row?["n"] == 2)
    #expect(row?["mean"] == -0.25)
    #expect(row?["mean_absolute"] == 0.5)
  }

  // MARK: Differences

  @Test func equalRunsDoNotDiffer() {
    #expect(RunDifference.differences(from: run(), to: run(), tolerance: 0).isEmpty)
  }

  @Test func onlyWhatIsBeyondTheToleranceDiffers() {
    let differences = RunDifference.differences(
      from: run(beta: 0.15), to: run(beta: 0.1503), tolerance: 0.001)
    #expect(differences.map(\.quantity) == ["beta"])
    #expect(differences[0].first == "0.15" && differences[0].second == "0.1503")
    #expect(abs((differences[0].difference ?? 0) - 0.0003) < 1e-15)
    #expect(
      RunDifference.differences(from: run(beta: 0.15), to: run(beta: 0.1503), tolerance: 0.01)
        .isEmpty)
  }

  @Test func whatIsInOneRunOnlyDiffers() {
    var shorter = run(status: "not-converged")
    shorter.results[0].metrics.removeFirst()
    shorter.results.removeLast()
    let gone = RunDifference.differences(from: run(), to: shorter, tolerance: 1)
    #expect(gone.map(\.quantity) == ["status", "n", "status"])
    #expect(gone.map(\.subject) == ["ann", "ann", "bob"])
    #expect(gone.map(\.second) == ["not-converged", nil, nil])
    let added = RunDifference.differences(from: shorter, to: run(), tolerance: 1)
    #expect(added.map(\.first) == ["not-converged", nil, nil])
  }
}
