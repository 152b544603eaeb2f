"""Files of arrays: what is damaged or hostile is refused before room is made for it."""

import io
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

import numpy as np
import pytest

from nets.train.arrays import names_of_arrays, read_arrays, write_arrays


def promising(path: Path, header: dict[str, object], content: bytes, version: int = 1) -> Path:
    """A file whose array `a` has such a header."""
    text = repr(header).encode()
    text += b" " * (-(len(text) + 11) % 64) + b"\n"
    length = len(text).to_bytes(2 if version == 1 else 4, "little")
    magic = b"\x93NUMPY" + bytes([version, 0])
    with ZipFile(path, "w", ZIP_DEFLATED) as archive:
        archive.writestr("a.npy", magic + length + text + content)
    return path


def test_what_is_written_is_read(tmp_path: Path) -> None:
    arrays = {"a": np.arange(12).reshape(3, 4), "b": np.array("text"), "c": np.zeros((0, 5))}
    write_arrays(tmp_path / "x.npz", arrays)
    assert names_of_arrays(tmp_path / "x.npz") == set(arrays)
    read = read_arrays(tmp_path / "x.npz")
    assert read.keys() == arrays.keys()
    for name, array in arrays.items():
        np.testing.assert_array_equal(read[name], array)
    assert read_arrays(tmp_path / "x.npz", "b").keys() == {"b"}
    with pytest.raises(KeyError):
        read_arrays(tmp_path / "x.npz", "d")


@pytest.mark.parametrize("version", [1, 2])
def test_a_header_of_either_format_is_understood(tmp_path: Path, version: int) -> None:
    header = {"descr": "<i4", "fortran_order": False, "shape": (2,)}
    content = np.arange(2, dtype=np.int32).tobytes()
    path = promising(tmp_path / "x.npz", header, content, version)
    assert read_arrays(path)["a"].tolist() == [0, 1]


@pytest.mark.parametrize(
    ("descr", "shape", "said"),
    [
        ("<i8", (10**13,), "array 'a': promises 80,000,000,000,000 bytes, of 144 in the file"),
        ("<i8", (10**7, 10**7), "array 'a': promises 800,000,000,000,000 bytes, of "),
        ("<i8", (3,), "expected 24 bytes got 16"),
        ("<U999999999", (), "not a valid dtype"),
    ],
)
def test_more_than_a_file_holds_is_refused(
    tmp_path: Path, descr: str, shape: tuple[int, ...], said: str
) -> None:
    header = {"descr": descr, "fortran_order": False, "shape": shape}
    path = promising(tmp_path / "x.npz", header, bytes(16))
    with pytest.raises(ValueError, match=said):
        read_arrays(path)


def test_an_array_without_a_name_is_not_read(tmp_path: Path) -> None:
    buffer = io.BytesIO()
    np.save(buffer, np.arange(3))
    (tmp_path / "x.npz").write_bytes(buffer.getvalue().replace(b"(3,)", b"(10000000000000,)"))
    with pytest.raises(ValueError, match="expected named arrays, found one without a name"):
        read_arrays(tmp_path / "x.npz")


@pytest.mark.parametrize("content", [b"", b"PK", b"PK\x03\x04" + bytes(80), b"text", bytes(99)])
def test_what_is_no_file_of_arrays_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "x.npz").write_bytes(content)
    for read in (read_arrays, names_of_arrays):
        with pytest.raises(ValueError, match=r".+"):
            read(tmp_path / "x.npz")
