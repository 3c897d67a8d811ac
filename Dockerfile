# `npm run pin-base` writes the digest that the tag has now.
ARG BASE=node:22-slim

FROM ${BASE} AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY tsconfig.json ./
COPY src ./src
COPY .ci/ascii.mjs ./.ci/ascii.mjs
COPY .ci/licences.mjs ./.ci/licences.mjs
RUN npm run build && node .ci/licences.mjs > licences.txt

FROM ${BASE}
ARG VERSION=0.1.0
ARG REVISION=unknown
LABEL org.opencontainers.image.title="Edgewise" \
  org.opencontainers.image.description="A Slack chat-ops bot that operates an edge platform" \
  org.opencontainers.image.licenses="MIT" \
  org.opencontainers.image.version="${VERSION}" \
  org.opencontainers.image.revision="${REVISION}"
WORKDIR /app
# The root may be read-only: npm, for `npm run doctor`, writes to /tmp alone, if at all.
ENV NODE_ENV=production NPM_CONFIG_CACHE=/tmp/.npm NPM_CONFIG_LOGS_MAX=0 NPM_CONFIG_UPDATE_NOTIFIER=false
# All others are bundled.
COPY --from=build /app/node_modules/@photostructure ./node_modules/@photostructure
COPY --from=build /app/node_modules/node-gyp-build ./node_modules/node-gyp-build
COPY --from=build /app/dist ./dist
COPY --from=build /app/licences.txt ./
COPY package.json LICENSE ./
COPY bin ./bin
RUN mkdir data && chown 1000:1000 data
# A number, because Kubernetes cannot tell whether a name is root.
USER 1000:1000
VOLUME /app/data
EXPOSE 3000
STOPSIGNAL SIGTERM
# Alive, not ready: while Slack is away a restart helps nobody.
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT || 3000}/health/live`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "dist/index.js"]
