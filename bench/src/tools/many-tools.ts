import { defineTool, toolset, type Toolset } from "@toolbus/tool-kit";

/** The number of tools of one service. */
const TOOLS_EACH = 20;

const ACTIONS = ["list", "get", "create", "update", "delete", "search", "export", "archive", "assign", "count"];
const THINGS = ["order", "invoice", "customer", "ticket", "shipment", "contract", "page", "channel", "pod", "report"];
const PLACES = ["warehouse", "archive", "calendar", "repository", "cluster", "ledger", "mailbox", "board", "folder", "database"];

/** Returns one toolset with this many tools, as that of the bridge, whose servers have `TOOLS_EACH` tools each. */
export function oneToolset(count: number): Toolset {
  return toolset({ name: "mcp", tools: Array.from({ length: count }, (_, n) => toolOf(Math.floor(n / TOOLS_EACH), n % TOOLS_EACH)) });
}

/** Returns toolsets with this many tools in all, `TOOLS_EACH` in each. The names and the descriptions differ from tool to tool. */
export function manyTools(count: number): readonly Toolset[] {
  return Array.from({ length: Math.ceil(count / TOOLS_EACH) }, (_, service) => {
    const tools = Array.from({ length: Math.min(TOOLS_EACH, count - service * TOOLS_EACH) }, (_tool, n) => toolOf(service, n));
    return toolset({ name: `service${service}`, tools });
  });
}

function toolOf(service: number, n: number) {
  const action = ACTIONS[n % ACTIONS.length] ?? "";
  const thing = THINGS[(n + service) % THINGS.length] ?? "";
  const place = PLACES[Math.floor(n / ACTIONS.length + service) % PLACES.length] ?? "";
  return defineTool({
    name: `service${service}__${action}_${thing}_${n}`,
    kind: "read",
    description: [
      `Does the action ${action} with each ${thing} of the ${place} number ${service}.`,
      `Input: the id of the ${thing}, for example "A-${n}", and how many to return, up to ${n + 10}.`,
      `Output: the ${thing} with its state, its owner and the date of its last change in the ${place}.`,
      "Do not use it for anything that another system owns.",
    ].join("\n"),
    parameters: {
      type: "object",
      properties: { id: { type: "string", maxLength: 40 }, most: { type: "integer", minimum: 1, maximum: n + 10 } },
      required: ["id"],
      additionalProperties: false,
    },
    run: async () => ({ done: true }),
  });
}
