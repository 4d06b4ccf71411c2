extension PopulationPrior {
  /// The names of the priors that ship.
  public static let shippedNames = ["fasted", "fed"]

  /// A prior that ships, as the file in `datasets/priors`, so that programs do not need that folder; nil if there is
  /// none of that name. Written by `make priors`.
  public static func shippedText(_ name: String) -> String? {
    switch name {
    case "fasted":
      #"""
      {
        "title": "Fasted men: 4 men, 4 doses each (Wilkinson et al. 1977)",
        "model": "widmark",
        "people": 4,
        "series": 16,
        "readings": 282,
        "made_by": "promille population STUDY --random r --occasional ka,beta,r,lag --covariance full --error additive",
        "typical": {
          "ka": 3.586,
          "beta": 0.1615,
          "r": 0.6165,
          "lag": 2.79
        },
        "typical_se": {},
        "between": {
          "r": 0.001177
        },
        "within": {
          "ka": 0.3696,
          "beta,ka": -0.01739,
          "beta": 0.006888,
          "r,ka": -0.005438,
          "r,beta": -0.007043,
          "r": 0.008857,
          "lag,ka": 0.244,
          "lag,beta": 0.001424,
          "lag,r": -0.01911,
          "lag": 0.1885
        },
        "covariates": {},
        "residual": {
          "sd": 0.04796
        }
      }
      """#
    case "fed":
      #"""
      {
        "title": "After a meal: 5 men and 5 women (Thierauf-Emberger et al. 2023)",
        "model": "widmark",
        "people": 10,
        "series": 10,
        "readings": 50,
        "made_by": "promille population STUDY --random ka,beta,r,lag --covariate beta=sex --error additive",
        "typical": {
          "ka": 2.761,
          "beta": 0.1387,
          "r": 0.7067,
          "lag": 5.324
        },
        "typical_se": {
          "ka": 0.2543,
          "beta": 0.08222,
          "r": 0.04793,
          "lag": 0.3385
        },
        "between": {
          "ka": 0.5071,
          "beta": 7.551e-05,
          "r": 0.01514,
          "lag": 0.4195
        },
        "within": {},
        "covariates": {
          "beta,sex": {
            "coefficient": 0.03643,
            "form": "power",
            "center": 0.0
          }
        },
        "residual": {
          "sd": 0.02281
        }
      }
      """#
    default: nil
    }
  }
}
