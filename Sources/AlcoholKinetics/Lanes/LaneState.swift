/// A model's blood and gut for eight parameter vectors, at one instant for each.
protocol LaneState {
  /// How many parameters the model has.
  static var parameterCount: Int { get }
  /// Goes on by times of 0 or more, in h, under the constant input.
  mutating func advance(by tau: Lanes)
  /// Goes on by the same time in all lanes.
  mutating func advance(by tau: Double)
  /// Takes in what is added at once, and the input from here on.
  mutating func change(_ input: LaneInput)
  /// Writes the concentration and its derivatives by the model's parameters.
  func write(to row: UnsafeMutablePointer<Lanes>)
}

/// The input of eight lanes, per kg of body weight.
struct LaneInput {
  /// Added to the gut at once, in g/kg; 0 in lanes where nothing happens now.
  var bolus = Lanes.zero
  /// Added to the blood at once, in g/kg.
  var bloodBolus = Lanes.zero
  /// Rate of input into the gut from now on, in g/kg/h.
  var rate = Lanes.zero
  /// Rate of input into the blood from now on, in g/kg/h.
  var bloodRate = Lanes.zero
  /// Time to the next change, in h; infinite after the last.
  var duration = Lanes.zero
  /// Where something happens now.
  var isDue = LaneMask(repeating: true)

  /// Takes in one change for all lanes.
  fileprivate mutating func take(_ change: InputChange, until end: Double) {
    duration = Lanes(repeating: end - change.time)
    bolus = Lanes(repeating: change.bolus)
    bloodBolus = Lanes(repeating: change.bloodBolus)
    rate = Lanes(repeating: change.rate)
    bloodRate = Lanes(repeating: change.bloodRate)
  }

  /// Takes in one change for one lane.
  fileprivate mutating func take(_ change: InputChange, until end: Double, lane: Int) {
    duration[lane] = end - change.time
    bolus[lane] = change.bolus
    bloodBolus[lane] = change.bloodBolus
    rate[lane] = change.rate
    bloodRate[lane] = change.bloodRate
  }
}

extension LaneState {
  mutating func advance(by tau: Double) { advance(by: Lanes(repeating: tau)) }

  /// Follows the curves from reading to reading.
  ///
  /// - Parameters:
  ///   - lag: In h. With doses into the blood all lanes have the same.
  ///   - times: Of `count` readings in h, ascending.
  ///   - samples: A row for each reading, see ``write(to:)``.
  mutating func follow(
    _ regimen: Regimen, lag: Lanes, at times: UnsafePointer<Double>, count: Int,
    into samples: UnsafeMutablePointer<Lanes>
  ) {
    let changes = regimen.changes(lag: lag[0])
    let width = 1 + Self.parameterCount
    guard !changes.isEmpty else {
      for index in 0..<count { write(to: samples + index * width) }
      return
    }
    if all(lag .== lag[0]) {
      follow(changes, lag: lag[0], at: times, count: count, into: samples, width)
    } else {
      follow(changes, lags: lag, at: times, count: count, into: samples, width)
    }
  }

  /// With one lag, all lanes pass the same changes between the same readings.
  private mutating func follow(
    _ changes: [InputChange], lag: Double, at times: UnsafePointer<Double>, count: Int,
    into samples: UnsafeMutablePointer<Lanes>, _ width: Int
  ) {
    var input = LaneInput()
    var next = 0
    var time = changes[0].time
    for index in 0..<count {
      let target = times[index] - lag
      while next < changes.count, changes[next].time <= target {
        if changes[next].time > time { advance(by: changes[next].time - time) }
        let end = next + 1 < changes.count ? changes[next + 1].time : .infinity
        input.take(changes[next], until: end)
        change(input)
        time = changes[next].time
        next += 1
      }
      if target > time {
        advance(by: target - time)
        time = target
      }
      write(to: samples + index * width)
    }
  }

  /// With lags of their own, lanes pass changes at times of their own; those where nothing happens stand
  /// still meanwhile.
  private mutating func follow(
    _ changes: [InputChange], lags: Lanes, at times: UnsafePointer<Double>, count: Int,
    into samples: UnsafeMutablePointer<Lanes>, _ width: Int
  ) {
    var input = LaneInput()
    var next = SIMD8<Int>.zero
    var time = Lanes(repeating: changes[0].time)
    var nextTime = time
    for index in 0..<count {
      let target = times[index] - lags
      while true {
        let isDue = nextTime .<= target
        guard isDue.isAnywhere else { break }
        let arrival = nextTime.kept(where: isDue, else: time)
        advance(by: arrival - time)
        time = arrival
        input.bolus = .zero
        input.bloodBolus = .zero
        for lane in 0..<Lanes.scalarCount where isDue[lane] {
          let due = next[lane]
          next[lane] += 1
          nextTime[lane] = next[lane] < changes.count ? changes[next[lane]].time : .infinity
          input.take(changes[due], until: nextTime[lane], lane: lane)
        }
        input.isDue = isDue
        change(input)
      }
      let arrival = target.kept(where: target .> time, else: time)
      advance(by: arrival - time)
      time = arrival
      write(to: samples + index * width)
    }
  }
}
