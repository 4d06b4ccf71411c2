/// Says that a row has no such column, or no number in it.
struct MissingColumn: Error {
  let name: String
}
