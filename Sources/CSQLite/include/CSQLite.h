#ifndef PROMILLE_CSQLITE_H
#define PROMILLE_CSQLITE_H

// What of SQLite's C interface Swift cannot call: sqlite3_db_config() takes a variable number of
// arguments. SQLite's own header stays out of this one, because GRDB's module has it already.

/// Makes a connection distrust the database: no trigger runs, no view is looked through, the schema
/// is not written by hand and calls no function that could do harm. Returns SQLite's result code.
int csqlite_distrust(void *connection);

/// Lets the triggers of a database run, once its schema is known to be ours. Returns SQLite's result code.
int csqlite_run_triggers(void *connection);

#endif
