"""Reports: text for people, JUnit for machines."""
