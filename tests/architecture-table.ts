/** The packages that one workspace package may import. */
export interface Room {
  /** The workspace packages that it may import. They must be in rows above this one. */
  readonly ours: readonly string[];
  /** Third-party packages that its manifest may declare. */
  readonly clients: readonly string[];
  /**
   * Set for packages that no shipped package imports. The source of such a package may import everything that its manifest declares for development.
   */
  readonly devOnly?: true;
}

const openTelemetry = [
  "@opentelemetry/api",
  "@opentelemetry/context-async-hooks",
  "@opentelemetry/core",
  "@opentelemetry/exporter-logs-otlp-http",
  "@opentelemetry/exporter-logs-otlp-proto",
  "@opentelemetry/exporter-metrics-otlp-http",
  "@opentelemetry/exporter-metrics-otlp-proto",
  "@opentelemetry/exporter-prometheus",
  "@opentelemetry/exporter-trace-otlp-http",
  "@opentelemetry/instrumentation-amqplib",
  "@opentelemetry/otlp-exporter-base",
  "@opentelemetry/resources",
  "@opentelemetry/sdk-logs",
  "@opentelemetry/sdk-metrics",
  "@opentelemetry/sdk-node",
  "@opentelemetry/sdk-trace",
];

const belowServices = ["bus", "contracts", "grants", "models", "runtime", "state", "telemetry", "tool-kit"].map(ours);
const below = (...names: readonly string[]) => names.map(ours);

/**
 * The allowed imports of each package, lowest package first. A manifest may declare less than its row allows, but never more. To let a package import
 * another one, add the name here and in the package's block of `.oxlintrc.json`, and say why in the pull request.
 */
export const rooms: Readonly<Record<string, Room>> = {
  "packages/contracts": { ours: [], clients: ["ajv", "ajv-formats", "typebox", "ulid"] },
  "packages/telemetry": { ours: [], clients: ["pino", ...openTelemetry] },

  // Only for development: servers that imitate the wire protocols and the refusals of model vendors. The row is before models, because the adapters
  // in models are tested against these servers.
  "packages/model-servers": { ours: below("contracts"), clients: [], devOnly: true },
  // Only for development: a provider of OpenID Connect, against which approvals is tested.
  "packages/oidc-server": { ours: [], clients: [], devOnly: true },
  // For the command line, the example API and the labelled releases. It opens a folder that its caller names, so services and models import only its
  // entry "facts", which has the schema, the parser and the types and opens nothing: decision 0131. Files with test results are XML.
  "packages/release-facts": { ours: below("contracts"), clients: ["fast-xml-parser"] },
  "packages/bus": { ours: below("contracts"), clients: ["@nats-io/jetstream", "@nats-io/transport-node", "amqplib"] },
  "packages/state": { ours: below("contracts"), clients: ["ioredis"] },
  "packages/grants": { ours: below("contracts"), clients: ["jose"] },
  "packages/models": {
    // Of release-facts only the entry "facts": the offline rules judge facts that come from a tool or from the input, so they parse them.
    ours: below("contracts", "release-facts"),
    clients: ["@anthropic-ai/sdk", "@aws-sdk/client-bedrock-runtime", "gpt-tokenizer", "openai", "undici"],
  },

  // Only for development: real releases with their facts and labels.
  "packages/labelled-releases": { ours: below("contracts", "release-facts", "models"), clients: ["yaml"], devOnly: true },

  "packages/tool-kit": { ours: below("contracts", "telemetry", "bus", "state", "grants", "models"), clients: [] },
  "packages/runtime": {
    ours: below("contracts", "telemetry", "bus", "state", "grants", "models"),
    clients: ["envalid", "@fastify/cookie", "@fastify/cors", "@fastify/formbody", "fastify", "yaml"],
  },

  // Scenarios, scoring, judge, baselines and reports. It starts nothing itself: who calls it says how a scenario is run.
  "packages/evals": { ours: below("contracts", "models", "runtime"), clients: ["yaml"] },

  "services/agent": { ours: belowServices, clients: [] },
  // The memory server is not imported. It is in the image, as a server that a newcomer can call.
  "services/tool-executor": { ours: belowServices, clients: ["@modelcontextprotocol/client", "@modelcontextprotocol/server-memory"] },
  "services/approvals": { ours: belowServices, clients: ["nodemailer", "openid-client"] },
  "services/gateway": { ours: [...belowServices, ours("release-facts")], clients: ["@modelcontextprotocol/server", "fastify"] },

  // The row is before all-in-one, because all-in-one starts this API if no other release API is configured: docs/decisions/0007.
  "examples/release-api": { ours: below("release-facts"), clients: [] },
  // The command line starts both for "npm run demo -- --orders".
  "examples/orders-shop": { ours: [], clients: [] },
  "examples/orders-worker": { ours: below("contracts", "telemetry", "bus", "state", "grants", "tool-kit"), clients: [] },
  // A server for any MCP client, in its own process.
  "examples/openrouter-mcp": { ours: [], clients: ["@modelcontextprotocol/node", "@modelcontextprotocol/server"] },
  "services/all-in-one": {
    ours: below("contracts", "telemetry", "runtime", "agent", "tool-executor", "approvals", "gateway", "example-release-api"),
    clients: [],
  },
  // The command line checks evidence offline with the package grants, which needs no running system.
  "apps/cli": {
    ours: below(
      "contracts",
      "grants",
      "release-facts",
      "evals",
      "runtime",
      "example-release-api",
      "example-orders-shop",
      "example-orders-worker",
      "all-in-one",
    ),
    clients: ["@modelcontextprotocol/client", "@modelcontextprotocol/server", "commander", "eventsource-parser", "jsonc-parser"],
  },
  // Only for development: it runs the services' real code.
  "packages/testing": { ours: [...belowServices, ...below("agent", "tool-executor", "approvals", "gateway")], clients: [], devOnly: true },
  bench: {
    ours: [...belowServices, ...below("agent", "tool-executor", "approvals", "gateway", "example-release-api", "all-in-one", "testing")],
    clients: [
      "@modelcontextprotocol/client",
      "@modelcontextprotocol/server",
      "@modelcontextprotocol/server-everything",
      "@nats-io/jetstream",
      "@nats-io/transport-node",
      "amqplib",
      "fastify",
      "ioredis",
      "openai",
    ],
  },
};

