"""A tiny pair of languages with a regular translation, for tests that train something."""

import itertools
import random

SUBJECTS = {
    "the cat": "le chat",
    "the dog": "le chien",
    "my sister": "ma sœur",
    "a girl": "une fille",
    "the teacher": "le professeur",
    "our friend": "notre ami",
}
VERBS = {
    "sees": ["voit", "aperçoit"],
    "wants": ["veut"],
    "likes": ["aime"],
    "draws": ["dessine"],
    "finds": ["trouve", "découvre"],
}
OBJECTS = {
    "the house": "la maison",
    "a boat": "un bateau",
    "the garden": "le jardin",
    "an apple": "une pomme",
    "the old bridge": "le vieux pont",
    "a red car": "une voiture rouge",
    "the small black bird": "le petit oiseau noir",
}


def toy_pairs() -> list[tuple[str, str]]:
    """Every sentence of the language with each of its translations, shuffled: 294 pairs, 210 English sentences."""
    pairs = []
    for subject, verb, thing in itertools.product(SUBJECTS, VERBS, OBJECTS):
        english = f"{subject} {verb} {thing}.".capitalize()
        for french in VERBS[verb]:
            pairs.append((english, f"{SUBJECTS[subject]} {french} {OBJECTS[thing]}.".capitalize()))
    random.Random(7).shuffle(pairs)
    return pairs
