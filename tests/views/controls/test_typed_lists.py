"""Lists and lists of lists as users type them, and as programs print them."""

import pytest

from views.controls.typed_lists import read_decimals, split_rows

ROWS = [["0.2", "0.1", "0.1"], ["0.4", "0.5", "0.1"]]


@pytest.mark.parametrize(
    "text",
    [
        "62 13 47 39",
        "[62, 13, 47, 39]",
        "(62, 13, 47, 39)",
        "{62; 13; 47; 39}",
        "[62,13,\n47,\n39]",
        "62,\t13 47\r\n39",
        "[62, 13, 47, 39],",
        "tensor([62, 13, 47, 39])",
        "tensor([62, 13, 47, 39], device='cuda:0', dtype=torch.int32)",
        "torch.Size([62, 13, 47, 39])",
        "array([62, 13, 47, 39], dtype=int32)",
        "[62 13 47 39]",
        "[np.int64(62), np.int64(13), np.int64(47), np.int64(39)]",
        "[tensor(62), tensor(13), tensor(47), tensor(39)]",
        "shape = (62, 13, 47, 39)",
        ">>> data = [62, 13, 47, 39]",
        "62\uff0c 13\u3001 47\uff0c 39",
        "[62, 13, 47, 39",
    ],
)
def test_one_list(text):
    assert [item for row in split_rows(text) for item in row] == ["62", "13", "47", "39"]


@pytest.mark.parametrize(
    "text",
    [
        "0.2 0.1 0.1; 0.4 0.5 0.1",
        "0.2, 0.1, 0.1\n0.4, 0.5, 0.1\n",
        "[[0.2, 0.1, 0.1], [0.4, 0.5, 0.1]]",
        "[[0.2, 0.1, 0.1],\n [0.4, 0.5, 0.1]]",
        "[[0.2 0.1 0.1]\n [0.4 0.5 0.1]]",
        "[[0.2,\n0.1,\n0.1],\n[0.4,\n0.5,\n0.1]]",
        "[0.2, 0.1, 0.1],\n[0.4, 0.5, 0.1],",
        "[0.2 0.1 0.1; 0.4 0.5 0.1]",
        "(0.2, 0.1, 0.1) (0.4, 0.5, 0.1)",
        "tensor([[0.2, 0.1, 0.1],\n        [0.4, 0.5, 0.1]], grad_fn=<SoftmaxBackward0>)",
        "np.array([[0.2, 0.1, 0.1], [0.4, 0.5, 0.1]])",
        "[tensor([0.2, 0.1, 0.1]), tensor([0.4, 0.5, 0.1])]",
        "[[[0.2, 0.1, 0.1], [0.4, 0.5, 0.1]]]",
        "torch.tensor([[0.2, 0.1, 0.1], [0.4, 0.5, 0.1]], requires_grad=True)",
    ],
)
def test_rows(text):
    assert split_rows(text) == ROWS


def test_lines_end_rows_outside_brackets_only():
    assert split_rows("1 2\n[3,\n4]\n5") == [["1", "2"], ["3", "4"], ["5"]]


def test_empty_brackets_are_an_empty_row():
    assert split_rows("[[1], [], [2]]") == [["1"], [], ["2"]]
    assert split_rows("[\n]") == [[]]
    assert split_rows("") == split_rows(" \n, ") == []


@pytest.mark.parametrize("text", ["[[1, 2", "1, 2]]", "((1 2", "]1, 2["])
def test_unpaired_brackets_separate(text):
    assert [item for row in split_rows(text) for item in row] == ["1", "2"]


def test_other_words_stay_for_the_error():
    assert split_rows("list of [1, 2]") != [["1", "2"]]
    assert split_rows("[1, ..., 2]") == [["1", "...", "2"]]


def test_long_texts_are_split_in_linear_time():
    assert len(split_rows("[" * 50_000 + "1" + "]" * 50_000)) == 1
    assert len(split_rows("tensor(" * 50_000)) == 0
    assert len(split_rows("dtype=" * 50_000)) == 1
    assert split_rows(" " * 200_000 + "1") == split_rows("[" * 50_000 + " " * 200_000 + "1") == [["1"]]


def test_decimals():
    assert read_decimals(["0.2", "-1", "+3", ".5", "3.", "1e-3"]) == [0.2, -1, 3, 0.5, 3, 0.001]
    for text in ("nan", "inf", "1e999", "1_0", "\u0663", "x", "--1", "0x1"):
        with pytest.raises(ValueError):
            read_decimals([text])
