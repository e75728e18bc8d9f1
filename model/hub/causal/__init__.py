"""The causal methods on opened models: their residual stream, found and proven by running them."""
