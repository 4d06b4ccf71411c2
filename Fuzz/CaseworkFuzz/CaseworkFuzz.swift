import AlcoholKinetics
import Casework
import Estimation
import Foundation
import FuzzSupport

@testable import Population

private let reader = [
  FuzzedReader("case", refusals: Problem.self) { data in
    let one = try Case(json: data, path: "case.json")
    try keepsPromises(CaseAnswer(one))
    try keepsPromises(
      CaseAnswer(one, options: CaseOptions(mode: .monteCarlo, draws: 100, level: 0.9)))
  },
  FuzzedReader("population", refusals: Problem.self, SeriesFailure.self) { data in
    let file = try PopulationFile(data)
    _ = try file.values(of: file.model())
    let prior = try PopulationPrior(file)
    _ = try prior.prior(for: person)
    var options = FitOptions()
    prior.apply(to: &options)
  },
].chosen

/// What libFuzzer calls.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  reader.take(bytes, count)
}

private let person = Subject(id: "ann", sex: .female, age: 30, height: 1.65, weight: 60)

private func keepsPromises(_ answer: CaseAnswer) {
  for value in answer.values {
    let numbers = [value.likeliest, value.low, value.high]
    precondition(!numbers.contains(where: \.isNaN), "an answer is no number")
    precondition(value.low <= value.high, "an interval ends before it begins")
  }
  for warning in answer.warnings { _ = "\(warning)" }
}
