import { approvalIdOf, callIdOf, keys } from "@toolbus/contracts";
import type { Arena } from "../arena.ts";
import { type Attack, both, coded, dropped, held, type Outcome, reached, saidOverMcp, serverOr } from "../attack.ts";
import { decideOnCard } from "../decide.ts";
import { ask } from "../http.ts";
import { callTool } from "../mcp-client.ts";
import { CONFIGURED } from "../mcp-services.ts";
import type { People } from "../people.ts";
import { errorIn, saidIn } from "../said-in.ts";
import { enabled } from "../switched-writes.ts";

const REGISTER = "mcp_register_server";

/** Attempts to make the bridge run a program. The program would leave a marker. The last attack restarts the bridge. */
export const mcpRegistering: readonly Attack[] = [
  {
    name: "a program is registered as an MCP server, and one of two people approves it",
    attacker: "http",
    expected: both(coded("denied")),
    async run(arena) {
      const write = await asked(arena, "evil", "touch", [arena.system.bridge.marker]);
      await decided(arena, write.approvalId, "amy", "approve");
      const { status } = await arena.stored(keys.approval(write.approvalId));
      if (status !== "pending") return reached("one approval was enough");
      await decided(arena, write.approvalId, "ben", "deny");
      return ended(arena, write.runId);
    },
  },
  approved("the command of an MCP server is a line for a shell, and people approve it", "mcp_server_not_started", (marker) => [
    "shell",
    `/bin/sh -c 'touch ${marker}'`,
    [],
  ]),
  approved("the arguments of an MCP server are full of a shell's special characters, and people approve them", "ok", (marker) => [
    "quoted",
    "true",
    [`$(touch ${marker})`, `; touch ${marker}`, `\`touch ${marker}\``, `' && touch ${marker} #`, `"; touch ${marker}; "`],
  ]),
  approved(
    "a program is registered under the name of a server of the operator's file, and people approve it",
    "mcp_server_configured",
    (marker) => [CONFIGURED.toUpperCase(), "touch", [marker]],
  ),
  {
    name: "a program is registered as an MCP server over MCP, with a key that does not name the tool",
    attacker: "http",
    expected: both(coded("forbidden")),
    async run(arena) {
      const { code, text } = await callTool(arena, "clerk", { name: REGISTER, args: { server_name: "evil", command: "true" } });
      return saidOverMcp(code, text.slice(0, 160));
    },
  },
  {
    name: "the list of registered MCP servers in the store names a program, with the login of another toolset",
    attacker: "neighbour",
    expected: serverOr(dropped(/The list of registered MCP servers in the store is not valid/)),
    async run(arena) {
      const { bridge, apart } = arena.system;
      const key = keys.registeredMcpServers();
      const before = await arena.eye.text(key);
      const evil = { name: "evil", command: "touch", args: [bridge.marker], callId: "rn_00_1.1.0", registeredAt: 1 };
      const stored = before === null ? {} : await arena.stored(key);
      await arena.as("neighbour").overwrite(key, { ...stored, servers: [evil], calls: [], revision: 99 });
      try {
        await apart.restart("mcp", 1);
        return bridge.isMarked() ? reached("the program ran") : held("the bridge did not start it");
      } finally {
        await arena.eye.putBack(key, before);
      }
    },
  },
  {
    name: "a program is registered as an MCP server while only operators may add servers",
    attacker: "http",
    expected: both(coded("-32602")),
    async run(arena) {
      const { bridge, apart } = arena.system;
      bridge.allowRegistering(false);
      try {
        await apart.restart("mcp", 1);
        await arena.until("the tool to be unregistered", async () => {
          const { body } = await ask(arena.gateway("/v1/tools"), arena.system.people.rita);
          return JSON.stringify(body).includes(REGISTER) ? null : true;
        });
        const { code, text } = await callTool(arena, "rita", { name: REGISTER, args: { server_name: "evil", command: "true" } });
        return saidOverMcp(code, text.slice(0, 160));
      } finally {
        bridge.allowRegistering(true);
        await apart.restart("mcp", 1);
      }
    },
  },
];

/** Two people approve the registration all the same. Nothing may run that a shell would have run. */
function approved(
  name: string,
  code: string,
  server: (marker: string) => readonly [name: string, command: string, args: readonly string[]],
): Attack {
  return {
    name,
    attacker: "http",
    expected: both(coded(code)),
    async run(arena) {
      const write = await asked(arena, ...server(arena.system.bridge.marker));
      for (const who of ["amy", "ben"] as const) await decided(arena, write.approvalId, who, "approve");
      return ended(arena, write.runId);
    },
  };
}

/** Asks for a registration as Rita. Resolves when approvals has asked people. */
async function asked(arena: Arena, name: string, command: string, args: readonly string[]) {
  await enabled(arena, REGISTER);
  const { runId } = await saidIn(arena, "rita", `${REGISTER} ${JSON.stringify({ server_name: name, command, arguments: args })}`);
  await arena.until("people to be asked", async () => ((await arena.events(runId)).some(({ type }) => type === "call.held") ? true : null));
  return { runId, approvalId: approvalIdOf(callIdOf(runId, 1, 0)) };
}

async function decided(arena: Arena, approvalId: string, who: keyof People, decision: "approve" | "deny"): Promise<void> {
  const url = arena.approvals(`/v1/approvals/${encodeURIComponent(approvalId)}`);
  const key = arena.system.people[who];
  const { status, body } = await arena.until("the card", () => decideOnCard({ url, key, decision, ticket: "OPS-9" }));
  if (status !== 200) throw new Error(`Approvals answered ${status}: ${JSON.stringify(body)}`);
}

async function ended(arena: Arena, runId: string): Promise<Outcome> {
  const resolved = (await arena.ended(runId)).find((event) => event.type === "call.resolved");
  if (arena.system.bridge.isMarked()) return reached("the program ran");
  const { status = "no call", content = "" } = resolved ?? {};
  return saidOverMcp(status === "error" ? errorIn(content) : status, content.slice(0, 160));
}
