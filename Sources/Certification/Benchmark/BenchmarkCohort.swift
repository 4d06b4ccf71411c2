import AlcoholKinetics

/// Men who have four drinks in an evening, by all r-factor methods: the same on every run.
struct BenchmarkCohort {
  /// What each subject drank.
  let regimens: [Regimen]
  /// The parameters of each curve, the methods of a subject beside each other.
  let parameters: [KineticParameters]
  /// How many curves a subject has.
  let methodCount: Int

  /// Curves by subject and method.
  var curveCount: Int { parameters.count }

  init(subjects: Int, ka: PerHour = 10) throws(KineticsError) {
    let methods = RFactorMethods.all()
    var regimens: [Regimen] = []
    var parameters: [KineticParameters] = []
    for index in 0..<subjects {
      var spread = GoldenSpread(start: index * 11)
      let subject = Subject(
        id: "\(index)", sex: .male, age: Years(spread.next(18...60)),
        height: Metres(spread.next(1.6...2)), weight: Kilograms(spread.next(60...110)))
      regimens.append(try Regimen(Self.evening(&spread), bodyWeight: subject.weight))
      // All five have a formula for every man.
      for r in methods.compactMap({ try? $0.rFactor(for: subject) }) {
        parameters.append(try KineticParameters(ka: ka, beta: 0.15, r: r))
      }
    }
    self.regimens = regimens
    self.parameters = parameters
    methodCount = methods.count
  }

  /// What was drunk, and by whom, for a curve.
  func input(of curve: Int) -> (Regimen, KineticParameters) {
    (regimens[curve / methodCount], parameters[curve])
  }

  private static func evening(_ spread: inout GoldenSpread) -> [Drink] {
    (0..<4).map { _ in
      let minute = spread.next(0...300).rounded()
      return Drink(time: Hours(minutes: minute), ethanol: .mass(Grams(spread.next(10...25))))
    }
  }
}

/// Numbers that look scattered and need no generator: multiples of the golden ratio, less the whole.
struct GoldenSpread {
  private var index: Int

  init(start: Int) {
    index = start
  }

  mutating func next(_ range: ClosedRange<Double>) -> Double {
    index += 1
    let share = (Double(index) * 0.618_033_988_749_894_9).truncatingRemainder(dividingBy: 1)
    return range.lowerBound + (range.upperBound - range.lowerBound) * share
  }
}
