import CLanes

/// Intervals of the standard normal distribution, however far out, of which eight are worked out at once (`CLanes`).
struct StandardIntervals {
  let count: Int
  /// Ends, logarithms of probabilities, and densities at the ends over the probabilities, each behind the other.
  private var numbers: [Double]
  private let stride: Int

  /// So many intervals, all of them the whole line until they are given.
  init(_ count: Int) {
    self.count = count
    stride = (count + 7) / 8 * 8
    numbers =
      Array(repeating: -.infinity, count: stride) + Array(repeating: .infinity, count: stride)
      + Array(repeating: 0, count: 3 * stride)
  }

  /// Works out the intervals that the places have.
  mutating func measure(_ interval: (Int) -> (low: Double, high: Double)) {
    for place in 0..<count {
      let (low, high) = interval(place)
      numbers[place] = low
      numbers[stride + place] = high
    }
    let stride = stride
    numbers.withUnsafeMutableBufferPointer { numbers in
      guard let start = numbers.baseAddress else { return }
      Self.measure(start, stride)
    }
  }

  fileprivate static func measure(_ start: UnsafeMutablePointer<Double>, _ stride: Int) {
    var task = interval_task(
      low: start, high: start + stride, count: Int32(stride), log_probability: start + 2 * stride,
      low_density: start + 3 * stride, high_density: start + 4 * stride)
    measure_intervals(&task)
  }

  subscript(place: Int) -> StandardInterval {
    StandardInterval(
      low: numbers[place], high: numbers[stride + place],
      logProbability: numbers[2 * stride + place],
      densities: (numbers[3 * stride + place], numbers[4 * stride + place]))
  }
}

/// An interval of the standard normal distribution.
struct StandardInterval {
  let low: Double
  let high: Double
  /// The logarithm of its probability; of an interval too narrow to tell its ends apart, that of density times width.
  let logProbability: Double
  /// The densities at its ends over its probability.
  let densities: (low: Double, high: Double)
}

extension StandardInterval {
  init(_ low: Double, _ high: Double) {
    self = withUnsafeTemporaryAllocation(of: Double.self, capacity: 40) { numbers in
      numbers.initialize(repeating: 0)
      (numbers[0], numbers[8]) = (low, high)
      if let start = numbers.baseAddress { StandardIntervals.measure(start, 8) }
      return StandardInterval(
        low: low, high: high, logProbability: numbers[16], densities: (numbers[24], numbers[32]))
    }
  }

  /// The logarithm of the density.
  static func logDensity(_ z: Double) -> Double {
    -z * z / 2 - 0.918938533204672741780329736406
  }
}
