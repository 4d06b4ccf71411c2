/// Two numbers that are computed with at once.
typealias Pair = SIMD2<Double>

/// A yes or no for both, as all bits or none: made by comparisons, combined by & and |. The library's masks
/// would be turned into bits and back at every use.
typealias PairMask = SIMD2<Int64>

/// The blood in the last step, which goes on from there where nothing happens.
struct PastStep {
  var start = Pair.zero
  var stages = Five(.zero, times: .zero)
  /// In h; 0 if there is none.
  var tau = Pair.zero

  @inline(__always)
  mutating func take(_ start: Pair, _ stages: Five, _ tau: Pair, where mask: PairMask) {
    self.start = pick(mask, start, else: self.start)
    self.stages = stages.map(self.stages) { pick(mask, $0, else: $1) }
    self.tau = pick(mask, tau, else: self.tau)
  }

  /// Whether a step is so short that the polynomial still says something at its end.
  @inline(__always)
  func isClose(to tau: Pair) -> PairMask { ~above(tau, 4 * self.tau) }

  /// The polynomial through the stages, at those of the next step: Newton's form.
  @inline(__always)
  func extrapolated(by tau: Pair) -> Five {
    let node = MichaelisMentenStages.nodes
    let a1 = (stages.first - start) * (1 / node[0])
    let b1 = (stages.second - stages.first) * (1 / (node[1] - node[0]))
    let c1 = (stages.third - stages.second) * (1 / (node[2] - node[1]))
    let d1 = (stages.fourth - stages.third) * (1 / (node[3] - node[2]))
    let e1 = (stages.fifth - stages.fourth) * (1 / (node[4] - node[3]))
    let a2 = (b1 - a1) * (1 / node[1])
    let b2 = (c1 - b1) * (1 / (node[2] - node[0]))
    let c2 = (d1 - c1) * (1 / (node[3] - node[1]))
    let d2 = (e1 - d1) * (1 / (node[4] - node[2]))
    let a3 = (b2 - a2) * (1 / node[2])
    let b3 = (c2 - b2) * (1 / (node[3] - node[0]))
    let c3 = (d2 - c2) * (1 / (node[4] - node[1]))
    let a4 = (b3 - a3) * (1 / node[3])
    let b4 = (c3 - b3) * (1 / (node[4] - node[0]))
    let a5 = (b4 - a4) * (1 / node[4])
    let ratio = tau / larger(self.tau, Pair(repeating: .leastNormalMagnitude))
    return Five(ratio, times: node).map { ahead in
      let x = 1 + ahead
      let high = a3 + (x - node[2]) * (a4 + (x - node[3]) * a5)
      return start + x * (a1 + (x - node[0]) * (a2 + (x - node[1]) * high))
    }
  }
}

/// A number for each of the five stages.
struct Five {
  var first: Pair
  var second: Pair
  var third: Pair
  var fourth: Pair
  var fifth: Pair

  @inline(__always)
  init(_ first: Pair, _ second: Pair, _ third: Pair, _ fourth: Pair, _ fifth: Pair) {
    self.first = first
    self.second = second
    self.third = third
    self.fourth = fourth
    self.fifth = fifth
  }

  /// A number times that of each stage.
  @inline(__always)
  init(_ number: Pair, times stages: SIMD8<Double>) {
    self.init(
      number * stages[0], number * stages[1], number * stages[2], number * stages[3],
      number * stages[4])
  }

  /// 1 - e^(-x), of up to four stages at once.
  @inline(__always)
  var gone: Five {
    let four = Lanes(
      lowHalf: SIMD4(lowHalf: first, highHalf: second),
      highHalf: SIMD4(lowHalf: third, highHalf: fourth))
    let last = SIMD4(lowHalf: fifth, highHalf: fifth)
    let (early, late) = (
      -Lanes.expMinusOne(-four), -Lanes.expMinusOne(-Lanes(lowHalf: last, highHalf: last))
    )
    return Five(
      early.lowHalf.lowHalf, early.lowHalf.highHalf, early.highHalf.lowHalf,
      early.highHalf.highHalf, late.lowHalf.lowHalf)
  }

