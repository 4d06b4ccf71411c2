import AlcoholKinetics
import Foundation
import FuzzSupport
import TestSupport

@testable import Spreadsheets
@testable import StudyData
@_spi(StudyDay) @testable import StudyFiles

private let reader = [
  FuzzedReader("folder", refusals: StudyError.self) { data in
    let files = data.files(4)
    let names: [StudyFile] = [.subjects, .drinks, .readings, .descriptor]
    var reader = StudyReader(.of(zip(names, files).filter { $0 != .descriptor || !$1.isEmpty }))
    try reader.interpret(.empty)
    if let input = reader.input { try readWhole(input) }
  },
  FuzzedReader("events", refusals: StudyError.self) { data in
    try readWhole(StudyInput(events: file(data), dvUnit: .bloodGramsPerKilogram))
  },
  FuzzedReader("arrow", refusals: StudyError.self) { data in
    let events = file(data)
    events.isArrow = true
    try readWhole(StudyInput(events: events, dvUnit: .bloodGramsPerKilogram))
  },
  FuzzedReader("arrow-tables", refusals: StudyError.self) { data in
    try readWhole(StudyInput(streamsIn: file(data)))
  },
  FuzzedReader("sheet", refusals: StudyError.self) { data in
    var reader = StudyReader(StudyInput(events: file(data), dvUnit: .bloodGramsPerKilogram))
    try reader.interpret(.empty)
    if let input = reader.input { try readWhole(input) }
  },
  // The bytes of a file, whose checksums hardly any change survives.
  FuzzedReader("workbook", refusals: StudyError.self, WorkbookProblem.self) { data in
    try readWorkbook([UInt8](data))
  },
  // The parts of a sound archive.
  FuzzedReader("workbook-parts", refusals: StudyError.self, WorkbookProblem.self) { data in
    let names = [
      "xl/workbook.xml", "xl/_rels/workbook.xml.rels", "xl/worksheets/sheet1.xml",
      "xl/sharedStrings.xml", "xl/styles.xml",
    ]
    let parts = zip(names, data.files(names.count)).filter { !$1.isEmpty }
    try readWorkbook(Zip(parts.map { ($0, [UInt8]($1)) }).bytes)
  },
  FuzzedReader("document", refusals: StudyError.self) { data in
    keepsPromises(try StudyDocument(file: file(data)).study())
  },
  FuzzedReader("descriptor") { data in
    var log = FindingLog(file: "datapackage.json")
    _ = DataPackage.read(file(data), log: &log)
    for finding in log.closedFindings { _ = "\(finding)" }
  },
  FuzzedReader("manifest", refusals: DescriptorProblem.self) { data in
    let reader = GoldenManifestReader(
      file: file(data), folder: "/nowhere", studies: "/nowhere", ownStudy: "/nowhere")
    _ = try data.withUnsafeBytes { try reader.manifest(try JSONReader.read(file: $0)) }
  },
  FuzzedReader("results", refusals: StudyError.self) { data in
    let table = try ResultTableReader.table(in: file(data), key: ["subject", "occasion"])
    precondition(table.rows.allSatisfy { $0.count == table.columns.count })
  },
  FuzzedReader("estimates", refusals: StudyError.self) { data in
    let files = data.files(2)
    let study = try EstimateReader.read(
      .of([(.estimates, files[0])] + (files[1].isEmpty ? [] : [(.descriptor, files[1])])))
    precondition(!study.subjects.isEmpty && !study.diagnostics.hasError)
  },
  FuzzedReader("vitals", refusals: StudyError.self) { data in
    let vitals = try VitalFile.read(file(data))
    let text = VitalFile.text(of: vitals.entries)
    let again = try VitalFile.read(file(Data(text.utf8)))
    precondition(again.entries.count == vitals.entries.count, "what is written does not come back")
  },
  FuzzedReader("catalogue", refusals: DescriptorProblem.self) { data in
    let drinks = try data.withUnsafeBytes {
      try DrinkCatalogue.drinks(in: JSONReader.read(file: $0))
    }
    let catalogue = DrinkCatalogue(drinks: drinks)
    for drink in drinks.prefix(3) { _ = catalogue.suggestions(for: drink.name) }
  },
].chosen

/// What libFuzzer calls.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  reader.take(bytes, count)
}

/// Small blocks, so that what is read goes over the edges of many.
private func file(_ data: Data) -> InputFile {
  InputFile(path: "fuzzed", bytes: data, blockSize: 512)
}

extension StudyInput {
  /// A folder that holds these files.
  fileprivate static func of(_ files: [(StudyFile, Data)]) -> StudyInput {
    StudyInput(
      path: "study", files: Dictionary(uniqueKeysWithValues: files.map { ($0, file($1)) }))
  }
}

/// Reads a study a series at a time and at once, which must agree, and holds it to what the types promise.
private func readWhole(_ input: StudyInput) throws {
  let streamed = Result {
    var (stream, count) = (try input.stream(), 0)
    while let series = try stream.next() {
      keepsPromises(series)
      count += 1
    }
    return count
  }
  let study = Result { () throws(StudyError) in try input.study() }
  precondition((try? streamed.get()) == (try? study.get().series.count), "stream and study differ")
  keepsPromises(try study.get())
}

private func keepsPromises(_ study: Study) {
  precondition(!study.diagnostics.hasError, "a study with an error was not refused")
  for series in study.series { keepsPromises(series) }
  for finding in study.allDiagnostics { _ = "\(finding)" }
}

private func keepsPromises(_ series: Series) {
  // What cannot be is kept as it was read, with the error that says so.
  guard series.firstError == nil else { return }
  let times = series.readings.map(\.time.value)
  let numbers = times + series.readings.map(\.value) + series.drinks.map(\.time.value)
  precondition(numbers.allSatisfy(\.isFinite), "a number is not finite")
  precondition(times == times.sorted(), "readings are not in order")
  precondition(!series.drinks.isEmpty, "there is no drink")
}

private func readWorkbook(_ bytes: [UInt8]) throws {
  let sheets = try Workbook.sheets(in: bytes, path: "study.xlsx")
  for sheet in sheets { _ = sheet.textRows }
  let tables = sheets.filter { !$0.isHidden && !$0.rows.isEmpty }.map(SheetTable.init)
  guard let sheet = try SheetStudy(tables, path: "study.xlsx") else { return }
  try readWhole(sheet.folder)
}
