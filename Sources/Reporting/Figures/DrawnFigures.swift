public import Foundation

/// Figures drawn into a private folder, which goes when they are no longer needed.
public final class DrawnFigures {
  /// Where the pictures and the scripts are.
  public var folder: URL { URL(filePath: place.path, directoryHint: .isDirectory) }

  private let place: PrivateFolder
  private let names: [String]
  private let format: Figure.Format

  /// Draws figures.
  ///
  /// - Parameters:
  ///   - figures: With names that differ.
  ///   - format: What to make of them.
  ///   - gnuplot: The program.
  ///   - folder: Where to; by default into a folder of their own.
  /// - Throws: ``Gnuplot/Failure`` if they cannot be drawn.
  public init(
    _ figures: [Figure], as format: Figure.Format, with gnuplot: Gnuplot,
    in folder: PrivateFolder? = nil
  ) throws(Gnuplot.Failure) {
    if let folder {
      place = folder
    } else {
      do throws(PrivateFolder.Failure) {
        place = try PrivateFolder()
      } catch {
        throw .failed(error.description)
      }
    }
    self.format = format
    names = figures.map(\.name)
    try gnuplot.draw(figures, into: place, as: format)
  }

  /// The text of each SVG file by the name of its figure.
  public func texts(of figures: [Figure]) -> [String: String] {
    figures.reduce(into: [:]) { texts, figure in
      texts[figure.name] = try? String(
        contentsOf: self.folder.appending(path: "\(figure.name).svg"), encoding: .utf8)
    }
  }

  /// The pictures as files, and the scripts that drew them if they are wanted.
  ///
  /// - Throws: Foundation's error if one cannot be read.
  public func files(withScripts: Bool = false) throws -> [(name: String, data: Data)] {
    let endings = [format.rawValue] + (withScripts ? ["gp"] : [])
    return try names.flatMap { name in
      try endings.map { ending in
        let file = "\(name).\(ending)"
        return (file, try Data(contentsOf: folder.appending(path: file)))
      }
    }
  }
}

/// A picture as it stands inside a page.
enum InlineSVG {
  /// Turns a file that gnuplot wrote into an element of a page: without prologue, with a text for
  /// those who cannot see it, with its black in the colour of the page's text, the white around points in
  /// that of the paper, and with what was left out in that of its captions, which stands out from light and
  /// from dark paper.
  ///
  /// - Parameters:
  ///   - file: The text of the file.
  ///   - figure: What was drawn.
  /// - Returns: Nil if there is no picture in the file.
  static func element(_ file: String, of figure: Figure) -> String? {
    guard let start = file.range(of: "<svg"), let end = file.range(of: ">", after: start.upperBound)
    else { return nil }
    let box = "viewBox=\"0 0 \(figure.size.width) \(figure.size.height)\""
    let open =
      "<svg xmlns=\"http://www.w3.org/2000/svg\" "
      + "xmlns:xlink=\"http://www.w3.org/1999/xlink\" \(box) role=\"img\" "
      + "style=\"--width:\(figure.size.width)\" "
      + "aria-label=\"\(figure.alt.htmlEscaped)\">"
    let content = file[end.upperBound...]
      .replacing(/<title>.*?<\/title>\s*/.dotMatchesNewlines(), with: "")
      .replacing(/<desc>.*?<\/desc>\s*/.dotMatchesNewlines(), with: "")
      .replacing(/rgb\(\s*0,\s*0,\s*0\)/, with: "currentColor")
      .replacing(PlotColor.leftOutInSVG, with: "var(--faint)")
      .replacing("\"black\"", with: "\"currentColor\"")
      .replacing("color=\"white\"", with: "color=\"var(--paper)\"")
      .replacing("color='white'", with: "color='var(--paper)'")
      .replacing("stroke='black'", with: "stroke='currentColor'")
    return open + content
  }
}

extension String {
  fileprivate func range(of text: String) -> Range<Index>? {
    ranges(of: text).first
  }

  fileprivate func range(of text: String, after start: Index) -> Range<Index>? {
    self[start...].ranges(of: text).first
  }
}
