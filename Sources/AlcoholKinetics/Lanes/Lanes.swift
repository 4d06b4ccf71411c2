import RealModule

// Numerical goals, in order:
// 1. A lane's result does not depend on what the other lanes hold, nor on how many lanes a machine
//    computes at once: the same bits everywhere.
// 2. e^x - 1 within 2 ulps of the correctly rounded value, also where x is tiny and e^x - 1 cancels.
// 3. Nothing but additions, multiplications and bit operations, so that all lanes take the same way.

/// Eight numbers that are computed with at once: one for each of eight parameter vectors.
@usableFromInline package typealias Lanes = SIMD8<Double>

/// A yes or no for each lane.
@usableFromInline package typealias LaneMask = SIMDMask<SIMD8<Int64>>

extension LaneMask {
  /// Whether any lane says yes. (The standard library's function looks at one lane after the other.)
  @inlinable @inline(__always)
  package var isAnywhere: Bool {
    let bits = unsafeBitCast(self, to: SIMD8<UInt64>.self)
    let four = bits.lowHalf | bits.highHalf
    let two = four.lowHalf | four.highHalf
    return two[0] | two[1] != 0
  }
}

extension UnsafeMutablePointer<Lanes> {
  /// Memory for so many rows, all zero.
  package static func zeros(_ count: Int) -> Self {
    let memory = allocate(capacity: Swift.max(1, count))
    memory.initialize(repeating: .zero, count: Swift.max(1, count))
    return memory
  }

  /// The numbers of rows, one after the other.
  package var numbers: UnsafeMutablePointer<Double> {
    UnsafeMutableRawPointer(self).assumingMemoryBound(to: Double.self)
  }
}

extension UnsafePointer<Lanes> {
  /// The numbers of rows, one after the other.
  package var numbers: UnsafePointer<Double> {
    UnsafeRawPointer(self).assumingMemoryBound(to: Double.self)
  }
}

/// What is computed with: a number, or eight of them at once.
///
/// Equations stand in one place and serve both.
@usableFromInline
package protocol ArithmeticNumber: Hashable, Sendable {
  /// An answer for each number.
  associatedtype Answer

  static var zero: Self { get }
  /// The same number in all lanes.
  init(everywhere value: Double)

  static func + (left: Self, right: Self) -> Self
  static func - (left: Self, right: Self) -> Self
  static func * (left: Self, right: Self) -> Self
  static func / (left: Self, right: Self) -> Self
  static prefix func - (number: Self) -> Self

  /// What a function has for each number.
  func map(_ function: (Double) -> Double) -> Self

  /// Where the number is above another; nowhere if one of them is NaN.
  func isAbove(_ other: Self) -> Answer
  /// The number where the answer is yes, another where it is no.
  func kept(where answer: Answer, else other: Self) -> Self
  /// Whether the answer is yes anywhere.
  static func isAnywhere(_ answer: Answer) -> Bool
}

/// What a model of kinetics computes with.
protocol KineticNumber: ArithmeticNumber {
  /// e^x - 1.
  static func expMinusOne(_ x: Self) -> Self
  /// e^(-x), and 1 - e^(-x), each with all of its digits.
  static func decay(_ x: Self) -> (kept: Self, gone: Self)
  /// The natural logarithm.
  static func log(_ x: Self) -> Self
  /// Added to a step in h and taken away again, it rounds the step.
  static var stepGrid: Double { get }
}

extension ArithmeticNumber {
  @inlinable @inline(__always)
  package static func += (left: inout Self, right: Self) { left = left + right }
  @inlinable @inline(__always)
  package static func -= (left: inout Self, right: Self) { left = left - right }
  @inlinable @inline(__always)
  package static func *= (left: inout Self, right: Self) { left = left * right }

  /// The smaller of both; the second if the first is NaN.
  @inlinable @inline(__always)
  package func orLess(_ other: Self) -> Self { kept(where: other.isAbove(self), else: other) }

  /// The larger of both; the second if the first is NaN.
  @inlinable @inline(__always)
  package func orMore(_ other: Self) -> Self { kept(where: isAbove(other), else: other) }
}

