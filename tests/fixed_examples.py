"""Every fixed example of the product with the whole text it leads to, each read and judged by a person.

`tests/test_fixed_examples.py` compares the texts with what the shipped networks give, and finds examples of the
sources and documents that are missing here.
"""

from __future__ import annotations

from typing import NamedTuple

TIRED = "The animal didn't cross the street because it was too tired."
RIGHT = "right"


class Translation(NamedTuple):
    """The greedy translation of an English sentence by the shipped translator, and what a reader says about it."""

    text: str
    judgement: str = RIGHT


class PullResult(NamedTuple):
    """An example pull: the translation before and after, and the control.

    Attributes:
        word: the token that the pull writes.
        same, others: of this many other keys with the same weight this many give the same token.
        hidden: the translation where the query does not attend to the key in any layer.
    """

    sentence: str
    before: str
    after: str
    word: str
    same: int
    others: int
    hidden: str
    judgement: str


TRANSLATIONS = {
    "The black cat is sleeping on the chair.": Translation("Le chat noir dort sur la chaise."),
    "The white cat is sleeping on the chair.": Translation("Le chat blanc dort sur la chaise."),
    "I want to buy a car.": Translation("Je veux acheter une voiture."),
    TIRED: Translation(
        "L'animal ne traversa pas la rue parce qu'elle était trop fatigué.",
        "wrong, and pages say so: «elle» should be «il», and does not agree with «fatigué»",
    ),
    "The animal didn't cross the street because it was too wide.": Translation(
        "L'animal ne traversa pas la rue parce qu'elle était trop large.",
    ),
    "Where did you learn to cook?": Translation("Où avez-vous appris à cuisiner ?"),
    "She gave him the book that he had lost.": Translation("Elle lui donna le livre qu'il avait perdu."),
    "We would rather stay at home tonight.": Translation(
        "Nous préférerais rester à la maison ce soir.", "wrong: «préférerions»"
    ),
    "I want to buy a house.": Translation("Je veux acheter une maison."),
    "I want to sell a car.": Translation("Je veux vendre une voiture."),
    "The dog chased the cat.": Translation("Le chien a poursuivi le chat."),
    "The cat chased the dog.": Translation("Le chat a poursuivi le chien."),
    "I am a student.": Translation("Je suis étudiant."),
    "The cat is sleeping on the chair.": Translation("Le chat dort sur la chaise."),
    "The cat sleeps on the old chair.": Translation("Le chat dort sur la vieille chaise."),
    "The black cat sat on the chair near the window.": Translation(
        "Le chat noir s'assit sur la chaise près de la fenêtre."
    ),
    "She closed the door and sat on the chair.": Translation("Elle ferma la porte et s'assit sur la chaise."),
    "The chair is in the garden.": Translation("La chaise est dans le jardin."),
    "The man who lives next door has bought a new house.": Translation(
        "L'homme qui habite à côté a acheté une nouvelle maison."
    ),
    "My brother works in a hospital in the city.": Translation("Mon frère travaille dans un hôpital en ville."),
    "My sister has a black cat and a dog.": Translation(
        "Ma sœur a un chat noir et un chien noir.",
        "wrong, the dog is not black; shown nowhere: the lesson compares the encoder's vectors of «cat»",
    ),
    "Although I did not get 95 in last TOEFL, I could get in the Ph.D program.": Translation(
        "Bien que je n'ai pas eu de 950, j'ai pu me rendre au programme d'identité.",
        "wrong, and shown nowhere: Word order compares the encoder's vectors",
    ),
    "Although I did get 95 in last TOEFL, I could not get in the Ph.D program.": Translation(
        "Bien que j'ai eu à 950 derniers, je n'ai pas pu me rendre dans le programme d'identité.",
        "wrong, and shown nowhere: Word order compares the encoder's vectors",
    ),
    "The black cat sleeps and the white dog eats.": Translation("Le chat noir dort et le chien blanc mange."),
    "Yesterday I was sad but today I am happy.": Translation("Hier j'étais triste mais je suis heureux aujourd'hui."),
    "The door is open but the window is closed.": Translation("La porte est ouverte mais la fenêtre est fermée."),
    "The old man talks to the young woman.": Translation("Le vieil homme parle à la jeune femme."),
    "He bought a new house and sold his old car.": Translation(
        "Il a acheté une nouvelle maison et a vendu sa vieille voiture."
    ),
    "I have two brothers and three sisters.": Translation("J'ai deux frères et trois sœurs."),
    "My father is a doctor and my mother is a teacher.": Translation("Mon père est médecin et ma mère est professeur."),
    "The sun is hot and the moon is cold.": Translation("Le soleil est chaud et la Lune est froide."),
    "I didn't want to buy a car.": Translation(
        "Je ne voulais pas acheter une voiture.", "understood; better «de voiture»"
    ),
    "I have a black cat at home.": Translation("J'ai un chat noir à la maison."),
    "I have a black dog at home.": Translation("J'ai un chien noir à la maison."),
    "She has been waiting for the train since this morning.": Translation("Elle attend le train depuis ce matin."),
    "Where is the station?": Translation("Où est la gare ?"),
    "He did not know what to say.": Translation("Il ne savait pas quoi dire."),
}

