package import Foundation
import Synchronization

/// The program rsvg-convert, which makes PNG and PDF of SVG.
package final class PictureConverter: Sendable {
  package enum Format: String, CaseIterable, Sendable {
    /// Portable Network Graphics, twice as many pixels as the figure has, or 600 to an inch of paper.
    case png
    case pdf
  }

  package enum Failure: Error, Hashable, Sendable, CustomStringConvertible {
    case missing
    /// The conversion failed, with the program's message.
    case failed(String)

    package var code: String {
      switch self {
      case .missing: "E_CONVERTER_MISSING"
      case .failed: "E_CONVERTER_FAILED"
      }
    }

    package var description: String {
      switch self {
      case .missing:
        "rsvg-convert is not installed; install it (Debian: librsvg2-bin, Homebrew: librsvg), or write "
          + "SVG, which needs no other program"
      case .failed(let message): "rsvg-convert could not convert the figure: \(message)"
      }
    }
  }

  private let program: String
  private let figureFile, pictureFile, errorFile: TemporaryFile
  /// Held by the conversion that has the files.
  private let turn = Mutex(())

  /// Looks for the program in the folders of a path.
  ///
  /// - Parameter path: Folders separated by colons, by default those of the environment.
  /// - Throws: ``Failure/missing`` if it is in none of them, or why there is no temporary file.
  package init(
    path: String = ProcessInfo.processInfo.environment["PATH"] ?? ""
  ) throws {
    figureFile = try TemporaryFile()
    pictureFile = try TemporaryFile()
    errorFile = try TemporaryFile()
    guard let program = ChildProcess.path(of: "rsvg-convert", in: path) else {
      throw Failure.missing
    }
    self.program = program
  }

  /// Converts a figure, with its fonts.
  ///
  /// - Parameter millimetres: Its width on paper; nil for the width of a page on a screen.
  /// - Throws: ``Failure/failed(_:)`` if a file cannot be written or the program fails.
  package func picture(
    of figure: Figure, as format: Format, millimetres: Double? = nil
  ) throws(Failure) -> Data {
    let svg = millimetres.map(figure.svg(millimetres:)) ?? figure.svg
    let dots = millimetres == nil ? "96" : "600"
    let size =
      format == .png
      ? ["--dpi-x", dots, "--dpi-y", dots, "--zoom", millimetres == nil ? "2" : "1"] : []
    return try turn.withLock { _ throws(Failure) in try converted(svg, format, size) }
  }

  private func converted(
    _ svg: String, _ format: Format, _ size: [String]
  ) throws(Failure) -> Data {
    let ending: ChildProcess.Ending
    do throws(TemporaryFile.Failure) {
      try figureFile.write(svg)
      for file in [pictureFile, errorFile] { file.empty() }
      ending = try ChildProcess.run(
        program, ["--format", format.rawValue] + size, input: figureFile, output: pictureFile,
        errors: errorFile)
    } catch {
      throw .failed(error.description)
    }
    let picture = pictureFile.contents
    guard ending == .exit(0), !picture.isEmpty else {
      let said = String(decoding: errorFile.contents, as: UTF8.self).split(separator: "\n").last
      throw .failed(said.map(String.init) ?? "it ended with \(ending)")
    }
    return picture
  }
}
