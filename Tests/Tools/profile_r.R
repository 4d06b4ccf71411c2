# Fits, profile intervals and robust estimates by R itself: what SciPy's are held against.
#
#   Rscript Tests/Tools/profile_r.R            writes the tables
#   Rscript Tests/Tools/profile_r.R --check    compares with those that are there
#
# Needs R 4.1 or newer with MASS, nlme and robustbase. `fit_statistics_scipy.py --check` compares its results
# with these tables, so that R itself is only needed to make them.
#
# - fit-profile-data.csv: Puromycin (Treloar 1974; Bates and Watts 1988, A1.3) and Theoph (Boeckmann,
#   Sheiner and Beal 1994) as R has them. Subjects of Theoph are left out where `nls`
#   or its profile stops with an error.
# - fit-profile-r.csv: `nls` and `confint` of its profile at 95 %, which interpolates by a spline;
#   Puromycin by Vm conc / (K + conc), Theoph by `SSfol`.
# - fit-profile-tau-r.csv: points of the profiles.
# - fit-confirmed-r.csv: simulated series of fit-series.csv whose drink is a bolus. Uncensored ones by
#   `nls`, weighted until weights and error model settle, and `confint`; the combined error model
#   by `gnls` as well, which does not restrict the likelihood (with `varPower(fixed = 1)` it has nothing
#   to estimate and weighs only once, so that it is no judge of the proportional one); losses as MM-estimates:
#   the scale of the S-estimate by `optim` and robustbase's `Mchi`, with n - p as in its `lmrob` (`nlrob` has
#   n), then weighted steps on the curve's tangent at that scale with the weights of MASS, and standard errors
#   as in `summary.rlm`; the likelihood of censored readings by `optim`.

suppressMessages({
  library(MASS)
  library(nlme)
  library(robustbase)
})

arguments <- commandArgs(trailingOnly = FALSE)
script <- sub("^--file=", "", grep("^--file=", arguments, value = TRUE))
folder <- file.path(dirname(normalizePath(script)), "..", "Expectations")
control <- nls.control(tol = 1e-7, maxiter = 200, minFactor = 2^-30, nDcentral = TRUE)

# Tables

deliver <- function(name, table) {
  path <- file.path(folder, name)
  if (!("--check" %in% arguments)) {
    numbers <- vapply(table, is.double, TRUE)
    table[numbers] <- lapply(table[numbers], function(x) ifelse(is.na(x), NA, sprintf("%.12g", x)))
    write.csv(table, path, row.names = FALSE, quote = FALSE, na = "")
    return(0)
  }
  kept <- read.csv(path, colClasses = vapply(table, class, ""))
  difference <- all.equal(kept, table, tolerance = 1e-6, check.attributes = FALSE)
  if (!isTRUE(difference)) message(name, ": ", paste(difference, collapse = "; "))
  as.integer(!isTRUE(difference))
}

# Puromycin and Theoph

puromycin <- data.frame(
  dataset = "Puromycin", subject = as.character(Puromycin$state), dose = NA_real_,
  x = Puromycin$conc, y = Puromycin$rate
)
theoph <- data.frame(
  dataset = "Theoph", subject = as.character(Theoph$Subject), dose = Theoph$Dose,
  x = Theoph$Time, y = Theoph$conc
)

fit_dataset <- function(data) {
  if (data$dataset[1] == "Puromycin") {
    return(nls(y ~ Vm * x / (K + x), data, start = c(Vm = 200, K = 0.05), control = control))
  }
  nls(y ~ SSfol(dose, x, lKe, lKa, lCl), data, control = control)
}

summarise_profile <- function(data, fit) {
  limits <- suppressMessages(confint(profile(fit, alphamax = 0.01, delta.t = 0.15, maxpts = 400)))
  data.frame(
    dataset = data$dataset[1], subject = data$subject[1], parameter = names(coef(fit)),
    estimate = unname(coef(fit)), se = unname(coef(summary(fit))[, 2]),
    low = unname(limits[, 1]), high = unname(limits[, 2]), rss = deviance(fit)
  )
}

# The ends and the middle of both branches of every profile.
profile_points <- function(data, fit) {
  profile <- profile(fit)
  points <- lapply(names(profile), function(name) {
    chosen <- profile[[name]]
    rows <- unique(round(quantile(seq_len(nrow(chosen)), c(0, 0.25, 0.75, 1), type = 1)))
    data.frame(
      dataset = data$dataset[1], subject = data$subject[1], parameter = name,
      value = chosen$par.vals[rows, name], tau = chosen$tau[rows]
    )
  })
  do.call(rbind, points)
}

