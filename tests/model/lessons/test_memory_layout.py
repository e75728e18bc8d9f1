"""Strides of the worked example, and PyTorch's messages."""

import pytest
import torch

from model.lessons.memory_layout import ViewResult, describe_layouts, try_views


def test_the_worked_example():
    story = describe_layouts((3, 5, 10, 20))
    assert story.original.strides == (1000, 200, 20, 1)
    assert story.transposed.strides == (200, 1000, 20, 1)
    assert story.contiguous.strides == (600, 200, 20, 1)
    assert story.transposed.shape == story.contiguous.shape == (5, 3, 10, 20)
    assert (story.original.contiguous, story.transposed.contiguous, story.contiguous.contiguous) == (True, False, True)
    assert story.view_shape == (15, 10, 20)
    assert story.merged == (200, 20, 1)
    assert story.shares_memory


def test_the_message_is_the_one_that_torch_gives():
    with pytest.raises(RuntimeError) as error:
        torch.zeros(3, 5, 10, 20).transpose(0, 1).view(15, 10, 20)
    assert describe_layouts((3, 5, 10, 20)).message == str(error.value)
    assert "view" in str(error.value)


def test_offsets_are_positions_in_memory():
    story = describe_layouts((2, 3))
    assert story.original.offsets == ((0, 1, 2), (3, 4, 5))
    assert story.transposed.offsets == ((0, 3), (1, 4), (2, 5))
    assert story.contiguous.offsets == ((0, 1), (2, 3), (4, 5))


def test_an_axis_of_one_can_be_merged_without_a_copy():
    assert describe_layouts((1, 5, 4)).message == ""


def test_a_view_has_the_result_of_torch():
    original, transposed, copied = try_views((3, 5, 10, 20), (-1, 200))
    assert original == copied == ViewResult((15, 200), (200, 1))
    with pytest.raises(RuntimeError) as error:
        torch.zeros(3, 5, 10, 20).transpose(0, 1).view(-1, 200)
    assert transposed == ViewResult(message=str(error.value))


@pytest.mark.parametrize("target", [(7, 200), (-1, -1), (-1, 0), (0,)])
def test_an_impossible_view_has_a_message(target):
    assert all(view.message and view.shape == () for view in try_views((3, 5, 10, 20), target))


@pytest.mark.parametrize("shape", [(3,), (3, 0), (2000, 2000)])
def test_shapes_that_cannot_be_shown_are_refused(shape):
    with pytest.raises(ValueError):
        describe_layouts(shape)
