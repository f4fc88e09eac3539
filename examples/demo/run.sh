#!/bin/sh
# Lets a recorded model fix the bug of the demo project in a sandbox, shows the
# patch, and checks that nothing is left behind.
set -eu

drydock=$1
here=$(dirname "$0")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# A recording needs no key, and a developer's own settings must not change it.
unset OPENAI_API_KEY OPENAI_API_KEY_FILE OPENAI_BASE_URL OPENAI_MODEL || true

"$drydock" run --model "script:$here/turns.jsonl" --repo "$here/project" --run-dir "$work/run" \
	"Some of this project's tests fail. Find out why and fix the code." >"$work/answer"

echo
echo "--- the answer"
cat "$work/answer"
echo
echo "--- the patch"
cat "$work/run/patch.diff"
