#!/bin/sh
# A shop with its automation, from files to production: a welcome mail, an approval by a second person, a payment that
# comes in signed, a call to a system that is down at first, and a report every night. What it does lies in
# examples/automation/config, which examples/promote.sh brings to test and from there to production.
#
#   npm start                     in one terminal
#   npm run example:automation    in another
#
# Other addresses: APP and M, as for examples/new-org.sh. It needs curl, tar and openssl.
set -eu
cd "$(dirname "$0")/.."
. examples/new-org.sh
work=$(mktemp -d)
trap 'kill "$receiver" 2>/dev/null || true; rm -r "$work"' EXIT
node examples/receiver.mjs 2 >"$work/address" &
receiver=$!

id() {
  sed 's/^{"id":"\([^"]*\)".*/\1/'
}

# WHAT COMMAND…: runs the command until it prints WHAT, for a minute at most.
await() {
  what=$1
  shift
  for _ in $(seq 300); do
    "$@" | grep -q "$what" && return
    sleep 0.2
  done
  echo "waited in vain for $what in: $*" >&2
  "$@" >&2
  exit 1
}

ask() {
  curl -sS --fail-with-body "$@"
}

deploy_key() {
  ask "$M/deploy/keys" -H "$BUILDER" -H "$JSON" -d '{"name": "'"$1"'", "scope": "'"$1"'"}' | member key
}

promote() {
  await http cat "$work/address"
  cp -R examples/automation/config "$work/config"
  sed -i.bak "s#http://localhost:4077#$(cat "$work/address")#" "$work/config/event/ship.json"
  rm "$work/config/event/ship.json.bak"
  FREEHOLD_MANAGEMENT_URL=$M FREEHOLD_PUBLISH_KEY=$(deploy_key publish) FREEHOLD_ACTIVATE_KEY=$(deploy_key activate) \
    examples/promote.sh "$work" >"$work/promotion" || { cat "$work/promotion"; exit 1; }
}

# USER_ID: lets a person enter and change orders, and no more than that.
let_work() {
  policy=$(ask "$A/create/aclpolicy" -H "$ann" -H "$JSON" -d '{"name": "orders", "statements": [
    { "Effect": "Allow", "Action": ["createorder", "updateorder"], "Resource": ["*"] }]}' | id)
  ask "$A/create/useraclpolicy" -H "$ann" -H "$JSON" -o /dev/null -d '{"user_id": "'"$1"'", "acl_policy_id": "'"$policy"'"}'
}

# Coming first makes no admin of production. No address can be verified here, so the org admin invites Ann as one.
invite_admin() {
  policy=$(ask "$M/acl/policies?env=$env&tenant_code=main&q=adminacl" -H "$BUILDER" | member id)
  code=$(ask "$M/org/workspaces/main/invitations" -H "$BUILDER" -H "$JSON" \
    -d '{"env": "'"$env"'", "email": "ann@example.com", "acl_policy_id": "'"$policy"'"}' | member code)
  ask "$A/user/acceptinvitation" -H "$ann" -H "$JSON" -o /dev/null -d '{"code": "'"$code"'"}'
}

# ID BODY: a message of the payment provider.
pay() {
  now=$(date +%s)
  signature=$(printf %s "$1.$now.$2" | openssl dgst -sha256 -hmac "$secret" -binary | openssl base64)
  ask "$A/hooks/payment?env=$env" -H "$JSON" -d "$2" \
    -H "webhook-id: $1" -H "webhook-timestamp: $now" -H "webhook-signature: v1,$signature"
}

# A day in the shop, in one environment.
day() {
  secret=$(openssl rand -hex 32)
  ask -X PUT "$M/secrets/payments?env=$env" -H "$BUILDER" -H "$JSON" -o /dev/null -d '{"value": "'"$secret"'", "hosts": []}'
  ann="Authorization: Bearer $(sign_in ann)"
  [ "$env" = test ] || invite_admin
  ben="Authorization: Bearer $(sign_in ben)"
  let_work "$(ask "$A/user/me" -H "$ben" | id)"

  ask "$A/create/customer" -H "$ann" -H "$JSON" -o /dev/null -d '{"name": "Eve", "email": "eve-'"$env@$ORG"'.example"}'
  await 'Welcome, Eve' ask "$M/inbox?to=eve-$env@$ORG.example"
  echo "$env: Eve has her welcome mail"

  order=$(ask "$A/create/order" -H "$ann" -H "$JSON" -d '{"title": "Lamp", "amount": 40}' | id)
  curl -s -X PUT "$A/update/order/$order" -H "$ann" -H "$JSON" -d '{"status": "approved"}' | grep -q own_order
  ask -X PUT "$A/update/order/$order" -H "$ben" -H "$JSON" -o /dev/null -d '{"status": "approved"}'
  echo "$env: Ann could not approve her own order, Ben has"

  first=$(pay msg_1 '{"order": "'"$order"'", "amount": 40}')
  [ "$first" = "$(pay msg_1 '{"order": "'"$order"'", "amount": 40}')" ]
  await '"status":"paid"' ask "$A/item/order/$order" -H "$ann"
  echo "$env: the order is paid, and the message that came twice counts once"

  await '"state":"delivered"' ask "$M/events/deliveries?env=$env&event=ship" -H "$BUILDER"
  echo "$env: the warehouse knows of it, after $(ask "$M/events/deliveries?env=$env&event=ship" -H "$BUILDER" |
    grep -o '"status":[0-9]*' | wc -l | tr -d ' ') calls"

  ask "$M/logicblocks/report/run?env=$env" -H "$BUILDER" -H "$JSON" -o /dev/null -d '{"tenant_code": "main"}'
  await '"block":"report"[^}]*}[^}]*"state":"done"' ask "$M/runs?env=$env&block=report" -H "$BUILDER"
  next=$(ask "$M/schedules?env=$env" -H "$BUILDER" | sed 's/.*"next":\["\([^"]*\)".*/\1/')
  echo "$env: the report is sent, and comes by itself at $next"
}

echo "org code $ORG"
prod=$(ask -X POST "$M/user/provision-prod" -H "$BUILDER" | member client_id)
promote
echo 'the files are live in test and in production'
env=test day
CLIENT_ID=$prod
env=prod day
