"""Text for synthetic records: sentences about running software, from a seed alone.

A few hundred plain words carry each sentence, and a long tail of made ones follows a Zipf-like law, so that a
full-text index meets common and rare words as it would in notes that people wrote.
"""

from __future__ import annotations

import itertools
import random

TOPICS = {
    "shell": "pipe quote trap glob subshell redirect exit-code signal background job alias prompt".split(),
    "postgres": "vacuum index planner lock sequence replica schema migration bloat checkpoint cursor role".split(),
    "http": "header cache cookie redirect proxy timeout retry gateway range compression status body".split(),
    "python": (
        "import generator decorator wheel traceback context-manager slot typing packaging coroutine "
        "bytes loop"
    ).split(),
    "css": (
        "grid flexbox selector cascade viewport overflow margin specificity transition layer container "
        "breakpoint"
    ).split(),
    "deploy": "rollout canary image registry probe secret namespace quota ingress sidecar drain revision".split(),
    "queue": (
        "consumer offset backlog partition acknowledgement dead-letter ordering batch redelivery lag "
        "producer topic"
    ).split(),
    "testing": "fixture fake snapshot flake coverage seed isolation timeout property regression matrix assertion".split(),
    "security": "token scope rotation audit signature certificate session permission sandbox origin nonce salt".split(),
    "tracing": "span metric alert dashboard percentile sample label histogram baseline noise budget incident".split(),
}
VERBS = (
    "check keep raise drop split pin warm drain retry measure log bound rename merge verify flush rotate "
    "skip batch trim"
).split()
THINGS = (
    "worker client server release branch table file request build cluster service report job batch host "
    "region cache user"
).split()
QUALITIES = "slow stale large broken quiet noisy partial cold shared nested dead late".split()
SENTENCES = (
    "Before you {verb} the {term}, {verb} every {thing} that still holds a {quality} {term}.",
    "A {quality} {thing} is nearly always a {term} that nobody asked to {verb}.",
    "When the {thing} turns {quality}, look at the {term} first and at {rare} after that.",
    "We saw {rare} once a {thing} had more than {number} of them; {verb} the {term} below that.",
    "Set the {term} to {number}, then {verb} the {thing} and compare with {rare}.",
    "Never {verb} a {term} while a {quality} {thing} waits for {rare}.",
    "The {thing} reports {rare} only if its {term} is {quality}, so {verb} it by hand.",
    "It took {number} minutes to find that {rare} and the {term} share one {thing}.",
)
TITLES = (
    "{verb} the {term} before the {thing}",
    "{quality} {term} in the {thing}",
    "why {rare} breaks the {term}",
    "{term} and {term2} for a {quality} {thing}",
    "how to {verb} {rare} in a {quality} {thing}",
)


class Words:
    """A stream of text that depends on the seed alone."""

    def __init__(self, seed: int, tail: int = 20_000) -> None:
        self.rng = random.Random(seed)
        self._tail = self._made(tail)
        self._weights = list(itertools.accumulate(1 / (rank + 3) for rank in range(tail)))

    def _made(self, count: int) -> list[str]:
        """Words that nobody has seen, from syllables; the shortest are the commonest."""
        heads = "b br c d dr f fl g gl h j k kr l m n p pl qu r s sk st t tr v w z".split()
        hearts = "a e i o u ai ea oo".split()
        ends = "l m n r s t x nd rk sh".split()
        syllables = [head + heart for head in heads for heart in hearts]
        made: dict[str, None] = {}
        while len(made) < count:
            syllable_count = 1 if len(made) < 500 else 2 if len(made) < count // 2 else 3
            made["".join(self.rng.choices(syllables, k=syllable_count)) + self.rng.choice(ends)] = None
        return list(made)

    def rare(self) -> str:
        """One word of the tail."""
        return self.rng.choices(self._tail, cum_weights=self._weights)[0]

    def _fill(self, pattern: str, topic: str) -> str:
        rng = self.rng
        terms = TOPICS[topic]
        return pattern.format(
            verb=rng.choice(VERBS),
            thing=rng.choice(THINGS),
            quality=rng.choice(QUALITIES),
            term=rng.choice(terms),
            term2=rng.choice(terms),
            rare=self.rare(),
            number=rng.randint(2, 90),
        )

    def sentence(self, topic: str) -> str:
        return self._fill(self.rng.choice(SENTENCES), topic)

    def title(self, topic: str) -> str:
        """A title of four to nine words with a capital."""
        text = self._fill(self.rng.choice(TITLES), topic)
        return text[0].upper() + text[1:]

    def paragraph(self, topic: str, sentences: int = 3) -> str:
        return " ".join(self.sentence(topic) for _ in range(sentences))

    def points(self, topic: str, count: int) -> str:
        """A list of one sentence each."""
        return "\n".join(f"- {self.sentence(topic)}" for _ in range(count))

    def keywords(self, topic: str) -> tuple[str, ...]:
        """Three to five keywords, the topic among them."""
        return (topic, *self.rng.sample(TOPICS[topic], self.rng.randint(1, 3)), self.rare())
