import { randomBytes } from "node:crypto";
import { agentSettings, type Profile, startAgent } from "@toolbus/agent";
import { approvalsSettings, startApprovalsCore } from "@toolbus/approvals";
import { memoryBus } from "@toolbus/bus";
import { type Approval, isRunEnd, parseApproval, type RunEvent, type Trust } from "@toolbus/contracts";
import { createConversation, gatewaySettings, sendMessage, startGatewayCore } from "@toolbus/gateway";
import { generateSigningKey, ownKeys, publicKeySet, sealKeysOf, staticKeySet, trustedKeys } from "@toolbus/grants";
import type { ModelProvider, ModelReply } from "@toolbus/models";
import { type Infrastructure, type Principal, readSettings } from "@toolbus/runtime";
import { type Change, memoryStore, type StateStore } from "@toolbus/state";
import { silentLog } from "@toolbus/telemetry";
import { defineTool, startWorker, toolset } from "@toolbus/tool-kit";
import type { InjectedPage } from "./injected-pages.ts";

const own = await ownKeys(["gateway", "agent", "worker.shop"]);
const signing = await generateSigningKey();
const verifying = staticKeySet(publicKeySet([signing]));
const others = ["gateway", "agent", "worker.shop"].map((service) => [service, own.trusted.of(service)] as const);
const trusted = trustedKeys(Object.fromEntries([...others, ["approvals", verifying]]));

const PROFILE: Profile = {
  name: "chat",
  description: "Reads pages.",
  systemPrompt: "Do what you are asked.",
  tools: ["read_page", "read_price", "post_note", "send_email", "issue_refund"],
  limits: { maxRounds: 8, activeMs: 600_000, maxTools: 12, maxTokens: 1024 },
  model: null,
  toolChoice: "auto",
  seedCalls: [],
  report: null,
  askUser: false,
  continueAfterFailedWrite: false,
};
const RITA: Principal = { id: "rita", tenant: "acme", roles: ["user"], scopes: [], keyId: "rita" };

/** What happened to a write that a page asked for. Either it waits, with its approval, or the run has ended without a person. */
export type Asked = { readonly kind: "waits"; readonly approval: Approval } | { readonly kind: "ran"; readonly approval: Approval | null };

/** Every service in one process, with a model that does everything that any text asks for. */
export interface GullibleSystem extends AsyncDisposable {
  /** The effects that the tools had, by name of the tool. */
  readonly effects: readonly string[];
  conversation(): Promise<string>;
  /**
   * Sends a message from the user Rita. The model does what the message says: `read <page id>`, `price`, or `do <page id>` for the write that the
   * page asks for. The model also obeys a page that it has read in the same run. Resolves when a write waits for people or the run has ended.
   */
  say(conversationId: string, words: string): Promise<Asked>;
}

/** Starts the system. Its pages are results of a tool that declares this `trust`, or declares none if `trust` is undefined. */
export async function gullibleSystem(
  pages: readonly InjectedPage[],
  { trust, source }: { readonly trust?: Trust; readonly source?: string },
) {
  const clock = (): number => Date.now();
  const byId = new Map(pages.map((page) => [page.id, page]));
  const effects: string[] = [];
  const watch = watched(memoryStore({ clock }));
  const bus = memoryBus({ clock });
  const parts = { bus, state: watch.store, log: silentLog, trusted, embedded: true, clock, monotonic: () => performance.now() };
  const infrastructure = (service: string): Infrastructure => ({
    ...parts,
    identity: own.identityOf(service),
    random: (count) => randomBytes(count),
  });
  const approvals = await startApprovalsCore(
    infrastructure("gateway"),
    readSettings(approvalsSettings, { PIN_ON_FIRST_SIGHT: "true", AUTO_GRANTS_PER_HOUR: "0", PENDING_PER_REQUESTER: "0", POLL_MS: "5" }),
    {
      signing: [signing],
      verifying,
      seals: sealKeysOf({ keys: [{ kid: "test", secret: randomBytes(32).toString("base64url") }] }),
    },
  );
  const worker = await startWorker({
    ...infrastructure("worker.shop"),
    signer: own.identityOf("worker.shop").signer,
    toolset: shop(byId, effects, { trust, source }),
    keys: verifying,
  });
  const gateway = startGatewayCore(infrastructure("gateway"), readSettings(gatewaySettings, {}));
  const agent = await startAgent(infrastructure("agent"), readSettings(agentSettings, { POLL_MS: "5" }), {
    provider: gullible(byId),
    profiles: new Map([[PROFILE.name, PROFILE]]),
  });
  const system: GullibleSystem = {
    effects,
    async conversation() {
      const created = await createConversation(gateway.parts, { principal: RITA, body: {} });
      if (created.kind === "refused") throw new Error(created.detail);
      return created.origin.conversationId;
    },
    async say(conversationId, text) {
      const sent = await sendMessage(gateway.parts, { principal: RITA, conversationId, body: { text } });
      if (sent.kind === "refused") throw new Error(sent.detail);
      return watch.over(sent.runId);
    },
    async [Symbol.asyncDispose]() {
      await gateway.stop();
      await agent.stop();
      await worker.stop();
      await approvals.stop();
      await bus.close();
      await watch.store.close();
    },
  };
  return system;
}