/** The only places outside tests that may import these third-party packages or client modules of Node. */
export const homes: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(openTelemetry.map((name) => [name, ["packages/telemetry/src"]])),
  "@nats-io/jetstream": ["packages/bus/src/nats", "bench/src"],
  "@nats-io/transport-node": ["packages/bus/src/nats", "bench/src"],
  "@modelcontextprotocol/client": ["services/tool-executor/src/toolsets/mcp", "apps/cli/src/mcp", "bench/src"],
  "@modelcontextprotocol/node": ["examples/openrouter-mcp/src"],
  "@modelcontextprotocol/server-everything": ["bench/src"],
  "@modelcontextprotocol/server-memory": ["services/tool-executor/src/toolsets/mcp"],
  "@modelcontextprotocol/server": ["services/gateway/src/mcp", "apps/cli/src/mcp", "examples/openrouter-mcp/src", "bench/src"],
  "@anthropic-ai/sdk": ["packages/models/src/anthropic"],
  "@aws-sdk/client-bedrock-runtime": ["packages/models/src/bedrock"],
  ajv: ["packages/contracts/src"],
  amqplib: ["packages/bus/src/amqp", "bench/src"],
  "ajv-formats": ["packages/contracts/src"],
  envalid: ["packages/runtime/src"],
  commander: ["apps/cli/src"],
  "eventsource-parser": ["apps/cli/src"],
  "jsonc-parser": ["apps/cli/src"],
  "fast-xml-parser": ["packages/release-facts/src/measurements"],
  "@fastify/cookie": ["packages/runtime/src"],
  "@fastify/cors": ["packages/runtime/src"],
  "@fastify/formbody": ["packages/runtime/src"],
  fastify: ["packages/runtime/src", "services/gateway/src", "bench/src"],
  "gpt-tokenizer": ["packages/models/src/tokens"],
  ioredis: ["packages/state/src/redis", "bench/src"],
  jose: ["packages/grants/src"],
  "node:sqlite": ["packages/state/src/sqlite", "examples/orders-shop/src"],
  nodemailer: ["services/approvals/src/channels/email"],
  "oidc-provider": ["packages/oidc-server/src"],
  openai: ["packages/models/src/openai", "bench/src"],
  "openid-client": ["services/approvals/src/oidc"],
  pino: ["packages/telemetry/src"],
  testcontainers: ["packages/testing/src/servers"],
  // Packages that declare a schema import it from one file, which uses only its types: decision 0067.
  typebox: ["packages/contracts/src/schema.ts"],
  ulid: ["packages/contracts/src"],
  undici: ["packages/models/src/openai"],
  vitest: [
    "packages/testing/src/servers",
    "packages/bus/src/conformance",
    "packages/state/src/conformance",
    "packages/models/src/conformance",
  ],
  yaml: ["packages/runtime/src", "packages/evals/src", "packages/labelled-releases/src"],
};

/** Packages of ours that any test may import, in addition to the dependencies of its own package. */
export const testsMayImport: readonly string[] = below("example-release-api", "example-orders-shop", "model-servers", "oidc-server");

/** Files with more than `longestFile` lines, each with the reason why it still contains only one concept. */
export const longFiles: Readonly<Record<string, string>> = {
  "tests/requirements-met.ts": "one table of requirements and the tests that prove them",
};

export const longestFile = 400;

function ours(name: string): string {
  return `@toolbus/${name}`;
}
