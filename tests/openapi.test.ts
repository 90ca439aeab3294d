import { createHash } from "node:crypto";
import { compileSchema, type JsonObject, problemCodes } from "@toolbus/contracts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { child, faultsOf, operations, textOf } from "./openapi-rules.ts";
import { SERVICES, startBoth } from "./openapi-services.ts";

const ROUTES = {
  gateway: `
    createConversation   post /v1/conversations                  201
    getConversation      get  /v1/conversations/{id}             200
    listConversations    get  /v1/conversations                  200
    deleteConversation   delete /v1/conversations/{id}           200
    listMessages         get  /v1/conversations/{id}/messages    200
    sendMessage          post /v1/conversations/{id}/messages    200 202
    sendFirstMessage     post /v1/messages                       200 202
    getContext           get  /v1/conversations/{id}/context     200
    startInvestigation   post /v1/investigations                 200 202
    getInvestigation     get  /v1/investigations/{id}            200
    triggerByAlerts      post /v1/triggers/alertmanager          202
    triggerByRelease     post /v1/triggers/release               202
    listRuns             get  /v1/runs                           200
    getRun               get  /v1/runs/{id}                      200
    cancelRun            post /v1/runs/{id}/cancel               200 202
    answerQuestion       post /v1/runs/{id}/answers              202
    answerToolQuestion   post /v1/runs/{id}/question-answers     202
    streamRun            get  /v1/runs/{id}/events               200 204
    listRunEvents        get  /v1/runs/{id}/history              200
    getRunRecord         get  /v1/runs/{id}/record               200
    issueStreamTicket    post /v1/runs/{id}/stream-ticket        201
    getCallEvidence      get  /v1/calls/{id}/evidence            200
    getCallMedia         get  /v1/calls/{id}/media               200
    listDeadLetters      get  /v1/dead-letters                   200
    getDeadLetter        get  /v1/dead-letters/{id}              200
    replayDeadLetter     post /v1/dead-letters/{id}/replay       200 202
    dismissDeadLetter    post /v1/dead-letters/{id}/dismiss      200
    listFailedWebhooks   get  /v1/webhooks                       200
    sendWebhookAgain     post /v1/webhooks/{id}/send             202
    listTools            get  /v1/tools                          200
    mcp                  post /mcp                               200 202
    listAgents           get  /v1/agents                         200
    getHealth            get  /healthz                           200
    getReadiness         get  /readyz                            200
    getOpenApi           get  /openapi.json                      200
    getDocs              get  /docs                              200`,
  approvals: `
    listApprovals        get  /v1/approvals                      200
    getApproval          get  /v1/approvals/{id}                 200
    decideApproval       post /v1/approvals/{id}/decision        200
    decideApprovals      post /v1/approvals/decisions            200
    decideByWebhook      post /v1/hooks/{id}                     200
    getApprovalEvidence  get  /v1/approvals/{id}/evidence        200
    listAudit            get  /v1/audit                          200
    listCheckpoints      get  /v1/audit/checkpoints              200
    decideInSlack        post /v1/slack/interactions  200
    getEra               get  /v1/era                            200
    raiseEra             post /v1/era/raise                      200
    resumeWrites         post /v1/era/resume                     200
    listWrites           get  /v1/writes                         200
    getWrite             get  /v1/writes/{id}                    200
    enableWrite          post /v1/writes/{id}/enable             200
    disableWrite         post /v1/writes/{id}/disable            200
    raiseWriteTier       post /v1/writes/{id}/tier               200
    removeTool           post /v1/tools/{id}/remove              200
    listFailedWebhooks   get  /v1/webhooks                       200
    sendWebhookAgain     post /v1/webhooks/{id}/send             202
    listRefused          get  /v1/refused                        200
    adoptDocument        post /v1/refused/adopt                  200
    getSeals             get  /v1/seals                          200
    resealDocuments      post /v1/seals/again                    200
    listSecurityEvents   get  /v1/security                       200
    getKeys              get  /.well-known/jwks.json             200
    getHealth            get  /healthz                           200
    getReadiness         get  /readyz                            200
    getOpenApi           get  /openapi.json                      200
    getDocs              get  /docs                              200`,
} as const;
const TAGS = new Set(
  "html head meta title style body header h1 h2 h3 h4 nav main section article ul li dl dt dd p a b strong small span code pre details summary".split(
    " ",
  ),
);

let system: Awaited<ReturnType<typeof startBoth>>;
beforeAll(async () => void (system = await startBoth()));
afterAll(() => system.stop());

