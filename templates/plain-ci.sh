#!/bin/sh
# Reviews what a branch does to the records of a memgit knowledge repository, in any CI: run it in the checkout of the branch, with memgit
# (pip install git+ADDRESS@COMMIT, ADDRESS being where memgit is) and git at hand. A checkout of one branch at depth 1 will do: what it
# lacks is fetched.
#
#   plain-ci.sh BASE [HEAD]        for example: plain-ci.sh main
#
# BASE is what the branch is to be merged into: a branch of the remote as it is now, or any revision. HEAD is the checkout's commit by
# default. Set in the environment:
#   MEMGIT_FOLDER    the knowledge root, by default the current folder
#   MEMGIT_OUT       where the review goes as Markdown, JSON and SARIF, by default memgit-review
#   MEMGIT_FAIL_ON   fail (default), warn or never
# Exits with 0 where the review lets the branch pass, 1 where it does not, 2 or 3 where no review could be made.
set -eu

if [ $# -eq 0 ]; then
  echo "usage: plain-ci.sh BASE [HEAD]  (BASE: what the branch is merged into, such as main)" >&2
  exit 2
fi
out=${MEMGIT_OUT:-memgit-review}
mkdir -p "$out"
out=$(cd "$out" && pwd)
exec memgit -C "${MEMGIT_FOLDER:-.}" review-job --base "$1" --head "${2:-HEAD}" --fail-on "${MEMGIT_FAIL_ON:-fail}" \
  --also markdown="$out/review.md" --also json="$out/review.json" --also sarif="$out/review.sarif"
