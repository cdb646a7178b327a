"""The command line as a process of its own, with an embedder that needs no model: python letters_cli.py COMMAND …"""

from __future__ import annotations

from corpus import letters

from kohaku import embedders
from kohaku.doors.cli import main

if __name__ == "__main__":
    embedders.load = letters
    main()
