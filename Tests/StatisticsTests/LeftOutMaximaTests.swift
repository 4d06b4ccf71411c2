import RealModule
import TestSupport
import Testing

@testable import Statistics

/// Maxima without each group are those that are found without it.
@Suite struct LeftOutMaximaTests {
  /// Numbers known between limits a third of a standard deviation apart, some without an upper one.
  private func limits(_ count: Int, seed: UInt64) -> [Interval] {
    var generator = SeededGenerator(seed: seed)
    return (0..<count).map { index in
      let low = (3 * generator.nearlyNormal()).rounded(.down) / 3 + 2
      return Interval(low: low, high: index % 9 == 0 ? .infinity : low + 1 / 3)
    }
  }

  @Test(arguments: [(450, 100), (900, 100), (2000, 100), (9000, 20)])
  func leaveOneOutMaximaMatchRefits(count: Int, groups: Int) throws {
    let limits = limits(count, seed: UInt64(count))
    let whole = try #require(CensoredMaximum(limits))
    let group = limits.indices.map { $0 % groups }
    let found = try #require(
      LeftOutMaxima(limits, groups: group, count: groups, whole: whole))
    let allSums = found.sums { normal in
      zip(normal.magnitudes(in: limits), normal.exponentials(in: limits)).enumerated()
        .reduce(into: Array(repeating: .zero, count: groups)) { sums, one in
          sums[one.offset % groups] += SIMD4(one.element.0.magnitude, one.element.1.distance, 0, 0)
        }
    }
    for left in stride(from: 0, to: groups, by: 7) {
      let weights = group.map { $0 == left ? 0.0 : 1 }
      let expected = try #require(CensoredMaximum(limits, weights: weights, from: whole))
      let (maximum, sums) = (found.all[left], allSums[left])
      // Relative to how far it is from the maximum of all.
      #expect(agree(maximum.mean, expected.mean, within: 1e-11))
      #expect(agree(maximum.sd, expected.sd, within: 1e-11))
      #expect(agree(maximum.logLikelihood, expected.logLikelihood, within: 1e-11 * Double(count)))
      let others = zip(limits, weights).filter { $0.1 > 0 }.map(\.0)
      let magnitude = expected.magnitudes(in: others).reduce(0) { $0 + $1.magnitude }
      let distance = expected.exponentials(in: others).reduce(0) { $0 + $1.distance }
      #expect(agree(sums[0], magnitude, within: 1e-11 * magnitude))
      #expect(agree(sums[1], distance, within: 1e-10 * distance))
    }
  }

  /// Without one of four groups a maximum may be far away: none is given.
  @Test func largeGroupsHaveNoMaxima() throws {
    let limits = limits(12, seed: 1)
    let whole = try #require(CensoredMaximum(limits))
    #expect(
      LeftOutMaxima(limits, groups: limits.indices.map { $0 % 4 }, count: 4, whole: whole) == nil)
  }
}
