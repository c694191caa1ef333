"""Mathematics that every family uses: composition, noise laws, concentration."""
