import { approvalIdOf, callIdOf, type JsonObject, keys } from "@toolbus/contracts";
import type { Arena } from "../arena.ts";
import {
  answered,
  type Attack,
  both,
  coded,
  type Expected,
  harmless,
  held,
  type Outcome,
  reached,
  refusedWith,
  saidOverMcp,
} from "../attack.ts";
import { ask } from "../http.ts";
import { callTool, type McpAnswer, overMcp, toolCall } from "../mcp-client.ts";
import { CONFIGURED } from "../mcp-services.ts";
import { TOOLS } from "../payments.ts";
import { saidIn } from "../said-in.ts";
import { enabled, switchOff } from "../switched-writes.ts";
import { textIn } from "../text-in.ts";

const ARGS = { payee: "EVE", amount: 4000 } as const;
const LIST = { jsonrpc: "2.0", id: 1, method: "tools/list", params: {} };

/** What clients of the gateway's MCP server try. Only rita may call writes, and no write may happen without people. */
export const mcpClients: readonly Attack[] = [
  refused("an MCP client sends a call without a key", answered(401), (arena) =>
    overMcp(arena, { who: null, body: toolCall(TOOLS.high, ARGS) }),
  ),
  refused("an MCP client calls a write with an approver's key", answered(401), (arena) =>
    callTool(arena, "amy", { name: TOOLS.high, args: ARGS }),
  ),
  refused("an MCP client calls a write with a key that may only read", coded("forbidden"), (arena) =>
    callTool(arena, "reader", { name: TOOLS.low, args: ARGS }),
  ),
  refused("an MCP client calls a write that its key does not name", coded("forbidden"), (arena) =>
    callTool(arena, "clerk", { name: TOOLS.high, args: ARGS }),
  ),
  refused("an MCP client calls a write by way of the tool that calls others by name", coded("-32602"), (arena) =>
    callTool(arena, "rita", { name: "mcp_invoke_tool", args: byName(TOOLS.low) }),
  ),
  asksPeople("an MCP client calls a low write that policy grants to agents", { name: TOOLS.low, args: ARGS }),
  asksPeople("an MCP client puts a grant beside the arguments of a write", {
    name: TOOLS.low,
    args: ARGS,
    more: { grant: "e30.e30.e30", _meta: { grant: "e30.e30.e30", approvalId: "ap_1", "toolbus/status": "ok", tier: "low" } },
  }),
  refused("an MCP client puts a grant into the arguments of a write", coded("validation_error"), (arena) =>
    callTool(arena, "rita", { name: TOOLS.low, args: { ...ARGS, grant: "e30.e30.e30" } }),
  ),
  refused("an MCP client calls a foreign write that nobody has enabled, by its exact name", coded("denied"), (arena) =>
    callTool(arena, "rita", { name: `${CONFIGURED}__add_one` }),
  ),
  {
    name: "an MCP client calls a write that an operator has switched off, by its exact name",
    attacker: "http",
    expected: both(coded("denied")),
    async run(arena) {
      await switchOff(arena, TOOLS.critical);
      try {
        return await judged(arena, await callTool(arena, "rita", { name: TOOLS.critical, args: ARGS }));
      } finally {
        await enabled(arena, TOOLS.critical);
      }
    },
  },
  {
    name: "an MCP client calls a tool with a quarantined definition, by its exact name",
    attacker: "http",
    expected: both(coded("unknown_tool")),
    async run(arena) {
      const key = keys.registration("payments", TOOLS.read, "1");
      const before = await arena.eye.text(key);
      const stored = await arena.stored(key);
      const parameters = { type: "object", properties: { payee: { type: "string", pattern: "(?<=a)(b+)+$" } } };
      await arena.eye.register(key, { ...stored, definition: { ...(stored["definition"] as JsonObject), parameters } });
      try {
        return await judged(arena, await callTool(arena, "rita", { name: TOOLS.read, args: { payee: "BAKERY", amount: 1 } }));
      } finally {
        await arena.eye.putBack(key, before);
        await arena.eye.commitInRegistry();
      }
    },
  },
  onHandle("somebody of another tenant asks for the result of a call over MCP", "foreigner"),
  onHandle("somebody else of the tenant asks for the result of a call over MCP", "reader"),
  {
    name: "the result of an ordinary run is asked for over MCP",
    attacker: "http",
    expected: both(coded("not_found")),
    async run(arena) {
      const { runId } = await arena.asked("read", { payee: "BAKERY", amount: 1 });
      await arena.ended(runId);
      return judged(arena, await callTool(arena, "rita", { name: "toolbus_get_call", args: { handle: runId } }));
    },
  },
  refused("the handle of a call over MCP is the name of another document", coded("not_found"), (arena) =>
    callTool(arena, "rita", { name: "toolbus_get_call", args: { handle: "rn_00_01JD0000000000000000000001!cancel" } }),
  ),
  {
    name: "the Idempotency-Key of somebody's call over MCP is used again by another tenant",
    attacker: "http",
    expected: both(harmless),
    async run(arena) {
      const call = { name: TOOLS.read, args: { payee: "BAKERY", amount: 1 }, headers: { "idempotency-key": `red-${performance.now()}` } };
      const [first, other] = [await callTool(arena, "rita", call), await callTool(arena, "foreigner", call)];
      return first.handle !== "" && first.handle === other.handle ? reached("it got the other's call") : held("it became another call");
    },
  },
  refused("an MCP client sends the session id of somebody else", coded("forbidden"), async (arena) => {
    const began = await overMcp(arena, { who: "rita", body: initialize() });
    return callTool(arena, "reader", { name: TOOLS.low, args: ARGS, headers: { "mcp-session-id": began.handle || "rita" } });
  }),
  refused("a page of another site reaches the MCP server by DNS rebinding", answered(403), (arena) =>
    overMcp(arena, { who: "rita", body: LIST, headers: { host: "evil.example:8080", origin: "http://evil.example:8080" } }),
  ),
  refused("a page of another site sends a request to the MCP server", answered(403), (arena) =>
    overMcp(arena, { who: "rita", body: LIST, headers: { origin: "https://evil.example" } }),
  ),
  refused("a host that only begins like one of MCP_HOSTS is named", answered(403), (arena) =>
    overMcp(arena, { who: "rita", body: LIST, headers: { host: "tools.example.evil.example" } }),
  ),
  refused("an MCP client sends a batch of writes", answered(400), (arena) =>
    overMcp(arena, { who: "rita", body: [1, 2, 3].map((amount) => toolCall(TOOLS.low, { ...ARGS, amount })) }),
  ),
  refused("an MCP client sends text that is not JSON", answered(400), (arena) =>
    overMcp(arena, { who: "rita", body: '{"jsonrpc": "2.0", ' }),
  ),
  refused("an MCP client sends a message of another protocol", answered(400), (arena) =>
    overMcp(arena, { who: "rita", body: { jsonrpc: "1.0", id: 1, method: "tools/call", params: { name: TOOLS.low, arguments: ARGS } } }),
  ),
  refused("an MCP client announces a body of four million bytes", answered(413), (arena) =>
    overMcp(arena, { who: "rita", body: toolCall(TOOLS.low, ARGS), headers: { "content-length": "4000000" } }),
  ),
  refused("an MCP client sends arguments that no run can store", coded("body_too_large"), (arena) =>
    callTool(arena, "rita", { name: TOOLS.low, args: { payee: "x".repeat(40_000), amount: 1 } }),
  ),
  {
    name: "a conversation is begun with the profile of calls over MCP",
    attacker: "http",
    expected: both(answered(400)),
    async run(arena) {
      const { status, body } = await ask(arena.gateway("/v1/conversations"), arena.system.people.rita, { profile: "mcp:call" });
      return status < 300 ? reached(`it was answered ${status}`) : refusedWith(status, textIn(body["code"]));
    },
  },
  {
    name: "a key that may only read calls a write by way of the tool that calls others by name, in a conversation",
    attacker: "http",
    expected: both(coded("denied")),
    async run(arena) {
      const { runId } = await saidIn(arena, "reader", `mcp_invoke_tool ${JSON.stringify(byName(TOOLS.low))}`);
      const resolved = (await arena.ended(runId)).find((event) => event.type === "call.resolved");
      return saidOverMcp(resolved?.status ?? "no call", `${resolved?.tool}: ${resolved?.content.slice(0, 120)}`);
    },
  },
];

