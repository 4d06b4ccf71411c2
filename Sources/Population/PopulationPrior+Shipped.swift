extension PopulationPrior {
  /// The names of the priors that ship.
  public static let shippedNames = ["fasted", "fed", "unknown"]

  /// A prior that ships, as the file in `datasets/priors`, so that programs do not need that folder; nil if there is
  /// none of that name. Written by `make priors`.
  public static func shippedText(_ name: String) -> String? {
    switch name {
    case "fasted":
      #"""
      {
        "title": "Fasted people, of five studies, ten mean curves and published means",
        "model": "widmark",
        "people": 67,
        "series": 79,
        "made_by": "Tests/Tools/priors.py",
        "typical": {
          "ka": 5.791,
          "beta": 0.1436,
          "r": 0.7066,
          "lag": 3.388
        },
        "typical_se": {
          "ka": 0.1712,
          "beta": 0.05498,
          "r": 0.04696,
          "lag": 0.1566
        },
        "between": {
          "ka": 0.1096,
          "beta,ka": 0.002106,
          "beta": 0.01245,
          "r,ka": -0.006022,
          "r,beta": -0.002866,
          "r": 0.01299,
          "lag,ka": -0.002262,
          "lag,beta": 0.001632,
          "lag,r": -0.009469,
          "lag": 0.1949
        },
        "within": {
          "ka": 0.3105,
          "beta": 0.008898,
          "r,beta": -0.004991,
          "r": 0.004991,
          "lag": 0.1591
        },
        "studies": {
          "ka": 0.1302,
          "beta": 0.04123,
          "r,beta": -0.03416,
          "r": 0.03416,
          "lag": 0.09535
        },
        "covariates": {
          "beta,sex": {
            "coefficient": 0.08515,
            "form": "power",
            "center": 0.0
          },
          "r,sex": {
            "coefficient": -0.03593,
            "form": "power",
            "center": 0.0
          }
        },
        "residual": {
          "sd": 0.02,
          "sd_df": 3,
          "absorption_kg_per_g": 7.5,
          "correlation_min": [
            12,
            24,
            48
          ]
        },
        "applies_to": {
          "food": "fasted",
          "age_y": [
            18,
            67
          ],
          "ethanol_g_per_kg": [
            0.15,
            1.4
          ]
        }
      }
      """#
    case "fed":
      #"""
      {
        "title": "People after a meal, of five studies, ten mean curves and published means",
        "model": "widmark",
        "people": 67,
        "series": 79,
        "made_by": "Tests/Tools/priors.py",
        "typical": {
          "ka": 3.997,
          "beta": 0.1272,
          "r": 0.8309,
          "lag": 3.926
        },
        "typical_se": {
          "ka": 0.1931,
          "beta": 0.06434,
          "r": 0.0374,
          "lag": 0.1929
        },
        "between": {
          "ka": 0.1096,
          "beta,ka": 0.002106,
          "beta": 0.01245,
          "r,ka": -0.006022,
          "r,beta": -0.002866,
          "r": 0.01299,
          "lag,ka": -0.002262,
          "lag,beta": 0.001632,
          "lag,r": -0.009469,
          "lag": 0.1949
        },
        "within": {
          "ka": 0.3105,
          "beta": 0.008898,
          "r,beta": -0.004991,
          "r": 0.004991,
          "lag": 0.1591
        },
        "studies": {
          "ka": 0.1302,
          "beta": 0.04123,
          "r,beta": -0.03416,
          "r": 0.03416,
          "lag": 0.09535
        },
        "covariates": {
          "beta,sex": {
            "coefficient": 0.08515,
            "form": "power",
            "center": 0.0
          },
          "r,sex": {
            "coefficient": -0.03593,
            "form": "power",
            "center": 0.0
          }
        },
        "residual": {
          "sd": 0.02,
          "sd_df": 3,
          "absorption_kg_per_g": 7.5,
          "correlation_min": [
            12,
            24,
            48
          ]
        },
        "applies_to": {
          "food": "fed",
          "age_y": [
            18,
            67
          ],
          "ethanol_g_per_kg": [
            0.15,
            1.4
          ]
        }
      }
      """#
    case "unknown":
      #"""
      {
        "title": "People of whom it is not known what they ate, of five studies, ten mean curves and published means",
        "model": "widmark",
        "people": 67,
        "series": 79,
        "made_by": "Tests/Tools/priors.py",
        "typical": {
          "ka": 4.811,
          "beta": 0.1352,
          "r": 0.7662,
          "lag": 3.647
        },
        "typical_se": {
          "ka": 0.1487,
          "beta": 0.04552,
          "r": 0.02715,
          "lag": 0.1273
        },
        "between": {
          "ka": 0.1096,
          "beta,ka": 0.002106,
          "beta": 0.01245,
          "r,ka": -0.006022,
          "r,beta": -0.002866,
          "r": 0.01299,
          "lag,ka": -0.002262,
          "lag,beta": 0.001632,
          "lag,r": -0.009469,
          "lag": 0.1949
        },
        "within": {
          "ka": 0.3449,
          "beta,ka": 0.01128,
          "beta": 0.0126,
          "r,ka": -0.01502,
          "r,beta": -0.009923,
          "r": 0.01156,
          "lag,ka": -0.01366,
          "lag,beta": -0.004483,
          "lag,r": 0.005969,
          "lag": 0.1645
        },
        "studies": {
          "ka": 0.1302,
          "beta": 0.04123,
          "r,beta": -0.03416,
          "r": 0.03416,
          "lag": 0.09535
        },
        "covariates": {
          "beta,sex": {
            "coefficient": 0.08515,
            "form": "power",
            "center": 0.0
          },
          "r,sex": {
            "coefficient": -0.03593,
            "form": "power",
            "center": 0.0
          }
        },
        "residual": {
          "sd": 0.02,
          "sd_df": 3,
          "absorption_kg_per_g": 7.5,
          "correlation_min": [
            12,
            24,
            48
          ]
        },
        "applies_to": {
          "age_y": [
            18,
            67
          ],
          "ethanol_g_per_kg": [
            0.15,
            1.4
          ]
        }
      }
      """#
    default: nil
    }
  }
}
