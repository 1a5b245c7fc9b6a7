#!/bin/sh
# What hlo-run does with and without oneDNN: onednn_test.sh BIN_DIR SCRATCH_DIR
set -eu
run=$1/hlo-run scratch=$2
rm -rf "$scratch"
mkdir -p "$scratch/broken"
cd "$scratch"
cat >program.hlo <<'TEXT'
HloModule m
ENTRY e {
  x = f32[1,28,28,32] parameter(0)
  w = f32[3,3,32,16] parameter(1)
  ROOT y = f32[1,28,28,16] convolution(x, w), window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f
}
TEXT

fail() {
  echo "onednn_test: $1" >&2
  exit 1
}

# Never, and by default where it runs once only.
for options in --onednn=never --isa=scalar ''; do
  "$run" program.hlo $options --print-plan >plan
  ! grep -q oneDNN plan || fail "it has steps of a plan with '$options'"
done

# A library that cannot be loaded is like none.
echo none >broken/libdnnl.so.2
LD_LIBRARY_PATH=$PWD/broken "$run" program.hlo -q --repeat=2 --max-print=1 >/dev/null 2>&1 ||
  fail "its absence stops a run"
status=0
LD_LIBRARY_PATH=$PWD/broken "$run" program.hlo --onednn=always >absent 2>&1 || status=$?
[ "$status" -eq 2 ] && grep -q 'there is no oneDNN 2' absent || fail "its absence is not reported"

if ! "$run" program.hlo --onednn=always --print-plan >plan 2>/dev/null; then
  echo "there is no oneDNN here: the rest is skipped"
  exit 0
fi
grep -q 'convolution(.*oneDNN' plan || fail "it does not have the convolution"
"$run" program.hlo -q --onednn=always --profile --max-print=1 2>&1 | grep -q 'y (convolution, oneDNN' ||
  fail "a profile does not name it"
for threads in 1 2 3; do
  "$run" program.hlo -q --onednn=always --threads=$threads --output=@by$threads.npz >/dev/null
  cmp by1.npz by$threads.npz || fail "results depend on threads"
done
"$run" program.hlo -q --onednn=always --reference_backend=reference --abs_error_bound=1e-5 \
  --max-print=1 >/dev/null 2>&1 ||
  fail "it is not near the reference"
