"""Schedulers that are killed one after the other, each at a moment of its leadership: most of them while binds are under way."""
import collections
import random
import time
from typing import Callable

from .api import Object
from .objects import a_node
from .scheduler import Scheduler
from .wait import wait_until

Bound = dict[str, str]  # nodes, or requests for them, by pod; a pod is called after its gang: g7-0
LEAST_HITS = 0.4  # of the kills find a gang of which some are bound and some are not
MIDST = 0.8  # of the lives are counted from the first decision, the others from when it leads
SIZE = 16  # pods of a gang
BACKLOG = 10  # gangs that wait when a life begins
WRITES, BURST = 100, 20  # a second, and at once: slow enough to be caught in the act, and more than there is to bind in the longest life
GANGS_BEFORE, GANGS_PER_LIFE = 20, 8  # for which there must be room


def room(times: int, size: int = SIZE) -> list[Object]:
    """Nodes for all gangs that so many lives may need, four on each."""
    gangs = GANGS_BEFORE + times * GANGS_PER_LIFE
    return [a_node(f"n-{index}", cpu=str(4 * size)) for index in range(gangs // 4)]


class Kills:
    """A new leader first watches the Lease of its predecessor, and decides a moment after it leads: only then does a kill hit anything."""

    def __init__(self, size: int = SIZE, backlog: int = BACKLOG):
        self.size = size
        self.backlog = backlog
        self.gangs = 0  # made so far: g0, g1 and so on
        self.hits = 0  # kills that left a gang partly bound
        self.leaderless: list[tuple[float, float]] = []  # when nobody led
        self._chance = random.Random(7)
        self._killed = time.monotonic()
        self._waiting = 0

    def life(self, start: Callable[[], Scheduler], make_gang: Callable[[str], None], bound: Callable[[], Bound]) -> None:
        """From its start to its end, in which there is always more to bind than it can."""
        scheduler = start()
        while self._waiting < self.backlog * self.size:
            make_gang(f"g{self.gangs}")
            self.gangs += 1
            self._waiting += self.size
        scheduler.wait_for('"leading"')
        self.leaderless.append((self._killed, time.monotonic()))
        if self._chance.random() < MIDST:
            wait_until("it decides", lambda: '"decided"' in scheduler.text(), seconds=30, every=0.02)
        time.sleep(self._chance.uniform(0.02, 1.0))
        scheduler.kill()
        self._killed = time.monotonic()
        self._count(bound())

    def check(self, times: int) -> None:
        bound = self.gangs * self.size - self._waiting
        longest = max(end - start for start, end in self.leaderless)
        print(f"      {self.hits} of {times} kills hit a gang in the middle; {self.gangs} gangs; {bound / times:.0f} pods in a life; nobody led for {longest:.1f} s at most", flush=True)
        assert self.hits >= LEAST_HITS * times, f"only {self.hits} of {times} kills hit a gang in the middle"

    def _count(self, bound: Bound) -> None:
        gangs = collections.Counter(name.partition("-")[0] for name in bound)
        self.hits += any(count < self.size for count in gangs.values())
        self._waiting = self.gangs * self.size - len(bound)
