"""What the dashboard's pages have promised: addresses, what a link shows, downloads, components, first views."""
