import type { Mutations } from "../mutation.ts";

/** The mutations of the rows G. */
export const registryMutations: Mutations = {
  "G-02": {
    breaks: "a name of another toolset is overwritten",
    patches: [
      {
        file: "packages/tool-kit/src/registry/registry.ts",
        find: "  if (!first) return;\n  const same",
        replace: "  if (first !== undefined) return;\n  const same",
      },
    ],
  },
  "G-07": {
    breaks: "an author's own remarks reach the model",
    patches: [
      {
        file: "packages/contracts/src/public-tool.ts",
        find: `.filter(([word]) => !word.startsWith("x-"))`,
        replace: `.filter(([word]) => word !== "")`,
      },
    ],
  },
  "G-08": {
    breaks: "a compute tool gets the time-out of a read",
    patches: [
      {
        file: "packages/tool-kit/src/tool/define-tool.ts",
        find: "{ read: 5000, write: 30_000, compute: 2000 }",
        replace: "{ read: 5000, write: 30_000, compute: 5000 }",
      },
    ],
  },
  "G-09": {
    breaks: "the dependencies of a tool are lost when it is defined",
    patches: [
      {
        file: "packages/contracts/src/tool-protection.ts",
        find: "...(dependencies === undefined ? {} : { dependencies }),",
        replace: "...(dependencies === undefined ? {} : {}),",
      },
    ],
  },
  "G-14": {
    breaks: "thirteen tools are offered without a warning",
    patches: [{ file: "services/agent/src/tool-offer.ts", find: "const MANY_TOOLS = 12;", replace: "const MANY_TOOLS = 13;" }],
  },
  "S-06": {
    breaks: "the model does not read which services fit the message",
    patches: [
      {
        file: "services/agent/src/memory/stored-entries.ts",
        find: "return note === undefined ? entry",
        replace: "return note !== undefined ? entry",
      },
    ],
  },
  "S-08": {
    breaks: "the search does not cover the operator's list",
    patches: [
      {
        file: "services/tool-executor/src/toolsets/mcp/services/service-tools.ts",
        find: "(await listed?.current()) ?? []",
        replace: "(await listed?.current())?.slice(0, 0) ?? []",
      },
    ],
  },
  "G-15": {
    breaks: "a tool that nobody has registered is sent to a queue",
    patches: [
      {
        file: "services/agent/src/transitions/planned-calls.ts",
        find: "      if (!offered) return missingTool(asked.name, tool, tools, draft.now);\n",
        replace: "      if (!offered) return null;\n",
      },
    ],
  },
  "G-01": {
    breaks: "a tool that was unregistered is still found",
    patches: [
      {
        file: "packages/tool-kit/src/tool/toolset.ts",
        find: "if (version === undefined) return byName.delete(tool);",
        replace: "if (version === undefined) return byName.has(tool);",
      },
    ],
  },
  "G-03": {
    breaks: "every tool has its toolset as its source, whatever its author says",
    patches: [{ file: "packages/tool-kit/src/tool/toolset.ts", find: "source: tool.draft.source ?? name };", replace: "source: name };" }],
  },
  "G-04": {
    breaks: "the agent has a rule for one tool by its name",
    patches: [
      {
        file: "services/agent/src/candidates.ts",
        find: "    all: [...chosen.values()],",
        replace: '    all: [...chosen.values()].filter(({ definition }) => definition.name !== "issue_refund"),',
      },
    ],
  },
  "G-05": {
    breaks: "a run is offered a tool that its workers report as unusable",
    patches: [
      {
        file: "services/agent/src/tool-in-use.ts",
        find: 'if (availabilityOf(registration, now) === "unavailable" && !fixed.has(name))',
        replace: 'if (availabilityOf(registration, now) === "unavailable" && registration.unavailable === undefined)',
      },
    ],
  },
  "G-10": {
    breaks: "a call gets the newest version, whichever it names",
    patches: [
      {
        file: "packages/tool-kit/src/tool/toolset.ts",
        find: 'if (!versions || version !== undefined) return versions?.get(version ?? "");',
        replace: 'if (!versions || version === "") return undefined;',
      },
    ],
  },
  "G-12": {
    breaks: "every environment has the flags of production",
    patches: [
      {
        file: "packages/tool-kit/src/registry/tool-flags.ts",
        find: "const { default: common = {}, [environment]: own = {} } = parsed.value;",
        replace: 'const { default: common = {}, [environment === "" ? environment : "production"]: own = {} } = parsed.value;',
      },
    ],
  },
  "G-13": {
    breaks: "a worker whose golden calls fail takes calls anyway, and the dry run of a write has the effect",
    patches: [
      {
        file: "packages/tool-kit/src/rollout/golden-obstacle.ts",
        find: 'if (first === undefined || mode === "warn") return null;',
        replace: "if (first === undefined || mode !== undefined) return null;",
      },
      {
        file: "packages/tool-kit/src/rollout/golden-call.ts",
        find: "return judged(await within<Json>((context) => tool.prepare(args, context)), planned",
        replace: "return judged(await within<Json>((context) => tool.run(args, { ...context, idempotencyKey: callId })), planned",
      },
      {
        file: "packages/tool-kit/src/rollout/golden-call.ts",
        find: 'tool.run(args, context)), ["run"]);',
        replace: '(tool.draft.name === "" ? tool.run(args, context) : null)), ["run"]);',
      },
    ],
  },
  "G-16": {
    breaks: "a process with other limits or other definitions than the stamp says takes work",
    patches: [
      {
        file: "packages/tool-kit/src/rollout/registry-stamp.ts",
        find: "if (ours.length > 0)",
        replace: "if (ours.length > 99)",
      },
      {
        file: "packages/contracts/src/registry-stamp.ts",
        find: "if (tool.hash !== stamped[id])",
        replace: 'if (tool.hash === "")',
      },
    ],
  },
  "G-17": {
    breaks: "tools call the API that the first toolset of the process was given",
    patches: [
      {
        file: "services/tool-executor/src/toolsets/release/release-toolset.ts",
        find: "export function releaseToolset(options: ReleaseApiOptions): Toolset {\n  const api = releaseApi(options);",
        replace:
          "let shared: ReturnType<typeof releaseApi> | undefined;\n\nexport function releaseToolset(options: ReleaseApiOptions): Toolset {\n  const api = (shared ??= releaseApi(options));",
      },
    ],
  },
  "G-18": {
    breaks: "a toolset accepts a tool whose definition cannot work",
    patches: [
      {
        file: "packages/tool-kit/src/tool/toolset.ts",
        find: '      if (error) throw new TypeError(`The tool "${toolName}"',
        replace: '      if (error === "") throw new TypeError(`The tool "${toolName}"',
      },
    ],
  },
  "G-19": {
    breaks: "a tool that says that it opens a ticket passes for a read if its name does not act",
    patches: [
      {
        file: "packages/tool-kit/src/lint/lint-kind.ts",
        find: "const verb = named ?? actIn(description);",
        replace: 'const verb = named ?? actIn("");',
      },
    ],
  },
  "G-20": {
    breaks: "a description need not say what the tool is not for",
    patches: [
      {
        file: "packages/tool-kit/src/lint/lint-description.ts",
        find: "      !NOT_FOR.test(description),\n",
        replace: "      !NOT_FOR.test(`${description} Not for anything else.`),\n",
      },
    ],
  },
};
