"""A page with the prints and pictures that a user meets first, of two versions of the package beside each other.

    python benchmarks/before_and_after.py --before CHECKOUT -o page.html [--only TEXT ...]

The cases are in `first_results.py`. The page holds its pictures, and says below each print how many lines it has.
"""

import argparse
from base64 import b64encode
from html import escape
from pathlib import Path

from two_versions import BEFORE, NOW, one_thread_each, pools_of

STYLE = """body { font: 15px sans-serif; margin: 1.5em } table { border-collapse: collapse; width: 100% }
td, th { vertical-align: top; text-align: left; border-top: 1px solid #bbb; padding: .6em; width: 50% }
pre { font-size: 12px; overflow-x: auto; max-width: 46vw } img { max-width: 46vw }"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--before", type=Path, required=True)
    parser.add_argument("--only", nargs="*", default=[""], help="cases whose titles hold one of these texts")
    parser.add_argument("-o", "--output", type=Path, default=Path("before_and_after.html"))
    arguments = parser.parse_args()
    one_thread_each()
    from first_results import PICTURES, PRINTS, drawn, printed

    pools = pools_of(arguments.before, 1)
    body, lines = [], {BEFORE: 0, NOW: 0}
    for title, cases, work, show in (("Prints", PRINTS, printed, _print), ("Pictures", PICTURES, drawn, _picture)):
        body.append(f"<h2>{title}</h2><table><tr><th>before</th><th>now</th></tr>")
        for name in (name for name in cases if any(text in name for text in arguments.only)):
            jobs = {version: pools[version].submit(work, name) for version in (BEFORE, NOW)}
            found = {version: job.result() for version, job in jobs.items()}
            if cases is PRINTS:
                counted = {version: len(text.splitlines()) for version, text in found.items()}
                lines = {version: lines[version] + counted[version] for version in lines}
                print(f"{name:40}  {counted[BEFORE]:4} lines before, {counted[NOW]:4} now", flush=True)
            code = f"<tr><td colspan=2><b>{escape(name)}</b> <code>{escape(cases[name])}</code></td></tr>"
            body.append(f"{code}<tr><td>{show(found[BEFORE])}</td><td>{show(found[NOW])}</td></tr>")
        body.append("</table>")
    print(f"{'all prints':40}  {lines[BEFORE]:4} lines before, {lines[NOW]:4} now")
    head = f"<!doctype html><meta charset=utf-8><title>Before and after</title><style>{STYLE}</style>"
    arguments.output.write_text(f"{head}<h1>Before and after</h1>{''.join(body)}", encoding="utf-8")


def _print(text: str) -> str:
    return f"<pre>{escape(text)}</pre>{len(text.splitlines())} lines"


def _picture(found: bytes | str) -> str:
    if isinstance(found, str):
        return _print(found)
    return f'<img alt="" src="data:image/png;base64,{b64encode(found).decode()}">'


if __name__ == "__main__":
    main()
