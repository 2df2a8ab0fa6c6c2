"""Which name items keep that come under another one."""

import pytest

from backend.benchmarks.items_folder.folder import own_folder, write_own
from backend.benchmarks.items_folder.kept import keeps_name
from tests.benchmarks.items_folder.test_folder import some


@pytest.mark.usefixtures("flipside_cache")
def test_own_data_keep_their_name_as_long_as_they_are_here():
    """Failed before: an export of one's own data, imported as a copy, hid the original and broke its links."""
    benchmark, _ = some()
    assert not keeps_name("custom:mine", "custom:copy")  # nothing of that name is here
    write_own(own_folder("custom:mine"), benchmark)
    assert keeps_name("custom:mine", "custom:copy")
    assert not keeps_name("custom:mine", "custom:mine")
