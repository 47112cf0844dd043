# Signs up a builder with an organization of their own, for the examples in docs/. Source it from the root of a clone
# while a platform runs; it prints nothing and can be sourced again, since each org gets a code of its own:
#
#   . examples/new-org.sh
#
# It sets
#   M, A       the management gateway, and the app gateway with the org's path
#   ORG        the org code
#   CLIENT_ID  the app's client id in the test environment
#   TOKEN      the builder's session token
#   BUILDER    the header that sends it
#   ADMIN      the header with the app token of ann, who founds the workspace and is its admin
#   JSON       the header that says that a body is JSON
# and defines
#   sign_in NAME      prints an app token of NAME@example.com
#   member NAME       prints a member of the JSON object that it reads
#   define PATH JSON  posts JSON as the builder to a path of the management gateway, and prints nothing but a failure
# For other addresses set APP and M before.

M=${M:-http://127.0.0.1:4001}
ORG="guide$(date +%s)$$"
A=${APP:-http://127.0.0.1:4000}/app/$ORG
JSON='Content-Type: application/json'

member() {
  sed 's/.*"'"$1"'":"\([^"]*\)".*/\1/'
}

define() {
  curl -sS --fail -o /dev/null "$M/$1" -H "$BUILDER" -H "$JSON" -d "$2"
}

signup=$(curl -s "$M/auth/signup" -H "$JSON" -d '{"email":"builder@'"$ORG"'.example","password":"correct horse battery",
  "name":"Builder","org_name":"Guide","org_code":"'"$ORG"'"}')
TOKEN=$(printf %s "$signup" | member token)
CLIENT_ID=$(printf %s "$signup" | member client_id)
BUILDER="Authorization: Bearer $TOKEN"

sign_in() {
  login=$(curl -s "$A/login" -H "client_id: $CLIENT_ID" -H "$JSON" \
    -d '{"email":"'"$1"'@example.com","password":"also correct horse"}' | member token)
  curl -s "$A/token" -H "client_id: $CLIENT_ID" -H "oauthtoken: $login" | member token
}

ADMIN="Authorization: Bearer $(sign_in ann)"
