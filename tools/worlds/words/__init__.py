"""How people word actions: the tables (verbs, nouns) and the reading of sentences that grounding rests on."""
