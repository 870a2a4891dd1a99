# syntax=docker/dockerfile:1
# The image of the gateway (the last stage), and with `--target relay` that of the relay, for amd64 and arm64:
# docs/install.md#as-a-container. `npm run test:image` runs the steps in a clean root and tries both images.

# A digest fixes the bytes of the base image: renew tag and digest together.
ARG NODE_IMAGE=node:24.20.0-bookworm-slim@sha256:ba849c60be29959425b8734d57b8b4b7d56f98edd9504c9af091d5281095a71e

# The manifests of all packages, which share one lock file. Build stages run on the builder's architecture without
# compiling or emulation, because packages bring native files for both architectures.
FROM --platform=$BUILDPLATFORM ${NODE_IMAGE} AS manifests
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY src/lib/package.json ./src/lib/
COPY src/wire/package.json ./src/wire/
COPY src/tls/package.json ./src/tls/
COPY relay/package.json ./relay/
COPY console/package.json ./console/
COPY client/package.json ./client/

# The pages of the console, and bundles, which start faster and use less memory than the sources.
FROM manifests AS build
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund
COPY client/src ./client/src
COPY console ./console
RUN node -e "import('./console/build.mjs').then(({ buildConsole }) => buildConsole())"
COPY scripts/gateway-build.mjs scripts/source-places.mjs ./scripts/
COPY src ./src
RUN node scripts/gateway-build.mjs built

# The packages of the gateway, without native files for other systems. esbuild is only a peer dependency of a check.
FROM manifests AS gateway-packages
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund --include-workspace-root -w src/lib -w src/wire -w src/tls -w client \
 && cd node_modules && rm -rf esbuild @esbuild better-sqlite3/deps better-sqlite3/src better-sqlite3/prebuilds/darwin-* \
      better-sqlite3/prebuilds/win32-* better-sqlite3/prebuilds/linuxmusl-* @serialport/bindings-cpp/src \
      @serialport/bindings-cpp/prebuilds/android-* @serialport/bindings-cpp/prebuilds/darwin-* \
      @serialport/bindings-cpp/prebuilds/win32-* @serialport/bindings-cpp/prebuilds/linux-arm

# The packages of the relay.
FROM manifests AS relay-packages
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund -w relay \
 && cd node_modules && rm -rf better-sqlite3/deps better-sqlite3/src better-sqlite3/prebuilds/darwin-* \
      better-sqlite3/prebuilds/win32-* better-sqlite3/prebuilds/linuxmusl-*

# The base of both images.
FROM ${NODE_IMAGE} AS base
LABEL org.opencontainers.image.version="2.0.0" \
      org.opencontainers.image.licenses="MIT"
# A hanging gateway ends itself by a signal, which the first process of a container cannot do. So tini is the first.
RUN apt-get update && apt-get install -y --no-install-recommends tini && rm -rf /var/lib/apt/lists/*
WORKDIR /app
# The data folder belongs to the container's user. The program belongs to root and is read-only for this user.
# dialout is the group of serial ports on Debian hosts.
RUN install -d -o node -g node -m 0700 /data && usermod -aG dialout node && install -d -o node -g node /app/.compile-cache
COPY package.json LICENSE CHANGELOG.md ./
COPY scripts/healthcheck.mjs ./scripts/
# Both programs serve the documents.
COPY openapi ./openapi
COPY asyncapi ./asyncapi
ENV NODE_ENV=production \
    NODE_COMPILE_CACHE=/app/.compile-cache
VOLUME /data
STOPSIGNAL SIGTERM
ENTRYPOINT ["tini", "--"]

FROM base AS relay
LABEL org.opencontainers.image.title="hm-relay" \
      org.opencontainers.image.description="A relay for the gateways of homes: reach them from outside"
COPY --from=relay-packages /app/node_modules ./node_modules
COPY src/lib ./src/lib
COPY src/wire ./src/wire
COPY src/tls ./src/tls
COPY relay ./relay
COPY deploy/image/hm-relay /usr/local/bin/
# One start fills the cache of compiled sources, which makes later starts faster. Node only uses the cache of its own user.
# If the relay does not start on this architecture, the build fails here.
USER node
COPY deploy/image/first-start.sh /tmp/
RUN --network=none sh /tmp/first-start.sh relay
USER root
RUN chown -R root:root /app/.compile-cache && rm /tmp/first-start.sh
USER node
ENV HM_RELAY_DATA_DIR=/data
EXPOSE 8443
HEALTHCHECK --interval=30s --timeout=5s --start-period=20s --retries=3 CMD ["node", "scripts/healthcheck.mjs", "relay"]
CMD ["hm-relay"]

# The program: the bundles, and the sources for their migrations, documents and threads. Tests are left out.
FROM base AS gateway
LABEL org.opencontainers.image.title="hm-gateway" \
      org.opencontainers.image.description="A home's gateway: the Home Control Service API 1.1.0 over HTTPS and WebSocket"
COPY --from=gateway-packages /app/node_modules ./node_modules
COPY --from=build /app/console/dist ./console/dist
COPY --from=build /app/built ./built
COPY src ./src
# The client that the command line uses.
COPY client/package.json ./client/
COPY client/src ./client/src
COPY deploy/image/hm /usr/local/bin/
USER node
COPY deploy/image/first-start.sh /tmp/
RUN --network=none sh /tmp/first-start.sh gateway
USER root
RUN chown -R root:root /app/.compile-cache && rm /tmp/first-start.sh
USER node
ENV HM_DATA_DIR=/data \
    HM_PORT=8490 \
    MALLOC_ARENA_MAX=1
EXPOSE 8490
HEALTHCHECK --interval=30s --timeout=5s --start-period=20s --retries=3 CMD ["node", "scripts/healthcheck.mjs"]
CMD ["node", "--disable-warning=ExperimentalWarning", "--disable-sigusr1", "--max-semi-space-size=1", "built/gateway.mjs"]
