"""A model is quantized dynamically and called once: the calls whose path the article records."""

import warnings

from example import Scores, shown, x
from torch import Tensor
from torch.ao.quantization import quantize_dynamic

warnings.simplefilter("ignore")  # they are shown elsewhere
model = Scores()


# region path
def path() -> Tensor:
    """The layer is swapped, its weight is packed, and one call quantizes its input."""
    return quantize_dynamic(model)(x)


# endregion

if __name__ == "__main__":
    print(shown(path()))
