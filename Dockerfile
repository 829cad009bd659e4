# The image of Guildhall: its package, with the bundled service, migrations, and the built console. It holds no npm, no shell, no
# compiler and no database, and writes nothing: run it with a read-only file system, and with DATABASE_URL (docs/operate/containers.md).

FROM gcr.io/distroless/nodejs24-debian12:nonroot AS base

FROM node:24-bookworm-slim AS packages
WORKDIR /app
COPY package.json package-lock.json ./
COPY client/package.json client/
COPY console/package.json console/
RUN npm ci --ignore-scripts --no-audit --no-fund

FROM packages AS bundled
COPY . ./
RUN node tools/package.ts

# The packages that are not bundled. Of what is optional, only the decoder of pictures is needed.
FROM node:24-bookworm-slim AS service
WORKDIR /app
COPY --from=bundled /app/dist ./
RUN npm ci --omit=optional --ignore-scripts --no-audit --no-fund
COPY --from=packages /app/node_modules/@img node_modules/@img

# What Node compiles of the service. A start by the same user on such a processor reads it, and compiles less.
FROM service AS compiled
COPY --from=base /nodejs/bin/node /nodejs/bin/node
USER 65532:65532
RUN NODE_COMPILE_CACHE=/tmp/compiled /nodejs/bin/node src/main.js openapi >/dev/null && chmod -R a+rX /tmp/compiled

FROM base
LABEL org.opencontainers.image.title="Guildhall" \
  org.opencontainers.image.description="Organizations and users for SaaS products" \
  org.opencontainers.image.licenses="Apache-2.0"
WORKDIR /app
COPY --from=service /app ./
COPY --from=compiled --chown=0:0 /tmp/compiled compiled
# Memory of all threads in one place, as npm start has it (tools/node.mjs).
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 NODE_COMPILE_CACHE=/app/compiled MALLOC_ARENA_MAX=1
USER 65532:65532
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s \
  CMD ["/nodejs/bin/node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/livez`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# A small space for young objects, as npm start has it (tools/node.mjs).
ENTRYPOINT ["/nodejs/bin/node", "--max-semi-space-size=4", "src/main.js"]
CMD ["serve"]
