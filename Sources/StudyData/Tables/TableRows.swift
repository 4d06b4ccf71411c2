/// Understands the rows of one kind of table.
protocol TableRows {
  /// Finds its columns; nil, with the reason in the log, where one is missing.
  init?(header: Header, log: inout FindingLog)

  /// Reads a row, which has as many fields as the header.
  mutating func read(_ row: CSVRow, into draft: inout StudyDraft, log: inout FindingLog)
}

extension TableRows {
  /// Reads a whole table; nil, with the reason in the log, if its rows could not be read at all.
  static func read(
    _ file: InputFile, into draft: inout StudyDraft, log: inout FindingLog
  ) -> Self? {
    file.withBytes { bytes in
      guard let text = text(in: bytes, log: &log) else { return nil }
      var reader = CSVReader(text, separator: CSVSeparator(ofHeaderIn: text))
      guard let header = header(from: &reader, log: &log),
        var rows = Self(header: header, log: &log)
      else { return nil }
      while advance(&reader, log: &log) {
        guard reader.row.fits(header, log: &log) else { continue }
        rows.read(reader.row, into: &draft, log: &log)
      }
      return rows
    }
  }

  private static func text(
    in bytes: UnsafeRawBufferPointer, log: inout FindingLog
  ) -> UnsafeRawBufferPointer? {
    do throws(UTF8Text.Problem) {
      return try UTF8Text.check(bytes)
    } catch {
      log.add(
        log.finding(
          .encoding, at: error.place, error.message, remedy: "save the file as UTF-8 text"))
      return nil
    }
  }

  private static func header(from reader: inout CSVReader, log: inout FindingLog) -> Header? {
    do throws(CSVProblem) {
      if try reader.next() { return Header(reader.row, log: &log) }
      log.add(
        log.finding(
          .emptyFile, at: nil, "the file is empty",
          remedy: "begin it with a header that names the columns"))
    } catch {
      report(error, log: &log)
    }
    return nil
  }

  /// Moves on to the next row that is CSV, reporting those that are not; false at the end.
  private static func advance(_ reader: inout CSVReader, log: inout FindingLog) -> Bool {
    while true {
      do throws(CSVProblem) {
        return try reader.next()
      } catch {
        report(error, log: &log)
      }
    }
  }

  private static func report(_ problem: CSVProblem, log: inout FindingLog) {
    log.add(
      log.finding(problem.code, at: problem.place, problem.message, remedy: problem.remedy))
  }
}

extension CSVRow {
  /// Whether the row has as many fields as the header; reported if not.
  fileprivate func fits(_ header: Header, log: inout FindingLog) -> Bool {
    let expected = header.columns.count
    if count == expected { return true }
    let looksLikeComma = count > expected && hasSplitNumber
    let location = SourceLocation(file: log.file, line: firstLine)
    log.add(
      Diagnostic(
        .fieldCount, at: location,
        message: "the row has \(count) fields and the header \(expected)",
        remedy: looksLikeComma
          ? "write numbers with a decimal point: a decimal comma seems to split one"
          : "give every row a field for every column, empty where a value is missing"))
    return false
  }

  /// Whether a number is followed by a field of digits only, as `0,45` is where commas separate.
  private var hasSplitNumber: Bool {
    (1..<count).contains { index in
      let (whole, fraction) = (content(of: index - 1), content(of: index))
      return !fraction.isEmpty && fraction.allSatisfy(ASCII.isDigit)
        && (try? DecimalNumber.parse(whole)) != nil
    }
  }
}
