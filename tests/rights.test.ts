import { mkdtempDisposable } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { agent } from "@toolbus/agent";
import { localKeys } from "@toolbus/all-in-one";
import { approvals } from "@toolbus/approvals";
import { type MessageBus, memoryBus } from "@toolbus/bus";
import { type Access, isNamed, oneAgent, OPERATIONS, rightsOf, type ServiceRights, workerOf } from "@toolbus/contracts";
import { gateway } from "@toolbus/gateway";
import { type Infrastructure, type Running, runServices } from "@toolbus/runtime";
import { type Change, memoryStore, type StateStore } from "@toolbus/state";
import { toolExecutor } from "@toolbus/tool-executor";
import { describe, expect, it, vi } from "vitest";
import { patientClient } from "./e2e/apart/client.ts";
import { gatedReleaseApi } from "./e2e/testing/gated-release-api.ts";

const rights = rightsOf(oneAgent(["release"]));

/** The documents, logs and indexes that each service writes, as docs/mechanics.md lists them. */
const OWNERS: Readonly<Record<string, string>> = {
  gateway: "answer.* inbox index.runs.* origin rate.gateway replay security:gateway security:gateway.head ticket",
  agent:
    "budget call context conversation events hook.agent index.agents index.hooks.agent live profile run security:agent security:agent.head stop summary transcript working",
  approvals:
    "approval audit era hook.approvals index.approvals.* index.hooks.approvals index.removals pin policy quota rate.approvals removal security:approvals security:approvals.head token",
  "worker-release": "index.registry ledger.release question.release registry.release security:worker.release security:worker.release.head",
  operations: "dead index.dead index.dead.* index.registry index.removals registry.* security:operations security:operations.head",
};