# Simulated series

curve <- function(time_h, dose, lka, lbeta, lr) {
  pmax(0, dose / exp(lr) * (1 - exp(-exp(lka) * time_h)) - exp(lbeta) * time_h)
}

read_series <- function() {
  series <- read.csv(file.path(folder, "fit-series.csv"))
  truth <- read.csv(file.path(folder, "fit-series-truth.csv"))
  rows <- merge(series, truth, by = "subject", sort = FALSE)
  rows <- rows[rows$duration_min == 0, ]
  rows$time_h <- rows$time_min / 60
  split(rows, factor(rows$subject, unique(rows$subject)))
}

# The free parameters, the formula and where to start.
configure <- function(data, free) {
  start <- log(c(lka = data$ka_per_h[1], lbeta = data$beta_g_per_kg_h[1], lr = data$r[1]))
  data$lr_fixed <- start[["lr"]]
  if (free == "ka beta r") {
    formula <- bac_g_per_kg ~ curve(time_h, dose_g_per_kg, lka, lbeta, lr)
  } else {
    formula <- bac_g_per_kg ~ curve(time_h, dose_g_per_kg, lka, lbeta, lr_fixed)
    start <- start[c("lka", "lbeta")]
  }
  list(data = data, formula = formula, start = start)
}

# The level of an error that is proportional alone: f, and below twice the floor of 0.01 g/kg a smooth
# curve to that floor.
floored_level <- function(f) {
  u <- f / 0.02
  ifelse(f < 0.02, 0.02 * (0.5 + u^3 - u^4 / 2), f)
}

shape_of <- function(model, f, rho) {
  switch(model,
    additive = rep(1, length(f)),
    proportional = floored_level(f),
    combined = sqrt(1 + (rho * f)^2)
  )
}

# The scale and rho by the restricted deviance with the scale profiled out.
error_estimates <- function(model, f, y, p, least) {
  deviance_of <- function(log_rho) {
    w <- shape_of(model, f, exp(log_rho))
    (length(y) - p) * (2 * mean(log(w)) + log(sum(((f - y) / w)^2)))
  }
  # With the constant error at its least instead.
  least_deviance_of <- function(log_rho) {
    sigma <- least * shape_of(model, f, exp(log_rho))
    2 * (length(y) - p) * mean(log(sigma)) + sum(((f - y) / sigma)^2)
  }
  rho <- 1
  if (model == "combined") {
    rho <- exp(optimize(deviance_of, c(-5, 12), tol = 1e-10)$minimum)
  }
  w <- shape_of(model, f, rho)
  scale <- sqrt(sum(((f - y) / w)^2) / (length(y) - p))
  if (model == "combined" && scale < least) {
    rho <- exp(optimize(least_deviance_of, c(-5, 12), tol = 1e-10)$minimum)
    scale <- least
    w <- shape_of(model, f, rho)
  }
  list(scale = scale, rho = rho, shape = w)
}

confirmed_row <- function(data, free, model, method, estimates, errors, a = NA, b = NA,
                          scale = NA, limits = NULL) {
  cell <- function(values, name) if (name %in% names(values)) values[[name]] else NA_real_
  row <- data.frame(
    subject = data$subject[1], free = free, error_model = model, method = method,
    ka_per_h = exp(cell(estimates, "lka")), beta_g_per_kg_h = exp(cell(estimates, "lbeta")),
    r = exp(cell(estimates, "lr")), a_g_per_kg = as.double(a), b = as.double(b),
    scale_g_per_kg = as.double(scale)
  )
  for (name in c("ka", "beta", "r")) {
    log_name <- paste0("l", name)
    row[[paste0(name, "_se")]] <- cell(errors, log_name) * exp(cell(estimates, log_name))
  }
  for (name in c("ka", "beta", "r")) {
    known <- paste0("l", name) %in% rownames(limits)
    ends <- if (known) exp(limits[paste0("l", name), ]) else c(NA_real_, NA_real_)
    row[[paste0(name, "_profile_low")]] <- ends[[1]]
    row[[paste0(name, "_profile_high")]] <- ends[[2]]
  }
  row
}

