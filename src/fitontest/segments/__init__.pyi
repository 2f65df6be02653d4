"""The public names of the companion and the files they come from."""

from .displays.tree import TreeDisplay as TreeDisplay
from .find import find_segments as find_segments
from .found_segments import FoundSegments as FoundSegments
from .maps.base import FeatureMap as FeatureMap
from .maps.boosted import BoostedMap as BoostedMap
from .maps.by_segment import SegmentLinesMap as SegmentLinesMap
from .maps.by_segment import SegmentOffsetsMap as SegmentOffsetsMap
from .maps.mixture import FeatureMixtureMap as FeatureMixtureMap
from .repair.boosted import Boosted as Boosted
from .repair.certified_offsets import CertifiedOffsets as CertifiedOffsets
from .repair.multicalibrated import Multicalibrated as Multicalibrated
from .repair.segment_offsets import SegmentOffsets as SegmentOffsets
from .repair.tree_of_maps import TreeOfMaps as TreeOfMaps
from .repair.trees.probability_calibration_tree import ProbabilityCalibrationTree as ProbabilityCalibrationTree
from .repair.trees.tree_calibrator import TreeCalibrator as TreeCalibrator
