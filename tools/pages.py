"""The text of a PDF's pages; runs in a child process (tools/apart.py), so that it imports nothing heavy."""

from __future__ import annotations

from io import BytesIO

MOST_PAGES = 2_000
MOST_CHARACTERS = 20_000_000


def pages(data: bytes) -> list[str]:
    """One text a page. Raises ValueError with one word: locked, long or damaged."""
    import logging

    from pypdf import PdfReader

    logging.disable(logging.CRITICAL)
    texts, total = list[str](), 0
    try:
        reader = PdfReader(BytesIO(data))
        if reader.is_encrypted and not _opened(reader):
            raise ValueError("locked")
        for page in reader.pages:
            texts.append(page.extract_text())
            total += len(texts[-1])
            if len(texts) > MOST_PAGES or total > MOST_CHARACTERS:
                raise ValueError("long")
    except MemoryError:
        raise ValueError("long") from None
    except (Exception, RecursionError) as error:  # a broken file breaks pypdf in many ways
        raise ValueError(str(error) if str(error) in ("locked", "long") else "damaged") from None
    return texts


def _opened(reader: object) -> bool:
    """Some files are locked with an empty password."""
    try:
        return bool(reader.decrypt(""))  # type: ignore[attr-defined]
    except Exception:
        return False
