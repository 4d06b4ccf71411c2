import Testing

@testable import StudyData

@Suite struct DrinkTimesTests {
  @Test(arguments: [
    ([], "drinks: none"), ([0, 0], "drinks: 2 at 0 min"),
    ([0, 30, 12.5], "drinks: 1 at 0 min, 2 at 12.5 to 30 min"), ([15, 15], "drinks: 2 at 15 min"),
    ([-10, 0], "drinks: 1 at 0 min, 1 at -10 min"),
  ])
  func drinkTimesAreWrittenAsALine(_ minutes: [Double], _ line: String) {
    var drinks = DrinkTimes()
    for time in minutes { drinks.add(minutes: time) }
    #expect(drinks.text == line)
  }
}
