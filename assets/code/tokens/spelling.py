import unicodedata

from sentencepiece import SentencePieceProcessor

word = "cat"  # yours
other = "고양이"  # yours

pieces = SentencePieceProcessor("assets/translator/tokenizer.model")
kept = [id for id in range(len(pieces)) if not (pieces.is_byte(id) or pieces.is_control(id) or pieces.is_unknown(id))]
scores = {pieces.id_to_piece(id): pieces.get_score(id) for id in kept}  # each token's ln p
strange = min(scores.values()) - 10  # a character outside the vocabulary


def split(text: str) -> list[str]:  # Viterbi: of all ways to split it, the one with the largest sum of ln p
    text = "\u2581" + "\u2581".join(filter(None, unicodedata.normalize("NFKC", text).replace("\u2581", " ").split(" ")))
    best = [(0.0, [])]  # of the first characters of the text: the sum, and the tokens
    for end in range(1, len(text) + 1):
        ways = [
            (*best[start], text[start:end]) for start in range(end) if start == end - 1 or text[start:end] in scores
        ]
        best.append(max((total + scores.get(token, strange), [*before, token]) for total, before, token in ways))
    spelt = [[token] if token in scores else [f"<0x{byte:02X}>" for byte in token.encode()] for token in best[-1][1]]
    return [token for tokens in spelt for token in tokens]


tokens = {text: split(text) for text in (word, word.lower(), word.title(), word.upper(), word + "s", other)}
counts = {text: len(found) for text, found in tokens.items()}
shared = {text: sum(min(found.count(t), tokens[word].count(t)) for t in {*found}) for text, found in tokens.items()}
