"""The public names of the companion and the files they come from."""

from .displays.tree import TreeDisplay
from .find import find_segments
from .found_segments import FoundSegments
from .maps.base import FeatureMap
from .maps.boosted import BoostedMap
from .maps.lines import SegmentLinesMap
from .maps.mixture import FeatureMixtureMap
from .maps.offsets import SegmentOffsetsMap
from .repair.boosted import Boosted
from .repair.certified_offsets import CertifiedOffsets
from .repair.multicalibrated import Multicalibrated
from .repair.segment_offsets import SegmentOffsets
from .repair.tree_of_maps import TreeOfMaps
from .repair.trees.probability_calibration_tree import ProbabilityCalibrationTree
from .repair.trees.tree_calibrator import TreeCalibrator

__all__ = [
    "Boosted",
    "BoostedMap",
    "CertifiedOffsets",
    "FeatureMap",
    "FeatureMixtureMap",
    "FoundSegments",
    "Multicalibrated",
    "ProbabilityCalibrationTree",
    "SegmentLinesMap",
    "SegmentOffsets",
    "SegmentOffsetsMap",
    "TreeCalibrator",
    "TreeDisplay",
    "TreeOfMaps",
    "find_segments",
]
