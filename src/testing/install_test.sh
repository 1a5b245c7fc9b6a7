#!/bin/sh
# Installs the build tree into a scratch prefix, builds the consumer project against it and runs
# it: install_test.sh BUILD_DIR CONSUMER_DIR SCRATCH_DIR
set -eu
build=$1 consumer=$2 scratch=$3
rm -rf "$scratch"
mkdir -p "$scratch"
cmake --install "$build" --prefix "$scratch/prefix" >"$scratch/install.log"
for tool in hlo-fmt hlo-index hlo-run hlo-verify; do
  "$scratch/prefix/bin/$tool" --version >/dev/null
done
cmake -S "$consumer" -B "$scratch/build" -G Ninja -DCMAKE_PREFIX_PATH="$scratch/prefix" \
  >"$scratch/configure.log"
cmake --build "$scratch/build" >"$scratch/build.log"
"$scratch/build/consumer" >"$scratch/out"
cat >"$scratch/expected" <<'TEXT'
HloModule m, entry_computation_layout={(f32[2]{0})->f32[2]{0}}

ENTRY %e (p: f32[2]) -> f32[2] {
  %p = f32[2]{0} parameter(0)
  ROOT %r = f32[2]{0} negate(%p)
}

TEXT
diff "$scratch/expected" "$scratch/out"

# The examples that came along are a project, too.
cmake -S "$scratch/prefix/share/doc/hlokit/examples" -B "$scratch/examples" -G Ninja \
  -DCMAKE_PREFIX_PATH="$scratch/prefix" >"$scratch/examples-configure.log"
cmake --build "$scratch/examples" >"$scratch/examples-build.log"
for example in first_program mlp_training_step attention_block; do
  "$scratch/examples/$example" >/dev/null
done
