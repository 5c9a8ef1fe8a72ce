# One image for every process; docker-compose.yml chooses which one runs. Node.js 24 runs the TypeScript as it stands.

# The console, built for browsers. What builds it stays here.
FROM node:24-slim AS console
WORKDIR /app
COPY package.json package-lock.json .npmrc tsconfig.json ./
COPY packages packages
COPY apps apps
RUN npm ci --ignore-scripts && node apps/console/build.ts --sizes

FROM node:24-slim

WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY packages packages
COPY apps apps
COPY migrations migrations
RUN npm ci --omit=dev && npm cache clean --force
# The guides, which the API shows.
COPY README.md CHANGELOG.md ./
COPY docs docs
COPY examples examples
COPY --from=console /app/apps/console/dist apps/console/dist

ENV NODE_ENV=production HOST=0.0.0.0
# The user `node`, by number: Kubernetes can tell only of a number that it is not root.
USER 1000:1000
EXPOSE 8080
CMD ["node", "--max-semi-space-size=8", "apps/api/src/main.ts"]
