"""The two images of a quad over each other, with a divider to slide: what differs shows at the edge."""

from pathlib import Path

from backend.items import Protocol
from backend.store.queries import ItemDetail
from pages.item import boundary
from pages.shared.drawing import component
from pages.shared.drawing.thumbnails import source

HERE = Path(__file__).parent
#: Pixels of the larger side.
SIZE = 512

_component = component.load(
    "flipside_item_swipe",
    HERE / "swipe.js",
    html=(
        '<figure class="fs-swipe"><div class="fs-swipe-stage"><img alt=""><img alt=""><i></i>'
        '<input type="range" min="0" max="100" value="50" step="1"></div>'
        "<figcaption><span></span><span></span></figcaption></figure>"
    ),
    isolate_styles=False,
)


def fits(detail: ItemDetail) -> bool:
    """Whether an item has two images to lay over each other."""
    return detail.protocol == Protocol.QUAD and len(detail.image_uris) == 2 and all(map(source, detail.image_uris))


def draw(detail: ItemDetail) -> None:
    """The slider; images keep their shape, a smaller one is centred."""
    images = [source(uri, SIZE) for uri in detail.image_uris]
    _component(data={"images": images, "names": boundary.names(detail)}, key=f"swipe-{detail.item_id}")