fit_weighted <- function(data, free, model) {
  setup <- configure(data, free)
  data <- setup$data
  data$w <- 1
  start <- setup$start
  for (iteration in 1:500) {
    fit <- nls(setup$formula, data, start = start, weights = 1 / w^2, control = control)
    start <- coef(fit)
    # What rounding to the last digit leaves.
    least <- data$resolution_g_per_kg[1] / sqrt(12)
    errors <- error_estimates(model, fitted(fit), data$bac_g_per_kg, length(start), least)
    change <- max(abs(errors$shape / data$w - 1))
    data$w <- errors$shape
    if (change < 1e-10) break
  }
  # `profile` evaluates the call again.
  fit <- eval(bquote(nls(.(setup$formula), .(data), start = .(start), weights = .(1 / data$w^2),
    control = .(control))))
  limits <- suppressMessages(confint(profile(fit, alphamax = 0.01, delta.t = 0.15, maxpts = 400)))
  proportional <- model == "proportional"
  confirmed_row(
    data, free, model, "nls", coef(fit), coef(summary(fit))[, 2],
    a = if (proportional) NA else errors$scale,
    b = switch(model, additive = NA, proportional = errors$scale, errors$scale * errors$rho),
    limits = limits
  )
}

# By maximum likelihood. varConstProp has a scale of its own, so that of gnls must be held.
fit_gnls <- function(data, free) {
  setup <- configure(data, free)
  fit <- eval(bquote(gnls(.(setup$formula), .(setup$data), start = .(setup$start),
    weights = varConstProp(const = 0.02, prop = 0.03), na.action = na.pass,
    control = gnlsControl(
      sigma = 1, tolerance = 1e-7, nlsTol = 1e-5, msTol = 1e-10, maxIter = 500, nlsMaxIter = 100
    ))))
  parts <- coef(fit$modelStruct$varStruct, unconstrained = FALSE)
  confirmed_row(
    data, free, "combined", "gnls", coef(fit), NULL, a = abs(parts[["const"]]),
    b = abs(parts[["prop"]])
  )
}

# Losses: weight psi(u) / u, or psi' if asked for it, as `rlm` expects them.
losses <- list(
  "soft-l1" = function(u, c = 1.2871, deriv = 0) (1 + (u / c)^2)^(if (deriv) -1.5 else -0.5),
  huber = function(u, deriv = 0) psi.huber(u, 1.345, deriv),
  cauchy = function(u, c = 2.385, deriv = 0) {
    z <- (u / c)^2
    if (deriv) (1 - z) / (1 + z)^2 else 1 / (1 + z)
  },
  bisquare = function(u, deriv = 0) psi.bisquare(u, 4.685, deriv)
)

slopes <- function(data, free, logs) {
  k <- exp(logs[["lka"]])
  r <- if (free == "ka beta r") exp(logs[["lr"]]) else data$r
  level <- data$dose_g_per_kg / r
  columns <- cbind(
    lka = level * k * data$time_h * exp(-k * data$time_h),
    lbeta = -exp(logs[["lbeta"]]) * data$time_h,
    lr = -level * (1 - exp(-k * data$time_h))
  )
  columns[, names(logs)]
}

# The logarithm of the scale of an S-estimate; half of the residuals may be anything.
bisquare_mean <- function(c) integrate(function(u) Mchi(u, c, "bisquare") * dnorm(u), -Inf, Inf,
  rel.tol = 1e-12)$value
scale_tuning <- uniroot(function(c) bisquare_mean(c) - 0.5, c(1, 2), tol = 1e-13)$root

least_scale <- function(residuals_at, start, freedom) {
  log_scale <- function(logs) {
    sizes <- abs(residuals_at(logs))
    ends <- log(range(sizes[sizes > 0])) + c(-5, 5)
    excess <- function(x) sum(Mchi(sizes / exp(x), scale_tuning, "bisquare")) - freedom / 2
    uniroot(excess, ends, tol = 1e-14)$root
  }
  set.seed(1)
  best <- list(value = Inf)
  for (attempt in 1:12) {
    found <- list(par = start + (attempt > 1) * rnorm(length(start), sd = 0.3))
    for (method in c("Nelder-Mead", "BFGS", "Nelder-Mead", "BFGS")) {
      options <- list(reltol = 1e-15, maxit = 5000)
      if (method == "BFGS") options$ndeps <- rep(1e-5, length(start))
      found <- optim(found$par, log_scale, method = method, control = options)
    }
    if (found$value < best$value) best <- found
  }
  best
}

