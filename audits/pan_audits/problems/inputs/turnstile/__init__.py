"""Turnstile streams: all small ones, random ones, and their neighbours."""
