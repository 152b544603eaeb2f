# Shared by the launchers, which set $root to the checkout before they read this.

# As a virtual environment's `activate` does. A program that brings its own Python, as AppImages do,
# leaves it to the engines that it starts, whose Python then finds none of its modules.
unset PYTHONHOME

# Makes .venv ready to "run", "train" or "test" this checkout; at once if nothing changed since the
# last time. Leaves stdin and stdout alone: they belong to GTP.
set_up() {
  sources=$(cd "$root" && find core CMakeLists.txt pyproject.toml -type f -exec cksum {} +)
  state=$(cat "$root/.venv/set_up.state" 2>/dev/null) || state=
  case $1 in # what is ready to test is ready to train, and what that is, to run
    run) enough="run train test" least=10 ;;
    train) enough="train test" least=11 ;; # as Keras takes
    *) enough=$1 least=11 ;;
  esac
  for kind in $enough; do
    if [ "$state" = "$kind $root
$sources" ] && [ -x "$root/.venv/bin/python" ]; then
      return
    fi
  done
  python=$(find_python "$least")
  "$python" "$root/bin/set_up.py" "$1" "$sources" "$least" </dev/null >&2
}

# Prints the first Python that is 3.$1 or newer, or says that there is none.
find_python() {
  PATH=$PATH:/opt/homebrew/bin:/usr/local/bin # programs started by a macOS desktop lack these
  for python in python3 python3.14 python3.13 python3.12 python3.11 python3.10; do
    if "$python" -c 'import sys; sys.exit(sys.version_info < (3, int(sys.argv[1])))' "$1" \
      </dev/null 2>/dev/null; then
      command -v "$python"
      return
    fi
  done
  echo "gtpbot: no Python 3.$1 or newer found; \`python3 --version\` says:" \
    "$(python3 --version 2>&1 || true)" >&2
  echo "gtpbot: install one (https://www.python.org/downloads/, or your system's packages)" \
    "so that python3 or python3.NN is on the PATH, then start again" >&2
  return 1
}
