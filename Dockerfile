# One image for every process; its command chooses which one runs. Node.js 24 runs TypeScript directly.

# Builds the console for browsers. The build tools stay in this stage.
FROM node:24.21.0-slim AS console
WORKDIR /app
COPY package.json package-lock.json .npmrc tsconfig.json ./
COPY packages packages
COPY apps apps
RUN npm ci --ignore-scripts && node apps/console/build.ts

FROM node:24.21.0-slim

WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY packages packages
COPY apps apps
COPY migrations migrations
RUN npm ci --omit=dev && npm cache clean --force
COPY --from=console /app/apps/console/dist apps/console/dist

ENV NODE_ENV=production HOST=0.0.0.0
# The user `node`, as a number, because Kubernetes cannot tell that a name is not root.
USER 1000:1000
EXPOSE 8080
CMD ["node", "--max-semi-space-size=8", "apps/api/src/main.ts"]
