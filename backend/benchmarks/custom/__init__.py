"""Own data: tables of triplets, choices, quads or image–caption pools, in whatever columns their owner has."""