extension Double: KineticNumber {
  @inlinable
  package init(everywhere value: Double) { self = value }
  static func decay(_ x: Double) -> (kept: Double, gone: Double) { (.exp(-x), -.expMinusOne(-x)) }
  @inlinable @inline(__always)
  package func map(_ function: (Double) -> Double) -> Double { function(self) }
  @inlinable
  package func isAbove(_ other: Double) -> Bool { self > other }
  @inlinable
  package func kept(where answer: Bool, else other: Double) -> Double { answer ? self : other }
  @inlinable
  package static func isAnywhere(_ answer: Bool) -> Bool { answer }
  static var stepGrid: Double { 0 }
}

extension Lanes {
  /// The number where the answer is yes, another where it is no.
  @inlinable @inline(__always)
  package func kept(where answer: LaneMask, else other: Self) -> Self {
    let mask = unsafeBitCast(answer, to: SIMD8<UInt64>.self)
    let (yes, no) = (
      unsafeBitCast(self, to: SIMD8<UInt64>.self), unsafeBitCast(other, to: SIMD8<UInt64>.self)
    )
    return unsafeBitCast((yes & mask) | (no & ~mask), to: Self.self)
  }

  /// Takes another number over where the answer is yes. (The standard library's function goes from lane to
  /// lane.)
  @inlinable @inline(__always)
  package mutating func take(_ other: Self, where answer: LaneMask) {
    self = other.kept(where: answer, else: self)
  }

  /// The numbers without their signs.
  @inlinable @inline(__always)
  package var magnitudes: Self {
    let bits =
      unsafeBitCast(self, to: SIMD8<UInt64>.self) & SIMD8<UInt64>(repeating: 0x7FFF_FFFF_FFFF_FFFF)
    return unsafeBitCast(bits, to: Self.self)
  }

  /// The larger of each pair; the other's where one is NaN.
  @inlinable @inline(__always)
  package func orMore(_ other: Self) -> Self { kept(where: self .> other, else: other) }

  /// The smaller of each pair; the other's where one is NaN.
  @inlinable @inline(__always)
  package func orLess(_ other: Self) -> Self { kept(where: self .< other, else: other) }

  /// e^x - 1 for x up to 709; -1 below -708, where it is that but for rounding.
  ///
  /// With x = n ln 2 + r, |r| <= ln 2 / 2, it is 2^n (e^r - 1) + (2^n - 1), and e^r - 1 is its Taylor
  /// polynomial of degree 13, whose remainder is below 1e-17 r. No digits cancel where n is 0, and where
  /// it is not, both terms are of the size of the result. (The reduction by a two-part ln 2 after Cody &
  /// Waite 1980.)
  @inlinable @inline(__always)
  package static func expMinusOne(_ x: Self) -> Self {
    let (power, small) = LaneNumber.reduced(LaneNumber(x))
    return power.lanes * small.lanes + (power.lanes - 1)
  }

  /// e^x for x from -708 to 709.
  @inlinable @inline(__always)
  package static func exp(_ x: Self) -> Self {
    let (power, small) = LaneNumber.reduced(LaneNumber(x))
    return power.lanes * small.lanes + power.lanes
  }
}

