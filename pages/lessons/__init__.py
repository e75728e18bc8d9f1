"""The page *Lessons*: a course of twelve predictions about the shipped networks."""
