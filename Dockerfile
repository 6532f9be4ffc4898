# The command in a container: docker build -t enrich . && docker run --rm -v "$PWD:/work" enrich companies.csv -o out.csv
FROM node:20-bookworm-slim AS build
WORKDIR /src
# better-sqlite3 is compiled if no prebuilt one fits.
RUN apt-get update && apt-get install -y --no-install-recommends python3 make g++ && rm -rf /var/lib/apt/lists/*
COPY . .
RUN npm ci && npm prune --omit=dev

FROM node:20-bookworm-slim
COPY --from=build /src/package.json /opt/enrich/
COPY --from=build /src/node_modules /opt/enrich/node_modules
COPY --from=build /src/dist /opt/enrich/dist
COPY --from=build /src/fixtures/registry /opt/enrich/fixtures/registry
RUN ln -s /opt/enrich/dist/cli/main.js /usr/local/bin/enrich
USER node
WORKDIR /work
ENTRYPOINT ["enrich"]
