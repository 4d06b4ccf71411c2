/// Says that a study has not the one series a test asks for.
struct UnexpectedCount: Error {
  var count: Int
}
