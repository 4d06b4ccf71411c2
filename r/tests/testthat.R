library(testthat)
library(promille)

test_check("promille")
