"""Steps and scores that several claims of the tables family share."""
