# syntax=docker/dockerfile:1

# By digest, so that everybody builds on the same bytes: renew both parts together.
ARG NODE_IMAGE=node:24.20.0-bookworm-slim@sha256:ba849c60be29959425b8734d57b8b4b7d56f98edd9504c9af091d5281095a71e

# The dependencies as locked, without those of the checks.
FROM ${NODE_IMAGE} AS dependencies
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund && npm cache clean --force

# The pages of the console, built once here.
COPY scripts/console-build.mjs ./scripts/
COPY client/src ./client/src
COPY console ./console
RUN node -e "import('./scripts/console-build.mjs').then(({ buildConsole }) => buildConsole({ root: process.cwd(), say: console.error }))" && mkdir -p console/dist

# What runs: the sources, the documents it serves, and nothing of the tests.
FROM ${NODE_IMAGE}
LABEL org.opencontainers.image.title="hm-gateway" \
      org.opencontainers.image.description="A home's gateway: the Home Control Service API 1.1.0 over HTTPS and WebSocket" \
      org.opencontainers.image.licenses="MIT"
ENV NODE_ENV=production \
    HM_DATA_DIR=/data \
    HM_HOST=0.0.0.0 \
    HM_PORT=8490 \
    NODE_COMPILE_CACHE=/app/.compile-cache
# The first process of a container cannot end itself by a signal, as the gateway does when it hangs: so it is another.
RUN apt-get update && apt-get install -y --no-install-recommends tini && rm -rf /var/lib/apt/lists/*
WORKDIR /app
COPY --from=dependencies /app/node_modules ./node_modules
COPY --from=dependencies /app/console/dist ./console/dist
COPY package.json package-lock.json LICENSE ./
COPY bin ./bin
COPY scripts/run.mjs scripts/setup.mjs scripts/console-build.mjs scripts/gateway-flags.mjs scripts/healthcheck.mjs ./scripts/
COPY openapi ./openapi
COPY asyncapi ./asyncapi
COPY src ./src
# One short run compiles the sources, and the cache of that makes every later start quicker.
RUN HM_DATA_DIR=/tmp/warm timeout --signal=TERM 8 node --disable-warning=ExperimentalWarning src/main.ts > /dev/null; rm -rf /tmp/warm; test -d /app/.compile-cache
# The data folder belongs to the user the gateway runs as; the program itself belongs to root and is read-only for it.
# dialout is the group of serial ports on the hosts of Debian's family.
RUN install -d -o node -g node -m 0700 /data && usermod -aG dialout node && ln -s /app/bin/hm /usr/local/bin/hm
USER node
VOLUME /data
EXPOSE 8490
HEALTHCHECK --interval=30s --timeout=5s --start-period=20s --retries=3 CMD ["node", "scripts/healthcheck.mjs"]
STOPSIGNAL SIGTERM
ENTRYPOINT ["tini", "--"]
CMD ["node", "--disable-warning=ExperimentalWarning", "--max-semi-space-size=4", "--disable-sigusr1", "src/main.ts"]
