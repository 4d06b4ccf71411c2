/// What a numeric field holds.
enum NumberCell: Equatable {
  /// Nothing: the value is missing, or the table has no such column.
  case missing
  /// Something that is no usable number, which has been reported.
  case unusable
  /// A number.
  case number(Double)

  /// The number, if there is one.
  var value: Double? {
    guard case .number(let value) = self else { return nil }
    return value
  }
}

extension CSVRow {
  /// Reads a number.
  func number(in column: Column?, log: inout FindingLog) -> NumberCell {
    guard let column, !isMissing(column.index) else { return .missing }
    let remedy = "write a plain number such as 0.45, or leave the field empty"
    return number(content(of: column.index), in: column, remedy: remedy, log: &log)
      .map(NumberCell.number) ?? .unusable
  }

  /// The number that a part of a field holds; nil, reported, if it is none.
  func number(
    _ text: UnsafeRawBufferPointer, in column: Column, remedy: String, log: inout FindingLog
  ) -> Double? {
    do throws(DecimalNumber.Problem) {
      return try parse(text)
    } catch {
      note(error, in: column, remedy: remedy, log: &log)
      return nil
    }
  }

  /// Reads a number and reports it if `isValid` says no; `complaint` says what is wrong with it.
  func number(
    in column: Column?, log: inout FindingLog, code: DiagnosticCode, complaint: String,
    remedy: String, isValid: (Double) -> Bool
  ) -> NumberCell {
    let cell = number(in: column, log: &log)
    guard let column, let value = cell.value, !isValid(value) else { return cell }
    note(code, in: column, complaint, remedy: remedy, log: &log)
    return .unusable
  }

  /// Reads a number and reports it if a rule does not allow it.
  func number(in column: Column?, _ rule: ValueRule, log: inout FindingLog) -> NumberCell {
    number(
      in: column, log: &log, code: rule.code, complaint: rule.complaint, remedy: rule.remedy,
      isValid: rule.allows)
  }

  /// Notes a finding about a field, whose text the message begins with.
  func note(
    _ code: DiagnosticCode, in column: Column, _ complaint: String, remedy: String,
    log: inout FindingLog
  ) {
    let found = "\(column.name.excerpt()) is \(text(of: column.index).quoted), \(complaint)"
    log.note(code, at: place(of: column.index), found, remedy: remedy)
  }

  private func note(
    _ problem: DecimalNumber.Problem, in column: Column, remedy: String, log: inout FindingLog
  ) {
    switch problem {
    case .notANumber:
      note(.number, in: column, "which is not a number", remedy: remedy, log: &log)
    case .notFinite:
      note(.notFinite, in: column, "which is not a finite number", remedy: remedy, log: &log)
    case .decimalComma:
      note(
        .decimalComma, in: column, "which contains a comma",
        remedy: "write a decimal point, as in 0.45, and no thousands separator; or separate fields "
          + "with semicolons or tabs", log: &log)
    }
  }
}
