/// Colours that people with any colour vision can tell apart, on white and on black.
///
/// Source: Okabe & Ito (2008), "Color universal design".
enum PlotColor {
  /// Text and what was measured; a page shows it in the colour of its text.
  static let ink = "#000000"
  /// Lines of the grid and bands.
  static let grid = "#9a9a9a"
  /// What was left out.
  static let leftOut = "#7a7a7a"

  private static let palette = [
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8c6d31", "#7f7f7f",
  ]

  /// Dashes that tell lines apart without colours.
  static func dashes(_ index: Int) -> String {
    let patterns = ["(10,4)", "(2,3)", "(10,3,2,3)", "(10,3,2,3,2,3)", "(18,4)", "(5,3)"]
    return patterns[index % patterns.count]
  }

  /// The colour of the r-factor method at a position.
  static func method(_ index: Int) -> String {
    palette[index % palette.count]
  }
}
