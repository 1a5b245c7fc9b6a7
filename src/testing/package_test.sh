#!/bin/sh
# Makes the Debian package of the build tree, installs it into an empty root and uses what is there:
# tools, manual pages, completions, libraries through pkg-config.
# package_test.sh BUILD_DIR CONSUMER_DIR SCRATCH_DIR; exit code 77: this is no Debian.
set -eu
build=$1 consumer=$2 scratch=$3
for program in cpack dpkg-deb dpkg-shlibdeps pkg-config; do
  command -v "$program" >/dev/null || { echo "skipped: there is no $program"; exit 77; }
done
rm -rf "$scratch"
mkdir -p "$scratch/root/var/lib/dpkg/info" "$scratch/root/var/lib/dpkg/updates"
: >"$scratch/root/var/lib/dpkg/status"
(cd "$build" && cpack -G DEB -B "$scratch/package" >"$scratch/cpack.log") ||
  { cat "$scratch/cpack.log"; exit 1; }
package=$(echo "$scratch"/package/hlokit_*.deb)
root=$scratch/root
dpkg-deb -f "$package" Depends | grep -q 'libstdc++6'
if [ "$(id -u)" -eq 0 ]; then
  # What it depends on is in the machine's own root.
  dpkg --root="$root" --force-depends --install "$package" >"$scratch/dpkg.log" 2>&1 ||
    { cat "$scratch/dpkg.log"; exit 1; }
  dpkg-query --admindir="$root/var/lib/dpkg" -W -f='${Status}\n' hlokit | grep -q 'ok installed'
else
  dpkg-deb -x "$package" "$root"
fi

printf '%s\n' 'HloModule m' 'ENTRY e { p = f32[2] constant({1, 2}) ROOT r = f32[2] negate(p) }' \
  >"$scratch/m.hlo"
test "$("$root/usr/bin/hlo" run "$scratch/m.hlo")" = 'f32[2] {-1, -2}'
"$root/usr/bin/hlo" fmt "$scratch/m.hlo" >/dev/null
"$root/usr/bin/hlo-verify" "$scratch/m.hlo"
for tool in hlo hlo-fmt hlo-graph hlo-index hlo-run hlo-verify; do
  grep -q "^.SH NAME" "$root/usr/share/man/man1/$tool.1"
  bash -n "$root/usr/share/bash-completion/completions/$tool"
  test -s "$root/usr/share/zsh/vendor-completions/_$tool"
  test -s "$root/usr/share/fish/vendor_completions.d/$tool.fish"
done

PKG_CONFIG_PATH=$root/usr/lib/pkgconfig
export PKG_CONFIG_PATH
# Words that the shell has to split.
# shellcheck disable=SC2046
"${CXX:-c++}" $(pkg-config --cflags hlokit) "$consumer/consumer.cc" -o "$scratch/consumer" \
  $(pkg-config --libs hlokit)
"$scratch/consumer" | grep -q 'ROOT %r = f32\[2\]{0} negate(%p)'
