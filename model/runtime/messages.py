"""Errors whose message is one sentence for the reader, kept in a form that another floor can translate."""


class UserError(Exception):
    """An error that says in one sentence what is wrong and what to do.

    Attributes:
        template: the English sentence with `{name}` where a value stands; the key under which a translation is found.
        values: name -> what stands there. `str(error)` is the English sentence with the values in it.
    """

    def __init__(self, template: str, /, **values: object) -> None:
        super().__init__(template.format(**values) if values else template)
        self.template, self.values = template, values
