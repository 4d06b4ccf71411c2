import AlcoholKinetics
import Estimation
import RealModule
import Statistics

// Derivatives at a mode that only differences give.

extension SubjectLikelihood {
  /// The derivatives at a mode that only differences give, for one occasion, by the n logarithms of the
  /// parameters and then by ln a and ln b where these are estimated.
  struct Slopes {
    /// Of D.
    var gradient: [Double]
    /// Of the gradient by the parameters: rows are what it is a derivative by.
    var curvature: [[Double]]
    /// Of the information.
    var information: [Dense]
  }

  private static let difference = 1e-4

  /// Central differences, eight points at a time.
  func slopes(at mode: Mode, on occasion: Int, _ prepared: PreparedPopulation) -> Slopes {
    let center = logarithms(mode.effects, on: occasion, prepared)
    let residual = prepared.residual
    let extra = prepared.estimatedResiduals.count
    let readings = occasions[occasion]
    let (larger, smaller) = (Double.exp(Self.difference), Double.exp(-Self.difference))
    var slopes = Slopes(gradient: mode.scores[occasion], curvature: [], information: [])
    let scale = 1 / (2 * Self.difference)
    let directions = size + extra
    // Lanes 2 i and 2 i + 1 are on both sides of the mode in one direction.
    for first in stride(from: 0, to: directions, by: Lanes.scalarCount / 2) {
      let batch = first..<min(directions, first + Lanes.scalarCount / 2)
      var (sd, cv) = (Lanes(repeating: residual.sd), Lanes(repeating: residual.cv))
      for parameter in 0..<size { logarithms[parameter] = Lanes(repeating: center[parameter]) }
      for direction in batch {
        let lane = 2 * (direction - first)
        if direction < size {
          logarithms[direction][lane] += Self.difference
          logarithms[direction][lane + 1] -= Self.difference
        } else if prepared.estimatedResiduals[direction - size] == .sd {
          (sd[lane], sd[lane + 1]) = (sd[lane] * larger, sd[lane] * smaller)
        } else {
          (cv[lane], cv[lane + 1]) = (cv[lane] * larger, cv[lane] * smaller)
        }
      }
      readings.evaluate(at: logarithms, sd: sd, cv: cv)
      for direction in batch {
        let lane = 2 * (direction - first)
        func slope(_ lanes: Lanes) -> Double { scale * (lanes[lane] - lanes[lane + 1]) }
        if direction >= size { slopes.gradient.append(slope(readings.deviance)) }
        slopes.curvature.append((0..<size).map { slope(readings.gradient[$0]) })
        slopes.information.append(
          Dense(size, lowerTriangle: { slope(readings.information[$0]) }))
      }
    }
    return slopes
  }

  /// Half the second derivatives of J by the random effects.
  func curvature(_ slopes: [Slopes], _ prepared: PreparedPopulation) -> Dense {
    var curvature = precision(prepared)
    for (slopes, moving) in zip(slopes, moving) {
      for i in 0..<size {
        for j in 0..<size {
          let second = 0.25 * (slopes.curvature[i][j] + slopes.curvature[j][i])
          for effect in moving[i] { for other in moving[j] { curvature[effect, other] += second } }
        }
      }
    }
    return curvature
  }
}
