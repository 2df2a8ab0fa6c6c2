"""Groups of a plane by density: HDBSCAN (Campello, Moulavi, Sander 2013) of scikit-learn, equal on every processor.

`sklearn.cluster.HDBSCAN` (1.9) sorts the edges of its tree with numpy's quick sort, which orders equal ones as the
processor's instructions have it (AVX-512, AVX2 or none). Many are equal: a dot's own core distance is the length of
every edge to denser neighbours. Of five maps that ship, two had other groups under another order of equal edges, one
of them 15 instead of 16. Here equal edges stay in the order in which the tree found them.
"""

import numpy as np
from numpy.typing import NDArray


def hdbscan(places: NDArray[np.float64], smallest: int, neighbours: int) -> NDArray[np.intp]:
    """The group of each of n dots, -1 for none: (n,). places: (n, 2), finite; smallest: dots of the smallest group;
    neighbours: the distance to which of them, the dot itself counted, says how dense its place is. Groups are leaves of
    the condensed tree. scikit-learn's own steps (`_hdbscan_prims`, `tree_to_labels`) but for the sort."""
    from sklearn.cluster._hdbscan._linkage import make_single_linkage, mst_from_data_matrix
    from sklearn.cluster._hdbscan._tree import tree_to_labels
    from sklearn.metrics import DistanceMetric
    from sklearn.neighbors import KDTree

    places = np.ascontiguousarray(places, dtype=np.float64)
    core = np.ascontiguousarray(KDTree(places, leaf_size=40).query(places, neighbours)[0][:, -1])
    edges = mst_from_data_matrix(places, core, DistanceMetric.get_metric("euclidean"), 1.0)
    tree = make_single_linkage(edges[np.argsort(edges["distance"], kind="stable")])
    labels, _ = tree_to_labels(tree, smallest, "leaf", False, 0.0, None)
    return np.asarray(labels, np.intp)
