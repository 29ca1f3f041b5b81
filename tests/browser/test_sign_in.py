"""Signing in at a provider of OpenID Connect, in a real Chromium before the real server."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.conftest import Server, running
from tests.security.provider import CLIENT, SECRET, Provider, providing

pytestmark = pytest.mark.browser


@pytest.fixture
def provider() -> Iterator[Provider]:
    """Another site than the page's, as a browser sees it."""
    with providing() as provider:
        provider.host = "localhost"
        yield provider


@pytest.fixture
def server(provider: Provider, tmp_path: Path) -> Iterator[Server]:
    env = {"DUET_OIDC_ISSUER": provider.issuer, "DUET_OIDC_CLIENT_ID": CLIENT, "DUET_OIDC_CLIENT_SECRET": SECRET}
    command = [sys.executable, "main.py", "serve", "--home", str(tmp_path), "--port"]
    server = Server(lambda port: [*command, str(port)], env)
    server.url += "sign-in"
    yield from running(server)


def test_a_person_signs_in_with_the_provider_and_out(
    browser: Browser, server: Server, provider: Provider, tmp_path: Path
) -> None:
    context = browser.new_context(viewport={"width": 800, "height": 600})
    page = context.new_page()
    page.goto(server.url)
    link = page.get_by_role("link", name=f"Sign in with localhost:{provider.port}")
    expect(link).to_be_visible()
    page.screenshot(path=str(tmp_path / "sign-in.png"))
    link.click()
    page.wait_for_selector("body.ready")
    page.goto(server.url.replace("sign-in", "account"))
    expect(page.get_by_text("You are ada.")).to_be_visible()
    page.get_by_role("button", name="Sign out").click()
    expect(link).to_be_visible()
    context.close()


def test_who_was_signed_out_elsewhere_is_told_so_and_keeps_what_was_typed(
    browser: Browser, server: Server, provider: Provider
) -> None:
    context = browser.new_context(viewport={"width": 800, "height": 600})
    page = context.new_page()
    page.goto(server.url)
    page.get_by_role("link", name=f"Sign in with localhost:{provider.port}").click()
    page.wait_for_selector("body.ready")
    page.get_by_role("textbox", name="Message").fill("half a thought")
    other = context.new_page()
    other.goto(server.url.replace("sign-in", "account"))
    other.get_by_role("button", name="Sign out").click()
    expect(other.get_by_role("link", name="Sign in with")).to_be_visible()
    page.evaluate("duet.again()")  # as when the line breaks
    expect(page.get_by_text("You are signed out. What you typed is kept.")).to_be_visible()
    page.get_by_role("link", name="Sign in again").click()
    page.get_by_role("link", name=f"Sign in with localhost:{provider.port}").click()
    page.wait_for_selector("body.ready")
    expect(page.get_by_role("textbox", name="Message")).to_have_value("half a thought")
    context.close()
