"""Builds the wheel of hlokit with CMake (PEP 517), without anything from the network."""
import base64
import hashlib
import os
import pathlib
import re
import subprocess
import sys
import sysconfig
import tempfile
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "src" / "python" / "hlokit"


def _version():
    text = (ROOT / "CMakeLists.txt").read_text(encoding="utf-8")
    return re.search(r"project\(hlokit VERSION ([0-9.]+)", text).group(1)


def _tag():
    tag = f"cp{sys.version_info.major}{sys.version_info.minor}"
    platform = re.sub(r"[-.]", "_", sysconfig.get_platform())
    return f"{tag}-{tag}-{platform}"


def _metadata():
    return (f"Metadata-Version: 2.1\nName: hlokit\nVersion: {_version()}\n"
            "Summary: XLA's HLO text: parse, verify, format, run\nRequires-Dist: numpy\n")


def _build_extension(folder):
    # An existing build may be used: that of another interpreter makes nothing this one can load.
    build = os.environ.get("HLOKIT_PYTHON_BUILD_DIR", folder)
    if build == folder:
        _configure(build)
    subprocess.run(["cmake", "--build", build, "--target", "_hlokit"], check=True)
    return next(pathlib.Path(build, "python", "hlokit").glob("_hlokit*.so"))


def _configure(build):
    subprocess.run(["cmake", "-S", str(ROOT), "-B", build, "-G", "Ninja",
                    "-DCMAKE_BUILD_TYPE=Release", "-DHLOKIT_BUILD_PYTHON=ON",
                    "-DHLOKIT_BUILD_TESTS=OFF", "-DHLOKIT_BUILD_BENCHMARKS=OFF",
                    f"-DHLOKIT_PYTHON={sys.executable}"], check=True)


def _write(wheel, records, name, data):
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    records.append(f"{name},sha256={digest},{len(data)}")
    wheel.writestr(zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0)), data)


def get_requires_for_build_wheel(config_settings=None):
    return []


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    info = f"hlokit-{_version()}.dist-info"
    wheel_name = f"hlokit-{_version()}-{_tag()}.whl"
    records = []
    with tempfile.TemporaryDirectory() as folder:
        extension = _build_extension(folder)
        with zipfile.ZipFile(os.path.join(wheel_directory, wheel_name), "w",
                             zipfile.ZIP_DEFLATED) as wheel:
            for path in [*sorted(PACKAGE.iterdir()), extension]:
                if path.is_file():
                    _write(wheel, records, f"hlokit/{path.name}", path.read_bytes())
            _write(wheel, records, f"{info}/METADATA", _metadata().encode())
            _write(wheel, records, f"{info}/WHEEL",
                   f"Wheel-Version: 1.0\nGenerator: hlokit\nRoot-Is-Purelib: false\n"
                   f"Tag: {_tag()}\n".encode())
            records.append(f"{info}/RECORD,,")
            wheel.writestr(f"{info}/RECORD", "\n".join(records) + "\n")
    return wheel_name
