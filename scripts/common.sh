# SPDX-License-Identifier: Apache-2.0
#
# What the scripts share: where they are, how they speak, how they install packages.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# What a build needs, and what the tests need on top.
BUILD_PACKAGES="g++ cmake ninja-build ccache libfmt-dev libboost1.81-dev nlohmann-json3-dev
  libopenblas-serial-dev zlib1g-dev libyaml-cpp-dev libzmq3-dev libhwloc-dev libexpat1-dev
  liblzma-dev libprotobuf-dev protobuf-compiler libsqlite3-dev dataset-fashion-mnist"
TEST_PACKAGES="libgtest-dev iproute2 libpmix-dev openmpi-bin libopenmpi-dev mpich libmpich-dev
  python3-mpi4py"

if [ -t 1 ]; then bold=$(printf '\033[1m'); plain=$(printf '\033[0m'); else bold=""; plain=""; fi
say() { printf '%s==> %s%s\n' "$bold" "$*" "$plain"; }
fail() { printf '%s: %s\n' "$(basename "$0")" "$*" >&2; exit 1; }

is_installed() { dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null | grep -qx installed; }

# Names what is missing and installs it; says nothing and does nothing when all is there.
install_packages() {
  command -v apt-get >/dev/null || fail "apt-get is not here: these scripts are for Debian 12"
  local package missing=""
  for package in "$@"; do
    is_installed "$package" || missing="$missing $package"
  done
  [ -n "$missing" ] || return 0
  local as_root=""
  if [ "$(id -u)" != 0 ]; then
    command -v sudo >/dev/null || fail "install these as root first:$missing"
    as_root=sudo
  fi
  say "installing$missing"
  # Lists a day old are good enough; a fresh machine has none.
  local lists=/var/lib/apt/lists
  if [ -z "$(find $lists -name '*_Packages*' -mtime -1 -print -quit 2>/dev/null)" ]; then
    $as_root env DEBIAN_FRONTEND=noninteractive apt-get update -qq || fail "apt-get update failed"
  fi
  # shellcheck disable=SC2086
  $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
    $missing >/dev/null || fail "apt-get could not install:$missing (try: apt-get update)"
}

# build PRESET [TARGET...]: with the tests; the set-up is repeated, as it costs a second and an
# older one may have been made without them.
build() {
  local preset=$1 log
  shift
  log=$(cmake --preset "$preset" -DRINGMASTER_TESTS=ON 2>&1) || {
    printf '%s\n' "$log" >&2
    fail "cmake could not set up build/$preset"
  }
  ninja -C "build/$preset" "$@"
}
