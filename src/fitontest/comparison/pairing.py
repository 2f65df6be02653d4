"""From the results of candidates, each by itself, to their paired differences."""

from collections.abc import Mapping

from fitontest.comparison.calibrators import Calibrator
from fitontest.comparison.held_out import CandidateResult
from fitontest.comparison.paired import PairedLosses, Weighted


def rank_results(
    results: Mapping[str, CandidateResult], rows: Weighted, test_rows: Weighted | None, do_nothing: str
) -> list[Calibrator]:
    """Return the results with the paired differences of their losses, from the smallest held-out loss upwards."""
    n_parameters = {name: result.numbers["family"].n_parameters_ for name, result in results.items()}
    held_out = PairedLosses(rows, {name: result.losses for name, result in results.items()}, n_parameters)
    test_losses = {name: one.test_losses for name, one in results.items() if one.test_losses is not None}
    test = None if test_rows is None else PairedLosses(test_rows, test_losses, n_parameters)
    calibrators = [
        Calibrator(
            name=name,
            held_out=held_out.compute_score(name, do_nothing),
            test=None if test is None else test.compute_score(name, do_nothing),
            **result.numbers,
        )
        for name, result in results.items()
    ]
    return sorted(calibrators, key=lambda one: (one.held_out.score, one.n_parameters))
