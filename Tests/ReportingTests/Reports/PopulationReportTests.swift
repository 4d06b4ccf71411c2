import AlcoholKinetics
import Estimation
import Foundation
import Population
import StudyData
import StudyFiles
import TestSupport
import Testing

@testable import Reporting

/// Reports and figures of population fits.
@Suite struct PopulationReportTests {
  private struct Case {
    let study: [Series]
    let fit: PopulationFit
    let answer: PopulationAnswer

    init(_ study: [Series], _ fit: PopulationFit) throws {
      self.study = study
      self.fit = fit
      var answer = PopulationAnswer([("none", fit)])
      answer.diagnostics = try PopulationDiagnostics(
        of: fit, study, options: .init(simulations: 100))
      self.answer = answer
    }

    var report: Report { .population(answer, provenance: Sample.provenance) }
    var page: Page { .population(answer, title: "<b>20%", provenance: Sample.provenance) }
  }

  /// People with names of all kinds, one of whom has columns of all kinds.
  private static func people(_ names: [String], readings: Int = 5) throws -> Case {
    let study = names.enumerated().map { index, name in
      Series(
        subject: Subject(
          id: name, sex: index % 2 == 0 ? .female : .male, age: 30,
          weight: Kilograms(60 + Double(index)),
          covariates: index < 9
            ? Dictionary(
              uniqueKeysWithValues: names.prefix(4).map { ($0, "\(index * index % 7)") })
            : [:]),
        drinks: [Drink(time: 0, ethanol: .perBodyWeight(0.7))],
        readings: (1...readings).map { reading($0, of: index) })
    }
    let model = PopulationModel()
    let values = PopulationValues(
      typical: [1.1, -1.8, -0.4], between: [0.1, 0, 0, 0, 0.03, 0, 0, 0, 0.02], sd: 0.05)
    let fit = try PopulationFit(evaluating: values, of: study, model: model)
    return try Case(study, fit)
  }

  private static func reading(_ hour: Int, of person: Int) -> Reading {
    let level = 0.8 - 0.1 * Double(hour) + 0.02 * Double(person % 5)
    return Reading(
      time: Hours(0.5 * Double(hour)), value: hour == 5 ? 0.1 : level, unit: .bloodGramsPerKilogram,
      limitOfDetection: 0.2)
  }

  private static let names = HostileNames.all.enumerated().map { "\($1.prefix(60))\($0)" }

  @Test func tablesHaveTheirColumns() throws {
    let report = try Self.people(["ann", "bob"]).report
    let list = try ColumnList()
    for name in ["standard_normal", "eta_covariates", "vpc", "predictions"] {
      let table = try #require(report.sections.first { $0.name == name }?.table)
      #expect(!table.rows.isEmpty, "\(name)")
      let columns = list.columns(of: name, "population").map(\.name)
      #expect(table.headers.compactMap(\.name) == columns, "\(name)")
    }
    // Without diagnostics they are there and empty.
    let bare = Report.population(PopulationAnswer([]), provenance: Sample.provenance)
    #expect(bare.sections.map(\.name) == report.sections.map(\.name))
  }

  @Test func theAnswerFitsAScreen() throws {
    let one = try Self.people(Self.names)
    let report = Report.population(
      PopulationAnswer([("none", one.fit)]), provenance: Sample.provenance)
    let text = report.rendered(as: .table)
    #expect(text.split(separator: "\n", omittingEmptySubsequences: false).count <= 24, "\(text)")
    // 100 sqrt(e^variance - 1)
    #expect(
      text.replacing("\n", with: " ").contains(
        "At the given values: typical k_a 3.00 /h, beta 0.165 g/kg/h, r 0.670; people differ by 32, 17 and 14 %."
      ))
    #expect(HostileNames.isHarmless(text))
    #expect(
      Report.population(PopulationAnswer([]), provenance: Sample.provenance).rendered(as: .table)
        == "")
  }

  @Test func residualsHaveARowPerReading() throws {
    let answer = try Self.people(["ann", "bob"]).answer
    let rows = try CSVText.rows(Report.residuals(of: answer).csv)
    let times = ["30.0", "60.0", "90.0", "120.0", "150.0"]
    #expect(rows.map { $0["time_min"] } == times + times)
    for row in rows {
      let isBelow = row["time_min"] == "150.0"
      #expect((row["cwres"] == "") == isBelow && row["npde"] != "")
      #expect(row["below_detection"] == (isBelow ? "yes" : "no"))
    }
  }

  @Test func namesAreEscapedInPages() throws {
    let one = try Self.people(Self.names)
    let page = one.page.html
    #expect(HostileNames.isHarmless(page))
    #expect(!page.contains("<b>20%") && !page.contains("<script"))
    let names = one.page.figures.map(\.name)
    #expect(names.first == "population-fit" && Set(names).count == names.count)
    #expect(names.contains("population-vpc") && names.contains("population-npde"))
    #expect(names.contains("population-eta-2"))
    #expect(one.page.figures.allSatisfy { HostileNames.isHarmless($0.alt) })
  }

  /// Many, one of one reading, and too many points to draw all.
  @Test(arguments: [0, 1, 2])
  func figuresOfFewAndOfManyPeopleAreDrawn(_ kind: Int) throws {
    let one = try [
      Self.people(Self.names), Self.people(["ann"], readings: 1),
      Self.people((0..<900).map { "p\($0)" }),
    ][kind]
    let figures = one.page.figures
    #expect(!figures.isEmpty)
    for figure in figures {
      #expect(XMLChecker(figure.svg).isWellFormed, "\(figure.name)")
      #expect(figure.svg.utf8.count < 1_000_000, "\(figure.name)")
      #expect(figure.charts.allSatisfy { !$0.layers.isEmpty })
    }
  }

  @Test func missingDiagnosticsAreRemarked() throws {
    let long = try Self.people(["ann"], readings: 4)
    #expect(long.answer.remarks.contains { $0.contains("prediction-corrected") })
    let study = (0..<60).map { 0.05 * Double($0 + 1) }
    var series = try #require(long.study.first)
    series.readings = study.map {
      Reading(time: Hours($0), value: 0.5, unit: .bloodGramsPerKilogram)
    }
    let fit = try PopulationFit(evaluating: long.fit.values, of: [series], model: long.fit.model)
    #expect(
      try Case([series], fit).answer.remarks.contains { $0.contains("60 readings have no NPDE") })
  }
}
