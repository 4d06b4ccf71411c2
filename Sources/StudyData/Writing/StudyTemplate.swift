/// A study folder to begin with: one made-up person, and what every column means.
public enum StudyTemplate {
  /// The files.
  public static let files: [(name: String, text: String)] = [
    ("README.md", readme),
    ("subjects.csv", "subject,sex,age_y,height_cm,weight_kg\nexample,female,31,168,62\n"),
    (
      "drinks.csv",
      "subject,time_min,duration_min,drink,volume_ml,abv_percent,ethanol_g\n"
        + "example,0,20,red wine,200,,\nexample,45,10,,330,4.9,\nexample,70,5,,,,10\n"
    ),
    (
      "readings.csv",
      "subject,time_min,brac_mg_per_l,lod,exclude\nexample,100,0.29,0.02,\nexample,130,0.32,0.02,\n"
        + "example,190,0.23,0.02,\nexample,250,0.15,0.02,\nexample,310,0.07,0.02,\nexample,370,<0.02,,\n"
    ),
    (
      "datapackage.json",
      """
      {
        "title": "Title of the study",
        "promille": {
          "instrument": {
            "name": "Make and model of the breathalyser",
            "resolution": 0.01,
            "limit_of_detection": 0.02,
            "mouth_alcohol_window_min": 15
          }
        }
      }

      """
    ),
  ]

  private static let readme = """
    # A study folder

    Replace the made-up person `example` by your people, then run `promille check` on this folder. Tables may
    be separated by commas, semicolons or tabs. An empty field means that a value is not known.

    ## subjects.csv: a row per person

    | column | meaning |
    |---|---|
    | `subject` | name or number of the person, the same in all tables |
    | `sex` | `male` or `female` |
    | `age_y` | age in years |
    | `height_cm` | body height in cm |
    | `weight_kg` | body weight in kg |
    | any other | kept as a description of the person |

    ## drinks.csv: a row per drink

    | column | meaning |
    |---|---|
    | `occasion` | only if somebody took part more than once: any name, the same in readings.csv |
    | `time_min` | minutes at the first sip; 0 is any moment, the same for drinks and readings, and \
    the minutes run on after midnight |
    | `duration_min` | minutes from the first sip to the last |
    | `ethanol_g` | grams of ethanol, or one of the following |
    | `volume_ml`, `abv_percent` | volume and alcohol by volume |
    | `ethanol_g_per_kg` | grams per kg of body weight |
    | `drink`, `volume_ml` | a drink of the catalogue, which `promille drinks` lists, and its volume |

    ## readings.csv: a row per measurement

    | column | meaning |
    |---|---|
    | `time_min` | minutes on the same clock as the drinks |
    | a unit | the concentration; the column is named after its unit: `brac_mg_per_l`, `brac_ug_per_100ml`, \
    `brac_g_per_210l`, `bac_g_per_kg`, `bac_g_per_l`, `bac_mg_per_100ml`, `bac_g_per_100ml`, \
    `serum_g_per_l`, `serum_mg_per_100ml` or `serum_g_per_100ml`; `<0.02` is a reading below 0.02 |
    | `lod` | limit of detection in the same unit; may be left out |
    | `exclude` | `yes` for a reading that is not to be used; may be left out |

    ## datapackage.json

    Title of the study and what is known of the instrument. It may be removed.

    """
}
