import StudyData

/// A study folder to begin with: one made-up person, and what every column means.
public enum StudyTemplate {
  /// The files, as they are in the folder `Template` of this module.
  public static let files: [(name: String, text: String)] = [
    ("README.md", PackageResources.README_md), ("subjects.csv", PackageResources.subjects_csv),
    ("drinks.csv", PackageResources.drinks_csv), ("readings.csv", PackageResources.readings_csv),
    ("datapackage.json", PackageResources.datapackage_json),
  ].map { ($0, String(decoding: $1, as: UTF8.self)) }
}
