"""What several pages use: `frame/` around each page, `offers/` what it offers by itself, `help/` the glossary,
`drawing/` pictures, `data/` what is read, `server/` routes."""
