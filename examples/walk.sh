#!/usr/bin/env bash
#
# A walk through Guildhall's API with nothing but curl: two people sign up, share an organization and delete their
# accounts. A tenant admin lists users, and creates and deletes a third account. The walk calls all eighteen endpoints of
# the core, shows each request with its answer, and stops at the first unexpected answer.
#
#   MAILBOX_KEY=… SETUP_TOKEN=… examples/walk.sh [http://localhost:3000]
#
# `npm start` prints both values. You can also pass the whole addresses, as variables or as arguments:
#
#   examples/walk.sh 'http://localhost:3000/mailbox#…' 'http://localhost:3000/set-up#token=…'
#
# The set-up link works once. For another walk, pass the admin instead:
#
#   ADMIN_EMAIL=… ADMIN_PASSWORD=… examples/walk.sh 'http://localhost:3000/mailbox#…'

set -u
export LC_ALL=C

endpoints='GET    /api/organizations
POST   /api/organizations
GET    /api/organizations/:orgId
PATCH  /api/organizations/:orgId
DELETE /api/organizations/:orgId
GET    /api/organizations/:orgId/members
POST   /api/organizations/:orgId/invites
POST   /api/invites/:inviteId/accept
PATCH  /api/organizations/:orgId/members/:memberId
DELETE /api/organizations/:orgId/members/:memberId
GET    /api/users/me
PATCH  /api/users/me
DELETE /api/users/me
POST   /api/users/me/password
GET    /api/users/me/devices
DELETE /api/users/me/devices/:deviceId
GET    /api/users/me/audit
GET    /api/admin/users'

# --- Sending requests --------------------------------------------------------------------------------------------------

calls=0
answered='' # the endpoints that gave the expected answer, one per line
status=''   # of the last call
answer=''   # the body of the last call

stop() {
  printf '\nThe walk stops: %s\n' "$1" >&2
  exit 1
}

step() { printf '\n== %s\n' "$1"; }

