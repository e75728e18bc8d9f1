"""What the lessons of the course ask a user to predict, computed from the networks and the sentence."""
