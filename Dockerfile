# The image of Guildhall: its sources, which Node runs as they are, migrations, and the built console. It holds no npm, no shell, no
# compiler and no database, and writes nothing: run it with a read-only file system, and with DATABASE_URL (docs/operate/containers.md).

FROM node:24-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json tsconfig.json ./
COPY client/package.json client/
COPY console/package.json console/
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY client client
COPY console console
COPY migrations migrations
COPY src src
# Of what is optional, only the decoder of pictures is needed.
RUN node console/build.ts \
  && mv node_modules/@img /img \
  && npm ci --omit=dev --omit=optional --workspaces=false --ignore-scripts --no-audit --no-fund \
  && mkdir -p node_modules/@img && cp -r /img/. node_modules/@img/

FROM gcr.io/distroless/nodejs24-debian12:nonroot
LABEL org.opencontainers.image.title="Guildhall" \
  org.opencontainers.image.description="Organizations and users for SaaS products" \
  org.opencontainers.image.licenses="Apache-2.0"
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/migrations migrations
COPY --from=build /app/console/dist console/dist
COPY --from=build /app/src src
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000
USER 65532:65532
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s \
  CMD ["/nodejs/bin/node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/livez`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# A small space for young objects, as npm start has it (tools/launch.mjs).
ENTRYPOINT ["/nodejs/bin/node", "--max-semi-space-size=4", "src/main.ts"]
CMD ["serve"]
