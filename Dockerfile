# `npm run pin-base` writes the digest that the tag has now.
ARG BASE=node:22-slim

FROM ${BASE} AS build
WORKDIR /app
COPY package.json package-lock.json tsconfig.json ./
RUN npm ci --ignore-scripts
COPY src ./src
RUN npx tsc --build && npm prune --omit=dev --ignore-scripts

FROM ${BASE}
WORKDIR /app
ENV NODE_ENV=production
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
RUN mkdir data && chown node data
USER node
EXPOSE 3000
CMD ["node", "dist/index.js"]