/// Eight numbers as one: what a model computes with for eight parameter vectors.
///
/// A type of its own, since operators of SIMD types and of a protocol they conform to are ambiguous.
@usableFromInline
package struct LaneNumber: KineticNumber {
  @usableFromInline package var lanes: Lanes

  @inlinable @inline(__always)
  package init(_ lanes: Lanes) { self.lanes = lanes }
  @inlinable @inline(__always)
  package init(everywhere value: Double) { lanes = Lanes(repeating: value) }

  @inlinable @inline(__always)
  package static var zero: Self { Self(.zero) }
  @inlinable @inline(__always)
  package static func + (left: Self, right: Self) -> Self { Self(left.lanes + right.lanes) }
  @inlinable @inline(__always)
  package static func - (left: Self, right: Self) -> Self { Self(left.lanes - right.lanes) }
  @inlinable @inline(__always)
  package static func * (left: Self, right: Self) -> Self { Self(left.lanes * right.lanes) }
  @inlinable @inline(__always)
  package static func / (left: Self, right: Self) -> Self { Self(left.lanes / right.lanes) }
  @inlinable @inline(__always)
  package static prefix func - (number: Self) -> Self { Self(-number.lanes) }

  /// 2^n, where n is what was rounded by adding 1.5 x 2^52 to it.
  @inlinable @inline(__always)
  var powerOfShifted: Self {
    let bits = unsafeBitCast(lanes, to: SIMD8<Int64>.self) &<< 52
    let one = unsafeBitCast(Lanes(repeating: 1), to: SIMD8<Int64>.self)
    return Self(unsafeBitCast(bits &+ one, to: Lanes.self))
  }

  @inlinable @inline(__always)
  package func map(_ function: (Double) -> Double) -> Self {
    var result = lanes
    for lane in 0..<Lanes.scalarCount { result[lane] = function(result[lane]) }
    return Self(result)
  }

  @inlinable @inline(__always)
  package func isAbove(_ other: Self) -> LaneMask { lanes .> other.lanes }
  @inlinable @inline(__always)
  package func kept(where answer: LaneMask, else other: Self) -> Self {
    Self(lanes.kept(where: answer, else: other.lanes))
  }
  @inlinable @inline(__always)
  package static func isAnywhere(_ answer: LaneMask) -> Bool { answer.isAnywhere }
}

extension LaneNumber {
  /// 2^n and e^r - 1.
  @inlinable @inline(__always)
  static func reduced(_ x: Self) -> (power: Self, small: Self) {
    @inline(__always)
    func all(_ number: Double) -> Self { Self(everywhere: number) }
    // Added to 1.5 x 2^52, a number is rounded to a whole one, which then stands in the low bits.
    let shift = all(0x1.8p52)
    let x = all(-708).orMore(x)
    let shifted = x * all(1.442_695_040_888_963_4) + shift
    let n = shifted - shift
    let high = all(6.931_471_803_691_238_164_90e-1)
    let r = (x - n * high) - n * all(1.908_214_929_270_587_700_02e-10)
    // Thirds of the polynomial side by side keep the chain of dependent operations short.
    let r2 = r * r
    let r4 = r2 * r2
    let first = cubic(r, r2, 1.0 / 2, 1.0 / 6, 1.0 / 24, 1.0 / 120)
    let second = cubic(r, r2, 1.0 / 720, 1.0 / 5040, 1.0 / 40_320, 1.0 / 362_880)
    let third = cubic(
      r, r2, 1.0 / 3_628_800, 1.0 / 39_916_800, 1.0 / 479_001_600, 1.0 / 6_227_020_800)
    return (shifted.powerOfShifted, r + r2 * (first + r4 * (second + r4 * third)))
  }

  /// a + b r + c r^2 + d r^3.
  @inlinable @inline(__always)
  static func cubic(_ r: Self, _ r2: Self, _ a: Double, _ b: Double, _ c: Double, _ d: Double)
    -> Self
  {
    let low = r * Self(everywhere: b) + Self(everywhere: a)
    let high = r * Self(everywhere: d) + Self(everywhere: c)
    return low + r2 * high
  }

  @inline(__always)
  static func expMinusOne(_ x: Self) -> Self {
    let (power, small) = reduced(x)
    return power * small + (power - Self(everywhere: 1))
  }

  @inline(__always)
  static func decay(_ x: Self) -> (kept: Self, gone: Self) {
    let (power, small) = reduced(-x)
    return (power * small + power, (Self(everywhere: 1) - power) - power * small)
  }

  /// Lane by lane: it is needed only where a drink under way begins to outrun elimination.
  static func log(_ x: Self) -> Self { x.map { .log($0) } }

  /// To 2^-44 h, 0.2 ns: differences of equally spaced times, which are equal but for rounding, become equal.
  static var stepGrid: Double { 0x1.8p8 }
}
