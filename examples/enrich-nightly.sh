#!/bin/sh
# A nightly run for cron: sh enrich-nightly.sh FOLDER. FOLDER contains companies.csv and .enrich. Settings that have no flag below, such
# as the URL of a hosted service, are in its pipeline.config.json.
cd "${1:?usage: enrich-nightly.sh FOLDER}" || exit 2
# cron searches only /usr/bin and /bin. `command -v enrich node` prints your paths.
PATH=$HOME/.local/bin:/usr/local/bin:$PATH
# The file with the API key of a hosted service. Only you may read it. The embedded service needs no key.
: "${ENRICH_API_KEY_FILE:=$HOME/.config/enrich/key}"
export PATH ENRICH_API_KEY_FILE

enrich companies.csv -o out.parquet --max-age 90d --max-duration 6h \
  --fail-on 'failed>1%, unmatched>40%' --metrics-file enrich.prom --quiet
code=$?
case $code in
  3) echo "the output is written; some rows failed, are uncertain, or have no answer yet: cd '$PWD' && enrich status" ;;
  6) echo "the output is written, and a condition of --fail-on is met" ;;
  8) echo "a budget or the credit is used up, see the error above" ;;
  5 | 10 | 130 | 137 | 143) echo "enrich stopped early ($code); the next night resumes" ;;
  11) echo "last night's run is still active" ;;
esac
if [ "$code" = 3 ]; then exit 0; fi
exit "$code"
