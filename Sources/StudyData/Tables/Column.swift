/// A column of a table.
struct Column {
  /// Its position in each row.
  let index: Int
  /// Its name as the header spells it, without blanks around it.
  let name: String
  /// Where the header names it.
  let place: Place

  /// The name as columns are looked up by.
  var key: String { name.lowercased() }
}
