"""Tables: small ones, random ones, and their neighbours."""
