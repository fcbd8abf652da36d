"""Batches are copied on a stream of their own, ahead of the computation, which lags."""

import torch
from lag import MIB, catch_up, keep_blocks, lag, new, settle

main, copier = torch.cuda.current_stream(), torch.cuda.Stream()


# region loop
def copied_ahead(way: str, batches: int = 8) -> tuple[int, int]:
    """Blocks that the batches were given, and copies that are done in the end."""
    source = torch.empty(64 * MIB, dtype=torch.uint8, pin_memory=True)
    total, copies, kept, blocks = new(), [], [], set()
    keep_blocks(batches, copier)
    if way != "recorded, in step":
        lag(main)
    for _ in range(batches):
        if way == "two buffers" and len(kept) == 2:
            copier.wait_event(kept.pop(0)[1])  # after main has used the batch before the last
        with torch.cuda.stream(copier):
            batch = new()
            blocks.add(batch.data_ptr())
            batch.copy_(source, non_blocking=True)
            copies.append(copier.record_event())
        main.wait_event(copies[-1])
        total += batch
        if way.startswith("recorded"):
            batch.record_stream(main)
        if way == "waited for":
            copier.wait_stream(main)
        if way == "two buffers":
            kept.append((batch, main.record_event()))
        del batch
        if way == "recorded, in step":
            main.synchronize()
    settle()
    done = sum(copy.query() for copy in copies)
    catch_up(main)
    return len(blocks), done


# endregion


def main_program() -> None:
    new().add_(new())  # a real GPU loads the kernel with the first call
    print(f"{'':18}  blocks  copies done")
    for way in "nothing", "recorded", "recorded, in step", "waited for", "two buffers":
        torch.cuda.synchronize()
        torch.cuda.empty_cache()
        blocks, done = copied_ahead(way)
        print(f"{way:18}{blocks:8}{done:13}")


if __name__ == "__main__":
    main_program()
