"""Reading pictures: both forms give the same, and errors are one sentence."""

import numpy as np
import pytest
from PIL import Image

from model.data.images import IMAGENETTE, SIDE, ImageDataError, read_images
from tests.training.toy_pictures import CLASSES, draw, encode_picture, rows, write_parquet, write_shards


@pytest.fixture(scope="module")
def shards(tmp_path_factory):
    return write_shards(tmp_path_factory.mktemp("shards"), train=2, validation=1)


def test_shards_are_read_in_order(shards):
    images = read_images(shards)
    assert images.classes == CLASSES
    assert images.train.labels.tolist() == [0, 1, 2, 0, 1, 2]
    assert images.validation.labels.tolist() == [0, 1, 2]
    assert images.train.pictures.shape == (6, SIDE, SIDE, 3) and images.train.pictures.dtype == np.uint8
    expected = draw(1, 0).resize((SIDE, SIDE), Image.Resampling.BICUBIC)
    np.testing.assert_array_equal(images.train.pictures[1], np.asarray(expected))


def test_class_folders_hold_the_same_pictures(shards, tmp_path):
    for split, first, count in (("train", 0, 2), ("val", 1000, 1)):
        for label, name in enumerate(CLASSES):
            (tmp_path / split / name).mkdir(parents=True)
            for seed in range(count):
                (tmp_path / split / name / f"{seed}.png").write_bytes(encode_picture(draw(label, first + seed)))
            (tmp_path / split / name / "notes.txt").write_text("no picture")
    images, other = read_images(tmp_path), read_images(shards)
    assert images.classes == CLASSES
    assert images.train.labels.tolist() == [0, 0, 1, 1, 2, 2]
    np.testing.assert_array_equal(
        images.train.pictures, other.train.pictures[np.argsort(other.train.labels, kind="stable")]
    )
    assert images.sha256 != other.sha256  # another order is another run


def test_class_names_default_to_imagenette_s(tmp_path):
    write_parquet(tmp_path / "train-0.parquet", rows(1), names=None)
    write_parquet(tmp_path / "validation-0.parquet", rows(1), names=None)
    assert read_images(tmp_path).classes == tuple(IMAGENETTE.values())


def test_wordnet_folders_get_their_names(tmp_path):
    for split in ("train", "val"):
        for number in ("n01440764", "n03888257"):
            (tmp_path / split / number).mkdir(parents=True)
            (tmp_path / split / number / "a.png").write_bytes(encode_picture(draw(0, 0)))
    assert read_images(tmp_path).classes == ("tench", "parachute")


def test_every_form_of_colour_becomes_three_channels_and_the_middle_square(tmp_path):
    wide = draw(0, 0, (96, 48)).convert("L")
    write_parquet(tmp_path / "train-0.parquet", [(encode_picture(wide), 0), (encode_picture(draw(1, 0), "JPEG"), 1)])
    write_parquet(tmp_path / "validation-0.parquet", rows(1))
    picture = read_images(tmp_path).train.pictures[0]
    expected = wide.crop((24, 0, 72, 48)).convert("RGB").resize((SIDE, SIDE), Image.Resampling.BICUBIC)
    # pixels at the edge are interpolated with neighbours outside the crop
    assert np.abs(picture.astype(int) - np.asarray(expected)).max() <= 40
    assert np.abs(picture.astype(int) - np.asarray(expected))[:, 8:-8].max() <= 1


@pytest.mark.parametrize(
    ("spoil", "sentence"),
    [
        (lambda folder: folder / "nowhere", "is no folder"),
        (lambda folder: _remove_files(folder, "train-*"), "holds neither train-"),
        (lambda folder: _remove_files(folder, "validation-*"), "There are no validation pictures."),
        (
            lambda folder: _add_pictures(folder, [(b"GIF is not JPEG", 0)]),
            "row 1 of .* is not a picture that can be read",
        ),
        (lambda folder: _add_pictures(folder, [(encode_picture(draw(0, 0))[:200], 0)]), "row 1 of .* is not a picture"),
        (
            lambda folder: _add_pictures(folder, [(encode_picture(draw(0, 0)), 3)]),
            "row 1 of .* has label 3, but there are 3 classes",
        ),
        (lambda folder: _add_pictures(folder, [(None, 0)]), "Row 1 of .* has no picture"),
        (lambda folder: _add_pictures(folder, [(encode_picture(draw(0, 0)), None)]), "Row 1 of .* has no label"),
        (lambda folder: _write_shard(folder, b"no parquet"), "cannot be read as pictures with labels"),
    ],
)
def test_errors_are_one_sentence(tmp_path, spoil, sentence):
    folder = spoil(write_shards(tmp_path / "data", train=1, validation=1))
    with pytest.raises(ImageDataError, match=sentence) as error:
        read_images(folder)
    assert "\n" not in str(error.value)


def _remove_files(folder, pattern):
    for path in folder.glob(pattern):
        path.unlink()
    return folder


def _add_pictures(folder, pictures):
    write_parquet(folder / "train-00000-of-00002.parquet", pictures)
    return folder


def _write_shard(folder, content):
    (folder / "train-00000-of-00002.parquet").write_bytes(content)
    return folder


def test_pictures_held_back_are_always_the_same_and_never_trained_on(shards):
    images = read_images(shards)
    once, again = images.hold_back(2), images.hold_back(2)
    np.testing.assert_array_equal(once.held_back.pictures, again.held_back.pictures)
    parts = [*once.train.pictures, *once.held_back.pictures]
    assert (len(once.train), len(once.held_back)) == (4, 2)
    assert {part.tobytes() for part in parts} == {picture.tobytes() for picture in images.train.pictures}
    labels = dict(zip((picture.tobytes() for picture in images.train.pictures), images.train.labels, strict=True))
    for split in (once.train, once.held_back):
        assert [labels[picture.tobytes()] for picture in split.pictures] == split.labels.tolist()
    assert once.validation is images.validation and once.sha256 == images.sha256


@pytest.mark.parametrize("count", [0, -1, 6, 7])
def test_holding_back_no_or_all_pictures_is_refused(shards, count):
    with pytest.raises(ImageDataError, match=f"{count} of 6 training pictures cannot be held back"):
        read_images(shards).hold_back(count)
