import ArgumentParser
import Foundation

/// How many threads work at once. No result depends on it, so that results do not carry it.
struct JobsOption: ParsableArguments {
  @Option(
    help: "Number of threads; results are identical for any number. (default: one per processor)")
  var jobs: Int?

  func validate() throws {
    guard let jobs, !(1...1024).contains(jobs) else { return }
    throw ValidationError("--jobs is \(jobs); it must be from 1 to 1024.")
  }

  var count: Int { jobs ?? ProcessInfo.processInfo.activeProcessorCount }
}
