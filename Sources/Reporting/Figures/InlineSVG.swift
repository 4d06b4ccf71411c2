/// A picture as it stands inside a page.
enum InlineSVG {
  /// Turns a file that gnuplot wrote into an element of a page: without prologue, with a text for
  /// those who cannot see it, and with its black in the colour of the page's text.
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
      .replacing("\"black\"", with: "\"currentColor\"")
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
