# The command: finding it, writing its options, running it, and what it says.

#' The path of the command
#'
#' It is the option \code{promille.command}, or the environment variable \code{PROMILLE_COMMAND}, or the first
#' \code{promille} on the path.
#'
#' @return The path, as a character string. An error of code \code{E_COMMAND_MISSING} if there is none.
#' @examples
#' try(pm_command())
#' @export
pm_command <- function() {
  named <- getOption("promille.command", Sys.getenv("PROMILLE_COMMAND"))
  found <- Sys.which(if (nzchar(named)) named else "promille")
  if (!nzchar(found)) {
    stop_with(finding("error", "E_COMMAND_MISSING", "the command promille was not found",
      "install it, or name it: options(promille.command = \"/path/to/promille\")"))
  }
  unname(found)
}

# Options that are repeated, where others take a list separated by commas.
repeated <- c(
  "fix", "bound", "map", "covariate", "predict_with", "measured", "drink", "later_drink", "limit",
  "exclude_day_with", "forbid", "predictions"
)
# Options that the package decides itself.
reserved <- c("format", "output", "o", "color", "decimal", "error_format", "help", "version")

# Writes arguments as options of the command: `r_factor` is `--r-factor`. NULL and FALSE leave an option out, TRUE
# states one without a value, and a named vector is `name=value`.
flags <- function(options) {
  line <- lapply(names(options), function(name) {
    value <- options[[name]]
    if (name %in% reserved) {
      stop_with(finding("error", "E_OPTION", paste0(name, " is decided by the package"), "leave it out"))
    }
    if (is.null(value) || isFALSE(value)) return(NULL)
    flag <- paste0("--", gsub("_", "-", name, fixed = TRUE))
    if (isTRUE(value)) return(flag)
    if (inherits(value, "pm_result")) value <- value$file()
    if (inherits(value, "pm_study")) value <- value$path
    texts <- if (is.list(value)) {
      vapply(value, function(item) paste(text(item), collapse = ","), "")
    } else {
      text(value)
    }
    if (!is.null(names(value))) {
      texts <- paste0(names(value), "=", texts)
    } else if (!name %in% repeated) {
      texts <- paste(texts, collapse = ",")
    }
    paste0(flag, "=", texts)
  })
  as.character(unlist(line))
}

# Writes numbers with as few digits as give the same number again.
text <- function(values) {
  if (is.factor(values)) values <- as.character(values)
  if (!is.numeric(values)) return(as.character(values))
  short <- sprintf("%.15g", values)
  exact <- sprintf("%.17g", values)
  ifelse(is.na(values), NA_character_, ifelse(as.numeric(short) == values, short, exact))
}

# Runs the command. Status 1 says that some subjects have no result; their rows say why.
#
# arguments: A character vector.
# accept: The statuses that are answers.
# placed: Gives a finding its place in the data frames that the study was made of.
#
# Returns a list of `output`, a string, and `findings`.
run <- function(arguments, accept = c(0L, 1L), placed = identity) {
  out <- tempfile("promille-out")
  err <- tempfile("promille-err")
  on.exit(unlink(c(out, err)))
  status <- system2(pm_command(), shQuote(c("--error-format=json", arguments)), stdout = out, stderr = err, env = "NO_COLOR=1")
  output <- readChar(out, file.size(out), useBytes = TRUE)
  Encoding(output) <- "UTF-8"
  findings <- lapply(parse_findings(readLines(err, warn = FALSE, encoding = "UTF-8")), placed)
  if (!status %in% accept || (status != 0L && !nzchar(output))) {
    errors <- Filter(function(found) found$severity == "error", findings)
    said <- paste(vapply(findings, function(found) found$message, ""), collapse = " ")
    stop_with(
      if (length(errors)) errors[[1]]
      else finding("error", "E_FAILED", if (nzchar(said)) said else paste("promille ended with status", status)),
      findings
    )
  }
  list(output = output, findings = findings)
}

# A finding: what the command found, where, and what to do.
finding <- function(severity, code, message, remedy = "", source = NULL, row = NULL, column = NULL) {
  place <- if (!is.null(source)) list(source = source, row = row, column = column)
  list(severity = severity, code = code, message = message, remedy = remedy, place = place)
}

# Reads what the command wrote to standard error: a line of JSON for each message.
parse_findings <- function(lines) {
  lapply(lines[nzchar(trimws(lines))], function(line) {
    row <- tryCatch(jsonlite::fromJSON(line), error = function(error) NULL)
    # What is none comes from elsewhere, such as the linker of a broken installation.
    if (!is.list(row)) return(finding("remark", "", line))
    text <- function(value) if (is.null(value)) "" else value
    finding(row$severity, text(row$code), row$message, text(row$remedy), row$file, row$line, row$column)
  })
}

said <- function(found) {
  place <- ""
  if (!is.null(found$place)) {
    is_file <- grepl(".", found$place$source, fixed = TRUE) && !is.character(found$place$column)
    place <- if (is.numeric(found$place$column) || is_file) {
      paste(unlist(found$place), collapse = ":")
    } else {
      paste0(
        found$place$source,
        if (!is.null(found$place$row)) paste0(", row ", found$place$row),
        if (!is.null(found$place$column)) paste0(", column ", found$place$column)
      )
    }
    place <- paste0(place, ": ")
  }
  paste0(
    place, if (nzchar(found$code)) paste0(found$code, ": "), found$message,
    if (nzchar(found$remedy)) paste0("; ", found$remedy)
  )
}

# Ends with an error of class `promille_error` that has code, message, place and remedy.
stop_with <- function(found, findings = list(found)) {
  stop(structure(
    class = c(found$code, "promille_error", "error", "condition"),
    list(
      message = said(found), call = NULL, code = found$code, place = found$place, remedy = found$remedy,
      findings = findings
    )
  ))
}

# Warns of each code once, of errors also of each remedy.
warn_of <- function(findings) {
  findings <- Filter(function(found) found$severity != "remark", findings)
  kinds <- vapply(findings, function(found) {
    paste(found$code, if (found$severity == "error") found$remedy)
  }, "")
  for (kind in unique(kinds)) {
    alike <- findings[kinds == kind]
    found <- alike[[1]]
    if (length(alike) > 1) {
      found$message <- paste0(length(alike), " like this; the first: ", found$message)
    }
    warning(structure(
      class = c(found$code, "promille_warning", "warning", "condition"),
      list(
        message = said(found), call = NULL, code = found$code, place = found$place, remedy = found$remedy
      )
    ))
  }
}
