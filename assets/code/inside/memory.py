import math

import torch

shape = (3, 5, 10, 20)  # yours
asked = (-1, 200)  # yours

x = torch.arange(math.prod(shape), dtype=torch.float32).view(shape)
transposed = x.transpose(0, 1)
copied = transposed.contiguous()


def answer(tensor: torch.Tensor) -> tuple[tuple[int, ...], tuple[int, ...], str]:
    try:
        view = tensor.view(asked)
    except RuntimeError as error:
        return (), (), str(error)
    return tuple(view.shape), view.stride(), ""


strides = (x.stride(), transposed.stride(), copied.stride())
contiguous = (x.is_contiguous(), transposed.is_contiguous(), copied.is_contiguous())
shares_memory = transposed.data_ptr() == x.data_ptr()
answers = (answer(x), answer(transposed), answer(copied))
