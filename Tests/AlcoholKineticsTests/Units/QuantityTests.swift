import AlcoholKinetics
import Testing

@Suite struct QuantityTests {
  @Test func addsComparesAndScales() {
    let weight: Kilograms = 76
    #expect(weight + 4 == 80)
    #expect(weight - 6 == 70)
    #expect(weight * 0.5 == 38)
    #expect(weight / 2 == 38)
    #expect(weight / Kilograms(38) == 2)
    #expect(weight < 77)
  }

  @Test func minutesAndHoursConvertExactly() {
    #expect(Hours(minutes: 90) == 1.5)
    #expect(Hours(1.5).minutes == 90)
    for minute in stride(from: 0, through: 10_000, by: 0.1) {
      let decimal = (minute * 10).rounded() / 10
      #expect(Hours(minutes: decimal).minutes == decimal)
    }
    #expect(Hours(1.0 / 3).minutes == 20)
    #expect(Hours(Double.pi).minutes == Double.pi * 60)
  }

  @Test func printsItsUnit() {
    #expect("\(GramsPerKilogramHour(0.15))" == "0.15 g/kg/h")
    #expect("\(PerHour(18))" == "18.0 1/h")
  }
}
