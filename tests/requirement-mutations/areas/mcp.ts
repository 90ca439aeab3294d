import type { Mutations } from "../mutation.ts";

const BRIDGE = "services/tool-executor/src/toolsets/mcp";
const SERVICE_TOOLS = `${BRIDGE}/services/service-tools.ts`;
const SERVICES =
  "const services = async (): Promise<readonly KnownService[]> => knownServices(await registered(), clock(), SERVICE_TOOLS);";
/** The first answer of the registry is kept. */
const KEPT = `let kept: Promise<readonly Registration[]> | undefined;
  const services = async (): Promise<readonly KnownService[]> => knownServices(await (kept ??= registered()), clock(), SERVICE_TOOLS);`;

/** The mutations of the rows M and S, and of B-07. */
export const mcpMutations: Mutations = {
  "B-07": {
    breaks: "an invoke does not name the MCP server of its tool",
    patches: [{ file: "services/agent/src/outgoing/messages.ts", find: "[attributes.mcpServer]: call.mcpServer,", replace: "" }],
  },
  "M-01": {
    breaks: "a bridge does not announce its servers after a change",
    patches: [
      {
        file: `${BRIDGE}/announce-servers.ts`,
        find: "begun = true;\n      return say();",
        replace: "begun = true;\n      return Promise.resolve();",
      },
    ],
  },
  "M-02": {
    breaks: "an agent asks the bridges for nothing",
    patches: [
      { file: "services/agent/src/outgoing/messages.ts", find: "topic: topics.mcpMetadataRefresh,", replace: "topic: topics.toolCancel," },
    ],
  },
  "LV-08": {
    breaks: "the progress of a server is always nothing",
    patches: [
      {
        file: `${BRIDGE}/mcp-session.ts`,
        find: "Math.min(1, Math.max(0, progress / total))",
        replace: "Math.min(0, Math.max(0, progress / total))",
      },
    ],
  },
  "M-10": {
    breaks: "TOOLSETS with mcp starts no bridge",
    patches: [
      {
        file: "services/tool-executor/src/service.ts",
        find: "if (mcp) workers.push(await startBridge(infrastructure, config, protection));",
        replace: "void mcp, startBridge;",
      },
    ],
  },
  "M-04": { breaks: "the list of services does not change any more", patches: [{ file: SERVICE_TOOLS, find: SERVICES, replace: KEPT }] },
  "M-05": {
    breaks: "the details of one tool are those of every tool of its service",
    patches: [{ file: SERVICE_TOOLS, find: "(one ? [one] : service.tools)", replace: "service.tools" }],
  },
  "M-06": {
    breaks: "a call by name is sent to the bridge as it is",
    patches: [
      {
        file: "services/agent/src/steps/ready-turn.ts",
        find: "const byName = await resolveCallsByName(toolOffers, { run, profile, calls, tools, now });",
        replace: "const byName = await resolveCallsByName(toolOffers, { run, profile, calls: [], tools, now });",
      },
    ],
  },
  "M-09": {
    breaks: "the bridge offers its own tools although no server has listed any",
    patches: [
      {
        file: `${BRIDGE}/mcp-bridge.ts`,
        find: "    if (listed === null) return;\n",
        replace:
          "    for (const tool of own) if (tools.find(tool.draft.name) === undefined) tools.register(tool);\n    if (listed === null) return;\n",
      },
    ],
  },
  "S-02": {
    breaks: "a repeated word counts less",
    patches: [{ file: "packages/models/src/search/match.ts", find: "const K1 = 1.5;", replace: "const K1 = 1.2;" }],
  },
  "S-05": { breaks: "a search does not read the registry again", patches: [{ file: SERVICE_TOOLS, find: SERVICES, replace: KEPT }] },
  "S-07": {
    breaks: "the ranking begins with the worst item",
    patches: [
      {
        file: "packages/models/src/search/rank.ts",
        find: "toSorted((a, b) => b.score - a.score)",
        replace: "toSorted((a, b) => a.score - b.score)",
      },
    ],
  },
};
