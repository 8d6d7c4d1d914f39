"""What agents wait for, in processor time: calls of `memgit mcp` and the hooks, beside git's own add and commit.

    python benchmarks/generate.py REPO --records 10000
    python benchmarks/agents.py REPO [--rounds 20] [--clients 8]

The repository is written to: give a copy. Each figure is the median of the rounds, in milliseconds of processor time
(user and system) of the server, or of the process and its children. `--clients` has so many servers record at once, and
says how many records a second that makes and whether any was lost.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import IO, Any

QUESTION = "How do I drain a queue before a canary is rolled out?"


class Server:
    """A server that is spoken to over its pipes."""

    def __init__(self, repo: Path) -> None:
        command = [sys.executable, "-m", "memgit", "-C", str(repo), "mcp"]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self._count = 0
        hello = {"name": "bench", "version": "1"}
        self.ask("initialize", protocolVersion="2025-06-18", capabilities={}, clientInfo=hello)
        self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def _send(self, message: dict[str, Any]) -> None:
        pipe: IO[bytes] = self._process.stdin  # type: ignore[assignment]
        pipe.write(json.dumps(message).encode() + b"\n")
        pipe.flush()

    def ask(self, method: str, **params: Any) -> dict[str, Any]:
        self._count += 1
        self._send({"jsonrpc": "2.0", "id": self._count, "method": method, "params": params})
        answer: dict[str, Any] = json.loads(self._process.stdout.readline())  # type: ignore[union-attr]
        if "error" in answer or answer["result"].get("isError"):
            raise SystemExit(str(answer)[:500])
        return answer

    def call(self, name: str, **arguments: Any) -> dict[str, Any]:
        return self.ask("tools/call", name=name, arguments=arguments)

    def spent(self) -> float:
        """Milliseconds of processor time so far, those of children among them."""
        fields = Path(f"/proc/{self._process.pid}/stat").read_text().rpartition(")")[2].split()
        return sum(map(int, fields[11:15])) * 1000 / os.sysconf("SC_CLK_TCK")

    def close(self) -> None:
        self._process.communicate()


def children() -> float:
    """Milliseconds of processor time of all children so far."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (used.ru_utime + used.ru_stime) * 1000


def measured(clock: Callable[[], float], work: Callable[[int], object], rounds: int, each: int = 1) -> float:
    """The median over rounds of what one of `each` calls costs."""
    costs = []
    for number in range(rounds):
        before = clock()
        for part in range(each):
            work(number * each + part)
        costs.append((clock() - before) / each)
    return statistics.median(costs)


def run(repo: Path, *command: str, data: bytes = b"") -> None:
    subprocess.run(command, cwd=repo, input=data, capture_output=True, check=True)


def together(repo: Path, clients: int, each: int) -> None:
    """Has clients with a server each record at once, and prints how fast that was and what was lost."""
    servers = [Server(repo) for _ in range(clients)]
    mark = f"Together {os.getpid()}"

    def work(number: int) -> None:
        for part in range(each):
            servers[number].call(
                "record",
                kind="memory",
                scope=f"client-{number}",
                title=f"{mark} {number} {part}",
                body="Drain.",
            )

    began = time.perf_counter()
    with ThreadPoolExecutor(clients) as pool:
        list(pool.map(work, range(clients)))
    took = time.perf_counter() - began
    for server in servers:
        server.close()
    log = subprocess.run(
        ["git", "log", "--format=%s", f"--grep={mark}"], cwd=repo, capture_output=True, text=True, check=True
    )
    lost = clients * each - len(set(log.stdout.splitlines()))
    run(repo, sys.executable, "-m", "memgit", "rebuild", "--check")
    print(f"{clients} clients at once: {clients * each / took:.1f} records a second, {lost} lost, no drift")


def hook(repo: Path, name: str, event: bytes, number: int) -> None:
    run(repo, sys.executable, "-m", "memgit", "agent", "hook", "claude-code", name, data=event)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("repo", type=Path)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--clients", type=int, default=0, help="record from so many servers at once as well")
    options = parser.parse_args()
    repo: Path = options.repo.resolve()
    rounds: int = options.rounds

    def by_git(number: int) -> None:
        path = repo / f"by-git-{os.getpid()}-{number}.txt"
        path.write_text("x\n")
        run(repo, "git", "add", path.name)
        run(repo, "git", "-c", "core.hooksPath=/dev/null", "commit", "-qm", "By git")

    server = Server(repo)
    server.call("recall", text=QUESTION, again=True)
    mark = os.getpid()
    body = "- Drain the queue, wait for zero, then roll out.\n- Watch the error rate."
    rows = {
        "git add + git commit": measured(children, by_git, rounds),
        "mcp record memory": measured(
            server.spent,
            lambda n: server.call("record", kind="memory", title=f"Memory {mark} {n}", body=body),
            rounds,
            5,
        ),
        "mcp record knowledge": measured(
            server.spent,
            lambda n: server.call(
                "record", kind="knowledge", category=f"bench-{n % 9}", title=f"Fact {mark} {n}", body=body
            ),
            rounds,
            5,
        ),
        "mcp recall": measured(
            server.spent, lambda n: server.call("recall", text=QUESTION, again=True), rounds, 5
        ),
        "mcp search": measured(
            server.spent, lambda n: server.call("search", query="drain queue canary"), rounds, 5
        ),
        "mcp context_bootstrap": measured(
            server.spent, lambda n: server.call("context_bootstrap"), rounds, 5
        ),
    }
    server.close()
    event = json.dumps({"session_id": f"bench-{mark}", "cwd": str(repo), "prompt": QUESTION}).encode()
    for name in ("start", "prompt"):
        rows[f"hook {name}"] = measured(children, partial(hook, repo, name, event), rounds)
    git = rows["git add + git commit"]
    for name, cost in rows.items():
        print(f"{name:24} {cost:7.1f} ms  {cost / git:5.2f} x git")
    if options.clients:
        together(repo, options.clients, rounds)


if __name__ == "__main__":
    main()
