public import Foundation

/// Figures drawn into a folder of their own, which goes when they are no longer needed.
public final class DrawnFigures {
  /// Where the pictures and the scripts are.
  public let folder: URL

  /// Draws figures.
  ///
  /// - Parameters:
  ///   - figures: With names that differ.
  ///   - format: What to make of them.
  ///   - gnuplot: The program.
  /// - Throws: ``Gnuplot/Failure`` if they cannot be drawn.
  public init(
    _ figures: [Figure], as format: Figure.Format, with gnuplot: Gnuplot
  ) throws(Gnuplot.Failure) {
    folder = FileManager.default.temporaryDirectory
      .appending(path: "promille-\(UUID().uuidString)", directoryHint: .isDirectory)
    do {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    } catch {
      throw .failed(error.localizedDescription)
    }
    try gnuplot.draw(figures, into: folder, as: format)
  }

  deinit {
    try? FileManager.default.removeItem(at: folder)
  }

  /// The text of each SVG file by the name of its figure.
  public func texts(of figures: [Figure]) -> [String: String] {
    figures.reduce(into: [:]) { texts, figure in
      texts[figure.name] = try? String(
        contentsOf: folder.appending(path: "\(figure.name).svg"), encoding: .utf8)
    }
  }
}
