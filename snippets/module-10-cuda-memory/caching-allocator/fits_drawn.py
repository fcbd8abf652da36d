"""Two sequences of requests: in one best fit takes less from the driver, in the other first fit does."""

from simulator import Allocator, MiB, Order, best_fit, first_fit


# region drawn
def after(order: Order, holes: list[int], requests: list[int]) -> Allocator:
    """Segments of these sizes, oldest first, which are cached; then these requests. All in MiB."""
    allocator = Allocator(1 << 40, order)
    for block in [allocator.malloc(size * MiB) for size in holes]:
        allocator.free(block)
    for size in requests:
        allocator.malloc(size * MiB, f"{size}")
    return allocator


def tell(lane: str, allocator: Allocator) -> None:
    end = 0
    for blocks in allocator.snapshot():
        for block in blocks:
            begin, end = end, end + block.size // MiB
            print(lane, begin, end, block.owner or "-", sep="  ")


def main() -> None:
    print("lane", "from", "to", "name", sep="  ")
    for name, holes, requests in (
        ("20, 40", [40, 20], [20, 40]),
        ("10, 20, 24", [30, 26], [10, 20, 24]),
    ):
        for order in best_fit, first_fit:
            tell(f"{order.__name__}: {name}", after(order, holes, requests))


# endregion

if __name__ == "__main__":
    main()
