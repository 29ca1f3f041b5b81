CREATE TABLE districts (name TEXT PRIMARY KEY, character TEXT, price_m2 INTEGER, noise INTEGER, x REAL, y REAL);
CREATE TABLE places (name TEXT PRIMARY KEY, kind TEXT, rating INTEGER, district TEXT, x REAL, y REAL, stop TEXT,
    walk INTEGER);
CREATE TABLE links (line TEXT, every INTEGER, one TEXT, other TEXT, minutes INTEGER);
CREATE TABLE homes (id TEXT PRIMARY KEY, kind TEXT, district TEXT, address TEXT, price INTEGER, bedrooms INTEGER,
    rooms INTEGER, bathrooms INTEGER, size INTEGER, floor INTEGER, floors INTEGER, year INTEGER, energy TEXT,
    garden INTEGER, balcony INTEGER, parking INTEGER, pets INTEGER, lift INTEGER, fee INTEGER, noise INTEGER,
    status TEXT, listed TEXT, agent TEXT, stop TEXT, stop_walk INTEGER, school TEXT, school_walk INTEGER,
    x REAL, y REAL);
CREATE TABLE history (home TEXT, happened TEXT, event TEXT, price INTEGER);
CREATE INDEX history_of ON history (home);