describe("the table of rights", () => {
  it("gives each family its one owner", () => {
    const written = rights.map(({ service, store }) => [service, writesOf(store)] as const);
    expect(Object.fromEntries(written.map(([service, names]) => [service, names.join(" ")]))).toEqual(OWNERS);
    const all = written.flatMap(([, names]) => names);
    // The entries of these lists are only hints, so two services may write them. The readers check each entry at its source.
    expect(all.filter((name, n) => all.indexOf(name) !== n).toSorted()).toEqual(["index.registry", "index.removals"]);
  });

  it("lets two toolsets write nothing of each other but the list of registrations", () => {
    const [one, two] = rightsOf(oneAgent(["release", "web"])).filter(({ service }) => service.startsWith("worker-"));
    const shared = writesOf((one as ServiceRights).store).filter((name) => writesOf((two as ServiceRights).store).includes(name));
    expect(shared).toEqual(["index.registry"]);
    expect(one?.topics.consumes).toEqual(["tool.invoke.release", "tool.plan.release"]);
    expect(two?.topics.consumes).toEqual(["tool.invoke.web", "tool.plan.web"]);
  });

  it("lets only the workers of guides write skills and read origins, of all workers", () => {
    const workers = rightsOf(oneAgent(["release", "guides"])).filter(({ service }) => service.startsWith("worker-"));
    const may = workers.map(({ service, store: { documents } }) => [
      service,
      documents.writes.includes("skill"),
      documents.reads.includes("origin"),
    ]);
    expect(may).toEqual([
      ["worker-release", false, false],
      ["worker-guides", true, true],
    ]);
  });

  it("lets only the workers of a toolset read the answers to its questions, and only the gateway write them", () => {
    const all = rightsOf(oneAgent(["release", "mcp"]));
    const may = (right: keyof Access, family: string): readonly string[] =>
      all.filter(({ store }) => isNamed(store.documents[right], family)).map(({ service }) => service);
    expect([may("writes", "answer.mcp"), may("reads", "answer.mcp")]).toEqual([["gateway"], ["worker-mcp"]]);
    expect([may("writes", "question.mcp"), may("reads", "question.mcp")]).toEqual([["worker-mcp"], ["gateway", "agent"]]);
  });

  it("lets only approvals publish decisions, and only a toolset's worker take its calls", () => {
    const whoMay = (duty: "publishes" | "consumes", topic: string): readonly string[] =>
      rights.filter(({ topics }) => topics[duty].includes(topic)).map(({ service }) => service);
    // The operations service may publish these because a replay publishes the original message again.
    expect(whoMay("publishes", "approval.decided.default")).toEqual(["approvals", "operations"]);
    expect(whoMay("publishes", "tool.result.default")).toEqual(["worker-release", "operations"]);
    expect(whoMay("publishes", "tool.invoke.release")).toEqual(["agent", "operations"]);
    expect(whoMay("consumes", "tool.invoke.release")).toEqual(["worker-release"]);
    expect(whoMay("consumes", "approval.request")).toEqual(["approvals"]);
    expect(whoMay("publishes", "tool.plan.release")).toEqual(["approvals", "operations"]);
    expect(whoMay("consumes", "approval.planned")).toEqual(["approvals"]);
  });

  it("allows everything that the services do in an investigation with an approval, and with a dead letter", async () => {
    await using folder = await mkdtempDisposable(path.join(os.tmpdir(), "rights-"));
    const touched = new Map<string, Set<string>>();
    const api = await gatedReleaseApi(folder.path, ["calm"]);
    const bus = memoryBus({ clock: Date.now, drainMs: 1000 });
    const state = memoryStore({ clock: Date.now });
    const keys = await localKeys(path.join(folder.path, "keys"));
    const env = {
      BUS_URL: "memory:",
      STATE_URL: "memory:",
      LOG_LEVEL: "silent",
      RELEASE_API_URL: api.url,
      GATEWAY_PORT: "0",
      APPROVALS_PORT: "0",
      GATEWAY_API_KEYS_FILE: keys.gatewayKeysFile,
      APPROVALS_API_KEYS_FILE: keys.approvalsKeysFile,
      APPROVALS_KEY_FILE: keys.services.approvals,
      APPROVALS_SEAL_KEYS_FILE: keys.services.seals,
      GATEWAY_KEY_FILE: keys.services.gateway,
      AGENT_KEY_FILE: keys.services.agent,
      RECEIPT_KEY_FILE: keys.services.receipts,
      SERVICE_KEYS_FILE: keys.services.trusted,
      PIN_ON_FIRST_SIGHT: "true",
    };
    const running: Running[] = [];
    const start = async (name: string, definition: Parameters<typeof runServices>[0][number], more = {}): Promise<Running> => {
      const seen = new Set<string>();
      touched.set(name, seen);
      const wrap = (built: Infrastructure): Infrastructure => ({ ...built, bus: watchedBus(bus, seen), state: watchedStore(state, seen) });
      const started = await runServices([definition], { env: { ...env, ...more }, wrap });
      running.push(started);
      return started;
    };
    try {
      await start(workerOf("release"), toolExecutor, { TOOLSETS: "release" });
      await start(OPERATIONS, toolExecutor, { TOOLSETS: "operations" });
      const approving = await start("approvals", approvals);
      await start("agent", agent);
      const gating = await start("gateway", gateway);
      const client = patientClient({ keys, gatewayUrls: [urlOf(gating, "gateway")], approvalsUrls: [urlOf(approving, "approvals")] });
      await bus.publish({ id: "a stranger's", topic: "run.wake", type: "", source: "", time: "", attributes: {}, body: "no JSON" });
      const { runId } = await client.investigate("calm");
      expect((await client.toTheEnd(runId)).at(-1)?.event.type).toBe("run.completed");
      await removed(urlOf(approving, "approvals"), keys.approver, state);
    } finally {
      for (const one of running.toReversed()) await one.stop();
      await api.stop();
      await Promise.all([bus.close(), state.close()]);
    }
    const beyond = [...touched].flatMap(([service, seen]) =>
      [...seen].filter((what) => !allows(service, what)).map((what) => `${service}: ${what}`),
    );
    expect(beyond).toEqual([]);
    // These accesses certainly happened, so the test shows that it observes accesses at all.
    expect([...(touched.get("agent") ?? [])]).toEqual(
      expect.arrayContaining(["publishes tool.invoke.release", "documents writes run ", "documents reads inbox "]),
    );
    expect([...(touched.get(OPERATIONS) ?? [])]).toEqual(
      expect.arrayContaining(["documents writes dead ", "indexes writes index.dead.run.wake "]),
    );
  });
});

/** Removes the registration of the write, as an operator does, and waits until it is gone. */
async function removed(url: string, key: string, state: StateStore): Promise<void> {
  const headers = { authorization: `Bearer ${key}` };
  expect((await fetch(`${url}/v1/tools/file_risk_report/remove`, { method: "POST", headers })).status).toBe(200);
  const isGone = async (): Promise<boolean> =>
    !(await state.page("index.registry", { limit: 100 })).members.some(({ member }) => member.includes("file_risk_report"));
  await vi.waitUntil(isGone, { timeout: 30_000, interval: 1 });
}

