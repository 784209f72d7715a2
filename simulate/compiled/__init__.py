"""What compiled code of any game needs: caching, calling by address, bits, random numbers."""