fit_robust <- function(data, free, loss) {
  setup <- configure(data, free)
  residuals_at <- function(logs) {
    r <- if (free == "ka beta r") logs[["lr"]] else log(data$r)
    data$bac_g_per_kg - curve(data$time_h, data$dose_g_per_kg, logs[["lka"]], logs[["lbeta"]], r)
  }
  steady <- least_scale(residuals_at, setup$start, sum(data$bac_g_per_kg > 0) - length(setup$start))
  logs <- steady$par
  scale <- exp(steady$value)
  psi <- losses[[loss]]
  for (iteration in 1:2000) {
    residuals <- residuals_at(logs)
    tangent <- slopes(data, free, logs)
    step <- lm.wfit(tangent, residuals, psi(residuals / scale))$coefficients
    logs <- logs + step
    if (max(abs(step)) < 1e-12) break
  }
  u <- residuals / scale
  n <- length(u)
  p <- length(logs)
  slope <- psi(u, deriv = 1)
  correction <- 1 + p * var(slope) / (n * mean(slope)^2)
  spread <- scale * sqrt(sum((u * psi(u))^2) / (n - p)) * correction / mean(slope)
  errors <- spread * sqrt(diag(chol2inv(qr.R(qr(tangent)))))
  confirmed_row(data, free, "additive", loss, logs, setNames(errors, names(logs)), scale = scale)
}

fit_censored <- function(data, free) {
  setup <- configure(data, free)
  censored <- data$bac_g_per_kg < data$lod
  p <- length(setup$start)
  deviance_of <- function(point) {
    logs <- point[seq_len(p)]
    s <- exp(point[[p + 1]])
    r <- if (p == 3) logs[[3]] else log(data$r)
    f <- curve(data$time_h, data$dose_g_per_kg, logs[[1]], logs[[2]], r)
    u <- (f - data$bac_g_per_kg)[!censored] / s
    2 * (sum(!censored) - p) * log(s) + sum(u^2) -
      2 * sum(pnorm((data$lod - f)[censored] / s, log.p = TRUE))
  }
  point <- c(setup$start, log(0.02))
  for (method in c("Nelder-Mead", "BFGS", "Nelder-Mead", "BFGS")) {
    options <- list(reltol = 1e-15, maxit = 5000)
    if (method == "BFGS") options$ndeps <- rep(1e-5, p + 1)
    point <- optim(point, deviance_of, method = method, control = options)$par
  }
  confirmed_row(data, free, "additive", "optim m3", point[seq_len(p)], NULL, a = exp(point[[p + 1]]))
}

confirm <- function(data, free) {
  subject <- data$subject[1]
  if (startsWith(subject, "outliers")) {
    return(do.call(rbind, lapply(names(losses), function(loss) fit_robust(data, free, loss))))
  }
  if (startsWith(subject, "lod")) {
    return(fit_censored(data, free))
  }
  rows <- list(fit_weighted(data, free, "additive"))
  if (grepl("^(proportional|combined)", subject)) {
    rows <- c(rows, list(
      fit_weighted(data, free, "proportional"), fit_weighted(data, free, "combined"),
      fit_gnls(data, free)
    ))
  }
  do.call(rbind, rows)
}

datasets <- c(
  split(puromycin, factor(puromycin$subject, c("treated", "untreated"))),
  split(theoph, factor(theoph$subject, as.character(1:12)))
)
attempts <- lapply(datasets, function(data) {
  tryCatch(
    {
      fit <- fit_dataset(data)
      list(data = data, limits = summarise_profile(data, fit), points = profile_points(data, fit))
    },
    error = function(reason) message(data$subject[1], ": ", conditionMessage(reason))
  )
})
each <- function(part) do.call(rbind, lapply(attempts, `[[`, part))
confirmed <- unlist(lapply(read_series(), function(data) {
  lapply(c("ka beta r", "ka beta"), function(free) confirm(data, free))
}), recursive = FALSE)

drifts <- c(
  deliver("fit-profile-data.csv", each("data")),
  deliver("fit-profile-r.csv", each("limits")),
  deliver("fit-profile-tau-r.csv", each("points")),
  deliver("fit-confirmed-r.csv", do.call(rbind, confirmed))
)
message(length(drifts), " tables, ", sum(drifts), " drifts")
quit(status = min(1, sum(drifts)))
