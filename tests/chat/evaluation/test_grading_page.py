"""The page where a person grades: for this machine alone, under its own names."""

from __future__ import annotations

import pytest
from starlette.testclient import TestClient

from chat.evaluation.grading_page import build
from chat.evaluation.result import Result


def nothing() -> Result:
    raise AssertionError("nobody else reads the report")


@pytest.mark.parametrize(
    ("headers", "refusal"), [({"host": "evil.example"}, 421), ({"origin": "https://evil.example"}, 403)]
)
def test_pages_of_other_sites_reach_neither_the_report_nor_its_token(headers: dict[str, str], refusal: int) -> None:
    client = TestClient(build(nothing, "token"), base_url="http://127.0.0.1:7861")
    grade = {"key": "one|dual|0", "metric": "helpful", "score": 2}
    assert client.post("/grade", json=grade, headers=headers).status_code == refusal
    if "host" in headers:
        assert client.get("/", headers=headers).status_code == refusal
    assert client.post("/grade", json=grade).status_code == 403, "without the token"
