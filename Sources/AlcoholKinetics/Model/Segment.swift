/// A stretch of the curve with constant input, on which the blood is either never or always empty.
struct Segment: Hashable, Sendable {
  /// Where it starts, in h.
  let start: Double
  /// How long it is, in h; infinite for the last one.
  let duration: Double
  /// Blood concentration at the end, in g/kg. It is kept, not computed again, so that a segment
  /// ends exactly where the next one starts and no crossing is lost or found twice by rounding.
  let endBlood: Double
  /// State at the start.
  let state: CompartmentState
  /// Input into the gut, in g per kg of blood and h.
  let inputRate: Double
  /// Whether the blood is empty throughout, because less is absorbed than could be eliminated.
  let isClamped: Bool
  /// What had been eliminated by the start, in g per kg of blood.
  let eliminatedBefore: Double

  let ka: Double
  let beta: Double

  /// State at `tau` hours after the start.
  func state(after tau: Double) -> CompartmentState {
    var state = self.state
    state.advance(by: tau, inputRate: inputRate, ka: ka, beta: beta)
    if isClamped {
      // Where k g is all but equal to beta, rounding could leave a trace.
      state.emptyBlood()
    }
    return state
  }

  /// Eliminated by `tau` hours after the start, in g per kg of blood.
  func eliminated(after tau: Double) -> Double {
    guard isClamped else { return eliminatedBefore + beta * tau }
    return eliminatedBefore + (state.gut + inputRate * tau - self.state(after: tau).gut)
  }

  /// Time after the start at which the concentration turns, if it does within the segment.
  var turningTime: Double? {
    guard !isClamped,
      let turn = state.turningTime(inputRate: inputRate, ka: ka, beta: beta),
      turn < duration
    else { return nil }
    return turn
  }
}
