import CLanes

/// Probabilities of intervals of the standard normal distribution, accurate in the tails, eight at a time (`CLanes`).
struct StandardIntervals {
  let count: Int
  /// Lower ends, upper ends, log probabilities, and densities at each end over the probability, in consecutive blocks.
  private var numbers: [Double]
  private let stride: Int

  /// Creates so many intervals, initially the whole line.
  init(_ count: Int) {
    self.count = count
    stride = (count + 7) / 8 * 8
    numbers =
      Array(repeating: -.infinity, count: stride) + Array(repeating: .infinity, count: stride)
      + Array(repeating: 0, count: 3 * stride)
  }

  /// Sets the intervals by index, and evaluates them.
  mutating func measure(_ interval: (Int) -> (low: Double, high: Double)) {
    for index in 0..<count {
      let (low, high) = interval(index)
      numbers[index] = low
      numbers[stride + index] = high
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

  subscript(index: Int) -> StandardInterval {
    StandardInterval(
      low: numbers[index], high: numbers[stride + index],
      logProbability: numbers[2 * stride + index],
      densities: (numbers[3 * stride + index], numbers[4 * stride + index]))
  }
}

/// An interval of the standard normal distribution.
struct StandardInterval {
  let low: Double
  let high: Double
  /// The log probability; of a very narrow interval by density times width.
  let logProbability: Double
  /// The densities at its ends over its probability.
  let densities: (low: Double, high: Double)
}

extension StandardInterval {
  init(_ low: Double, _ high: Double) {
    self = withUnsafeTemporaryAllocation(of: Double.self, capacity: 40) { numbers in
      numbers.initialize(repeating: 0)
      numbers[0] = low
      numbers[8] = high
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
