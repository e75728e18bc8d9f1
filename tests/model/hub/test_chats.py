"""Chats by templates of the shapes that models come with are rendered as by the library, and no text is lost."""

from __future__ import annotations

import pytest
import transformers

from model import OpenError
from model.hub.chats import render_chat
from model.hub.picture_text_inputs import render_picture_chat
from model.open_model import open_model
from tests.model.hub import tiny
from tests.model.hub.tiny_pictured import build

THINKING = r"""
{%- if tools %}{{ '<|im_start|>system\n# Tools' }}{% for tool in tools %}{{ '\n' ~ tool | tojson }}{% endfor %}
{{- '<|im_end|>\n' }}{% endif %}
{%- for message in messages %}{% set content = message.content if message.content is string else '' %}
{{- '<|im_start|>' + message.role + '\n' }}
{%- if message.reasoning_content %}{{ '<think>\n' + message.reasoning_content + '\n</think>\n' }}{% endif %}
{{- content }}
{%- for call in message.tool_calls or [] %}{{ '<call>' ~ call.function.name ~ call.function.arguments | tojson }}
{%- endfor %}{{ '<|im_end|>\n' }}{% endfor %}
{%- if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}
{%- if enable_thinking is false %}{{ '<think>\n\n</think>\n\n' }}{% endif %}{% endif %}"""
HEADERS = r"""
{{- bos_token }}{% if messages[0].role == 'system' %}
{%- set system, messages = messages[0].content | trim, messages[1:] %}
{%- else %}{% set system = '' %}{% endif %}
{{- '<|system|>' ~ date_string | default('26 Jul') ~ '\n' ~ system ~ '<|eot|>' }}
{%- for message in messages %}{{ '<|' ~ message.role ~ '|>' }}{% if message.tool_calls %}
{%- if message.tool_calls | length > 1 %}{{ raise_exception('Only single tool-calls at once!') }}{% endif %}
{{- message.tool_calls[0].function | tojson }}{% else %}{{ message['content'] | trim }}{% endif %}
{{- '<|eot|>' }}{% endfor %}
{%- if add_generation_prompt %}{{ '<|assistant|>' }}{% endif %}"""
ALTERNATING = r"""
{{- bos_token }}{% if messages[0].role == 'system' %}{{ raise_exception('System role not supported') }}{% endif %}
{%- for message in messages %}{% if (message.role == 'user') != (loop.index0 % 2 == 0) %}
{{- raise_exception('Conversation roles must alternate') }}{% endif %}
{{- '<start>' + message.role + '\n' + message.content | trim + '<end>\n' }}{% endfor %}
{%- if add_generation_prompt %}{{ '<start>model\n' }}{% endif %}"""
INSTRUCTIONS = r"""
{{- bos_token }}{% for message in messages %}{% if message.role == 'user' %}{% if tools and loop.last %}
{{- '[TOOLS]' ~ tools | tojson }}{% endif %}{{ '[INST] ' ~ message.content ~ '[/INST]' }}
{%- elif message.role == 'tool' %}{{ '[RESULT]' ~ message.tool_call_id ~ message.content }}
{%- elif message.tool_calls is defined %}{{ '[CALLS]' ~ message.tool_calls | tojson ~ eos_token }}
{%- else %}{{ ' ' + message.content + eos_token }}{% endif %}{% endfor %}"""
PARTS = r"""
{%- for message in messages %}{{ '<' + message.role + '>' }}
{%- for part in message.content | selectattr('type', 'equalto', 'image') %}
{{- '<image>' }}{% endfor %}{% for part in message.content | selectattr('type', 'equalto', 'text') %}{{ part.text }}
{%- endfor %}{% endfor %}{% if add_generation_prompt %}{{ '<assistant>' }}{% endif %}"""
TEMPLATES = {
    "thinking": THINKING, "headers": HEADERS, "alternating": ALTERNATING, "instructions": INSTRUCTIONS,
}  # fmt: skip


def weather(city: str) -> str:
    """
    Get the weather.

    Args:
        city: Where.
    """


