"""What stands on all stages: the engine behind `kohaku.open`, and the command line."""
