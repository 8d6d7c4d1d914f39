#!/bin/sh
# Reviews what a branch does to the records of a memgit knowledge repository, in any CI: run it in the checkout of the branch, with memgit
# (pip install memgit-kb) and git at hand.
#
#   plain-ci.sh BASE [HEAD]        for example: plain-ci.sh origin/main
#
# BASE is what the branch is to be merged into. HEAD is the checkout's commit by default. Set in the environment:
#   MEMGIT_FOLDER    the knowledge root, by default the current folder
#   MEMGIT_OUT       where the review goes as Markdown, JSON and SARIF, by default memgit-review
#   MEMGIT_FAIL_ON   fail (default), warn or never
# Exits with 0 where the review lets the branch pass, 1 where it does not, 2 or 3 where no review could be made.
set -eu

if [ $# -eq 0 ]; then
  echo "usage: plain-ci.sh BASE [HEAD]  (BASE: what the branch is merged into, such as origin/main)" >&2
  exit 2
fi
base=$1
head=${2:-HEAD}
folder=${MEMGIT_FOLDER:-.}
out=${MEMGIT_OUT:-memgit-review}

if [ "$(git -C "$folder" rev-parse --is-shallow-repository)" = true ]; then
  git -C "$folder" fetch --quiet --no-tags --unshallow ||
    echo "memgit: history could not be fetched; let the CI clone without a depth" >&2
fi

mkdir -p "$out"
out=$(cd "$out" && pwd)
code=0
memgit -C "$folder" review "$base...$head" \
  --also markdown="$out/review.md" --also json="$out/review.json" --also sarif="$out/review.sarif" || code=$?
if [ "$code" -gt 1 ]; then exit "$code"; fi

verdict=$(sed -n 's/.*"verdict": *"\([a-z]*\)".*/\1/p' "$out/review.json" | head -n 1)
case "${MEMGIT_FAIL_ON:-fail}:$verdict" in
  never:* | fail:pass | fail:warn | warn:pass) exit 0 ;;
  *) exit 1 ;;
esac