AGREES = "right: the word agrees with the noun beside it, which was not read"
PULLS = {
    "black": PullResult(
        "The black cat sleeps and the white dog eats.",
        "Le chat noir dort et le chien blanc mange.",
        "Le chat noir dort et le chien noir mange.",
        "noir",
        0,
        12,
        "Le chat noir dort et le chien blanc mange.",
        RIGHT,
    ),
    "sad": PullResult(
        "Yesterday I was sad but today I am happy.",
        "Hier j'étais triste mais je suis heureux aujourd'hui.",
        "Hier j'étais triste mais je suis triste aujourd'hui.",
        "triste",
        0,
        10,
        "Hier j'étais triste mais je suis heureux aujourd'hui.",
        RIGHT,
    ),
    "window": PullResult(
        "The door is open but the window is closed.",
        "La porte est ouverte mais la fenêtre est fermée.",
        "La porte est ouverte mais la fenêtre est ouverte.",
        "ouverte",
        0,
        10,
        "La porte est ouverte mais la fenêtre est fermée.",
        RIGHT,
    ),
    "old": PullResult(
        "The old man talks to the young woman.",
        "Le vieil homme parle à la jeune femme.",
        "Le vieil homme parle à la vieille femme.",
        "vieille",
        0,
        10,
        "Le vieil homme parle à la jeune femme.",
        AGREES,
    ),
    "new": PullResult(
        "He bought a new house and sold his old car.",
        "Il a acheté une nouvelle maison et a vendu sa vieille voiture.",
        "Il a acheté une nouvelle maison et a vendu sa nouvelle voiture.",
        "nouvelle",
        0,
        11,
        "Il a acheté une nouvelle maison et a vendu sa vieille voiture.",
        RIGHT,
    ),
    "three": PullResult(
        "I have two brothers and three sisters.",
        "J'ai deux frères et trois sœurs.",
        "J'ai trois frères et trois sœurs.",
        "trois",
        0,
        9,
        "J'ai deux frères et trois sœurs.",
        RIGHT,
    ),
    "doctor": PullResult(
        "My father is a doctor and my mother is a teacher.",
        "Mon père est médecin et ma mère est professeur.",
        "Mon père est médecin et ma mère est médecin.",
        "médecin",
        0,
        12,
        "Mon père est médecin et ma mère est professeur.",
        RIGHT,
    ),
    "hot": PullResult(
        "The sun is hot and the moon is cold.",
        "Le soleil est chaud et la Lune est froide.",
        "Le soleil est chaud et la Lune est chaude.",
        "chaude",
        0,
        10,
        "Le soleil est chaud et la Lune est froide.",
        AGREES,
    ),
    "animal": PullResult(
        TIRED,
        "L'animal ne traversa pas la rue parce qu'elle était trop fatigué.",
        "L'animal ne traversa pas la rue parce qu'il était trop fatigué.",
        "il",
        7,
        16,
        "L'animal ne traversa pas la rue parce qu'elle était trop fatigué.",
        "right after the pull, and many other keys do the same: the contrast",
    ),
}
