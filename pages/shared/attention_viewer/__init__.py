"""The attention viewer: the same views of one kind of attention, for text and for pictures."""
