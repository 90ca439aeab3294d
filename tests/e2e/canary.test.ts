import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { readdirSync, readFileSync } from "node:fs";
import { type AllInOne, startAllInOne } from "@toolbus/all-in-one";
import type { MessageBus } from "@toolbus/bus";
import { attributes, keys as storeKeys, type Message, message, messageTypes, topics } from "@toolbus/contracts";
import { fileKeySet } from "@toolbus/grants";
import { type Infrastructure, tracedBus } from "@toolbus/runtime";
import { createLog } from "@toolbus/telemetry";
import { defineTool, startWorker, toolError, toolset, type Worker } from "@toolbus/tool-kit";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { overTheBus } from "./testing/over-the-bus.ts";
import { approve, call, follow, heldApproval } from "./testing/http-client.ts";
import { type OtlpReceiver, otlpReceiver } from "./testing/otlp-receiver.ts";
import { someRelease } from "./testing/releases.ts";
import { scratch, type Scratch } from "./testing/scratch.ts";

// Texts that look like credentials. They must appear nowhere, whichever field they were in.
const CREDENTIALS = {
  "in a result": "sk-canary0result0123456789",
  "in a note of the requester": "Bearer canary1note1234567890",
  "in what a tool throws": "ghp_canary2thrown0123456789",
  "in a tool's problem": `eyJ${"canary3".repeat(3)}.${"x".repeat(20)}.${"y".repeat(20)}`,
  "in an answer of the target that failed": "tb_operator_canary4target0123",
  "in an exception of the service": "xoxb-1234567890-canary5exception",
  "in an address that an exception quotes": "canary6user:canary6password",
} as const;
// The content of these headers must appear nowhere, even if it does not look like a credential.
const HEADERS = { cookie: "session=canary-cookie", "x-api-key": "canary-header", "user-agent": "canary-agent" } as const;
const FIELDS = {
  ...HEADERS,
  "a query": "canary-query",
  "a wrong API key": "tb_user_canary7wrongkey0123456",
  "a forged grant": "canary-forged-grant",
  "a forged call secret": "canary-forged-secret",
} as const;
// The owner of a run may see these contents of their request. Readers of telemetry may not.
const CONTENTS = { arguments: "canary-argument", result: "canary-result", "words of a tool's problem": "canary-error-words" } as const;
/** The text of a tool's exception. The worker logs it, because nobody could fix the tool without it. */
const THROWN = "canary-thrown-words";

let files: Scratch;
let seen: Seen;
beforeAll(async () => {
  files = scratch();
  seen = await whatIsSeen();
});
afterAll(() => files.remove());

describe("a credential", () => {
  const all = (): readonly [string, string][] => [...Object.entries(CREDENTIALS), ...Object.entries(FIELDS), ...seen.secrets];

  it.each(["log", "otlp", "traceFiles", "audit", "events", "errorBodies", "deadLetters"] as const)(
    "is not in %s, wherever it came from",
    (place) => {
      expect(seen.places[place].length).toBeGreaterThan(100);
      expect(
        all()
          .filter(([, secret]) => seen.places[place].includes(secret))
          .map(([what]) => what),
      ).toEqual([]);
    },
  );

  it("in what a tool throws or refuses with is removed before the answer leaves its worker", () => {
    for (const words of [CONTENTS["words of a tool's problem"], "[redacted]"]) expect(seen.toolErrors).toContain(words);
    for (const words of [THROWN, CREDENTIALS["in what a tool throws"], CREDENTIALS["in a tool's problem"]])
      expect(seen.toolErrors).not.toContain(words);
  });

  it("was really there: every field was used, and the search includes grants, call secrets and keys of this very run", () => {
    expect(seen.secrets.map(([what]) => what.replace(/ \d+$/, ""))).toEqual(
      expect.arrayContaining(["a grant", "a call secret", "the user's key", "the approver's key"]),
    );
    expect(seen.places.log).toContain("[redacted]");
    expect(seen.places.events).toContain("[redacted]");
    expect([seen.places.otlp, seen.places.log]).toEqual([
      expect.stringContaining("toolbus.dead_letters"),
      expect.stringContaining("a dead letter is kept"),
    ]);
  });
});

