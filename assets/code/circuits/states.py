from model import RecurrentTranslator

network = "lstm-additive"  # yours
clean = "I want to buy a car."  # yours
corrupt = "I want to buy a house."  # yours
direction = "denoising"  # yours
alignment = None  # yours

translator = RecurrentTranslator.load(network, device="cpu")
# The decoder is fed the beginning that both translations share. Measured is the logit of the next token of the clean
# translation minus that of the corrupt one. In a cell, the state of one step is replaced, at one position.
results = {
    (site, part): translator.patch(clean, corrupt, site=site, part=part, direction=direction, alignment=alignment)
    for site, parts in translator.resumable.sites.items()
    for part in parts
}
shares = {place: result.restored for place, result in results.items()}  # (position): 1 gives the other run's value
checks = {place: result.check for place, result in results.items()}  # everything and nothing replaced
