import AlcoholKinetics
import Estimation
import Population
import RealModule
import Statistics
import StudyData

/// Simulated people of a planned study. The seed and a person's number determine everything about
/// them.
struct SimulatedPeople: Sendable {
  let prior: PopulationPrior
  let options: SamplingOptions
  let occasions: Int
  /// The series that measures and drinks are taken from.
  let series: [Series]
  private let aim: PeoplePlan.Aim
  private let minutes: [Double]
  /// The median of a continuous covariate over the subjects; 0 for others.
  private let center: Double

  /// - Throws: `SeriesFailure` without series, times or occasions, or if the prior lacks the effect's parameter.
  init(
    _ aim: PeoplePlan.Aim, _ series: [Series], _ prior: PopulationPrior, _ minutes: [Double],
    _ occasions: Int, _ options: SamplingOptions
  ) throws(SeriesFailure) {
    guard !series.isEmpty, !minutes.isEmpty, occasions > 0 else {
      throw .badOptions("there is nobody to plan for, or nobody is measured")
    }
    self.aim = aim
    self.series = series
    self.minutes = minutes
    self.occasions = occasions
    self.options = options
    guard case .effect(let covariate, let ratio) = aim else {
      self.prior = prior
      center = 0
      return
    }
    guard let parameter = covariate.kinetic, prior.parameters.contains(parameter) else {
      throw .badOptions(
        "people of the prior do not differ in \(covariate.parameter.rawValue); choose one of "
          + prior.parameters.map(\.rawValue).joined(separator: ", "))
    }
    guard ratio > 0, ratio.isFinite, ratio != 1 else {
      throw .badOptions("an effect of nothing cannot be shown")
    }
    self.prior = prior.without(covariate)
    let values =
      covariate.isBinary
      ? [] : try series.map { item throws(SeriesFailure) in try covariate.value(for: item.subject) }
    center = Sample(values)?.median ?? 0
  }

  /// The person of a number on each occasion, with the true parameters.
  func cases(_ number: Int) throws(SeriesFailure) -> [DesignCase] {
    // Fractions of multiples of the golden ratio are evenly spread, so that even a few people represent the list.
    let multiple = Double(number) * 0.618_033_988_749_895
    var template = series[Int((multiple - multiple.rounded(.down)) * Double(series.count))]
    template.subject.id = "\(number + 1)"
    template.occasion = nil
    var numbers = RandomStream(options.seed, UInt64(number), 0x7065_6f70_6c65)
    let drawn = try prior.drawn(for: template.subject, occasions: occasions, &numbers)
    var r: Double?
    if case .distinguish(let method, _) = aim {
      let spread = Double.log(onePlus: .pow(method.spread.cv(of: template.subject.sex), 2))
        .squareRoot()
      r = try method.value(for: template.subject) * .exp(spread * numbers.normal())
    }
    var cases: [DesignCase] = []
    for (occasion, var values) in drawn.enumerated() {
      var series = template
      if occasions > 1 { series.occasion = "\(occasion + 1)" }
      if let r { values[.r] = r }
      if case .effect(let covariate, let ratio) = aim, let parameter = covariate.kinetic {
        if covariate.name == Subject.foodName {
          series.subject.food = (number + occasion).isMultiple(of: 2) ? .fasted : .fed
        }
        let shift = covariate.shifted(
          try covariate.value(for: series.subject), center: center)
        let times = covariate.isBinary ? shift : shift / .log(2)
        values[parameter] = (values[parameter] ?? 0) * .pow(ratio, times)
      }
      cases.append(try DesignCase(series, try prior.elimination.with(values)))
    }
    return cases
  }

  /// The series of people, measured at the planned times.
  func measured(_ numbers: Range<Int>) throws(SeriesFailure) -> [Series] {
    var all: [Series] = []
    for number in numbers {
      for (occasion, person) in try cases(number).enumerated() {
        if let series = person.simulated(at: minutes, options, number * occasions + occasion) {
          all.append(series)
        }
      }
    }
    return all
  }
}

extension PopulationModel.Covariate {
  /// The parameter of the curve that it acts on; nil for the clearance.
  var kinetic: FitParameter? {
    if case .kinetic(let parameter) = parameter { parameter } else { nil }
  }
}
