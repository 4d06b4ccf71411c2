extension PopulationPrior {
  /// The names of the priors that ship.
  public static let shippedNames = ["fasted", "fed"]

  /// What a prior that ships is as a file: what stands in `datasets/priors`, so that nobody needs that folder; nil
  /// if there is none of that name. Written by `make priors`.
  public static func shippedText(_ name: String) -> String? {
    switch name {
    case "fasted":
      #"""
      {
        "title": "Fasted men: 4 men, 4 doses each (Wilkinson et al. 1977)",
        "model": "widmark",
        "people": 4,
        "readings": 282,
        "made_by": "promille population STUDY --random beta,r --occasional ka,beta,r,lag --covariance full --error combined",
        "typical": {
          "ka": 4.125,
          "beta": 0.142,
          "r": 0.6683,
          "lag": 1.606
        },
        "typical_se": {
          "ka": 0.1554,
          "beta": 0.05003,
          "r": 0.038,
          "lag": 0.3878
        },
        "between": {
          "beta": 0.006545,
          "r,beta": -0.004321,
          "r": 0.002853
        },
        "within": {
          "ka": 0.341,
          "beta,ka": -0.01021,
          "beta": 0.008305,
          "r,ka": 0.002673,
          "r,beta": -0.004757,
          "r": 0.00758,
          "lag,ka": 0.4709,
          "lag,beta": -0.03762,
          "lag,r": -0.02099,
          "lag": 1.351
        },
        "covariates": {},
        "residual": {
          "sd": 0.009482,
          "cv": 0.1321
        }
      }
      """#
    case "fed":
      #"""
      {
        "title": "After a meal: 5 men and 5 women (Thierauf-Emberger et al. 2023)",
        "model": "widmark",
        "people": 10,
        "readings": 50,
        "made_by": "promille population STUDY --random ka,beta,r,lag --covariate beta=sex --error combined",
        "typical": {
          "ka": 2.62,
          "beta": 0.1329,
          "r": 0.7028,
          "lag": 5.105
        },
        "typical_se": {
          "ka": 0.2328,
          "beta": 0.08708,
          "r": 0.0491,
          "lag": 0.3724
        },
        "between": {
          "ka": 0.3917,
          "beta": 0.002639,
          "r": 0.01305,
          "lag": 0.5072
        },
        "within": {},
        "covariates": {
          "beta,sex": {
            "coefficient": 0.1342,
            "form": "power",
            "center": 0.0
          }
        },
        "residual": {
          "sd": 0.004753,
          "cv": 0.04867
        }
      }
      """#
    default: nil
    }
  }
}
