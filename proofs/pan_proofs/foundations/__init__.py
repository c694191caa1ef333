"""Mathematics that every family uses: composition, noise distributions, concentration."""
