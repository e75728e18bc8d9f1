"""The version of this program: shown in the menu of every page, in `/healthz` and in every exported view."""

VERSION = "1.1.0"
