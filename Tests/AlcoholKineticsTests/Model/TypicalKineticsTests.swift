import AlcoholKinetics
import Testing

@Suite struct TypicalKineticsTests {
  @Test(arguments: EliminationModel.allCases, TypicalKinetics.allCases)
  func typicalValuesCoverEveryParameterButR(model: EliminationModel, typical: TypicalKinetics)
    throws
  {
    for sex: Sex? in [.male, .female, nil] {
      var values = typical.values(of: model, for: sex)
      #expect(Set(values.keys) == model.parameters.subtracting([.r]))
      values[.r] = 0.7
      _ = try ModelParameters(model, values)
    }
  }

  /// The thesis knows one beta.
  @Test func womenEliminateFaster() throws {
    func beta(_ typical: TypicalKinetics, _ sex: Sex?) -> Double {
      typical.values(of: .widmark, for: sex)[.beta] ?? .nan
    }
    #expect(beta(.fasted, .female) > beta(.fasted, .male))
    #expect(beta(.fed, .female) > beta(.fed, .male))
    #expect(beta(.fasted, nil) == beta(.fasted, .male))
    #expect(beta(.nacar2021, .female) == 0.15 && beta(.nacar2021, .male) == 0.15)
  }

  /// A typical lag belongs to the typical k_a.
  @Test func typicalLagBelongsToTypicalKa() {
    let fasted = TypicalKinetics.fasted
    #expect((fasted.values(of: .widmark, for: .male)[.lag] ?? 0) > 0)
    #expect(fasted.values(of: .widmark, for: .male, given: [.ka: 6])[.lag] == 0)
    let fitted = fasted.values(of: .widmark, for: .male, estimated: [.ka, .beta])
    #expect(fitted == [.lag: 0, .gain: 1])
    #expect((fasted.values(of: .widmark, for: .male, estimated: [.beta])[.lag] ?? 0) > 0)
    let given = fasted.values(of: .widmark, for: .male, given: [.ka: 6, .lag: 0.25])
    #expect(given[.lag] == 0.25 && given[.ka] == 6)
    #expect(TypicalKinetics.nacar2021.values(of: .widmark, for: .male)[.lag] == 0)
  }
}
