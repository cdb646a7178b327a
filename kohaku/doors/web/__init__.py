"""An index over HTTP: a REST interface, and a page that uses it."""