  @inline(__always)
  func map(_ body: (Pair) -> Pair) -> Five {
    Five(body(first), body(second), body(third), body(fourth), body(fifth))
  }

  @inline(__always)
  func map(_ other: Five, _ body: (Pair, Pair) -> Pair) -> Five {
    Five(
      body(first, other.first), body(second, other.second), body(third, other.third),
      body(fourth, other.fourth), body(fifth, other.fifth))
  }

  @inline(__always)
  static func combine(
    _ one: Five, _ two: Five, _ three: Five, _ body: (Pair, Pair, Pair) -> Pair
  ) -> Five {
    Five(
      body(one.first, two.first, three.first), body(one.second, two.second, three.second),
      body(one.third, two.third, three.third), body(one.fourth, two.fourth, three.fourth),
      body(one.fifth, two.fifth, three.fifth))
  }

  @inline(__always)
  static func all(_ one: Five, _ two: Five, _ body: (Pair, Pair) -> PairMask) -> PairMask {
    body(one.first, two.first) & body(one.second, two.second) & body(one.third, two.third)
      & body(one.fourth, two.fourth) & body(one.fifth, two.fifth)
  }

  /// Where all stages are above a number.
  @inline(__always)
  func isAbove(_ number: Pair) -> PairMask {
    above(first, number) & above(second, number) & above(third, number) & above(fourth, number)
      & above(fifth, number)
  }

  /// The derivative of the polynomial at the start of the step, times the step.
  @inline(__always)
  func slope(from start: Pair) -> Pair {
    let weights = MichaelisMentenStages.slopeWeights
    let early = start * MichaelisMentenStages.startSlopeWeight + first * weights[0]
    let late = third * weights[2] + fourth * weights[3]
    return early + second * weights[1] + (late + fifth * weights[4])
  }
}

/// The five linear equations of the stages, factored: see ``MichaelisMentenStages``.
///
/// Written out, since most of the numbers are constants or used at once. The diagonal holds inverses.
struct StageFactors {
  private let p1: Pair, p2: Pair, p3: Pair, p4: Pair, p5: Pair
  private let l21: Pair, l31: Pair, l41: Pair, l51: Pair
  private let l32: Pair, l42: Pair, l52: Pair
  private let l43: Pair, l53: Pair
  private let l54: Pair
  private let u23: Pair, u24: Pair, u25: Pair
  private let u34: Pair, u35: Pair
  private let u45: Pair

  /// Gauss' elimination; no pivot is zero.
  @inline(__always)
  init(diagonal: Five) {
    let (d1, d2, d3, d4, d5) = MichaelisMentenStages.weights
    p1 = 1 / (diagonal.first + d1[0])
    l21 = p1 * d2[0]
    l31 = p1 * d3[0]
    l41 = p1 * d4[0]
    l51 = p1 * d5[0]
    p2 = 1 / less(diagonal.second + d2[1], l21, d1[1])
    u23 = less(d2[2], l21, d1[2])
    u24 = less(d2[3], l21, d1[3])
    u25 = less(d2[4], l21, d1[4])
    l32 = less(d3[1], l31, d1[1]) * p2
    l42 = less(d4[1], l41, d1[1]) * p2
    l52 = less(d5[1], l51, d1[1]) * p2
    p3 = 1 / less(less(diagonal.third + d3[2], l31, d1[2]), l32, u23)
    u34 = less(less(d3[3], l31, d1[3]), l32, u24)
    u35 = less(less(d3[4], l31, d1[4]), l32, u25)
    l43 = less(less(d4[2], l41, d1[2]), l42, u23) * p3
    l53 = less(less(d5[2], l51, d1[2]), l52, u23) * p3
    p4 = 1 / less(less(less(diagonal.fourth + d4[3], l41, d1[3]), l42, u24), l43, u34)
    u45 = less(less(less(d4[4], l41, d1[4]), l42, u25), l43, u35)
    l54 = less(less(less(d5[3], l51, d1[3]), l52, u24), l53, u34) * p4
    p5 =
      1 / less(less(less(less(diagonal.fifth + d5[4], l51, d1[4]), l52, u25), l53, u35), l54, u45)
  }

