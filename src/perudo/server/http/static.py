"""The page's files: asked about again each time, so that no browser mixes two versions of them."""

from __future__ import annotations

from typing import Any

from starlette.responses import Response
from starlette.staticfiles import StaticFiles


class PageFiles(StaticFiles):
    """Files that browsers keep, but use only after asking whether they are still the same."""

    def file_response(self, *args: Any, **kwargs: Any) -> Response:
        """A file, or that it has not changed."""
        response = super().file_response(*args, **kwargs)
        response.headers["cache-control"] = "no-cache"
        return response
