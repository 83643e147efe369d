"""ONNX files that are cut off, garbage, or name files elsewhere."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from blindplay.speech.ctc.onnx_files import check_onnx_file
from blindplay.speech.models.folders import ModelError
from tests.speech.ctc.networks import echo


def test_a_whole_network_names_no_other_file(tmp_path: Path) -> None:
    assert check_onnx_file(echo(tmp_path) / "model.onnx") == ()


def test_weights_beside_the_network_are_found(tmp_path: Path) -> None:
    file = echo(tmp_path, external="weights.bin") / "model.onnx"
    assert check_onnx_file(file) == (tmp_path / "weights.bin",)
    (tmp_path / "weights.bin").unlink()
    with pytest.raises(ModelError, match=r"weights in weights.bin, which is not there"):
        check_onnx_file(file)


@pytest.mark.parametrize(
    "name",
    ["../secret", "/etc/passwd", "a/../../secret", "C:\\secret", "\\\\host\\x", "..\\secret", ""],
)
def test_weights_outside_of_the_folder_are_refused(name: str, tmp_path: Path) -> None:
    (tmp_path / "secret").write_bytes(bytes(4))
    file = echo(tmp_path / "model", external=name) / "model.onnx"
    with pytest.raises(ModelError, match="outside of its folder") as raised:
        check_onnx_file(file)
    assert "do not use this model" in str(raised.value)


def test_a_link_that_leads_out_of_the_folder_is_refused(tmp_path: Path) -> None:
    file = echo(tmp_path / "model", external="weights.bin") / "model.onnx"
    (tmp_path / "model" / "weights.bin").rename(tmp_path / "secret")
    try:
        (tmp_path / "model" / "weights.bin").symlink_to(tmp_path / "secret")
    except OSError:
        pytest.skip("this system does not let us make links")
    with pytest.raises(ModelError, match="outside of its folder"):
        check_onnx_file(file)


def test_weights_in_a_branch_of_the_graph_are_found(tmp_path: Path) -> None:
    from onnx import TensorProto, helper, save

    far = TensorProto(name="far", data_type=1, dims=[1], data_location=TensorProto.EXTERNAL)
    far.external_data.add(key="location", value="../far")
    node = helper.make_node("Constant", [], ["x"], value=far)
    inner = helper.make_graph([node], "inner", [], [helper.make_tensor_value_info("x", 1, [1])])
    branch = helper.make_node("If", ["c"], ["y"], then_branch=inner, else_branch=inner)
    outer = helper.make_graph([branch], "outer", [], [helper.make_tensor_value_info("y", 1, [1])])
    save(helper.make_model(outer), tmp_path / "model.onnx")
    with pytest.raises(ModelError, match="outside of its folder"):
        check_onnx_file(tmp_path / "model.onnx")


def test_a_file_cut_off_anywhere_or_garbage_is_one_sentence(tmp_path: Path) -> None:
    whole = (echo(tmp_path) / "model.onnx").read_bytes()
    chance = random.Random(1)
    file = tmp_path / "bad.onnx"
    pieces = [whole[:at] for at in chance.sample(range(len(whole)), 40)]
    garbage = [chance.randbytes(chance.randrange(200)) for _ in range(40)]
    deep = [b"\x3a\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01", b"\xff" * 50, b"\x0b" * 50, b""]
    for content in (*pieces, *garbage, *deep):
        file.write_bytes(content)
        try:
            check_onnx_file(file)
        except ModelError as error:
            assert "\n" not in str(error)
        else:
            # A file that ends between two parts is whole as far as can be seen; loading it tells.
            assert content in pieces


def test_a_missing_file_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="is damaged, or is of no network"):
        check_onnx_file(tmp_path / "model.onnx")