  @inline(__always)
  func solve(_ side: Five) -> Five {
    let d1 = MichaelisMentenStages.weights.0
    let b1 = side.first
    let b2 = less(side.second, l21, b1)
    let b3 = less(less(side.third, l31, b1), l32, b2)
    let b4 = less(less(less(side.fourth, l41, b1), l42, b2), l43, b3)
    let b5 = less(less(less(less(side.fifth, l51, b1), l52, b2), l53, b3), l54, b4)
    let fifth = b5 * p5
    let fourth = less(b4, u45, fifth) * p4
    let third = less(less(b3, u35, fifth), u34, fourth) * p3
    let second = less(less(less(b2, u25, fifth), u24, fourth), u23, third) * p2
    let first =
      less(less(less(less(b1, fifth, d1[4]), fourth, d1[3]), third, d1[2]), second, d1[1]) * p1
    return Five(first, second, third, fourth, fifth)
  }
}

/// a - b c.
@inline(__always)
func less(_ a: Pair, _ b: Pair, _ c: Pair) -> Pair { a - b * c }
@inline(__always)
func less(_ a: Pair, _ b: Pair, _ c: Double) -> Pair { a - b * c }
@inline(__always)
func less(_ a: Double, _ b: Pair, _ c: Double) -> Pair { a - b * c }

// MARK: - Choosing

/// Where one number is above another; nowhere if one of them is NaN.
@inline(__always)
func above(_ one: Pair, _ other: Pair) -> PairMask {
  unsafeBitCast(one .> other, to: PairMask.self)
}

/// One number where the answer is yes, the other where it is no, by bits.
@inline(__always)
func pick(_ mask: PairMask, _ one: Pair, else other: Pair) -> Pair {
  let bits =
    (unsafeBitCast(one, to: PairMask.self) & mask)
    | (unsafeBitCast(other, to: PairMask.self) & ~mask)
  return unsafeBitCast(bits, to: Pair.self)
}

/// Whether the answer is yes in any lane.
@inline(__always)
func isAny(_ mask: PairMask) -> Bool {
  return (mask[0] | mask[1]) != 0
}

/// The larger of both; the second if one is NaN.
@inline(__always)
func larger(_ one: Pair, _ other: Pair) -> Pair {
  other.replacing(with: one, where: one .> other)
}

/// The smaller of both; the second if one is NaN.
@inline(__always)
func smaller(_ one: Pair, _ other: Pair) -> Pair {
  other.replacing(with: one, where: one .< other)
}

/// The number without its sign.
@inline(__always)
func size(_ number: Pair) -> Pair {
  unsafeBitCast(unsafeBitCast(number, to: PairMask.self) & Int64.max, to: Pair.self)
}

/// x^(-1/6), to a few hundredths: a straight line through the logarithm that the bits of a number are.
@inline(__always)
func inverseSixthRoot(_ x: Pair) -> Pair {
  // 1/6 in shifts, since there is no division of whole numbers.
  @inline(__always)
  func sixth(_ bits: SIMD2<UInt64>) -> SIMD2<UInt64> {
    (bits &>> 3) &+ (bits &>> 5) &+ ((bits &>> 7) &+ (bits &>> 9)) &+ (bits &>> 11)
  }
  let one = SIMD2<UInt64>(repeating: 1.0.bitPattern)
  let bits = unsafeBitCast(x, to: SIMD2<UInt64>.self)
  return unsafeBitCast(one &+ sixth(one) &- sixth(bits), to: Pair.self)
}
