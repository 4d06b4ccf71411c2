import TestSupport
import Testing

@testable import Estimation

/// Profiles whose lowest branch changes on the way, and that run beside a plateau.
@Suite struct ProfileBranchTests {
  /// The profile of the first coordinate is 4x^2 at first: it would end at -1 and 1.
  private static let near = Valleys.Valley(
    place: { $0 }, value: { 4 * $0 * $0 }, basin: { -20...$0 + 0.3 })

  /// From 1/sqrt(3) on 1 + x^2 is lower, which ends at sqrt(3).
  private static let far = Valleys.Valley(
    place: { $0 + 1 }, value: { 1 + $0 * $0 }, basin: { $0 + 0.3...20 })

  private func interval(_ objective: Valleys) throws -> ParameterInterval {
    var profile = ProfileLikelihood(objective, index: 0)
    return try profile.interval(standardError: 0.5)
  }

  @Test func intervalEndFollowsTheLowerBranch() throws {
    let objective = Valleys(valleys: [Self.near, Self.far], plateau: .infinity)
    // What the other branch would give, and does where there is no other.
    let alone = try interval(Valleys(valleys: [Self.near], plateau: .infinity))
    #expect(agree(alone.high, 1, absolute: 1e-6))
    let both = try interval(objective)
    #expect(agree(both.high, 3.squareRoot(), absolute: 1e-6))
    #expect(both.isIdentifiable == true)
  }

  @Test func pointsOfAnotherProfileStartNewBranches() throws {
    // No start that the profile itself has leads into the lower branch.
    let hidden = Valleys.Valley(
      place: { $0 + 5 }, value: { 1 + $0 * $0 }, basin: { $0 + 4...20 })
    let near = Valleys.Valley(
      place: Self.near.place, value: Self.near.value, basin: { -20...$0 + 4 })
    let objective = Valleys(valleys: [near, hidden], plateau: .infinity)
    var profile = ProfileLikelihood(objective, index: 0)
    #expect(agree(try profile.interval(standardError: 0.5).high, 1, absolute: 1e-6))
    profile.insert(ProfilePoint(coordinates: Coordinates([1.5, 6.5]), value: 3.25))
    #expect(agree(try profile.interval(standardError: 0.5).high, 3.squareRoot(), absolute: 1e-6))
  }

  @Test func branchIsFoundFromAnotherProfilesPoints() throws {
    let hidden = Valleys.Valley(
      place: { $0 - 3 }, value: { 1 + $0 * $0 }, basin: { -20...$0 - 0.9 })
    let near = Valleys.Valley(
      place: Self.near.place, value: Self.near.value, basin: { $0 - 0.9...20 })
    let objective = Valleys(valleys: [near, hidden], plateau: .infinity)
    let profile = ProfileLikelihood(objective, index: 0)
    let points = try objective.points(
      [0.2, 0.5, 0].map { DescentRequest(start: Coordinates([1, $0]), held: CoordinateSet(0)) },
      .profile)
    #expect(points.map(profile.isAllowed) == [false, false, true])
    #expect(points[2].value == 2)
  }

  @Test func divergedDescentDoesNotEndTheProfile() throws {
    // As on the plateau below, but nothing tells that the descent is lost, except that it jumps.
    let steep = Valleys.Valley(
      place: { 3 * $0 }, value: { 4 * $0 * $0 }, basin: { 3 * $0 - 0.5...3 * $0 + 0.5 })
    let ledge = Valleys.Valley(place: { _ in 100 }, value: { _ in 50 }, basin: { _ in -200...200 })
    let interval = try interval(Valleys(valleys: [steep, ledge], plateau: .infinity))
    #expect(agree(interval.low, -1, absolute: 1e-6))
    #expect(agree(interval.high, 1, absolute: 1e-6))
  }

  /// A step of more than a sixth leads out of a valley as steep as this, onto the plateau.
  @Test func plateauDoesNotEndTheProfile() throws {
    let steep = Valleys.Valley(
      place: { 3 * $0 }, value: { 4 * $0 * $0 }, basin: { 3 * $0 - 0.5...3 * $0 + 0.5 })
    let interval = try interval(Valleys(valleys: [steep], plateau: 100))
    #expect(agree(interval.low, -1, absolute: 1e-6))
    #expect(agree(interval.high, 1, absolute: 1e-6))
  }

  @Test func profileBelowTheThresholdHasNoEnd() throws {
    let flat = Valleys.Valley(
      place: { $0 }, value: { min($0 * $0, 3) }, basin: { _ in -20...20 })
    let interval = try interval(Valleys(valleys: [flat], plateau: .infinity))
    #expect(interval.low == nil && interval.high == nil)
    #expect(interval.isIdentifiable == false)
  }
}
