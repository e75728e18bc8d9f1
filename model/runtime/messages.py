"""Errors whose message is one sentence for the user, in a form that another layer can translate."""

import sys

SPELLED = frozenset(("id", "seed"))  # values that are written as they are typed


class Template(str):
    """The English sentence of an error that is kept as a constant; `tools/messages.py` collects it for translators."""


class UserError(Exception):
    """An error whose message states in one sentence what is wrong and what to do.

    Attributes:
        template: the English sentence with `{name}` in place of each value; the key of its translations. Two forms in
            place of a format, `{count} {count:token|tokens}`, are those for 1 and for every other count.
        values: name -> value. `str(error)` is the English sentence with the values in it, whole numbers from 1,000 on
            with commas, as pages have them.
    """

    def __init__(self, template: str, /, **values: object) -> None:
        values = {name: _encodable(value) for name, value in values.items()}
        written = {name: _with_commas(name, value) for name, value in values.items()}
        # the sentence of an error among the values goes on where a semicolon follows it
        errors = {name: str(value) for name, value in values.items() if isinstance(value, Exception)}
        written |= {name: text.removesuffix(".") for name, text in errors.items() if f"{{{name}}};" in template}
        super().__init__(template.format(**written) if values else template)
        self.template, self.values = template, values


class Place(int):
    """The number of a layer, head or position among the values of an error: from 0 in its text, from 1 on a page."""

    @property
    def on_screen(self) -> int:
        """The number that a page shows."""
        return int(self) + 1


class Places(tuple[int, ...]):
    """Several numbers as `Place`."""

    def __format__(self, format_spec: str) -> str:
        return ", ".join(map(str, self))

    @property
    def on_screen(self) -> "Places":
        """The numbers that a page shows."""
        return Places(number + 1 for number in self)


def _encodable(value: object) -> object:
    """A text without halves of characters, which names of files and JSON may contain and no page can show."""
    return value.encode("utf-8", "replace").decode("utf-8") if type(value) is str else value


def _with_commas(name: str, value: object) -> object:
    return _WithCommas(value) if type(value) is int and name not in SPELLED else value


class _WithCommas(int):
    def __format__(self, format_spec: str) -> str:
        if "|" in format_spec:
            one, many = format_spec.split("|")
            return one if self == 1 else many
        return super().__format__(format_spec or ",")


def _shared_base() -> type[UserError]:
    """The base of errors, one for both names that this package has in a checkout: `except` catches those of both."""
    outer = "attention_atlas."
    other = __name__.removeprefix(outer) if __name__.startswith(outer) else outer + __name__
    module = sys.modules.get(other)
    is_same = module is not None and getattr(module, "__file__", None) == __file__
    return getattr(module, "UserError", UserError) if is_same else UserError


globals()["UserError"] = _shared_base()
