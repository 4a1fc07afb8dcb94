"""What callers hand in: numbers, names, tables and arrays, each rule once."""
