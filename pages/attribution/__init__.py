"""The parts of the page that asks what a target word rests on."""
