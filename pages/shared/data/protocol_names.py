"""What protocols are called for people."""

from backend.protocols import Protocol

#: Protocol -> its items, in words; quads first.
PROTOCOLS = {str(protocol): protocol.info.title for protocol in (Protocol.QUAD, *Protocol)}
