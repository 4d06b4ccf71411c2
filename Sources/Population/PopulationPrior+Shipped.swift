extension PopulationPrior {
  /// The names of the priors that ship.
  public static let shippedNames = ["fasted", "fed", "unknown"]

  /// A prior that ships, as the file in `datasets/priors`, so that programs do not need that folder; nil if there is
  /// none of that name. Written by `Tests/Tools/check.py priors`.
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
          "ka": 5.522,
          "beta": 0.138,
          "r": 0.7134,
          "lag": 3.41
        },
        "typical_se": {
          "ka": 0.1665,
          "beta": 0.05553,
          "r": 0.04951,
          "lag": 0.1555
        },
        "between": {
          "ka": 0.1049,
          "beta,ka": 0.0008043,
          "beta": 0.01237,
          "r,ka": -0.005737,
          "r,beta": -0.002744,
          "r": 0.01289,
          "lag,ka": -0.003754,
          "lag,beta": 0.0009307,
          "lag,r": -0.009838,
          "lag": 0.1921
        },
        "within": {
          "ka": 0.3003,
          "beta": 0.008883,
          "r,beta": -0.004984,
          "r": 0.004984,
          "lag": 0.1567
        },
        "studies": {
          "ka": 0.1176,
          "beta": 0.03472,
          "r,beta": -0.02788,
          "r": 0.02788,
          "lag": 0.0925
        },
        "covariates": {
          "beta,sex": {
            "coefficient": 0.08191,
            "form": "power",
            "center": 0.0
          },
          "r,sex": {
            "coefficient": -0.03568,
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
          "ka": 4.65,
          "beta": 0.1439,
          "r": 0.774,
          "lag": 4.088
        },
        "typical_se": {
          "ka": 0.1925,
          "beta": 0.0687,
          "r": 0.039,
          "lag": 0.1928
        },
        "between": {
          "ka": 0.1049,
          "beta,ka": 0.0008043,
          "beta": 0.01237,
          "r,ka": -0.005737,
          "r,beta": -0.002744,
          "r": 0.01289,
          "lag,ka": -0.003754,
          "lag,beta": 0.0009307,
          "lag,r": -0.009838,
          "lag": 0.1921
        },
        "within": {
          "ka": 0.3003,
          "beta": 0.008883,
          "r,beta": -0.004984,
          "r": 0.004984,
          "lag": 0.1567
        },
        "studies": {
          "ka": 0.1176,
          "beta": 0.03472,
          "r,beta": -0.02788,
          "r": 0.02788,
          "lag": 0.0925
        },
        "covariates": {
          "beta,sex": {
            "coefficient": 0.08191,
            "form": "power",
            "center": 0.0
          },
          "r,sex": {
            "coefficient": -0.03568,
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
          "ka": 5.067,
          "beta": 0.1409,
          "r": 0.743,
          "lag": 3.734
        },
        "typical_se": {
          "ka": 0.1457,
          "beta": 0.04614,
          "r": 0.02976,
          "lag": 0.1265
        },
        "between": {
          "ka": 0.1049,
          "beta,ka": 0.0008043,
          "beta": 0.01237,
          "r,ka": -0.005737,
          "r,beta": -0.002744,
          "r": 0.01289,
          "lag,ka": -0.003754,
          "lag,beta": 0.0009307,
          "lag,r": -0.009838,
          "lag": 0.1921
        },
        "within": {
          "ka": 0.3077,
          "beta,ka": -0.001794,
          "beta": 0.009318,
          "r,ka": -0.003504,
          "r,beta": -0.004134,
          "r": 0.006645,
          "lag,ka": -0.007806,
          "lag,beta": 0.001895,
          "lag,r": 0.0037,
          "lag": 0.1649
        },
        "studies": {
          "ka": 0.1176,
          "beta": 0.03472,
          "r,beta": -0.02788,
          "r": 0.02788,
          "lag": 0.0925
        },
        "covariates": {
          "beta,sex": {
            "coefficient": 0.08191,
            "form": "power",
            "center": 0.0
          },
          "r,sex": {
            "coefficient": -0.03568,
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
