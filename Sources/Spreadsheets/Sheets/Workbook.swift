import Foundation
import StudyData
import StudyFiles

/// A workbook as Excel, LibreOffice and other programs save it: `.xlsx`, Office Open XML (ECMA-376).
///
/// Reads the values of cells, the stored results of formulas, and the formats of dates and percentages. Formulas are not
/// calculated; no macro is run and no link is followed.
struct Workbook {
  /// The sheets with cells, in the order of their tabs, including hidden ones.
  let sheets: [Sheet]

  /// Whether a path has the extension of a workbook, supported or not.
  static func isNamed(_ path: String) -> Bool {
    [".xlsx", ".xlsm", ".xlsb", ".xls", ".ods", ".numbers"].contains {
      path.lowercased().hasSuffix($0)
    }
  }

  /// The maximum size in bytes.
  private static let largestSize = 1 << 28

  /// Reads a workbook.
  ///
  /// - Throws: `E_FILE_FORMAT` if it is damaged, encrypted, too large or of another format, which the message names.
  init(_ file: InputFile) throws(StudyError) {
    let path = file.path
    var status = stat()
    let isSmall = stat(path, &status) == 0 && status.st_size <= Self.largestSize
    let bytes = isSmall ? [UInt8](try file.contents()) : nil
    do throws(WorkbookProblem) {
      guard let bytes else {
        throw WorkbookProblem(
          "the workbook is larger than 256 MiB",
          remedy: "keep the sheets with people, drinks and readings, and delete the others")
      }
      sheets = try Self.sheets(in: bytes, path: path)
    } catch {
      throw StudyError(
        .badData, .fileFormat, in: path, message: error.message, remedy: error.remedy)
    }
  }

  static func sheets(in bytes: [UInt8], path: String) throws(WorkbookProblem) -> [Sheet] {
    guard bytes.starts(with: Array("PK".utf8)) else { throw otherKind(of: bytes) }
    let archive = try ZipArchive(bytes)
    let parts = WorkbookParts(
      start: try relations(of: "", in: archive).filter { $0.value.kind == "officeDocument" }
        .min { $0.key < $1.key }?.value.target ?? "xl/workbook.xml")
    guard archive.contains(parts.start), !parts.start.hasSuffix(".bin") else {
      throw otherKind(of: archive)
    }
    try XMLReader.read(parts.start, of: archive, as: parts)
    let relations = try relations(of: parts.start, in: archive)
    var context = WorkbookContext(epoch: parts.epoch)
    // Sorted, so that the choice among several is deterministic.
    let related = relations.sorted { $0.key < $1.key }.map(\.value)
    if let texts = related.first(where: { $0.kind == "sharedStrings" }) {
      let strings = SharedStrings()
      try XMLReader.read(texts.target, of: archive, as: strings)
      context.strings = strings.strings
    }
    if let formats = related.first(where: { $0.kind == "styles" }) {
      let styles = Styles()
      try XMLReader.read(formats.target, of: archive, as: styles)
      context.styles = styles.shown
    }
    var sheets: [Sheet] = []
    var remainingCells = Worksheet.maximumCells
    for listed in parts.sheets {
      guard let relation = relations[listed.relation] else {
        throw WorkbookProblem("the workbook lacks its sheet \(listed.name.quoted)")
      }
      // Sheets of charts and macros have no cells.
      guard relation.kind == "worksheet" else { continue }
      let label = "\(path)[\(listed.name)]"
      let worksheet = Worksheet(
        context, log: FindingLog(file: label), remainingCells: remainingCells)
      try XMLReader.read(relation.target, of: archive, as: worksheet)
      remainingCells = worksheet.remainingCells
      sheets.append(
        Sheet(
          name: listed.name, isHidden: listed.isHidden, rows: worksheet.rows,
          findings: worksheet.log.closedFindings, label: label))
    }
    guard !sheets.isEmpty else { throw WorkbookProblem("the workbook has no sheet with cells") }
    return sheets
  }

