# syntax=docker/dockerfile:1

# bookend: the daemon as one image. Configuration comes from outside, secrets as files or
# variables, and /data is the only place that is written to.

# A release names the digest, too: `--build-arg NODE_IMAGE=node:24-slim@sha256:…`.
ARG NODE_IMAGE=node:24-slim

FROM ${NODE_IMAGE} AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY tsconfig.json tsconfig.build.json rolldown.config.ts ./
COPY src ./src
COPY strategies ./strategies
RUN npm run build

FROM ${NODE_IMAGE} AS base

# Node neither reaps orphans nor gets default signal actions as process 1, so tini stands there.
RUN apt-get update \
 && apt-get install --no-install-recommends --yes tini \
 && rm -rf /var/lib/apt/lists/* /var/cache/apt/*

WORKDIR /app

FROM base AS packages
COPY package.json package-lock.json .npmrc ./
COPY ops/sbom.js ./ops/
RUN npm ci --omit=dev && node ops/sbom.js --machine > sbom.cdx.json && npm cache clean --force

FROM base AS runtime

LABEL org.opencontainers.image.title="bookend" \
      org.opencontainers.image.description="A market-making daemon for prediction markets" \
      org.opencontainers.image.licenses="Apache-2.0"

ENV NODE_ENV=production

COPY --from=packages /app/node_modules ./node_modules
COPY --from=packages /app/sbom.cdx.json ./
COPY --from=build /app/dist ./dist
COPY package.json LICENSE README.md CHANGELOG.md ./
COPY config ./config

# The journal, the lock and the kill latch live here; everything else may be read-only.
RUN install --directory --owner=node --group=node --mode=0700 /data
VOLUME ["/data"]

USER node
EXPOSE 9464
STOPSIGNAL SIGTERM

# The port is that of `http.port`; a configuration that changes it sets BOOKEND_HEALTH_URL too.
HEALTHCHECK --interval=15s --timeout=5s --start-period=30s --retries=3 \
  CMD ["node", "-e", "fetch(process.env.BOOKEND_HEALTH_URL ?? 'http://127.0.0.1:9464/healthz', { signal: AbortSignal.timeout(4000) }).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]

ENTRYPOINT ["tini", "--", "node", "dist/src/main.js"]
CMD ["run", "--config", "/etc/bookend/config.yaml"]
