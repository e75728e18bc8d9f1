from model import Probability, TargetLoss, Translator

sentence = "I want to buy a car."  # yours
target_ids = None  # yours
noisy = [5]  # yours
place = 4  # yours
measured = "probability"  # yours
site = "head_output"  # yours
samples = 10  # yours
seed = 0  # yours

translator = Translator.load(device="cpu")
trace = translator.trace(sentence, target_ids=target_ids)
# Noise of three standard deviations is added to the embeddings of these source tokens, new for each sample.
metric = Probability(trace.next_ids[place], place) if measured == "probability" else TargetLoss(trace.next_ids)
options = {"metric": metric, "site": site, "samples": samples, "seed": seed}
results = {part: translator.patch_noise(trace, noisy, part=part, **options) for part in ("encoder", "decoder", "cross")}
shares = {part: result.restored for part, result in results.items()}  # 1 gives the value without noise
