"""States of estimators: counting releases, writing, encrypting, reading and erasing."""
