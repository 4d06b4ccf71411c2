/// Eight numbers computed in parallel (SIMD), one for each of eight parameter vectors.
@usableFromInline package typealias Lanes = SIMD8<Double>

/// A Boolean for each lane.
@usableFromInline package typealias LaneMask = SIMDMask<SIMD8<Int64>>

extension UnsafeMutablePointer<Lanes> {
  /// Allocates `count` rows of zeros.
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

extension Lanes {
  /// The lanes of this vector where the mask is true, of the other where it is false. (The standard library's function works
  /// lane by lane.)
  @inlinable @inline(__always)
  package func selected(where answer: LaneMask, else other: Self) -> Self {
    let mask = unsafeBitCast(answer, to: SIMD8<UInt64>.self)
    let yes = unsafeBitCast(self, to: SIMD8<UInt64>.self)
    let no = unsafeBitCast(other, to: SIMD8<UInt64>.self)
    return unsafeBitCast((yes & mask) | (no & ~mask), to: Self.self)
  }

  /// Applies a function to each lane.
  @inlinable @inline(__always)
  package func map(_ function: (Double) -> Double) -> Self {
    var result = self
    for lane in 0..<Self.scalarCount { result[lane] = function(result[lane]) }
    return result
  }

  /// The larger value in each lane; the other's where either is NaN.
  @inlinable @inline(__always)
  package func max(_ other: Self) -> Self { selected(where: self .> other, else: other) }

  /// The smaller value in each lane; the other's where either is NaN.
  @inlinable @inline(__always)
  package func min(_ other: Self) -> Self { selected(where: self .< other, else: other) }

  /// e^x for x from -708 to 709, within 2 ulps, with nothing but additions, multiplications and bit operations.
  ///
  /// With x = n ln 2 + r, |r| <= ln 2 / 2, it is 2^n (e^r - 1) + 2^n, and e^r - 1 is its Taylor
  /// polynomial of degree 13, whose remainder is below 1e-17 r. (The reduction by a two-part ln 2 after Cody &
  /// Waite 1980.)
  @inlinable @inline(__always)
  package static func exp(_ x: Self) -> Self {
    // Added to 1.5 x 2^52, a number is rounded to a whole one, which then stands in the low bits.
    let shift = Lanes(repeating: 0x1.8p52)
    let x = Lanes(repeating: -708).max(x)
    let shifted: Lanes = x * 1.442_695_040_888_963_4 + shift
    let n: Lanes = shifted - shift
    let high: Lanes = x - n * 6.931_471_803_691_238_164_90e-1
    let r: Lanes = high - n * 1.908_214_929_270_587_700_02e-10
    let r2: Lanes = r * r
    @inline(__always)
    func cubic(_ a: Double, _ b: Double, _ c: Double, _ d: Double) -> Lanes {
      let low: Lanes = r * b + a
      let high: Lanes = r * d + c
      return low + r2 * high
    }
    // Thirds of the polynomial side by side keep the chain of dependent operations short.
    let r4: Lanes = r2 * r2
    let third = cubic(1.0 / 3_628_800, 1.0 / 39_916_800, 1.0 / 479_001_600, 1.0 / 6_227_020_800)
    let second: Lanes = cubic(1.0 / 720, 1.0 / 5040, 1.0 / 40_320, 1.0 / 362_880) + r4 * third
    let first: Lanes = cubic(1.0 / 2, 1.0 / 6, 1.0 / 24, 1.0 / 120) + r4 * second
    let small: Lanes = r + r2 * first
    let bits = unsafeBitCast(shifted, to: SIMD8<Int64>.self) &<< 52
    let unit = unsafeBitCast(Lanes(repeating: 1), to: SIMD8<Int64>.self)
    let power = unsafeBitCast(bits &+ unit, to: Lanes.self)
    return power * small + power
  }
}
