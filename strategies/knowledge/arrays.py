"""Numbers that a strategy brings along in data files, such as the weights of a network.

A declaration names the files: ``@player("net", ..., data=["weights.npz"])``. Their arrays are read
when the strategy is loaded, kept in memory, and handed over by address, so that other numbers
compile nothing. A kernel gets at them by :func:`numbers` and :func:`matrix`, counted through the
files in their order, and within a ``.npz`` in the order of its arrays.
"""

from __future__ import annotations

import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numba
import numpy as np

from simulate.compiled.kernels import intrinsic, kernel, record_at
from simulate.errors import StrategyError
from simulate.game.records import PARAMETERS

#: Where an array lies; one of no columns has one dimension. The first of a list tells, as `rows`,
#: how many follow.
ARRAY = np.dtype([("address", np.int64), ("rows", np.int64), ("columns", np.int64)], align=True)
ARRAY_TYPE: Any = numba.from_dtype(ARRAY)
#: Place among the parameters that tells a kernel where its arrays are listed.
DATA = PARAMETERS - 1
#: Bytes of numbers that a strategy may bring along.
MOST_BYTES = 2**28

_SIZE = ARRAY.itemsize


@intrinsic
def _pointer_at(typing_context: Any, address: Any) -> Any:
    """Address of float64 numbers as a pointer to them."""
    pointer = numba.types.CPointer(numba.types.float64)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.inttoptr(arguments[0], context.get_value_type(signature.return_type))

    return pointer(address), generate


@kernel
def _array(view: Any, index: int) -> Any:
    """ARRAY record of array number `index`."""
    listed = np.int64(view.params[DATA])
    if listed == 0 or index < 0 or index >= record_at(listed, ARRAY_TYPE).rows:
        raise IndexError("the data files of the strategy hold no array of that number")
    return record_at(listed + (index + 1) * _SIZE, ARRAY_TYPE)


@kernel
def numbers(view: Any, index: int) -> Any:
    """Array number `index` of a strategy's data files, as one row of numbers.

    Parameters
    ----------
    view : VIEW record
        As the strategy was given it.
    index : int64
        From 0 on, through all files.

    Returns
    -------
    float64 array, shape (n,)
        Not to be written to: all threads read the same numbers.

    Raises
    ------
    IndexError
        When there is no such array.
    """
    array = _array(view, index)
    size = array.rows * max(array.columns, np.int64(1))
    return numba.carray(_pointer_at(array.address), (size,))


@kernel
def matrix(view: Any, index: int) -> Any:
    """Array number `index` of a strategy's data files, which has two dimensions.

    Parameters
    ----------
    view, index
        As for :func:`numbers`.

    Returns
    -------
    float64 array, shape (rows, columns)
        Not to be written to. An array of one dimension is a column.
    """
    array = _array(view, index)
    columns = max(array.columns, np.int64(1))
    return numba.carray(_pointer_at(array.address), (array.rows, columns))


def read_arrays(files: Sequence[Path]) -> tuple[np.ndarray, list[np.ndarray]]:
    """Read the arrays of data files.

    Parameters
    ----------
    files : sequence of Path
        Each ``.npy`` or ``.npz``, of numbers in one dimension or two; nothing in them is run.

    Returns
    -------
    listed : ARRAY array
        Where each lies.
    arrays : list of float64 array
        To be kept for as long as `listed` is used.

    Raises
    ------
    StrategyError
        When a file cannot be read, or holds something else.
    """
    arrays = [_checked(file, name, array) for file in files for name, array in _read(file)]
    listed = np.zeros(1 + len(arrays), ARRAY)
    listed["rows"][0] = len(arrays)
    for place, array in enumerate(arrays, 1):
        columns = array.shape[1] if array.ndim == 2 else 0
        listed[place] = array.ctypes.data, array.shape[0], columns
    return listed, arrays


def _read(file: Path) -> list[tuple[str, Any]]:
    """Arrays of a file by name."""
    if file.suffix not in {".npy", ".npz"}:
        raise StrategyError(f"data file {file} is none: write it with numpy, as .npy or .npz")
    try:
        if file.suffix == ".npz":  # what it unpacks to stands in its directory
            with zipfile.ZipFile(file) as packed:
                size = sum(entry.file_size for entry in packed.infolist())
        else:
            size = file.stat().st_size
        if size > MOST_BYTES:
            raise StrategyError(f"data file {file} has {size:,} bytes: {MOST_BYTES:,} at most")
        content = np.load(file, allow_pickle=False)
        if isinstance(content, np.ndarray):
            return [(file.name, content)]
        with content:
            return [(f"{name} in {file.name}", content[name]) for name in content.files]
    except (OSError, ValueError, EOFError, zipfile.BadZipFile, MemoryError) as error:
        text = getattr(error, "strerror", None) or str(error).partition("\n")[0]
        raise StrategyError(f"data file {file} cannot be read: {text}") from error


def _checked(file: Path, name: str, array: Any) -> np.ndarray:
    """Array of float64 numbers in one piece."""
    if array.dtype.kind not in "biuf" or array.ndim not in {1, 2}:
        raise StrategyError(
            f"{name} ({file}) has {array.ndim} dimensions of {array.dtype}: a data file holds "
            "numbers in one dimension or two"
        )
    return np.ascontiguousarray(array, np.float64)