describe("what a tool's handler throws", () => {
  it("is logged by its worker, for its operator, and counted and traced without its text", () => {
    expect(seen.places.log).toContain(THROWN);
    for (const place of ["traceFiles", "audit", "errorBodies"] as const) expect(seen.places[place]).not.toContain(THROWN);
  });
});

describe("a content", () => {
  it.each(["log", "otlp", "traceFiles", "audit", "errorBodies"] as const)("is not in %s", (place) => {
    expect(
      Object.entries(CONTENTS)
        .filter(([, text]) => seen.places[place].includes(text))
        .map(([what]) => what),
    ).toEqual([]);
  });

  it("is in the events of the run, for its owner", () => {
    expect(seen.places.events).toContain(CONTENTS.result);
  });
});

interface Seen {
  readonly places: Readonly<Record<"log" | "otlp" | "traceFiles" | "audit" | "events" | "errorBodies" | "deadLetters", string>>;
  /** The answers to calls whose tool throws an exception or refuses. */
  readonly toolErrors: string;
  /** Real secrets of this run. */
  readonly secrets: readonly [string, string][];
}

/** Triggers every possible leak once, and returns all output of the system. */
async function whatIsSeen(): Promise<Seen> {
  let log = "";
  const stderr = vi.spyOn(process.stderr, "write").mockImplementation((chunk) => {
    log += String(chunk);
    return true;
  });
  const receiver = await otlpReceiver();
  const target = await leakyTarget();
  const tap = tapped();
  const system = await startAllInOne({
    directory: files.at("data"),
    wrap: tap.wrap,
    env: {
      RELEASE_API_URL: target.url,
      GATEWAY_PORT: "0",
      APPROVALS_PORT: "0",
      LOG_LEVEL: "debug",
      OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
      OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
      TRACE_DIR: files.at("traces"),
      TOOL_AUDIT_FILE: files.at("audit.jsonl"),
    },
  });
  try {
    const worker = await leakyWorker(tap.infrastructure(), files.at("data", "keys", "jwks.json"));
    const deadLetters = await forged(system, tap);
    const toolErrors = await leakyCalls(tap.infrastructure().bus);
    const events = await investigated(system);
    const errorBodies = await refused(system, tap);
    await worker.stop();
    await system.stop();
    return {
      places: {
        log,
        otlp: otlpOf(receiver),
        traceFiles: readdirSync(files.at("traces"))
          .map((name) => readFileSync(files.at("traces", name), "utf8"))
          .join(""),
        audit: readFileSync(files.at("audit.jsonl"), "utf8"),
        events,
        errorBodies,
        deadLetters,
      },
      toolErrors,
      secrets: [...tap.secrets(), ["the user's key", system.keys.user], ["the approver's key", system.keys.approver]],
    };
  } finally {
    stderr.mockRestore();
    await system.stop();
    await target.stop();
    await receiver.stop();
  }
}

function otlpOf(receiver: OtlpReceiver): string {
  const paths = new Set(receiver.exports().map(({ path }) => path));
  if (paths.size !== 3) throw new Error(`Only ${[...paths].join(", ")} were exported.`);
  return receiver
    .exports()
    .map(({ body }) => body)
    .join("\n");
}

