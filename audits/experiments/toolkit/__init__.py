"""The toolkit of experiments: sentences of a source, judged by runs."""
