"""The judged code in processes of its own: sandbox, messages of plain data, and what stands for it here."""
