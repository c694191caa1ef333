"""The judged code in separate processes: the sandbox, messages of plain data, and proxies in the judge."""
