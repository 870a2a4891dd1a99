# syntax=docker/dockerfile:1
# Gateway and relay in one image, for amd64 and arm64: docs/install.md#as-a-container. `npm run test:image` carries out what
# stands here in a clean root and tries what comes of it.

# By digest, so that everybody builds on the same bytes: renew both parts together.
ARG NODE_IMAGE=node:24.20.0-bookworm-slim@sha256:ba849c60be29959425b8734d57b8b4b7d56f98edd9504c9af091d5281095a71e

# The dependencies as locked, without those of the checks, and the pages of the console. On the builder's own kind of machine,
# whatever the image is for: packages bring what is native for both, so nothing is compiled and nothing of this emulated.
FROM --platform=$BUILDPLATFORM ${NODE_IMAGE} AS dependencies
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY src/lib/package.json ./src/lib/
COPY src/wire/package.json ./src/wire/
COPY src/tls/package.json ./src/tls/
COPY relay/package.json ./relay/
COPY console/package.json ./console/
COPY client/package.json ./client/
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund && npm cache clean --force
COPY client/src ./client/src
COPY console ./console
RUN node -e "import('./console/build.mjs').then(({ buildConsole }) => buildConsole())"
# The gateway as one file, which starts sooner and takes less memory than its sources; they stay beside it.
COPY scripts/gateway-build.mjs scripts/source-places.mjs ./scripts/
COPY src ./src
RUN node scripts/gateway-build.mjs built
# What made the pages and the bundle stays behind, and so does what is native for other systems.
RUN npm prune --omit=dev --ignore-scripts --no-audit --no-fund \
 && cd node_modules && rm -rf better-sqlite3/deps better-sqlite3/src better-sqlite3/prebuilds/darwin-* \
      better-sqlite3/prebuilds/win32-* better-sqlite3/prebuilds/linuxmusl-* @serialport/bindings-cpp/src \
      @serialport/bindings-cpp/prebuilds/android-* @serialport/bindings-cpp/prebuilds/darwin-* \
      @serialport/bindings-cpp/prebuilds/win32-* @serialport/bindings-cpp/prebuilds/linux-arm

# What runs: the sources, the documents they serve, and nothing of the tests.
FROM ${NODE_IMAGE}
LABEL org.opencontainers.image.title="hm-gateway" \
      org.opencontainers.image.description="A home's gateway: the Home Control Service API 1.1.0 over HTTPS and WebSocket; and its relay" \
      org.opencontainers.image.version="1.1.0" \
      org.opencontainers.image.licenses="MIT"
# The first process of a container cannot end itself by a signal, as the gateway does when it hangs: so it is another.
RUN apt-get update && apt-get install -y --no-install-recommends tini && rm -rf /var/lib/apt/lists/*
WORKDIR /app
COPY --from=dependencies /app/node_modules ./node_modules
COPY --from=dependencies /app/console/dist ./console/dist
COPY console/build.mjs ./console/
COPY --from=dependencies /app/built ./built
COPY package.json package-lock.json LICENSE CHANGELOG.md ./
COPY bin ./bin
COPY deploy/image/hm-relay /usr/local/bin/
COPY scripts/run.mjs scripts/setup.mjs scripts/gateway-flags.mjs scripts/lifeline.mjs scripts/healthcheck.mjs ./scripts/
COPY openapi ./openapi
COPY asyncapi ./asyncapi
COPY src ./src
# What bin/hm is a client by.
COPY client/package.json ./client/
COPY client/src ./client/src
COPY relay ./relay
# The data folder belongs to the user that it runs as; the program itself belongs to root and is read-only for it.
# dialout is the group of serial ports on the hosts of Debian's family.
RUN install -d -o node -g node -m 0700 /data && usermod -aG dialout node && ln -s /app/bin/hm /usr/local/bin/hm \
 && install -d -o node -g node /app/.compile-cache
ENV NODE_ENV=production \
    NODE_COMPILE_CACHE=/app/.compile-cache
# One start of each compiles the sources, and the cache of that makes every later start quicker; Node keeps it for the user that
# made it. Where the gateway or the relay does not come up on this kind of machine, the build ends here.
USER node
COPY deploy/image/first-start.sh /tmp/
RUN --network=none sh /tmp/first-start.sh
USER root
RUN chown -R root:root /app/.compile-cache && rm /tmp/first-start.sh
USER node
ENV HM_DATA_DIR=/data \
    HM_PORT=8490 \
    HM_RELAY_DATA_DIR=/data
VOLUME /data
EXPOSE 8490 8443
HEALTHCHECK --interval=30s --timeout=5s --start-period=20s --retries=3 CMD ["node", "scripts/healthcheck.mjs"]
STOPSIGNAL SIGTERM
ENTRYPOINT ["tini", "--"]
CMD ["node", "--disable-warning=ExperimentalWarning", "--max-semi-space-size=4", "--disable-sigusr1", "built/gateway.mjs"]
