"""Lending of simulators, with fakes: kept while nobody needs them more, capped, ended when idle, replaced when dead."""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator

import pytest

from tools.worlds.pool import Pool
from tools.worlds.world import WorldFault


class Process:
    def __init__(self) -> None:
        self.alive, self.ended = True, threading.Event()

    def end(self) -> None:
        self.alive = False
        self.ended.set()


class Simulator:
    def __init__(self, process: Process) -> None:
        self.process = process


class Episode:
    pass


@pytest.fixture
def pool() -> Iterator[Pool[Process, Simulator]]:
    made = Pool(Process, Simulator, cap=2, patience=0.05, idle=60)
    yield made
    made.close()


def test_an_episode_finds_its_simulator_again(pool: Pool[Process, Simulator]) -> None:
    one, two = Episode(), Episode()
    with pool.lend(one) as (first, ours):
        assert not ours
    with pool.lend(two) as (second, ours):
        assert not ours and second is not first and second.process is first.process
    for _ in range(2):
        with pool.lend(one) as (again, ours):
            assert ours and again is first


def test_the_one_unused_for_longest_is_taken_when_all_are_held(pool: Pool[Process, Simulator]) -> None:
    one, two, three = Episode(), Episode(), Episode()
    for episode in (one, two, one):
        with pool.lend(episode):
            pass
    with pool.lend(two) as (second, _):
        pass
    with pool.lend(one):
        pass
    with pool.lend(three) as (third, ours):
        assert third is second and not ours
    with pool.lend(one) as (_, ours):
        assert ours
    with pool.lend(two) as (_, ours):
        assert not ours


@pytest.mark.slow
def test_one_that_was_given_back_is_used_before_a_new_one(pool: Pool[Process, Simulator]) -> None:
    one, two = Episode(), Episode()
    with pool.lend(one) as (first, _):
        pass
    pool.give_back(one)
    with pool.lend(two) as (second, ours):
        assert second is first and not ours
    del two
    gc.collect()
    with pool.lend(one) as (third, ours):
        assert third is first and not ours


def test_who_waits_too_long_is_told(pool: Pool[Process, Simulator]) -> None:
    one, two, three = Episode(), Episode(), Episode()
    with (
        pool.lend(one),
        pool.lend(two),
        pytest.raises(WorldFault, match="All 2 running simulators are busy"),
        pool.lend(three),
    ):
        pass
    with pool.lend(three):
        pass


def test_a_failure_makes_the_episode_be_put_in_place_anew(pool: Pool[Process, Simulator]) -> None:
    one = Episode()
    with pytest.raises(ValueError, match="broken"), pool.lend(one):
        raise ValueError("broken")
    with pool.lend(one) as (_, ours):
        assert not ours


def test_a_dead_process_is_replaced(pool: Pool[Process, Simulator]) -> None:
    one = Episode()
    with pool.lend(one) as (first, _):
        pass
    first.process.end()
    assert pool.process() is None
    with pool.lend(one) as (second, ours):
        assert not ours and second.process.alive and second.process is pool.process()


def test_an_idle_process_is_ended_and_a_later_use_starts_another() -> None:
    pool = Pool(Process, Simulator, cap=2, patience=5, idle=0.01)
    one = Episode()
    try:
        with pool.lend(one) as (first, _):
            assert not first.process.ended.wait(0.1), "it is in use"
        assert first.process.ended.wait(30)
        with pool.lend(one) as (second, ours):
            assert not ours and second.process is not first.process
    finally:
        pool.close()
    assert second.process.ended.is_set()


def test_a_start_that_fails_fails_each_time_and_holds_no_place() -> None:
    def start() -> Process:
        raise WorldFault("No Java here.")

    pool = Pool(start, Simulator, cap=1, patience=0.05)
    for _ in range(3):
        with pytest.raises(WorldFault, match="No Java"), pool.lend(Episode()):
            pass
    pool.close()
    pool.close()