function shop(
  pages: ReadonlyMap<string, InjectedPage>,
  effects: string[],
  { trust, source }: { readonly trust?: Trust | undefined; readonly source?: string | undefined },
) {
  const text = { type: "string", maxLength: 70_000 } as const;
  return toolset({
    name: "shop",
    tools: [
      defineTool({
        name: "read_page",
        description: "Reads a page of the shop, e.g. plain-order. Gives its text. Not for prices.",
        kind: "read",
        parameters: {
          type: "object",
          properties: { page: { type: "string", maxLength: 64 } },
          required: ["page"],
          additionalProperties: false,
        },
        ...(trust === undefined ? {} : { trust }),
        ...(source === undefined ? {} : { source }),
        run: ({ page }) => pages.get(page as string)?.text ?? "",
      }),
      defineTool({
        name: "read_price",
        description: "Reads the price of the kettle, e.g. 20. Gives EUR. Not for pages.",
        kind: "read",
        trust: "trusted",
        parameters: { type: "object", properties: {}, additionalProperties: false },
        run: () => ({ price: 20 }),
      }),
      write("post_note", "low", { text }),
      write("send_email", "medium", { to: { type: "string", maxLength: 100 }, text }),
      write("issue_refund", "medium", { order: { type: "string", maxLength: 20 }, amount: { type: "integer", minimum: 1, maximum: 50 } }),
    ],
  });

  function write(name: string, tier: "low" | "medium", properties: object) {
    return defineTool({
      name,
      description: `Does ${name.replace("_", " ")} for a customer, e.g. for ORD-8821. Gives "done". Not for other shops.`,
      kind: "write",
      risk: { tier },
      idempotency: { mode: "none" },
      effect: "Does it.",
      parameters: { type: "object", properties, required: Object.keys(properties), additionalProperties: false },
      prepare: (args) => args,
      run() {
        effects.push(name);
        return "done";
      },
    });
  }
}

/** A model without any judgement. It obeys the person, and then the page that it has read. */
function gullible(pages: ReadonlyMap<string, InjectedPage>): ModelProvider {
  const usage = { inputTokens: 1, outputTokens: 1 };
  return {
    name: "gullible",
    model: "gullible-1",
    dialect: "any",
    capabilities: {
      tools: true,
      streaming: false,
      vision: false,
      sampling: true,
      contextTokens: 200_000,
      maxOutputTokens: 65_536,
      resultChars: 64_000,
    },
    estimateTokens: (entries) => entries.length,
    complete: async ({ transcript }): Promise<ModelReply> => {
      const last = transcript.at(-1);
      const said = transcript.findLast((entry) => entry.type === "user")?.text ?? "";
      const [word, id = ""] = said.split(" ");
      const asked = pages.get(id)?.call;
      const done: ModelReply = { text: "Done.", calls: [], stop: "end_turn", usage, model: "gullible-1" };
      const call = (name: string, args: object): ModelReply => ({
        ...done,
        text: "",
        calls: [{ id: `c${transcript.length}`, name, arguments: JSON.stringify(args) }],
        stop: "tool_use",
      });
      if (last?.type === "user") {
        if (word === "read") return call("read_page", { page: id });
        if (word === "price") return call("read_price", {});
        return asked ? call(asked.name, asked.arguments) : done;
      }
      return last?.type === "result" && last.name === "read_page" && asked ? call(asked.name, asked.arguments) : done;
    },
  };
}

/** Watches the commits of a store for approvals that begin and runs that end. */
function watched(store: StateStore) {
  const approvals = new Map<string, Approval>();
  const waiting = new Map<string, PromiseWithResolvers<Asked>>();
  const of = (runId: string): PromiseWithResolvers<Asked> => {
    const known = waiting.get(runId) ?? Promise.withResolvers<Asked>();
    waiting.set(runId, known);
    return known;
  };
  return {
    store: {
      ...store,
      async commit(shard: string, change: Change) {
        const reply = await store.commit(shard, change);
        if (reply.outcome === "ok") see(change);
        return reply;
      },
    } satisfies StateStore,
    over: (runId: string) => of(runId).promise,
  };

  function see({ put = [], append = [] }: Change): void {
    for (const { key, value } of put) {
      if (!key.startsWith("tb:approval:")) continue;
      const parsed = parseApproval(value);
      if (!parsed.ok) continue;
      approvals.set(parsed.value.runId, parsed.value);
      if (parsed.value.status === "pending") of(parsed.value.runId).resolve({ kind: "waits", approval: parsed.value });
    }
    for (const { log, entries } of append) {
      const end = entries.at(-1) as RunEvent | undefined;
      const runId = log.split(":").at(-1) ?? "";
      if (log.startsWith("tb:events:") && end && isRunEnd(end)) of(runId).resolve({ kind: "ran", approval: approvals.get(runId) ?? null });
    }
  }
}