SCHEMA = {"type": "function", "function": {"name": "weather", "parameters": {"type": "object", "properties": {}}}}
CALL = {"id": "abcdefghi", "type": "function", "function": {"name": "weather", "arguments": {"city": "Oslo"}}}
HI = {"role": "user", "content": "Hi fox"}
KIND = {"role": "system", "content": "Be kind."}
CALLED = {"role": "assistant", "tool_calls": [CALL]}
RESULT = {"role": "tool", "tool_call_id": "abcdefghi", "content": "12"}
ANSWER = {"role": "assistant", "content": "It is cold"}
CHATS = {
    "user": [HI], "system": [KIND, HI], "answered": [HI, ANSWER], "asked again": [HI, ANSWER, HI], "call": [HI, CALLED],
    "call, None": [HI, {**CALLED, "content": None}], "call, empty": [HI, {**CALLED, "content": ""}],
    "result": [HI, CALLED, RESULT], "reasoning": [HI, {"role": "assistant", "reasoning_content": "hm"}],
    "reasoning, None": [HI, {"role": "assistant", "content": None, "reasoning_content": "hm"}],
}  # fmt: skip
OPTIONS = {
    "none": {}, "tools": {"tools": [SCHEMA]}, "function": {"tools": [weather]},
    "no thinking": {"enable_thinking": False}, "date": {"date_string": "1 May"},
    "begun": {"add_generation_prompt": True},
    "not begun": {"add_generation_prompt": False}, "continued": {"continue_final_message": True},
}  # fmt: skip


@pytest.fixture(scope="module")
def model():
    reader = transformers.PreTrainedTokenizerFast(
        tokenizer_object=tiny.tokenizer().backend_tokenizer, unk_token="[UNK]", bos_token="[CLS]", eos_token="[SEP]"
    )
    return open_model(tiny.network("llama"), reader=reader, device="cpu")


def rendered_by_library(reader, chat, options) -> str | None:
    """None where the template, or the library, refuses."""
    begins = chat[-1]["role"] in ("user", "tool") and not options.get("continue_final_message")
    try:
        return reader.apply_chat_template(chat, tokenize=False, **{"add_generation_prompt": begins} | options)
    except Exception:
        return None


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("template", TEMPLATES)
def test_chats_are_rendered_as_by_the_library(model, template, options):
    model.reader.chat_template = TEMPLATES[template]
    refused = 0
    for chat in CHATS.values():
        expected = rendered_by_library(model.reader, chat, OPTIONS[options])
        if expected is not None:
            assert render_chat(model.reader, chat, OPTIONS[options]) == expected
            continue
        refused += 1
        with pytest.raises(
            OpenError, match=r"template of this tokenizer refuses these messages \(\w+: .*the options\.$"
        ):
            render_chat(model.reader, chat, OPTIONS[options])
    assert refused < len(CHATS)


def test_the_template_states_its_first_token_once(model):
    for template in ("headers", "alternating", "instructions"):
        model.reader.chat_template = TEMPLATES[template]
        trace = model.trace(messages=[HI])
        assert trace.tokens("source").labels.count("[CLS]") == 1 and trace.notes == ()


def test_a_refusal_has_the_reason_of_the_template(model):
    model.reader.chat_template = ALTERNATING
    with pytest.raises(OpenError, match="System role not supported"):
        model.trace(messages=[KIND, HI])
    model.reader.chat_template = HEADERS
    with pytest.raises(OpenError, match="Only single tool-calls at once!"):
        model.trace(messages=[HI, {**CALLED, "tool_calls": [CALL, CALL]}])
    with pytest.raises(OpenError, match='no "content" to continue'):
        model.trace(messages=[HI, CALLED], continue_final_message=True)
    with pytest.raises(OpenError, match="traced without a second text; leave second out"):
        model.trace(messages=[HI], second="fox")


@pytest.mark.parametrize("template", TEMPLATES)
def test_parts_are_read_by_templates_of_one_text(model, template):
    model.reader.chat_template = TEMPLATES[template]
    parts = [{"type": "text", "text": "a fox"}, {"type": "text", "text": "b"}]
    joined = rendered_by_library(model.reader, [{"role": "user", "content": "a fox\nb"}, ANSWER], {})
    assert render_chat(model.reader, [{"role": "user", "content": parts}, ANSWER]) == joined


def test_one_text_is_read_by_templates_of_parts(model):
    model.reader.chat_template = PARTS
    assert rendered_by_library(model.reader, [HI], {}) == "<user><assistant>"  # without its text
    assert render_chat(model.reader, [KIND, HI]) == "<system>Be kind.<user>Hi fox<assistant>"
    parts = [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]
    assert render_chat(model.reader, [{"role": "user", "content": parts}]) == "<user>ab<assistant>"


@pytest.mark.parametrize(
    ("template", "expected"),
    [
        (PARTS, "<user><image>Hi fox<assistant>"),
        (ALTERNATING, "<start>user\n<image>\nHi fox<end>\n<start>model\n"),
        (THINKING, "<|im_start|>user\n<image>\nHi fox<|im_end|>\n<|im_start|>assistant\n"),
        (INSTRUCTIONS, "[INST] <image>\nHi fox[/INST]"),
    ],
)
def test_pictures_are_written_by_templates_of_one_text(template, expected):
    _, processor = build("llava")
    processor.chat_template = template
    rendered = render_picture_chat(processor, [HI], 1)
    assert rendered.removeprefix(processor.tokenizer.bos_token or "") == expected
