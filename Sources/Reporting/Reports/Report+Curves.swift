import AlcoholKinetics
import Estimation
import StudyData
public import Validation

extension Report {
  /// The fitted curve of every series with its band, and what each method predicts, minute by minute.
  public static func curves(of study: StudyEvaluation) -> Table {
    Table(curveTable.columns, rows: study.series.flatMap(CurveRow.all))
  }

  package static let curveTable = TableLayout<CurveRow>(
    "curves",
    "`curves.csv`: a row per minute of each curve of a series. Beside it are the tables of `check`, `fit --details`, "
      + "`sober`, `compare` and `compare --summary`, and `residuals.csv`.",
    columns: Series.identityColumns { $0.series } + [
      Column("curve", "`fitted`, or the method used for the prediction", \.name),
      Column("time_min", "time", \.time.minutes),
      Column(
        "concentration_g_per_kg",
        "concentration in blood; for a fitted curve, multiplied by the calibration factor (gain)",
        \.concentration.value),
      Column("low_g_per_kg", "lower end of the confidence band of a fitted curve", \.low?.value),
      Column("high_g_per_kg", "upper end of the band", \.high?.value),
    ])
}

package struct CurveRow {
  let series: Series
  /// The method that predicts it, or that it is fitted.
  let name: String
  let time: Hours
  let concentration: GramsPerKilogram
  var low: GramsPerKilogram?
  var high: GramsPerKilogram?

  static func all(of evaluation: SeriesEvaluation) -> [CurveRow] {
    let fitted = evaluation.fitted.map { point in
      CurveRow(
        series: evaluation.series, name: "fitted", time: point.time,
        concentration: point.concentration, low: point.low, high: point.high)
    }
    let predicted = evaluation.predicted.flatMap { curve in
      zip(evaluation.times, curve.concentrations).filter(\.1.value.isFinite).map {
        time, concentration in
        CurveRow(
          series: evaluation.series, name: curve.method, time: time,
          concentration: concentration)
      }
    }
    return fitted + predicted
  }
}
