#!/bin/sh
# The browser tests, with the Chromium that is here or can be had. Where none can, it says so and leaves them out.
# usage: tests/browser/run.sh PYTHON      DUET_CHROMIUM names a Chromium of your own
cd "$(dirname "$0")/../.." || exit 1
python=${1:-python3}

found() {
    for name in "$DUET_CHROMIUM" chromium chromium-browser google-chrome google-chrome-stable; do
        if [ -n "$name" ] && command -v "$name"; then return 0; fi
    done
    "$python" - <<'END'
import pathlib, sys
from playwright.sync_api import sync_playwright
with sync_playwright() as playwright:
    path = playwright.chromium.executable_path
sys.exit(print(path) if pathlib.Path(path).exists() else 1)
END
}

starts() {
    "$1" --headless --no-sandbox --disable-gpu --dump-dom about:blank >/dev/null 2>&1
}

left_out() {
    echo "The browser tests are left out: $1."
    echo "  Install Chromium (Debian: apt-get install chromium) or set DUET_CHROMIUM, then: make test"
    exit 0
}

if ! chromium=$(found 2>/dev/null); then
    echo "No Chromium here: asking playwright for its own ..."
    "$python" -m playwright install chromium >/dev/null 2>&1 || left_out "there is no Chromium, and none could be fetched"
    chromium=$(found 2>/dev/null) || left_out "there is no Chromium, not even after playwright's install"
fi
starts "$chromium" || left_out "$chromium does not start here"
echo "Browser tests with $chromium"
DUET_CHROMIUM=$chromium exec "$python" -m pytest -n auto --dist loadfile -m browser