# send METHOD PATH [BODY] [curl options…]: sets `status` and `answer`.
send() {
  local method=$1 path=$2 body=${3-} reply
  shift $(($# < 3 ? $# : 3))
  set -- --request "$method" "$@"
  if [ -n "$body" ]; then set -- --header 'Content-Type: application/json' --data-binary @- "$@"; fi
  reply=$(printf '%s' "$body" | curl --disable --silent --show-error --noproxy '*' --max-time 30 \
    --write-out '\n%{http_code}' "$@" "$base$path") || stop "curl could not reach $base$path. Does the service run there?"
  status=${reply##*$'\n'}
  answer=${reply%$'\n'*}
}

# call STATUS METHOD PATH [BODY] [curl options…]: sends, shows, and stops unless the status is the one expected.
call() {
  local expected=$1
  shift
  calls=$((calls + 1))
  printf '\n-> %s %s\n' "$1" "$2"
  if [ -n "${3-}" ]; then show "$3"; fi
  send "$@"
  printf '<- %s\n' "$status"
  show "$answer"
  [ "$status" = "$expected" ] || stop "$1 $2 answered $status; expected was $expected.$(hint "$2")"
  # An expected refusal does not count as an answer of the endpoint.
  if [ "$status" -lt 300 ]; then answered="$answered$(endpoint_of "$1" "$2")"$'\n'; fi
}

# hint PATH: prints what may help after an unexpected answer.
hint() {
  if [ "$1 $status" = '/api/setup 410' ]; then
    printf ' A set-up link works once, and each start replaces it. Take the newest, or name the admin that it made instead: %s' \
      'ADMIN_EMAIL=… ADMIN_PASSWORD=…'
  fi
}

# as PERSON call …: makes the call with that person's session token.
as() {
  local token=$1
  shift
  if [ $# -lt 5 ]; then set -- "$@" ''; fi
  "$@" --header "Authorization: Bearer $token"
}

# endpoint_of METHOD PATH: prints the endpoint in the form of the list at the top.
endpoint_of() {
  printf '%-6s %s' "$1" "$2" |
    sed -E -e 's/\?.*//' -e 's/org_[0-9a-z]{26}/:orgId/' -e 's/mem_[0-9a-z]{26}/:memberId/' \
      -e 's/inv_[0-9a-z]{26}/:inviteId/' -e 's/dev_[0-9a-z]{26}/:deviceId/'
}

# show JSON: prints it without its secrets, folded and indented.
show() {
  if [ -z "$1" ]; then return; fi
  printf '%s\n' "$1" |
    sed -E -e 's/("([a-zA-Z]*[pP]assword)":)"([^"\\]|\\.)*"/\1"…"/g' -e 's/(gh[smu]_[0-9a-z]{26}\.)[A-Za-z0-9_.-]+/\1…/g' |
    sed -e 's/","/", "/g' -e 's/,"/, "/g' -e 's/":/": /g' -e 's/,  */, /g' -e 's/},{/}, {/g' |
    fold -s -w 112 | sed 's/^/     /'
}

# --- Reading answers ---------------------------------------------------------------------------------------------------

# id PREFIX: prints the first id of that type in the last answer.
id() { printf '%s' "$answer" | grep -Eo "\"$1_[0-9a-z]{26}\"" | head -n 1 | tr -d '"'; }

# field NAME: prints the first text of that name in the last answer.
field() { printf '%s' "$answer" | grep -Eo "\"$1\":\"[^\"]*\"" | head -n 1 | cut -d '"' -f 4; }

# has TEXT: stops unless the last answer contains it.
has() {
  case $answer in
  *"$1"*) ;;
  *) stop "the last answer does not contain $1." ;;
  esac
}

# mailed_token ADDRESS PAGE: sets `mail_token` to the token in the newest mail. The queue may take a moment to send it.
mailed_token() {
  local tries=0 token
  while [ $tries -lt 100 ]; do
    send GET "/api/mailbox?to=$1&limit=1" '' --header "Guildhall-Mailbox-Key: $mailbox_key"
    [ "$status" = 200 ] || stop "the mailbox answered $status. Is MAILBOX_KEY the one that this start printed?"
    token=$(printf '%s' "$answer" | grep -Eo "/$2#token=[A-Za-z0-9_.-]+" | head -n 1)
    if [ -n "$token" ]; then
      printf '\n   (mailbox: "%s", to %s)\n' "$(field subject)" "$1"
      mail_token=${token#*=}
      return
    fi
    tries=$((tries + 1))
    sleep 0.1
  done
  stop "no mail with a link to /$2 came to $1."
}

# quote TEXT: prints it as JSON.
quote() { printf '"%s"' "$(printf '%s' "$1" | sed 's/[\\"]/\\&/g')"; }

random() { od -An -N "$1" -tx1 /dev/urandom | tr -d ' \n'; }

# --- Arguments ---------------------------------------------------------------------------------------------------------

base=''
mailbox_key=${MAILBOX_KEY-}
setup_token=${SETUP_TOKEN-}
admin_email=${ADMIN_EMAIL-}
admin_password=${ADMIN_PASSWORD-}

for given in "$@"; do
  case $given in
  http*'/mailbox#'*) mailbox_key=$given ;;
  http*'#token='*) setup_token=$given ;;
  http*) base=$given ;;
  *) stop "\"$given\" is not an address." ;;
  esac