  /// Returns the targets of a part's relationships by their identifiers; empty if it has none.
  private static func relations(
    of part: String, in archive: ZipArchive
  ) throws(WorkbookProblem) -> [String: Relations.Target] {
    let slash = part.lastIndex(of: "/").map { part.index(after: $0) } ?? part.startIndex
    let folder = String(part[..<slash])
    let list = "\(folder)_rels/\(part[slash...]).rels"
    guard archive.contains(list) else { return [:] }
    let relations = Relations(folder: folder)
    try XMLReader.read(list, of: archive, as: relations)
    return relations.targets
  }
}

// MARK: Other formats

extension Workbook {
  private static let saveAs = "open it in the spreadsheet program and save it as .xlsx"

  /// Returns the error for a file that is not a zip archive.
  private static func otherKind(of bytes: [UInt8]) -> WorkbookProblem {
    if bytes.isEmpty { return WorkbookProblem("the file is empty", remedy: "name another file") }
    if bytes.starts(with: [0xD0, 0xCF, 0x11, 0xE0]) {
      // An encrypted .xlsx is stored in the container of .xls files, in which names are UTF-16.
      let name = Array("EncryptedPackage".utf8.map { [$0, 0] }.joined())
      return Data(bytes).range(of: Data(name)) != nil
        ? WorkbookProblem(
          "the workbook is encrypted", remedy: "save it without a password and read that")
        : WorkbookProblem(
          "the file is an old Excel workbook (.xls), which is not read", remedy: saveAs)
    }
    if bytes.prefix(1024).contains(UInt8(ascii: "<")) && !bytes.prefix(1024).contains(0) {
      return WorkbookProblem("the file is HTML or XML, whatever its name says", remedy: saveAs)
    }
    return WorkbookProblem(
      "the file is no workbook", remedy: "name a .xlsx file, or save the table as CSV")
  }

  /// Returns the error for a zip archive that is not an Office Open XML workbook.
  private static func otherKind(of archive: ZipArchive) -> WorkbookProblem {
    let kinds = [
      ("content.xml", "an OpenDocument file (.ods)"),
      ("xl/workbook.bin", "a binary workbook (.xlsb)"),
      ("Index/Document.iwa", "an Apple Numbers document"), ("word/document.xml", "a Word document"),
      ("ppt/presentation.xml", "a PowerPoint presentation"),
    ]
    if let kind = kinds.first(where: { archive.contains($0.0) })?.1 {
      return WorkbookProblem("the file is \(kind), which is not read", remedy: saveAs)
    }
    return WorkbookProblem(
      "the file is a zip archive, but no workbook",
      remedy: "unpack it, and name the workbook or the CSV files in it")
  }
}

private final class WorkbookParts: XMLPart {
  let start: String
  private(set) var sheets: [(name: String, isHidden: Bool, relation: String)] = []
  private(set) var epoch = SheetDate.Epoch.year1900

  init(start: String) { self.start = start }

  func start(_ element: String, _ attributes: XMLAttributes) throws(WorkbookProblem) {
    switch element {
    case "workbookPr":
      if ["1", "true"].contains(attributes["date1904"]) { epoch = .year1904 }
    case "sheet":
      let isHidden = (attributes["state"] ?? "visible") != "visible"
      sheets.append((attributes["name"] ?? "", isHidden, attributes["id"] ?? ""))
    default: break
    }
  }
}

private final class Relations: XMLPart {
  struct Target {
    /// The last component of the type, such as `worksheet`; strict workbooks have another prefix.
    var kind: String
    var target: String
  }

  private(set) var targets: [String: Target] = [:]
  private let folder: String

  init(folder: String) { self.folder = folder }

  func start(_ element: String, _ attributes: XMLAttributes) throws(WorkbookProblem) {
    guard element == "Relationship", let id = attributes["Id"], let type = attributes["Type"],
      let target = attributes["Target"], attributes["TargetMode"] != "External"
    else { return }
    let path = target.hasPrefix("/") ? target : folder + target
    let steps = path.split(separator: "/").reduce(into: [Substring]()) { steps, step in
      if step == ".." { _ = steps.popLast() } else if step != "." { steps.append(step) }
    }
    let kind = type.split(separator: "/").last.map(String.init) ?? type
    targets[id] = Target(kind: kind, target: steps.joined(separator: "/"))
  }
}
