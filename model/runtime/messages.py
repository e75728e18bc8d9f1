"""Errors whose message is one sentence for the user, in a form that another layer can translate."""


class Template(str):
    """The English sentence of an error that is kept as a constant; `tools/messages.py` collects it for translators."""


class UserError(Exception):
    """An error whose message states in one sentence what is wrong and what to do.

    Attributes:
        template: the English sentence with `{name}` in place of each value; the key of its translations.
        values: name -> value. `str(error)` is the English sentence with the values in it.
    """

    def __init__(self, template: str, /, **values: object) -> None:
        super().__init__(template.format(**values) if values else template)
        self.template, self.values = template, values