describe.each(SERVICES)("the description of %s", (service) => {
  it("keeps the rules of OpenAPI 3.1, and each of its examples its schema", async () => {
    expect(faultsOf(await system.document(service))).toEqual([]);
  });

  it("has exactly these operations, with these answers of yes", async () => {
    const shown = operations(await system.document(service)).map(({ method, path: at, about }) => {
      const good = Object.keys(child(about["responses"]) as JsonObject).filter((status) => status.startsWith("2"));
      return [textOf(about["operationId"]), method, at, ...good].join(" ");
    });
    const expected = ROUTES[service]
      .trim()
      .split("\n")
      .map((line) => line.trim().split(/\s+/).join(" "));
    expect(shown.toSorted()).toEqual(expected.toSorted());
  });

  it("tells of every problem's code and status as they are", async () => {
    const document = await system.document(service);
    const codes = operations(document).flatMap(({ about }) =>
      Object.entries(child(about["responses"]) as JsonObject).flatMap(([status, response]) => {
        const [, narrowed] = (child(response, "content", "application/problem+json", "schema", "allOf") ?? []) as [unknown, JsonObject?];
        const list = (child(narrowed, "properties", "code", "enum") ?? []) as (keyof typeof problemCodes)[];
        return list.map((code) => ({ code, status: Number(status) }));
      }),
    );
    expect(codes.length).toBeGreaterThan(50);
    expect(codes.filter(({ code, status }) => problemCodes[code] !== status)).toEqual([]);
  });

  it("documents the Idempotency-Key at every POST, and what a key that comes again with another body gets", async () => {
    for (const { method, about } of operations(await system.document(service))) {
      const names = (about["parameters"] as readonly JsonObject[]).map(({ name }) => name);
      expect(names.includes("Idempotency-Key")).toBe(method === "post");
    }
  });
});

describe("the description of the stream", () => {
  it("has a schema for each event under a name of its own, which every example of it keeps, as does the union that tells events apart", async () => {
    const document = await system.document("gateway");
    const schemas = child(document, "components", "schemas") as JsonObject;
    const keeps = (name: string, data: unknown) =>
      compileSchema({ allOf: [{ $ref: `#/components/schemas/${name}` }], components: { schemas } })(data);
    const unions = ["RunEvent", "LiveEvent"].map((name) => ({
      name,
      mapping: child(schemas, name, "discriminator", "mapping") as JsonObject,
    }));
    const media = child(streamIn(document), "schema", "contentSchema", "anyOf");
    expect(media).toEqual(unions.map(({ name }) => ({ $ref: `#/components/schemas/${name}` })));
    const shown = Object.values(child(streamIn(document), "examples") as JsonObject).map((example) => textOf(child(example, "value")));
    for (const text of shown) {
      const data: JsonObject = JSON.parse(/^data: (.+)$/m.exec(text)?.[1] ?? "");
      const type = textOf(data["type"]);
      const [union, other] = text.startsWith("id: ") ? unions : unions.toReversed();
      const own = textOf(union?.mapping[type]).replace("#/components/schemas/", "");
      expect(other?.mapping[type]).toBeUndefined();
      expect({ type, own: keeps(own, data), union: keeps(union?.name ?? "", data) }).toEqual({ type, own: [], union: [] });
      expect(keeps(own, { ...data, more: 1 })).not.toEqual([]);
    }
    const mapped = unions.flatMap(({ mapping }) => Object.values(mapping));
    expect(mapped).toHaveLength(shown.length);
    for (const { name, mapping } of unions) expect(child(schemas, name, "oneOf")).toEqual(Object.values(mapping).map(($ref) => ({ $ref })));
  });

  it("shows every event as it goes over the wire", async () => {
    const media = streamIn(await system.document("gateway"));
    const shown = Object.values(child(media, "examples") as JsonObject).map((example) => textOf(child(example, "value")));
    expect(shown.map((text) => /^event: (.+)$/m.exec(text)?.[1])).toEqual([
      "run.queued",
      "run.started",
      "turn",
      "model.retry",
      "call.held",
      "call.decided",
      "call.unserved",
      "call.resolved",
      "call.settled",
      "call.asked",
      "question.asked",
      "question.ended",
      "run.cancelling",
      "run.completed",
      "run.failed",
      "run.cancelled",
      "accepted",
      "delta",
      "arguments",
      "reset",
      "progress",
      "bye",
    ]);
    for (const text of shown) {
      const { type, sequence } = JSON.parse(/^data: (.+)$/m.exec(text)?.[1] ?? "");
      expect(text).toContain(`event: ${type}\n`);
      expect(text.startsWith("id: ")).toBe(sequence !== undefined);
    }
  });
});

