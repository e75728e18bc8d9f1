"""Pictures that cannot be used, alone and among others: one sentence that names the picture, and bounded memory."""

from __future__ import annotations

import io
import resource

import numpy as np
import pytest
from PIL import Image

from model import OpenError, UserError, VisionClassifier
from model.hub.opened_model import OpenedModel
from model.open_model import open_model
from tests.model.hub import tiny, tiny_pictured
from tests.views.controls.odd_pictures import encoded, photo
from views.text.catalogue import say_error, using_language

WORDS = "fox"


def frames() -> bytes:
    file = io.BytesIO()
    photo(40, 40).save(file, "GIF", save_all=True, append_images=[photo(40, 40, seed) for seed in (1, 2)])
    return file.getvalue()


def opened_file(content: bytes) -> Image.Image:
    return Image.open(io.BytesIO(content))


def closed() -> Image.Image:
    image = opened_file(encoded(photo(20, 20)))
    image.close()
    return image


CUT = "cannot be read (OSError: image file is truncated"
UNUSABLE = {
    "cut JPEG": (lambda: opened_file(encoded(photo(200, 200), "JPEG")[:3000]), CUT),
    "cut PNG": (lambda: opened_file(encoded(photo(200, 200))[:9000]), CUT),
    "closed": (closed, "cannot be read (ValueError: Operation on closed image)"),
    "no pixels": (lambda: Image.new("RGB", (0, 9)), "cannot be read (0 x 9)"),
    "no number": (lambda: Image.fromarray(np.full((9, 9), np.nan, np.float32)), "contains no finite number"),
}
STRIPS = {"wide": (60_000, 1), "high": (1, 60_000), "short": (101, 1)}
READ = {
    "one pixel": lambda: Image.new("RGB", (1, 1)),
    "animated": lambda: opened_file(frames()),
    "narrow": lambda: Image.new("RGB", (300, 3)),
    "of a wrong name": lambda: opened_file(encoded(photo(20, 20), "BMP")),
}


@pytest.fixture(scope="module")
def llava() -> OpenedModel:
    network, processor = tiny_pictured.build("llava")
    return open_model(network, reader=processor, device="cpu")


@pytest.fixture(scope="module")
def vit() -> OpenedModel:
    return open_model(tiny.network("vit"), reader=tiny.processor(), device="cpu")


def refusal(call, *arguments, **options) -> str:
    with pytest.raises(UserError) as caught:
        call(*arguments, **options)
    text = str(caught.value)
    assert text.endswith(".") and "\n" not in text and len(text) < 300 and "This model" not in text
    return text


@pytest.mark.parametrize("name", UNUSABLE)
def test_a_picture_that_cannot_be_read_is_named(llava, vit, name):
    make, message = UNUSABLE[name]
    for trace in (vit.trace, VisionClassifier.load().trace):
        assert refusal(trace, make()).startswith("This picture ") and message in refusal(trace, make())
    assert message in refusal(llava.trace, WORDS, picture=make())
    given = [tiny_pictured.picture(), make(), tiny_pictured.picture(1)]
    several = refusal(llava.trace, WORDS, picture=given)
    assert several.startswith("Of 3 pictures, number 2 cannot be used: This picture ") and message in several


@pytest.mark.parametrize("name", STRIPS)
def test_a_strip_is_refused_before_it_is_resized(llava, vit, name):
    """Resized to 32 pixels on its shorter side, one of 60,000 x 1 pixels has 61 million, and to 224 three billion."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    width, height = STRIPS[name]
    strip = Image.new("RGB", (width, height))
    message = f"{width:,} x {height:,} pixels has one side more than 100 times as long as the other; cut out the part"
    assert message in refusal(llava.trace, WORDS, picture=[tiny_pictured.picture(), strip])
    assert message in refusal(llava.trace, WORDS, picture=strip) and message in refusal(vit.trace, strip)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 100_000  # kilobytes


@pytest.mark.parametrize("name", READ)
def test_odd_pictures_are_read_alone_and_among_others(llava, vit, name):
    make = READ[name]
    plain = [tiny_pictured.picture(), make().convert("RGB")]
    among = llava.trace(WORDS, picture=[plain[0], make()])
    np.testing.assert_array_equal(among.logits, llava.trace(WORDS, picture=plain).logits)
    assert len(among.pictures) == 2 and vit.trace(make()).records


@pytest.mark.parametrize("given", ["notes.png", b"\x89PNG", 3, {}])
def test_what_is_no_picture_is_named_among_pictures(llava, given):
    with pytest.raises(OpenError, match="This model reads pictures.*Image.open"):
        llava.trace(WORDS, picture=[tiny_pictured.picture(), given])


STRETCHED = "이 300 x 2 픽셀 사진은 한 변이 다른 변보다 100배 넘게 깁니다. 필요한 부분을 잘라 내세요."
WORDS_AS_ARRAY = "그림 배열에는 str32 대신 숫자가 있어야 합니다. 0에서 255까지의 바이트를 주십시오."


def test_the_reason_inside_of_a_refusal_is_in_korean_too(llava, vit):
    strip = Image.new("RGB", (300, 2))
    for given, reason in (
        ([tiny_pictured.picture(), strip], STRETCHED),
        ([tiny_pictured.picture(), Image.new("RGB", (0, 9))], "이 사진을 읽을 수 없습니다"),
    ):
        with pytest.raises(OpenError) as caught:
            llava.trace(WORDS, picture=given)
        with using_language("ko"):
            assert say_error(caught.value).startswith(f"사진 2장 가운데 2번째를 쓸 수 없습니다. {reason}")
    with pytest.raises(OpenError) as caught:
        vit.trace(np.full((4, 4), "a"))
    english, form = str(caught.value), '{"pixel_values": ...}'
    assert english.endswith(f"bytes from 0 to 255; or give what the model's image processor returns, {form}.")
    with using_language("ko"):
        assert say_error(caught.value) == (
            f"{WORDS_AS_ARRAY} 또는 모델의 이미지 프로세서가 돌려주는 것({form})을 주십시오."
        )
