"""What several pages use: `frame/` around each page, `drawing/` pictures, `data/` what is read, `server/` routes."""