done
case $mailbox_key in http*) : "${base:=${mailbox_key%%/mailbox#*}}" ;; esac
case $setup_token in http*) : "${base:=${setup_token%%/set-up#*}}" ;; esac
base=${base:-http://localhost:3000}
base=${base%/}
mailbox_key=${mailbox_key#http*/mailbox#}
setup_token=${setup_token#http*/set-up#token=}

[ -n "$mailbox_key" ] || stop 'set MAILBOX_KEY to what the start prints after /mailbox#.'
if [ -z "$setup_token" ] && { [ -z "$admin_email" ] || [ -z "$admin_password" ]; }; then
  stop 'set SETUP_TOKEN to what the start prints after /set-up#token=, or ADMIN_EMAIL and ADMIN_PASSWORD to an admin of yours.'
fi

stamp=$(date +%Y%m%d%H%M%S)-$$
ann_email="ann-$stamp@example.com"
anns_next_email="ann.archer-$stamp@example.com"
ben_email="ben-$stamp@example.com"
cleo_email="cleo-$stamp@example.com"
old_password="old-$(random 8)"
new_password="new-$(random 8)"
last_password="last-$(random 8)"

# --- The walk ----------------------------------------------------------------------------------------------------------

step 'The admin of the tenant'
if [ -n "$setup_token" ]; then
  : "${admin_email:=admin-$stamp@example.com}" "${admin_password:=$(random 12)}"
  call 201 POST /api/setup \
    "{\"token\":\"$setup_token\",\"email\":$(quote "$admin_email"),\"password\":$(quote "$admin_password"),\"name\":\"Ada\"}"
  printf '\n   For another walk, beside the mailbox: ADMIN_EMAIL=%s ADMIN_PASSWORD=%s\n' "$admin_email" \
    "$([ -n "${ADMIN_PASSWORD-}" ] && printf '(yours)' || printf %s "$admin_password")"
else
  call 200 POST /api/auth/sign-in "{\"email\":$(quote "$admin_email"),\"password\":$(quote "$admin_password")}"
fi
admin=$(field token)
has '"role":"admin"'

step 'Ann signs up and verifies her address'
call 201 POST /api/auth/sign-up "{\"email\":\"$ann_email\",\"password\":\"$old_password\",\"name\":\"Ann\"}"
ann=$(field token)
mailed_token "$ann_email" verify-email
as "$ann" call 200 POST /api/auth/verify-email "{\"token\":\"$mail_token\"}"
as "$ann" call 200 GET /api/users/me
has '"emailVerified":true'
as "$ann" call 200 PATCH /api/users/me '{"name":"Ann Archer","locale":"en-GB","timeZone":"Europe/Lisbon","metadata":{"theme":"dark"}}'
has '"name":"Ann Archer"'

step 'Ann creates an organization: she is its owner, and so an admin'
as "$ann" call 201 POST /api/organizations "{\"name\":\"Acme $stamp\"}"
org=$(id org)
has '"roles":["owner","admin","member"]'
as "$ann" call 200 GET /api/organizations
has "$org"
as "$ann" call 200 GET "/api/organizations/$org"
as "$ann" call 200 PATCH "/api/organizations/$org" '{"name":"Acme Archery","metadata":{"plan":"team"}}'
has '"name":"Acme Archery"'
slug=$(field slug)

step 'Ann invites Ben, who signs up with the link in his mail and accepts'
as "$ann" call 201 POST "/api/organizations/$org/invites" "{\"email\":\"$ben_email\",\"role\":\"member\"}"
invitation=$(id inv)
mailed_token "$ben_email" invitation
call 201 POST /api/auth/sign-up \
  "{\"email\":\"$ben_email\",\"password\":\"$old_password\",\"name\":\"Ben\",\"invitationToken\":\"$mail_token\"}"
ben=$(field token)
as "$ben" call 404 GET "/api/organizations/$org"
as "$ben" call 200 POST "/api/invites/$invitation/accept"
membership=$(id mem)

step 'Ben is a member; Ann makes him an admin, transfers the organization to him and back, and removes him'
as "$ben" call 200 GET "/api/organizations/$org/members"
has "$membership"
as "$ben" call 403 PATCH "/api/organizations/$org" '{"name":"Ben and Co."}'
as "$ann" call 200 PATCH "/api/organizations/$org/members/$membership" '{"role":"admin"}'
has '"roles":["admin","member"]'
as "$ann" call 200 POST "/api/organizations/$org/transfer" "{\"memberId\":\"$membership\"}"
as "$ben" call 200 GET "/api/organizations/$org/members?role=admin"
anns_membership=$(id mem)
as "$ben" call 200 POST "/api/organizations/$org/transfer" "{\"memberId\":\"$anns_membership\"}"
as "$ann" call 200 DELETE "/api/organizations/$org/members/$membership"
as "$ben" call 404 GET "/api/organizations/$org"
as "$ann" call 409 DELETE "/api/organizations/$org/members/me"
has '"code":"last_owner"'

step 'Ann signs in on a phone, and ends that session from the first device'
call 200 POST /api/auth/sign-in "{\"email\":\"$ann_email\",\"password\":\"$old_password\"}" --user-agent \
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1'
phone=$(field token)
device=$(id dev)
as "$ann" call 200 GET /api/users/me/devices
has "$device"
as "$ann" call 200 DELETE "/api/users/me/devices/$device"
as "$phone" call 401 GET /api/users/me

step 'Ann changes her password, and reads her log'
as "$ann" call 200 POST /api/users/me/password "{\"currentPassword\":\"$old_password\",\"newPassword\":\"$new_password\"}"
as "$ann" call 200 GET '/api/users/me/audit?limit=3'
has '"action":"password.changed"'

step 'Ann changes her address, and opens the link in the mail to the new one'
as "$ann" call 200 PATCH /api/users/me "{\"email\":\"$anns_next_email\",\"currentPassword\":\"$new_password\"}"
has "\"pendingEmail\":\"$anns_next_email\""
mailed_token "$anns_next_email" verify-email
as "$ann" call 200 POST /api/auth/verify-email "{\"token\":\"$mail_token\"}"
has "$anns_next_email"

step 'Ann resets her password by mail, which ends all her sessions'
call 202 POST /api/auth/forgot-password "{\"email\":\"$anns_next_email\"}"
mailed_token "$anns_next_email" reset-password
call 200 POST /api/auth/reset-password "{\"token\":\"$mail_token\",\"newPassword\":\"$last_password\"}"
as "$ann" call 401 GET /api/users/me
call 200 POST /api/auth/sign-in "{\"email\":\"$anns_next_email\",\"password\":\"$last_password\"}"
ann=$(field token)

step 'The admin creates an account for Cleo, who chooses a password by mail; the admin suspends and deletes it'
as "$admin" call 201 POST /api/admin/users "{\"email\":\"$cleo_email\",\"name\":\"Cleo\"}"
cleo_id=$(id user)
mailed_token "$cleo_email" reset-password
call 200 POST /api/auth/reset-password "{\"token\":\"$mail_token\",\"newPassword\":\"$old_password\"}"
as "$admin" call 200 PATCH "/api/admin/users/$cleo_id" '{"status":"suspended"}'
call 403 POST /api/auth/sign-in "{\"email\":\"$cleo_email\",\"password\":\"$old_password\"}"
as "$admin" call 200 DELETE "/api/admin/users/$cleo_id"

step 'The admin lists the users, and Ann is refused'
as "$admin" call 200 GET "/api/admin/users?query=ann.archer-$stamp&includeTotal=true"
has "$anns_next_email"
as "$ann" call 403 GET /api/admin/users

step 'Ann deletes the organization, and both delete their accounts'
as "$ann" call 200 DELETE "/api/organizations/$org" "{\"confirm\":\"$slug\"}"
as "$ann" call 200 GET /api/users/me/deletion-impact
as "$ann" call 200 DELETE /api/users/me "{\"password\":\"$last_password\"}"
call 401 POST /api/auth/sign-in "{\"email\":\"$anns_next_email\",\"password\":\"$last_password\"}"
as "$ben" call 200 DELETE /api/users/me "{\"password\":\"$old_password\"}"
as "$admin" call 200 GET "/api/admin/users?query=ann.archer-$stamp"
has '"data":[]'
as "$admin" call 204 POST /api/auth/sign-out

missing=$(printf '%s\n' "$endpoints" | while IFS= read -r endpoint; do
  printf '%s' "$answered" | grep -Fxq "$endpoint" || printf '%s; ' "$endpoint"
done)
[ -z "$missing" ] || stop "these endpoints were not called: $missing"
printf '\nThe walk is over: %s calls, all as expected; all 18 endpoints answered.\n' "$calls"