function byName(tool: string): JsonObject {
  return { server_name: "toolset:payments", tool_name: tool, arguments: ARGS };
}

function initialize(): JsonObject {
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "red", version: "1" } };
  return { jsonrpc: "2.0", id: 1, method: "initialize", params };
}

/** The request must be refused. If it comes to a run, the trial finds the write in the target's journal. */
function refused(name: string, expected: Expected, act: (arena: Arena) => Promise<McpAnswer>): Attack {
  return { name, attacker: "http", expected: both(expected), run: async (arena) => judged(arena, await act(arena)) };
}

async function judged(arena: Arena, { status, code, text, handle }: McpAnswer): Promise<Outcome> {
  if (handle !== "" && code === "waiting") await denied(arena, handle);
  return { reached: false, status, code, detail: `${status} ${code}: ${text.slice(0, 160)}` };
}

/** The call must wait for people, and nothing may reach the target before. */
function asksPeople(name: string, call: Parameters<typeof callTool>[2]): Attack {
  return {
    name,
    attacker: "http",
    expected: both(coded("waiting")),
    async run(arena) {
      const before = arena.system.target.journal().length;
      const answer = await callTool(arena, "rita", call);
      const { tier } = answer.handle === "" ? {} : await arena.stored(keys.approval(approvalIdOf(callIdOf(answer.handle, 0, 0))));
      const outcome = await judged(arena, answer);
      if (arena.system.target.journal().length > before) return reached("it happened");
      return tier === undefined || tier === "high" ? outcome : reached(`people see it with the tier ${textIn(tier)}`);
    },
  };
}

function onHandle(name: string, who: "foreigner" | "reader"): Attack {
  return {
    name,
    attacker: "http",
    expected: both(coded("not_found")),
    async run(arena) {
      const { handle } = await callTool(arena, "rita", { name: TOOLS.high, args: ARGS });
      const answer = await callTool(arena, who, { name: "toolbus_get_call", args: { handle } });
      await denied(arena, handle);
      return answer.text.includes("EVE") ? reached("it was told about the call") : judged(arena, answer);
    },
  };
}

/** Denies the write of this run, so that the run ends. */
async function denied(arena: Arena, runId: string): Promise<void> {
  const callId = callIdOf(runId, 0, 0);
  await arena.decide({ runId, callId, approvalId: approvalIdOf(callId), args: ARGS, tool: "" }, "deny", "ben");
}
