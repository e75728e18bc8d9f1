import torch

from model import Translator

sentence = "I want to buy a car."  # yours
beam = 4  # yours
penalty = 0.6  # yours

translator = Translator.load(device="cpu")
network, tokenizer = translator.network, translator.tokenizer
begin, end = tokenizer.bos_id, tokenizer.eos_id


def score(found: tuple[float, list[int]]) -> float:
    return found[0] / ((5 + len(found[1])) / 6) ** penalty


alive, done = [(0.0, [])], []  # sums of ln p, with the tokens
with torch.inference_mode():
    memory = network.encode(torch.tensor([tokenizer.encode_source(sentence)]))
    while alive and (len(done) < beam or max(map(score, alive)) > score(done[-1])):
        ids = torch.tensor([[begin, *tokens] for _, tokens in alive])
        log_p = network.project(network.decode(ids, memory.expand(len(ids), -1, -1))[:, -1]).log_softmax(dim=-1)
        log_p[:, list(network.config.never_generated)] = -torch.inf
        sums = log_p.double() + torch.tensor([[total] for total, _ in alive], dtype=torch.float64)
        best = sums.flatten().topk(2 * beam).indices.tolist()  # twice the width is considered
        ends = [divmod(at, log_p.shape[1]) for at in best]  # which hypothesis is extended by which token
        found = [(float(sums[row, token]), [*alive[row][1], token]) for row, token in ends]
        done += [each for each in found[:beam] if each[1][-1] == end or len(each[1]) == 128]
        done = sorted(done, key=score, reverse=True)[:beam]
        alive = [each for each in found if each[1][-1] != end and len(each[1]) < 128][:beam]
texts, totals, scores = zip(*((tokenizer.decode(ids), total, score((total, ids))) for total, ids in done), strict=True)
