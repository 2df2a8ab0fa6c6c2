import pytest

torch = pytest.importorskip("torch")
from torch import nn  # noqa: E402

from backend.teach.students.attention import OpenAttention, closed, opened  # noqa: E402


class Block(nn.Module):
    def __init__(self, first: bool, bias: bool):
        super().__init__()
        self.attn = nn.MultiheadAttention(16, 4, batch_first=first, bias=bias)
        self.other = nn.MultiheadAttention(16, 4, kdim=8, vdim=8)  # of several widths: stays


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("first", [True, False])
def test_it_computes_what_torch_s_own_does_and_goes_back(first, bias):
    torch.manual_seed(0)
    block = Block(first, bias).eval()
    for value in block.parameters():
        nn.init.normal_(value, std=0.3)
    x, y = torch.randn(5, 5, 16), torch.randn(5, 5, 16)
    causal = torch.full((5, 5), float("-inf")).triu(1)
    asked = [((x, x, x), None), ((x, x, x), causal), ((x, x, x), causal < 0), ((x, y, y), None), ((x, y, x), causal)]
    expected = [block.attn(*qkv, need_weights=False, attn_mask=mask)[0] for qkv, mask in asked]
    kept = {name: value.clone() for name, value in block.state_dict().items()}
    opened(block)
    assert isinstance(block.attn, OpenAttention)
    assert isinstance(block.other, nn.MultiheadAttention)
    for (qkv, mask), wanted in zip(asked, expected, strict=True):
        assert torch.allclose(block.attn(*qkv, attn_mask=mask)[0], wanted, atol=1e-6)
    closed(block)
    now = block.state_dict()
    assert now.keys() == kept.keys()
    assert all(torch.equal(now[name], kept[name]) for name in kept)
