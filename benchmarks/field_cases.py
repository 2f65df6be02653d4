"""What the package says of files and calls that went wrong before, under two versions.

    python benchmarks/field_cases.py --before CHECKOUT

prints a table of the cases of `field_inputs`: what the version in CHECKOUT says, and what this one says. Without
``--before`` it prints this version alone. `--only NAME`, which may be repeated, runs single cases.
"""

import argparse
from concurrent.futures import Executor
from pathlib import Path

from two_versions import BEFORE, NOW, one_thread_each, pools_of


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--before", type=Path, help="a checkout of an earlier version")
    parser.add_argument("--only", action="append", help="the name of a case")
    options = parser.parse_args()
    one_thread_each()
    answers = {version: answers_of(pool, options.only) for version, pool in pools_of(options.before, 1).items()}
    print("| case | " + " | ".join(version for version in (BEFORE, NOW) if version in answers) + " |")
    print("|---" * (1 + len(answers)) + "|")
    for name in answers[NOW]:
        found = [answers[version][name].replace("|", "/") for version in (BEFORE, NOW) if version in answers]
        print(f"| {name.replace('_', ' ')} | {' | '.join(found)} |", flush=True)


def answers_of(pool: Executor, only: list[str] | None) -> dict[str, str]:
    """Return the answers of one version, by case."""
    from field_inputs import CASES, answer

    return {name: pool.submit(answer, name).result() for name in CASES if only is None or name in only}


if __name__ == "__main__":
    main()
