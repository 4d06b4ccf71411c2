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
        "made_by": "promille population STUDY --random ka,beta,r --occasional ka,beta,r,lag --error combined",
        "typical": {
          "ka": 4.078,
          "beta": 0.1411,
          "r": 0.67,
          "lag": 1.875
        },
        "typical_se": {
          "ka": 0.1531,
          "beta": 0.04305,
          "r": 0.03791,
          "lag": 0.3277
        },
        "between": {
          "ka": 1e-08,
          "beta": 0.00514,
          "r": 0.00397
        },
        "within": {
          "ka": 0.3259,
          "beta": 0.00405,
          "r": 0.003301,
          "lag": 0.9915
        },
        "covariates": {},
        "residual": {
          "sd": 0.009267,
          "cv": 0.136
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
          "sd": 0.004754,
          "cv": 0.04867
        }
      }
      """#
    default: nil
    }
  }
}