function writesOf({ documents, logs, live, indexes }: ServiceRights["store"]): readonly string[] {
  return [...new Set([documents, logs, live, indexes].flatMap(({ writes }) => writes))].toSorted();
}

/** Returns whether a service has a right, such as `documents writes approval ap_…`, `publishes run.wake`, `rows agent` or `blobs write`. */
function allows(name: string, what: string): boolean {
  const service = rights.find((one) => one.service === name);
  if (!service) return false;
  const [kind = "", verb = "", family = "", id = ""] = what.split(" ");
  const { topics, store } = service;
  switch (kind) {
    case "publishes":
      return topics.publishes.includes(verb) || topics.consumes.some((topic) => verb === `dead.${topic}`);
    case "consumes":
    case "announces":
    case "listens":
      return topics[kind].includes(verb);
    case "rows":
      return store.rows.includes(verb);
    case "blobs":
      return store.blobs === "write" || store.blobs === verb;
    case "documents":
    case "logs":
    case "live":
    case "indexes": {
      const access: Access = store[kind];
      return isNamed(access.writes, family, id) || (verb === "reads" && isNamed(access.reads, family, id));
    }
    default:
      return false;
  }
}

function watchedBus(bus: MessageBus, seen: Set<string>): MessageBus {
  return {
    ...bus,
    publish: (message) => (seen.add(`publishes ${message.topic}`), bus.publish(message)),
    consume: (topic, ...rest) => (seen.add(`consumes ${topic}`), bus.consume(topic, ...rest)),
    announce: (message) => (seen.add(`announces ${message.topic}`), bus.announce(message)),
    listen: (topic, ...rest) => (seen.add(`listens ${topic}`), bus.listen(topic, ...rest)),
    // Separate processes close their own bus. In this test all services share one.
    close: async () => undefined,
  };
}

function watchedStore(state: StateStore, seen: Set<string>): StateStore {
  const named = (kind: string, verb: string, key: string): void => void seen.add(`${kind} ${verb} ${parts(key)}`);
  const claim = ((service: string, ...rest: [never, never]) => (
    seen.add(`rows ${service}`),
    state.claim(service, ...rest)
  )) as StateStore["claim"];
  return {
    ...state,
    claim,
    read: (keys) => (keys.forEach((key) => named("documents", "reads", key)), state.read(keys)),
    commit: (shard, change) => (changed(change), state.commit(shard, change)),
    settle: (service, rows) => (seen.add(`rows ${service}`), state.settle(service, rows)),
    range: (log, options) => (named("logs", "reads", log), state.range(log, options)),
    live: (log, batch) => (named("live", "writes", log), state.live(log, batch)),
    recent: (log) => (named("live", "reads", log), state.recent(log)),
    genuine: (log, batches) => (named("live", "reads", log), state.genuine(log, batches)),
    page: (index, options) => (seen.add(`indexes reads ${index} `), state.page(index, options)),
    putBlob: (bytes) => (seen.add("blobs write"), state.putBlob(bytes)),
    getBlob: (hash) => (seen.add("blobs read"), state.getBlob(hash)),
    close: async () => undefined,
  };

  function changed({ guards, put = [], remove = [], append = [], timers = [], outbox = [], index = [] }: Change): void {
    // On a commit, the store also writes the commit's op into the document of the first guard.
    guards.forEach(({ key }, n) => named("documents", n === 0 ? "writes" : "reads", key));
    for (const { key } of put) named("documents", "writes", key);
    for (const key of remove) named("documents", "writes", key);
    for (const { log } of append) named("logs", "writes", log);
    for (const { service } of [...timers, ...outbox]) seen.add(`rows ${service}`);
    for (const { topic } of outbox) seen.add(`publishes ${topic}`);
    for (const member of index) seen.add(`indexes writes ${member.index} `);
  }
}

/** Returns the family of a key. For a security record, it also returns the name of the record's service. The ids of other documents do not matter. */
function parts(key: string): string {
  const [, family = "", id = ""] = /^tb:([^:]+):\{[^}]*\}:(.*)$/.exec(key) ?? [];
  return `${family} ${family === "security" ? id : ""}`;
}

function urlOf(running: Running, name: string): string {
  const service = running.services.get(name);
  return service && "url" in service && typeof service.url === "string" ? service.url : "";
}
