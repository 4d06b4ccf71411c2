import TestSupport

/// A study of estimates of five made-up people with nothing wrong, unless a test changes it.
struct SmallEstimates {
  var estimates = """
    subject,sex,age_y,height_cm,weight_kg,ethanol_g,c0_g_per_kg,beta60_g_per_kg_h,\
    c0_breath_mg_per_l,r_observed
    ann,female,30,165,60,30,0.85,0.17,0.42,
    bea,female,45,170,75,40,0.92,0.18,0.44,
    cem,male,28,180,80,50,0.9,0.15,0.45,
    dan,male,52,175,90,55,0.95,0.14,0.46,
    eve,female,38,160,55,,,,,0.57

    """

  /// With cem's C0 below zero: an error in the data of one of five people.
  static var withBadSubject: SmallEstimates {
    var study = SmallEstimates()
    study.estimates = study.estimates.replacing("80,50,0.9,", with: "80,50,-0.9,")
    return study
  }

  /// Writes the study into a folder and says where.
  func write(to folder: TemporaryFolder, as name: String = "study") throws -> String {
    try folder.makeFolder(name)
    try folder.write(estimates, to: "\(name)/estimates.csv")
    return folder(name)
  }
}
