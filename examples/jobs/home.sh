# Shared by the jobs. `call METHOD PATH` sends the JSON of its standard input to the gateway, as the key's integration.
set -euo pipefail

: "${HM_KEY:?Set HM_KEY to a key: bin/hm key create --integration ID}"

# A key is hm_key_HOME.INTEGRATION.….…; each id that the integration sees begins with HOME:INTEGRATION.
IFS=. read -r gateway integration _ <<<"${HM_KEY#hm_key_}"
home=$gateway:$integration

call() {
  curl --silent --show-error --fail-with-body --cacert "${HM_CA:-data/tls/ca.pem}" \
    --header "Authorization: Bearer $HM_KEY" --header 'Content-Type: application/json' \
    --request "$1" --data @- "${HM_URL:-https://localhost:8490}/v1$2"
  echo
}
