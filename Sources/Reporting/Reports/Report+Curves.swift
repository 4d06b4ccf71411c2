package import AlcoholKinetics
import Estimation
package import StudyData
public import Validation

extension Report {
  /// The fitted curve of every series with its band, and what each method predicts, minute by minute.
  public static func curves(of study: StudyEvaluation) -> Table {
    Table(curveTable.columns, rows: study.series.flatMap(curves(of:)))
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

  /// A point of a curve; its name is the method that predicts it, or says that it is fitted.
  package typealias CurveRow = (
    series: Series, name: String, time: Hours, concentration: GramsPerKilogram,
    low: GramsPerKilogram?, high: GramsPerKilogram?
  )

  private static func curves(of evaluation: SeriesEvaluation) -> [CurveRow] {
    let series = evaluation.series
    let fitted: [CurveRow] = evaluation.fitted.map {
      (series, "fitted", $0.time, $0.concentration, $0.low, $0.high)
    }
    return fitted
      + evaluation.predicted.flatMap { curve in
        zip(evaluation.times, curve.concentrations).filter(\.1.value.isFinite).map {
          (series, curve.method, $0, $1, nil, nil)
        }
      }
  }
}
