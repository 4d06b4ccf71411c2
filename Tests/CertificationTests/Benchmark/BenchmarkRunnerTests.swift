import AlcoholKinetics
import Testing

@testable import Certification

/// Benchmarks run and their rates are computed correctly; speeds are not tested.
@Suite struct BenchmarkRunnerTests {
  @Test func everyBenchmarkRuns() throws {
    let works = try BenchmarkWork.all(.quick)
    #expect(works.count >= 10)
    for work in works {
      for task in [work.task, work.reference].compactMap(\.self) {
        #expect(task.count > 0)
        #expect(task.run().isFinite, "\(task.name)")
      }
    }
    let results = BenchmarkRunner(rounds: 1, shortestSeconds: 0).results(of: works)
    #expect(results.map(\.name) == works.map(\.task.name))
    #expect(results.map(\.reference) == works.map { $0.reference?.name })
    for result in results {
      #expect(result.rate > 0 && result.rate.isFinite)
      #expect((result.ratio != nil) == (result.reference != nil))
      #expect((result.isTargetMet != nil) == (result.target != nil))
    }
  }

  @Test func benchmarksAndReferencesComputeTheSame() throws {
    for work in try BenchmarkWork.all(.quick) where work.reference?.name == "thesis_engine" {
      let reference = try #require(work.reference)
      #expect(abs(work.task.run() - reference.run()) < 1e-9)
      #expect(work.task.count == reference.count)
    }
  }

  @Test func roundsAlternateTasks() {
    var order: [String] = []
    let task = { (name: String) in
      BenchmarkWork.Task(name: name, count: 1) {
        order.append(name)
        return 0
      }
    }
    let works = [
      BenchmarkWork(task("a"), unit: "units", reference: task("b")),
      BenchmarkWork(task("c"), unit: "units"),
    ]
    _ = BenchmarkRunner(rounds: 2, shortestSeconds: 0).results(of: works)
    // Once each to warm up, then two rounds.
    #expect(order == ["a", "b", "c", "a", "b", "c", "a", "b", "c"])
  }

  @Test func shortTasksAreRepeated() {
    var runs = 0
    let task = BenchmarkWork.Task(name: "short", count: 1) {
      runs += 1
      return 0
    }
    _ = BenchmarkRunner(rounds: 1, shortestSeconds: 1e-3).results(of: [
      BenchmarkWork(task, unit: "runs")
    ])
    #expect(runs > 10)
  }

  @Test(arguments: [
    (BenchmarkTarget.ratio(2), 1.0, 2.0 as Double?, true), (.ratio(2), 9, 1.9, false),
    (.ratio(2), 9, nil, false), (.rate(3), 3, nil, true), (.rate(3), 2.9, 9, false),
  ])
  func targetsAreCompared(_ target: BenchmarkTarget, rate: Double, ratio: Double?, isMet: Bool) {
    let result = BenchmarkResult(
      name: "work", unit: "units", rate: rate, ratio: ratio, target: target)
    #expect(result.isTargetMet == isMet)
    #expect(BenchmarkResult(name: "work", unit: "units", rate: rate).isTargetMet == nil)
  }

  @Test func machineIsDescribed() {
    let machine = Machine.current
    #expect(machine.cores > 0)
    #expect(machine.compiler.hasPrefix("Swift 6."))
    #expect(["debug", "release"].contains(machine.build))
    #expect(!machine.system.isEmpty)
  }

  @Test func benchmarkCohortIsReproducible() throws {
    let cohort = try BenchmarkCohort(subjects: 30)
    let again = try BenchmarkCohort(subjects: 30)
    #expect(cohort.regimens == again.regimens)
    #expect(cohort.parameters == again.parameters)
    #expect(cohort.curveCount == 30 * 5)
    #expect(Set(cohort.regimens).count == 30)
    #expect(cohort.parameters.allSatisfy { (0.4...0.95).contains($0.r.value) })
  }
}
