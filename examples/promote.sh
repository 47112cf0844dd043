#!/bin/sh
# From a repository to production, for a pipeline: what lies in the folder `config` becomes the configuration of test,
# and what is the same there is published and made live.
#
#   FREEHOLD_PUBLISH_KEY=fhd_… FREEHOLD_ACTIVATE_KEY=fhd_… examples/promote.sh [folder that holds config]
#
# Without FREEHOLD_ACTIVATE_KEY it ends with staged items, for a review and an activation. With DRY_RUN=1 it
# only tells what would change. Another address: FREEHOLD_MANAGEMENT_URL.
set -eu
url=${FREEHOLD_MANAGEMENT_URL:-http://127.0.0.1:4001}
folder=${1:-.}
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT

# The key goes in by a pipe: the arguments of a program are visible to every user who may list processes.
call() {
  key=$1 method=$2 path=$3
  shift 3
  printf 'header = "Authorization: Bearer %s"\n' "$key" |
    curl --config - --silent --show-error --fail-with-body --request "$method" "$@" "$url$path" >"$work/reply" ||
    { cat "$work/reply" >&2; echo >&2; exit 1; }
}

bring() {
  call "$FREEHOLD_PUBLISH_KEY" POST "/deploy/import?remove=true$1" \
    --header 'Content-Type: application/x-tar' --data-binary "@$work/config.tar"
}

tar -C "$folder" -cf "$work/config.tar" config
bring ''
cat "$work/reply"
echo
grep -q '"problems":\[\]' "$work/reply" || { echo 'the import would be refused' >&2; exit 1; }
[ "${DRY_RUN:-}" = 1 ] && exit 0
bring "&base=$(sed 's/^{"base":"\([^"]*\)".*/\1/' "$work/reply")"

call "$FREEHOLD_PUBLISH_KEY" GET /deploy/diff
grep -q '"items":\[\]' "$work/reply" && { echo 'production is like that already'; exit 0; }
call "$FREEHOLD_PUBLISH_KEY" POST /deploy/publish \
  --header 'Content-Type: application/json' --data "{\"all\": true, \"note\": \"${NOTE:-by a pipeline}\"}"
cat "$work/reply"
echo
[ -n "${FREEHOLD_ACTIVATE_KEY:-}" ] || exit 0
call "$FREEHOLD_ACTIVATE_KEY" POST /deploy/activate
cat "$work/reply"
echo
