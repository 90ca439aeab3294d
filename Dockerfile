# Every service in one image; the command picks the one: docker run toolbus services/agent/src/main.ts
ARG NODE_IMAGE=node:24-bookworm-slim

FROM ${NODE_IMAGE} AS install
WORKDIR /app
COPY . .
# What runs, without what tests and measures it, and without the optional packages: they are other builds of Node.
RUN npx -y pnpm@12.21.0 install --prod --no-optional --frozen-lockfile --prefer-offline --reporter=append-only --loglevel=error \
  --filter "{./services/*}..." --filter "{./apps/*}..." --filter "{./examples/*}..."
# What cannot be loaded fails here, not where it is started. What Node made of the TypeScript comes along, and halves what a start costs; Node keeps it
# for each user apart.
RUN mkdir -p .cache/node && chown node .cache/node
USER node
ENV NODE_COMPILE_CACHE=/app/.cache/node
RUN node apps/cli/src/toolbus/main.ts --version && \
  for service in services/*; do node --input-type=module --eval "await import('./$service/src/index.ts')" || exit 1; done

FROM ${NODE_IMAGE}
ENV NODE_ENV=production HEALTH_PORT=9000 NODE_COMPILE_CACHE=/app/.cache/node
# A named volume takes its first owner from here.
RUN mkdir -p /keys/people /keys/gateway /keys/agent /keys/approvals /keys/worker /keys/operations /keys/cli /data && chown -R node:node /keys /data && \
  for login in gateway agent approvals worker-release operations redis rabbitmq nats; do mkdir -p /permissions/$login; done && chown -R node:node /permissions
WORKDIR /app
COPY --from=install /app .
USER node
EXPOSE 8080 8081 9000
HEALTHCHECK --interval=10s --timeout=3s --start-period=60s --retries=3 CMD ["node", "scripts/healthcheck.mjs"]
ENTRYPOINT ["node"]
CMD ["services/all-in-one/src/main.ts"]
