# One image for every process; its command chooses which one runs. Node.js 24 runs TypeScript directly.

# The digest of the index is what `docker buildx imagetools inspect node:24.21.0-slim` prints.
FROM node:24.21.0-slim@sha256:0e0ff40c39bc087845bfb27465a0df4ea419520094bc35842ff83dd8cbe6f9b6 AS base
WORKDIR /app

# Builds the console for browsers. The build tools stay in this stage.
FROM base AS console
COPY package.json package-lock.json .npmrc tsconfig.json ./
COPY packages packages
COPY apps apps
RUN npm ci --ignore-scripts && node apps/console/build.ts

FROM base

COPY package.json package-lock.json .npmrc llms.txt ./
COPY packages packages
COPY apps apps
COPY migrations migrations
# Lists what is installed in /app/sbom.cdx.json (CycloneDX). npm refuses as long as a package asks for what tests need.
RUN npm ci --omit=dev \
  && npm pkg delete devDependencies --workspaces --include-workspace-root \
  && npm sbom --sbom-format cyclonedx > sbom.cdx.json \
  && npm cache clean --force
COPY --from=console /app/apps/console/dist apps/console/dist

ENV NODE_ENV=production HOST=0.0.0.0
# The user `node`, as a number, because Kubernetes cannot tell that a name is not root.
USER 1000:1000
EXPOSE 8080
CMD ["node", "--max-semi-space-size=8", "apps/api/src/main.ts"]
