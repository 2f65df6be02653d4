"""How long public calls take in two versions of the package, as pairs of one run.

    python benchmarks/version_speed.py --before CHECKOUT

Each version has one process, and the two call in turn: read the ratio, now over before, which is the median over the
pairs.
"""

import argparse
from pathlib import Path
from statistics import median

from report import machine_facts, markdown
from two_versions import BEFORE, NOW, one_thread_each, pools_of


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--before", type=Path, required=True)
    parser.add_argument("--only", action="append", help="name of a call; may be repeated")
    arguments = parser.parse_args()
    one_thread_each()
    from speed_calls import CALLS, seconds

    pools = pools_of(arguments.before, 1)
    rows = []
    for name in arguments.only or CALLS:
        n, pairs, _ = CALLS[name]
        times = {version: [pool.submit(seconds, name).result()] for version, pool in pools.items()}  # to warm up
        for pair in range(pairs):
            order = list(pools) if pair % 2 else list(reversed(pools))
            for version in order:
                times[version].append(pools[version].submit(seconds, name).result())
        now, before = times[NOW][1:], times[BEFORE][1:]
        ratio = median(a / b for a, b in zip(now, before, strict=True))
        rows.append([name, f"{n:,}", f"{median(before):.4g}", f"{median(now):.4g}", f"{ratio:.3f}"])
    print(machine_facts())
    print(markdown(["call", "rows", "before (s)", "now (s)", "now / before"], rows))


if __name__ == "__main__":
    main()
