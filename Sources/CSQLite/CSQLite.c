#include "CSQLite.h"

#include <sqlite3.h>

int csqlite_distrust(void *connection) {
  static const struct {
    int option;
    int value;
  } settings[] = {
      {SQLITE_DBCONFIG_DEFENSIVE, 1},
      {SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0},
      {SQLITE_DBCONFIG_ENABLE_TRIGGER, 0},
      {SQLITE_DBCONFIG_ENABLE_VIEW, 0},
      {SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0},
      {SQLITE_DBCONFIG_WRITABLE_SCHEMA, 0},
  };
  for (unsigned long index = 0; index < sizeof settings / sizeof settings[0]; index += 1) {
    int code = sqlite3_db_config(
        connection, settings[index].option, settings[index].value, (int *)0);
    if (code != SQLITE_OK) return code;
  }
  return SQLITE_OK;
}

int csqlite_run_triggers(void *connection) {
  return sqlite3_db_config(connection, SQLITE_DBCONFIG_ENABLE_TRIGGER, 1, (int *)0);
}
