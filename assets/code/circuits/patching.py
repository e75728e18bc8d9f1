from model import Translator

clean = "I want to buy a car."  # yours
corrupt = "I want to buy a house."  # yours
site = "head_output"  # yours
direction = "denoising"  # yours
alignment = None  # yours

translator = Translator.load(device="cpu")
# The decoder is fed the beginning that both translations share. Measured is the logit of the next token of the clean
# translation minus that of the corrupt one. An alignment is a list of pairs of positions, (receives, gives).
results = {
    part: translator.patch(clean, corrupt, site=site, part=part, direction=direction, alignment=alignment)
    for part in ("encoder", "decoder", "cross")
}
shares = {part: result.restored for part, result in results.items()}  # (layer, head): 1 gives the other run's value
checks = {part: result.check for part, result in results.items()}  # everything and nothing replaced
