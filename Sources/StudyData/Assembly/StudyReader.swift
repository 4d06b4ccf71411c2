public import AlcoholKinetics

/// Reads studies, everything at once; ``StudyStream`` reads them a series at a time.
///
/// ```swift
/// let study = try StudyReader.read("studies/wilkinson")
/// for series in study.series where series.firstError == nil {
///   print(series.subject.id, series.readings.count)
/// }
/// ```
public enum StudyReader {
  /// Reads a study: a folder with `subjects.csv`, `drinks.csv`, `readings.csv` and
  /// `datapackage.json`, or a single table of events in NONMEM's form.
  ///
  /// What is wrong with one subject's data is kept with that subject's series. What makes a file
  /// unreadable ends reading, with everything that was found in all of the files.
  ///
  /// - Parameters:
  ///   - path: The folder, the file, or `-` for a table from standard input.
  ///   - dvUnit: Matrix and unit of `DV`, for a table that does not say so itself.
  ///   - catalogue: What is known of drinks that a folder names.
  /// - Returns: The study; <doc:StudyFormat> says what its files may hold.
  /// - Throws: ``StudyError`` if the study is not there or is no study.
  public static func read(
    _ path: String, dvUnit: ConcentrationUnit = .bloodGramsPerKilogram,
    catalogue: DrinkCatalogue = .standard
  ) throws(StudyError) -> Study {
    try read(
      StudyInput(opening: path, dvUnit: dvUnit, catalogue: catalogue).rereadable())
  }

  /// Reads a file in the form of `readings.csv` as readings of a study's people.
  ///
  /// This is how curves that another program predicted for them are read: they have the same form as
  /// readings and are checked in the same way.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - study: The study, wherever it comes from.
  /// - Returns: The study with the file's values as its readings.
  /// - Throws: ``StudyError`` if the file is not there or cannot be read, or if the study has names
  ///   that stand for nothing in files.
  public static func readCurves(
    _ path: String, of study: Study
  ) throws(StudyError) -> Study {
    try read(.folder(StudyFolder(of: study, readingsPath: path)))
  }

  /// Reads a study folder whose files have been opened.
  static func read(_ folder: StudyFolder) throws(StudyError) -> Study {
    try read(.folder(folder))
  }

  /// Reads a study that has been opened and can be read more than once.
  static func read(_ input: StudyInput) throws(StudyError) -> Study {
    let header = input.header
    var tables = input.tables
    let series: [Series]
    do throws(StudyError) {
      series = try tables.allSeries(beside: header.log)
    } catch {
      // What is wrong with half of a file is not what has to be mended.
      try input.requireUnchanged()
      throw error
    }
    let inputs = try input.inputs()
    try input.requireUnchanged()
    return Study(
      name: input.name, title: header.title, instrument: header.instrument, series: series,
      diagnostics: tables.findings + header.log.closedFindings, inputs: inputs)
  }
}
