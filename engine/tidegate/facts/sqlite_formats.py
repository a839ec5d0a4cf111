"""What stands in the two SQLite files that tidegate keeps: counters, and what is known of sessions."""

from __future__ import annotations

from .sqlite_file import Format

COUNTERS = Format(
    name="the store of counters",
    kind="a store of counters",
    application=0x54494445,  # "TIDE", where SQLite keeps the id of an application
    version=2,
    synchronous="NORMAL",
    schema="""
CREATE TABLE store (number INTEGER NOT NULL, time REAL, reading REAL, uptime REAL);
INSERT INTO store VALUES (1, NULL, NULL, NULL);
CREATE TABLE units (
    key TEXT NOT NULL, leaves REAL NOT NULL, lease INTEGER NOT NULL, cost INTEGER NOT NULL,
    PRIMARY KEY (key, leaves, lease)
) WITHOUT ROWID;
CREATE INDEX by_time ON units (leaves);
CREATE INDEX by_lease ON units (lease) WHERE lease <> 0;
CREATE TABLE levels (key TEXT PRIMARY KEY, debt INTEGER NOT NULL, at INTEGER NOT NULL, full REAL NOT NULL)
    WITHOUT ROWID;
CREATE INDEX by_full ON levels (full);
""",
)

SESSIONS = Format(
    name="the store",
    kind="a store of approvals and sessions",
    application=0x54494453,  # "TIDS"
    version=1,
    synchronous="FULL",  # what was used up must not come back after a crash
    schema="""
CREATE TABLE approvals (
    id TEXT PRIMARY KEY, binding TEXT NOT NULL, scope TEXT NOT NULL, made REAL NOT NULL, expires REAL NOT NULL,
    by TEXT NOT NULL, tool TEXT NOT NULL, session TEXT, shown TEXT NOT NULL, about TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX by_binding ON approvals (binding);
CREATE TABLE marks (
    session TEXT NOT NULL, key TEXT NOT NULL, number INTEGER NOT NULL, at REAL NOT NULL, PRIMARY KEY (session, key)
) WITHOUT ROWID;
CREATE INDEX by_number ON marks (number);
CREATE INDEX by_time ON marks (at);
""",
)
