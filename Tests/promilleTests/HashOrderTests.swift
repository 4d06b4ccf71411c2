import TestSupport
import Testing

/// Sets and dictionaries have another order in every process: nothing that the command says may depend on it.
@Suite struct HashOrderTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  private static let sheets = [
    // Everything has to be asked.
    "wide.csv": """
    Participant,Sex,Height,Weight,Ethanol (g),BAC 0,BAC 20 min,BAC 40 min,BAC 1 h,BAC 2 h,BAC 5
    1,1,5.11,180,40,0,.5,.55,.45,.3,.1

    """,
    "kinds.csv": """
    ID,Weight (kg),Time (min),Dose (g),Result,Unit,Matrix,Group,Site
    1,80,0,40,,,,a,x
    1,80,60,,60,mg/dl,Serum,a,x
    1,80,90,,0.5,g/L,Blood,a,x
    1,80,120,,0.2,mg/L,Breath,a,x

    """,
    "codes.csv": """
    Sujeto,Sexo,Peso (kg),Fecha,Hora,Etanol (g),BAC (g/kg)
    1,M,60,3/4/25,21:00,30,
    1,M,60,4/4/25,22:00,,0.3
    2,M,60,3/4/25,21:00,30,
    2,M,60,3/4/25,22:00,,0.3

    """,
  ]

  @Test func hashOrderDoesNotChangeSheetReading() async throws {
    for (name, text) in Self.sheets.sorted(by: { $0.key < $1.key }) {
      try folder.write(text, to: name)
      try await isAlwaysTheSame(["check", folder(name), "--format", "json"])
    }
  }

  @Test func hashOrderDoesNotChangeResults() async throws {
    let study = PackageFolder.dataset("nacar-2021")
    try await isAlwaysTheSame(["check", study, "--format", "json"])
    try await isAlwaysTheSame(["compare", study, "--format", "json"])
    try await isAlwaysTheSame(["sober", study])
    try await isAlwaysTheSame(["export", study, "--to", "json"])
    try await isAlwaysTheSame([
      "fit", study, "--starts", "1", "--interval", "none", "--format", "json",
    ])
  }

  private func isAlwaysTheSame(_ arguments: [String]) async throws {
    let first = try await Command.alone(
      arguments, environment: ["SWIFT_DETERMINISTIC_HASHING": "1"])
    for _ in 0..<4 {
      let other = try await Command.alone(arguments)
      #expect(other.status == first.status)
      #expect(other.output == first.output, "\(arguments)")
      #expect(other.errors == first.errors, "\(arguments)")
    }
  }
}
