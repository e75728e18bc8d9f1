"""The version of this program: on every page's menu, in `/healthz` and in every exported view."""

VERSION = "1.1.0"
