/** Public names of this package; nothing is defined here. */
