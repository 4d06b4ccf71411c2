# People of several studies, fitted by R's nlme with nested random effects.
#
#   Rscript Tests/Tools/population_studies_r.R            writes the tables
#   Rscript Tests/Tools/population_studies_r.R --check    compares with those that are there
#
# Needs R 4.1 or newer with nlme. One compartment with first-order absorption and elimination, a dose of 1 g/kg,
# an additive error; k_e differs between studies, and k_e and r between the people of one.
#
# - population-studies.csv: what was simulated.
# - population-studies-r.csv: nlme's estimates by maximum likelihood, on the natural logarithms, and its logarithm of
#   the likelihood, which is that of FOCE at these estimates.

suppressMessages(library(nlme))

arguments <- commandArgs(trailingOnly = FALSE)
script <- sub("^--file=", "", grep("^--file=", arguments, value = TRUE))
folder <- file.path(dirname(normalizePath(script)), "..", "Expectations")

deliver <- function(name, table) {
  path <- file.path(folder, name)
  if (!("--check" %in% arguments)) {
    numbers <- vapply(table, is.double, TRUE)
    table[numbers] <- lapply(table[numbers], function(x) sprintf("%.12g", x))
    write.csv(table, path, row.names = FALSE, quote = FALSE)
    return(0)
  }
  difference <- all.equal(read.csv(path), table, tolerance = 1e-6, check.attributes = FALSE)
  if (!isTRUE(difference)) message(name, ": ", paste(difference, collapse = "; "))
  as.integer(!isTRUE(difference))
}

curve <- deriv(
  ~ exp(lka) / (exp(lka) - exp(lke)) * (exp(-exp(lke) * t) - exp(-exp(lka) * t)) / exp(lr),
  c("lka", "lke", "lr"), function(t, lka, lke, lr) NULL
)

set.seed(15)
times <- c(0.25, 0.75, 1.5, 2.5, 4, 6)
people <- expand.grid(subject = 1:8, study = 1:8)
people$ke <- log(0.3) + rnorm(8, 0, 0.3)[people$study] + rnorm(64, 0, 0.2)
people$r <- log(0.6) + rnorm(64, 0, 0.15)
study <- merge(people, data.frame(time_h = times))
study <- study[order(study$study, study$subject, study$time_h), ]
study$value <- as.numeric(curve(study$time_h, rep(log(2), nrow(study)), study$ke, study$r)) +
  rnorm(nrow(study), 0, 0.02)
study <- data.frame(
  study = study$study, subject = study$study * 100L + study$subject, time_h = study$time_h,
  # Read again from the table, it is to be the same study.
  bac_g_per_kg = round(study$value, 6)
)

fit <- nlme(
  bac_g_per_kg ~ curve(time_h, lka, lke, lr),
  data = study, fixed = lka + lke + lr ~ 1,
  random = list(study = pdDiag(lke ~ 1), subject = pdDiag(lke + lr ~ 1)),
  start = c(lka = log(2), lke = log(0.3), lr = log(0.6)), method = "ML",
  control = nlmeControl(
    tolerance = 1e-8, pnlsTol = 1e-5, minScale = 1e-12, msTol = 1e-10, maxIter = 1000, msMaxIter = 200
  )
)
variance <- function(level) diag(pdMatrix(fit$modelStruct$reStruct)[[level]]) * fit$sigma^2
within <- variance("subject")
result <- data.frame(
  name = c("lka", "lke", "lr", "study_ke", "subject_ke", "subject_r", "sd", "log_likelihood"),
  value = c(fixef(fit), variance("study"), within[1], within[2], fit$sigma, logLik(fit))
)
quit(status = deliver("population-studies.csv", study) + deliver("population-studies-r.csv", result))
