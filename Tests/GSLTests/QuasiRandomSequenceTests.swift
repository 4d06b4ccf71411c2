import GSL
import Testing

@Suite("Quasi-random sequences")
struct QuasiRandomSequenceTests {
  @Test func sobolPointsAreAsPublished() throws {
    let points = try QuasiRandomSequence(.sobol, dimension: 2).points(5)
    #expect(
      points == [[0.5, 0.5], [0.75, 0.25], [0.25, 0.75], [0.375, 0.375], [0.875, 0.875]])
  }

  @Test func haltonPointsAreAsDefined() throws {
    let points = try QuasiRandomSequence(.halton, dimension: 2).points(6)
    let base2: [Double] = [1 / 2, 1 / 4, 3 / 4, 1 / 8, 5 / 8, 3 / 8]
    let base3: [Double] = [1 / 3, 2 / 3, 1 / 9, 4 / 9, 7 / 9, 2 / 9]
    #expect(points.map { $0[0] } == base2)
    #expect(zip(points, base3).allSatisfy { abs($0[1] - $1) < 1e-15 })
  }

  @Test("The first 64 points fill 64 equal intervals in each dimension")
  func sobolPointsAreStratified() throws {
    // The origin, which GSL leaves out, is Sobol's first point.
    let sobol = try [[0, 0, 0, 0, 0]] + QuasiRandomSequence(.sobol, dimension: 5).points(63)
    for j in 0..<5 {
      #expect(Set(sobol.map { Int($0[j] * 64) }).count == 64)
    }
  }

  @Test(arguments: QuasiRandomKind.allCases)
  func sequencesAreDeterministic(_ kind: QuasiRandomKind) throws {
    let sequence = try QuasiRandomSequence(kind, dimension: 3)
    let points = try sequence.points(20)
    #expect(points.allSatisfy { $0.allSatisfy { (0..<1).contains($0) } })
    let again = try QuasiRandomSequence(kind, dimension: 3)
    #expect(try again.points(7) + again.points(13) == points)
    #expect(try sequence.points(-1).isEmpty)
  }

  @Test(
    "Dimensions have a limit that depends on the kind",
    arguments: [
      (QuasiRandomKind.sobol, 40), (.halton, 1229),
    ])
  func dimensionsAreLimited(_ kind: QuasiRandomKind, _ limit: Int) throws {
    #expect(kind.maximumDimension == limit)
    #expect(try QuasiRandomSequence(kind, dimension: limit).points(1)[0].count == limit)
    for dimension in [-1, 0, limit + 1, Int.max] {
      let error = #expect(throws: GSLError.self) {
        try QuasiRandomSequence(kind, dimension: dimension)
      }
      #expect(error?.name == "GSL_EINVAL")
    }
  }
}
