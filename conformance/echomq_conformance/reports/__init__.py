"""Reports as files: JSON with a published schema, and what is made of it for people and machines."""

from .badge import badge
from .document import SCHEMA, document, read_document, schema
from .junit import junit
from .markdown import markdown
from .page import page
from .writing import FORMS, write_reports

__all__ = [
    "FORMS",
    "SCHEMA",
    "badge",
    "document",
    "junit",
    "markdown",
    "page",
    "read_document",
    "schema",
    "write_reports",
]