/** Starts a release API with secrets in all its answers. It fails the first call of a tool, but answers the worker's own check. */
async function leakyTarget(): Promise<{ readonly url: string; stop(): Promise<void> }> {
  let requests = 0;
  const server = createServer((request: IncomingMessage, response) => {
    const failed = !request.url?.includes("availability-check") && ++requests === 1;
    request.resume().on("end", () => {
      const headers = { "content-type": "application/json", "set-cookie": HEADERS.cookie, "x-token": HEADERS["x-api-key"] };
      if (failed) response.writeHead(503, headers).end(JSON.stringify({ error: CREDENTIALS["in an answer of the target that failed"] }));
      else if (request.method === "POST") response.writeHead(201, headers).end(JSON.stringify({ report_id: CONTENTS.result }));
      else response.writeHead(200, headers).end(JSON.stringify(leakyRelease()));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function leakyRelease(): object {
  const release = someRelease("r1");
  return { ...release, changes: [`Rotate ${CREDENTIALS["in a result"]}`, `Drop ${CONTENTS.result}`, ...release.changes] };
}

/** Runs a whole investigation with secrets in its headers and its note. Returns the durable events as the run's owner sees them. */
async function investigated({ gatewayUrl: gateway, approvalsUrl: approvals, keys }: AllInOne): Promise<string> {
  const response = await fetch(`${gateway}/v1/investigations`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${keys.user}`,
      "content-type": "application/json",
      baggage: "k=Bearer%20canary1note1234567890",
      ...HEADERS,
    },
    body: JSON.stringify({ releaseId: "r1", note: `Use ${CREDENTIALS["in a note of the requester"]}` }),
    signal: AbortSignal.timeout(30_000),
  });
  const { runId } = (await response.json()) as { readonly runId: string };
  const requester = { gateway, user: keys.user };
  await approve({ approvals, approver: keys.approver }, await heldApproval(requester, runId));
  return JSON.stringify(await follow(requester, runId));
}

/** Sends requests that are refused or fail, with secrets in all of their content. Returns the bodies of the answers. */
async function refused({ gatewayUrl: gateway, approvalsUrl: approvals, keys }: AllInOne, tap: Tap): Promise<string> {
  const bodies: unknown[] = [];
  const ask = async (url: string, key: string, body?: object): Promise<void> => void bodies.push((await call(url, key, body)).body);
  await ask(`${gateway}/v1/runs/rn_00_01JABCDEFGHJKMNPQRSTVWXYZ0?token=${FIELDS["a query"]}`, keys.user);
  await ask(`${gateway}/v1/investigations`, FIELDS["a wrong API key"], { releaseId: CONTENTS.arguments });
  await ask(`${gateway}/v1/investigations`, keys.user, { releaseId: 7, secret: CONTENTS.arguments });
  await ask(`${approvals}/v1/approvals/ap_${CREDENTIALS["in a result"]}`, keys.approver);
  await ask(`${gateway}/v1/${CREDENTIALS["in what a tool throws"]}`, keys.user);
  tap.failReads();
  await ask(`${gateway}/v1/runs/rn_00_01JABCDEFGHJKMNPQRSTVWXYZ0`, keys.user);
  return JSON.stringify(bodies);
}

/** Starts a worker whose tools reveal secrets in every way in which a tool can. */
async function leakyWorker({ bus, state, clock, monotonic, random }: Infrastructure, jwksFile: string): Promise<Worker> {
  const tool = (name: string, run: () => never | object) =>
    defineTool({
      name,
      kind: "read",
      description: "Says what it must not, for a test. Example: call it with any text. It gives an object. Not for any other use.",
      parameters: {
        type: "object",
        properties: { text: { type: "string", description: "Any text." } },
        required: ["text"],
        additionalProperties: false,
      },
      run: async (_args, { log }) => {
        log.info({ arguments: CONTENTS.arguments, note: CREDENTIALS["in a result"] }, "a tool says what it must not");
        return run() as never;
      },
    });
  return startWorker({
    toolset: toolset({
      name: "canary",
      tools: [
        tool("canary_throws", () => {
          throw new Error(`${CREDENTIALS["in what a tool throws"]} ${THROWN}`);
        }),
        tool("canary_refuses", () =>
          toolError("refused", `${CREDENTIALS["in a tool's problem"]} ${CONTENTS["words of a tool's problem"]}`),
        ),
        tool("canary_answers", () => ({ secret: CREDENTIALS["in a result"], plain: CONTENTS.result })),
      ],
    }),
    bus: tracedBus(bus, { service: "canary", system: "memory", clock, monotonic }),
    state,
    keys: fileKeySet({ file: jwksFile, clock, onProblem: () => undefined }),
    log: createLog({ name: "canary", level: "debug" }),
    clock,
    monotonic,
    random,
  });
}

/** Calls every leaky tool as an agent would, and returns the answers that report a failure. */
async function leakyCalls(bus: MessageBus): Promise<string> {
  const answered = new Map<string, string>();
  const all = Promise.withResolvers<void>();
  const replies = await bus.consume(
    "tool.result.canary",
    async ({ message: answer }) => {
      answered.set(answer.correlationId ?? "", JSON.stringify(answer));
      if (answered.size === 3) all.resolve();
      return { kind: "ack" };
    },
    { concurrency: 1 },
  );
  for (const [index, toolName] of ["canary_throws", "canary_refuses", "canary_answers"].entries()) {
    const toolCallId = `rn_00_01JABCDEFGHJKMNPQRSTVWXYZ0.1.${index}`;
    const body = {
      toolCallId,
      toolName,
      arguments: JSON.stringify({ text: CONTENTS.arguments }),
      sessionId: "cv_00_01JABCDEFGHJKMNPQRSTVWXYZ0",
    };
    await bus.publish(invokeOf(toolCallId, "canary", body));
  }
  await all.promise;
  await replies.stop();
  return [...answered.values()].filter((answer) => !answer.includes(CONTENTS.result)).join("\n");
}

/** Publishes an unreadable message with a grant and a secret. Returns its dead letter as published, as stored, and as an operator sees it. */
async function forged({ gatewayUrl, keys }: AllInOne, tap: Tap): Promise<string> {
  const { bus, state } = tap.infrastructure();
  await bus.publish(invokeOf("forged", "release", { not: "an invoke" }));
  const letterId = await tap.keptLetter;
  const { documents } = await state.read([storeKeys.deadLetter(letterId)]);
  const shown = await call(`${gatewayUrl}/v1/dead-letters/${letterId}`, keys.operator);
  return JSON.stringify([tap.letters(), documents, shown.body]);
}

function invokeOf(id: string, toolsetName: string, body: object): Message {
  return message({
    id: `${id}#1`,
    topic: topics.invoke(toolsetName),
    type: messageTypes.toolInvoke,
    source: "/agents/canary",
    now: Date.now(),
    correlationId: id,
    replyTo: topics.result("canary"),
    attributes: {
      [attributes.grant]: FIELDS["a forged grant"],
      [attributes.callSecret]: FIELDS["a forged call secret"],
    },
    body,
  });
}

interface Tap {
  wrap(infrastructure: Infrastructure): Infrastructure;
  infrastructure(): Infrastructure;
  /** Returns the grants and call secrets that were sent over the bus. */
  secrets(): readonly [string, string][];
  /** Returns the dead letters that were sent over the bus. */
  letters(): readonly Message[];
  /** The id of the first dead letter that is stored. */
  readonly keptLetter: Promise<string>;
  /** Makes every later read of the store throw, with secrets in the error's text. */
  failReads(): void;
}

function tapped(): Tap {
  let inner: Infrastructure | null = null;
  let failing = false;
  const grants = new Set<string>();
  const callSecrets = new Set<string>();
  const letters: Message[] = [];
  const kept = Promise.withResolvers<string>();
  return {
    keptLetter: kept.promise,
    letters: () => letters,
    wrap(built) {
      inner = built;
      const bus: MessageBus = {
        ...built.bus,
        publish(sent) {
          const { [attributes.grant]: grant, [attributes.callSecret]: secret } = sent.attributes;
          if (grant !== undefined) grants.add(grant);
          if (secret !== undefined) callSecrets.add(secret);
          if (sent.topic.startsWith(topics.dead(""))) letters.push(sent);
          return built.bus.publish(sent);
        },
      };
      const commit: Infrastructure["state"]["commit"] = async (shard, change) => {
        const reply = await built.state.commit(shard, change);
        if (change.op.startsWith("keep:")) kept.resolve(change.op.slice("keep:".length));
        return reply;
      };
      const state = new Proxy(built.state, {
        get(store, name, receiver) {
          if (name === "read" && failing) return () => Promise.reject(leakyError());
          if (name === "commit") return commit;
          const value: unknown = Reflect.get(store, name, receiver);
          return typeof value === "function" ? value.bind(store) : value;
        },
      });
      return overTheBus({ ...built, bus, state });
    },
    infrastructure() {
      if (!inner) throw new Error("The system has not started.");
      return inner;
    },
    secrets: () => [
      ...[...grants].map((grant, n): [string, string] => [`a grant ${n}`, grant]),
      ...[...callSecrets].map((secret, n): [string, string] => [`a call secret ${n}`, secret]),
    ],
    failReads: () => void (failing = true),
  };
}

function leakyError(): Error {
  const { "in an exception of the service": token, "in an address that an exception quotes": user } = CREDENTIALS;
  return new Error(`connect failed: redis://${user}@store:6379 with ${token}`);
}
