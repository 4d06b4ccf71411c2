/// A picture, as a script for gnuplot with its data in it.
public struct Figure: Hashable, Sendable {
  /// A name for files: letters, digits and hyphens.
  public let name: String
  /// What can be seen, for those who cannot see it.
  public let alt: String
  /// What stands below it.
  public let caption: String
  /// Width and height in pixels, or points in PDF.
  let size: Size
  /// The gnuplot commands, but for terminal and output.
  let script: String

  /// How large a figure is, in pixels.
  struct Size: Hashable, Sendable {
    let width: Int
    let height: Int
  }

  /// What can be made of a figure.
  public enum Format: String, CaseIterable, Sendable {
    /// Scalable Vector Graphics.
    case svg
    /// Portable Network Graphics, twice as many pixels as points.
    case png
    /// Portable Document Format.
    case pdf
  }

  /// The whole script, which draws into a file.
  func script(into file: String, as format: Format) -> String {
    """
    \(terminal(format))
    set output \(PlotScript.quoted(file))
    set encoding utf8
    \(PlotScript.look)
    \(script)
    unset output

    """
  }

  private func terminal(_ format: Format) -> String {
    let (width, height) = (size.width, size.height)
    switch format {
    case .svg:
      return "set terminal svg size \(width),\(height) dynamic font 'sans-serif,14' "
        // Prefixed to the ids in the picture, of which several may stand on one page.
        + "name \(PlotScript.quoted(name.replacing("-", with: "_")))"
    case .png:
      return "set terminal pngcairo size \(2 * width),\(2 * height) font 'sans-serif,14' "
        + "fontscale 1.6 linewidth 2 pointscale 2"
    case .pdf:
      // 96 pixels to the inch, as in SVG.
      let inches = "\(Double(width) / 96)in,\(Double(height) / 96)in"
      return "set terminal pdfcairo size \(inches) font 'sans-serif,10'"
    }
  }
}
