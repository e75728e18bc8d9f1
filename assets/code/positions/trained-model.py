import torch

from model import Translator

sentence = "I want to buy a car."  # yours
next_ids = (271, 372, 1300, 312, 567, 260, 3)  # yours
change = "none"  # yours
where = "encoder"  # yours
seed = 0  # yours
shift = 10  # yours

translator = Translator.load(device="cpu")
network, trained = translator.network, translator.network.positions.clone()  # (position, d_model)
source, target = translator.tokenizer.encode_source(sentence), [translator.tokenizer.bos_id, *next_ids[:-1]]


def rows(stack: str, length: int) -> torch.Tensor:  # the positions of its tokens
    shuffled = torch.randperm(length, generator=torch.Generator().manual_seed(seed))
    orders = {"shuffled": shuffled, "reversed": torch.arange(length).flip(0), "shifted": torch.arange(length) + shift}
    if where not in (stack, "both") or change == "kept":
        return trained
    return torch.zeros_like(trained) if change == "none" else trained[orders[change]]


with torch.inference_mode():
    network.positions = rows("encoder", len(source))
    memory = network.encode(torch.tensor([source]))
    network.positions = rows("decoder", len(target))
    log_p = network.project(network.decode(torch.tensor([target]), memory))[0].log_softmax(dim=-1)
per_token = -log_p[range(len(target)), list(next_ids)]
loss = per_token.mean()
