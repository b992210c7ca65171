"""Tables that are awake: their tasks, followers and AIs."""
