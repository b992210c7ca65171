"""The page's files, revalidated on every use so that no browser mixes two versions of them."""

from __future__ import annotations

from typing import Any

from starlette.responses import Response
from starlette.staticfiles import StaticFiles


class PageFiles(StaticFiles):
    """Static files that browsers may cache, but must revalidate before use."""

    def file_response(self, *args: Any, **kwargs: Any) -> Response:
        """Return a file, or 304 if it has not changed."""
        response = super().file_response(*args, **kwargs)
        response.headers["cache-control"] = "no-cache"
        return response
