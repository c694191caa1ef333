"""The distinct counter: its levels and noise, its state and files, runs that count, several machines, and unions."""
