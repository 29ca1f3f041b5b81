BEGIN TRANSACTION;
CREATE TABLE documents (
    id TEXT PRIMARY KEY, session TEXT NOT NULL REFERENCES sessions(id) ON DELETE CASCADE,
    name TEXT NOT NULL, digest TEXT NOT NULL, chunks TEXT NOT NULL, added REAL NOT NULL);
CREATE TABLE events (
    seq INTEGER PRIMARY KEY AUTOINCREMENT, session TEXT NOT NULL REFERENCES sessions(id) ON DELETE CASCADE,
    turn INTEGER NOT NULL, kind TEXT NOT NULL, data TEXT NOT NULL, at REAL NOT NULL);
INSERT INTO "events" VALUES(1,'r19WcRmt-il0',1,'turn','{"text": "What is 387 times 46?"}',1.79544407724808239941e+09);
INSERT INTO "events" VALUES(2,'r19WcRmt-il0',1,'reply','{"by": "fast", "text": "Let me see.", "invoke": true, "final": false, "request": "What is 387 times 46?"}',1.79544407724827551845e+09);
INSERT INTO "events" VALUES(3,'r19WcRmt-il0',1,'run','{"state": "started", "question": "What is 387 times 46?"}',1.7954440772483420372e+09);
INSERT INTO "events" VALUES(4,'r19WcRmt-il0',1,'step','{"number": 1, "thought": "", "action": "python", "argument": "print(387 * 46)", "observation": "17802", "failed": false, "seconds": 0.1, "tokens": 9}',1.79544407724840450286e+09);
INSERT INTO "events" VALUES(5,'r19WcRmt-il0',1,'run','{"state": "finished"}',1.79544407724845910077e+09);
INSERT INTO "events" VALUES(6,'r19WcRmt-il0',1,'reply','{"by": "slow", "text": "387 times 46 is 17,802.", "invoke": true, "final": true, "slow": "17802"}',1.79544407724850511552e+09);
INSERT INTO "events" VALUES(7,'r19WcRmt-il0',1,'end','{"state": "done"}',1.79544407724862194056e+09);
CREATE TABLE sessions (
    id TEXT PRIMARY KEY, user TEXT NOT NULL, title TEXT NOT NULL, options TEXT NOT NULL,
    created REAL NOT NULL, updated REAL NOT NULL);
INSERT INTO "sessions" VALUES('r19WcRmt-il0','ada','What is 387 times 46?','{"fast_model": "embedded", "slow_model": "embedded", "strategy": "react", "temperature": 0.0, "memory": true, "world_strategy": "auto", "domain": "", "minds": "both"}',1.79544407724778366094e+09,1.79544407724808239941e+09);
CREATE TABLE turns (
    session TEXT NOT NULL REFERENCES sessions(id) ON DELETE CASCADE, number INTEGER NOT NULL,
    said TEXT NOT NULL, state TEXT NOT NULL, superseded INTEGER NOT NULL DEFAULT 0, feedback INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (session, number));
INSERT INTO "turns" VALUES('r19WcRmt-il0',1,'What is 387 times 46?','done',0,0);
CREATE INDEX sessions_by_user ON sessions(user, updated);
CREATE INDEX turns_by_state ON turns(state);
CREATE INDEX events_by_session ON events(session, seq);
CREATE INDEX events_by_turn ON events(session, turn, kind);
DELETE FROM "sqlite_sequence";
INSERT INTO "sqlite_sequence" VALUES('events',7);
COMMIT;
