/// A Jupyter notebook in Python, not run yet (nbformat 4.5).
struct Notebook {
  struct Cell {
    enum Kind: String {
      case code
      case markdown
    }

    let kind: Kind
    /// A short name that no other cell has.
    let id: String
    let text: String

    static func markdown(_ id: String, _ text: MarkdownText) -> Cell {
      Cell(kind: .markdown, id: id, text: text.source)
    }

    static func code(_ id: String, _ text: String) -> Cell {
      Cell(kind: .code, id: id, text: text)
    }
  }

  let cells: [Cell]

  var json: JSONValue {
    .object([
      ("cells", .array(cells.map(\.json))),
      (
        "metadata",
        .object([
          (
            "kernelspec",
            .object([
              ("display_name", .string("Python 3")), ("language", .string("python")),
              ("name", .string("python3")),
            ])
          ),
          ("language_info", .object([("name", .string("python"))])),
        ])
      ),
      ("nbformat", .integer(4)),
      ("nbformat_minor", .integer(5)),
    ])
  }
}

extension Notebook.Cell {
  fileprivate var json: JSONValue {
    let shared: [(key: String, value: JSONValue)] = [
      ("cell_type", .string(kind.rawValue)), ("id", .string(id)), ("metadata", .object([])),
    ]
    let results: [(key: String, value: JSONValue)] =
      kind == .code ? [("execution_count", .null), ("outputs", .array([]))] : []
    return .object(shared + results + [("source", .array(lines.map(JSONValue.string)))])
  }

  /// The text in lines, each but the last with its line feed.
  private var lines: [String] {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    return lines.enumerated().map { $0 < lines.count - 1 ? $1 + "\n" : String($1) }
  }
}
