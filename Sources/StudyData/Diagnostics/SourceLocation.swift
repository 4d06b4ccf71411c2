/// A place in a study's files.
public struct SourceLocation: Hashable, Sendable {
  /// The file, as the path the study was opened with leads to it.
  public var file: String
  /// Line number, from 1; nil where the whole file is meant.
  public var line: Int?
  /// Position of the field's first character in the line, from 1; nil where the whole line is
  /// meant.
  public var column: Int?

  /// Names a place.
  public init(file: String, line: Int? = nil, column: Int? = nil) {
    self.file = file
    self.line = line
    self.column = column
  }
}

extension SourceLocation: CustomStringConvertible {
  /// The place as compilers and editors write it, `file:line:column`.
  public var description: String {
    guard let line else { return file }
    guard let column else { return "\(file):\(line)" }
    return "\(file):\(line):\(column)"
  }
}
