/// A piece of a page.
enum Block: Sendable {
  /// A heading, of level 1 for the page's title to 4.
  case heading(Int, String)
  /// A paragraph; ``Text`` says how words are marked.
  case paragraph(String)
  /// Formulas and the like, shown as they are.
  case preformatted(String)
  /// One line for each point.
  case list([String])
  /// A table with a caption.
  case table(Table, caption: String)
  /// Facts as pairs of a name and a value.
  case facts([(name: String, value: String)])
  /// A picture.
  case figure(Figure)
}
