import Testing

@Suite struct ExplainTests {
  @Test func saysWhatWasFoundAndWhatToDo() async throws {
    let run = try await Command.promille("explain", "W_AT_BOUND", "e_sex")
    #expect(run.status == 0)
    try Snapshot.expect(run.output, named: "explain.txt")
  }

  @Test func listsAllCodes() async throws {
    let run = try await Command.promille("explain")
    #expect(run.status == 0)
    #expect(run.output.hasPrefix("The study as a whole\n  E_NO_SUCH_STUDY\n    There is nothing"))
    #expect(run.output.split(separator: "\n").allSatisfy { $0.count <= 90 })
  }

  @Test func suggestsACodeForOneThatIsNone() async throws {
    let run = try await Command.promille("explain", "W_AT_BOUNDARY")
    #expect(run.status == 64)
    #expect(run.output.isEmpty)
    #expect(run.errors.contains("Did you mean W_AT_BOUND?"))
  }
}