describe.each(SERVICES)("the page of %s", (service) => {
  it("has no script and nothing from elsewhere, and a policy that lets none in", async () => {
    const { html, headers } = await system.page(service);
    expect(headers.get("content-type")).toBe("text/html; charset=utf-8");
    const style = /<style>([^]*?)<\/style>/.exec(html)?.[1] ?? "";
    expect(headers.get("content-security-policy")).toBe(
      `default-src 'none'; style-src 'sha256-${createHash("sha256").update(style).digest("base64")}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    );
    expect(html).not.toMatch(/<script|<img|<link|<iframe|<object|<form|\son\w+=|\sstyle=|javascript:|url\(|@import/i);
    // The page shows everything from the description as text, so the description cannot add other tags to the page.
    expect([...new Set([...html.matchAll(/<\/?([a-z][a-z0-9]*)/gi)].map(([, tag]) => tag))].filter((tag) => !TAGS.has(tag ?? ""))).toEqual(
      [],
    );
    expect([...html.matchAll(/(?:href|src)="([^"]*)"/g)].map(([, to]) => to).filter((to) => !to?.startsWith("#"))).toEqual([
      "/openapi.json",
    ]);
  });

  it("shows every operation and every schema, and its links lead to them", async () => {
    const { html } = await system.page(service);
    const document = await system.document(service);
    const anchors = new Set([...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id));
    for (const { about } of operations(document)) expect(anchors.has(textOf(about["operationId"]))).toBe(true);
    for (const name of Object.keys(child(document["components"], "schemas") as JsonObject))
      expect(anchors.has(`schema-${name}`)).toBe(true);
    const targets = [...html.matchAll(/href="#([^"]+)"/g)].map(([, id]) => id ?? "");
    expect(targets.filter((id) => !anchors.has(id))).toEqual([]);
    expect(html).toContain('<meta name="viewport" content="width=device-width, initial-scale=1">');
  });
});

describe("the rules", () => {
  it.each<{ what: string; broken: (document: JsonObject) => string; fault: string }>([
    {
      what: "a reference that leads nowhere",
      broken: (d) => text(d).replaceAll('#/components/schemas/Run"', '#/components/schemas/Nope"'),
      fault: "leads nowhere",
    },
    {
      what: "an example that breaks its schema",
      broken: (d) => text(d).replace('"status":"awaiting_approval"', '"status":"thinking"'),
      fault: "breaks the schema",
    },
    {
      what: "an operationId that is there twice",
      broken: (d) => text(d).replace('"operationId":"getRun"', '"operationId":"listRuns"'),
      fault: "listRuns is no operationId of its own",
    },
    {
      what: "a path whose parameter is not declared",
      broken: (d) => text(d).replace('"/v1/runs/{id}":', '"/v1/runs/{run}":'),
      fault: "declares other parameters",
    },
    {
      what: "an operation that does not say who may call it",
      broken: (d) => text(d).replace('"security":[{"apiKey":[]}],', ""),
      fault: "does not say who may call it",
    },
    {
      what: "an unknown field",
      broken: (d) => text(d).replace('"operationId":', '"x":1,"operationId":'),
      fault: "has the unknown field x",
    },
    {
      what: "a webhook without an operationId",
      broken: (d) => text(d).replace('"operationId":"onRunEnded",', ""),
      fault: "null is no operationId of its own",
    },
    {
      what: "a webhook without a tag",
      broken: (d) => text(d).replace(/("operationId":"onRunEnded","tags":)\["Webhooks"\]/, "$1[]"),
      fault: "webhook run.ended post has no tag",
    },
    {
      what: "a webhook that does not say how it is signed",
      broken: (d) => text(d).replace(/("operationId":"onRunEnded".+?"security":)\[[^\]]*\[\]\}\]/, "$1[]"),
      fault: "webhook run.ended post does not say how it is signed",
    },
    {
      what: "a webhook that is signed by an unknown scheme",
      broken: (d) => text(d).replace(/("operationId":"onRunEnded".+?"security":\[\{")webhookSignature/, "$1nothing"),
      fault: "webhook run.ended post needs the unknown credential nothing",
    },
    {
      what: "a tag without a word on what it is for",
      broken: (d) => text(d).replace(/"name":"Runs","description":"[^"]+"/, '"name":"Runs","description":""'),
      fault: "the tag Runs is not described",
    },
  ])("find $what", async ({ broken, fault }) => {
    const faults = faultsOf(JSON.parse(broken(await system.document("gateway"))));
    expect(faults.some((line) => line.includes(fault))).toBe(true);
  });
});

const streamIn = (document: JsonObject) =>
  child(document["paths"], "/v1/runs/{id}/events", "get", "responses", "200", "content", "text/event-stream");

const text = (document: JsonObject): string => JSON.stringify(document);
