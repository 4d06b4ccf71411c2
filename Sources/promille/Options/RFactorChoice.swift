import AlcoholKinetics
import ArgumentParser

/// One r-factor method, or all of them.
enum RFactorChoice: ExpressibleByArgument {
  case all
  case one(RFactorName)

  init?(argument: String) {
    if argument.lowercased() == "all" {
      self = .all
    } else if let name = RFactorName(argument: argument) {
      self = .one(name)
    } else {
      return nil
    }
  }

  var defaultValueDescription: String {
    switch self {
    case .all: "all"
    case .one(let name): name.defaultValueDescription
    }
  }

  func methods(_ bloodWater: BloodWater) -> [any RFactorMethod] {
    switch self {
    case .all: RFactorMethods.all(bloodWater: bloodWater)
    case .one(let name): [name.method(bloodWater)]
    }
  }
}
