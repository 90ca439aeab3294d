import type { Mutations } from "../mutation.ts";

/** The mutations of the rows X. */
export const executorMutations: Mutations = {
  "M-03": {
    breaks: "a variable of the environment is passed on unexpanded",
    patches: [
      {
        file: "services/tool-executor/src/toolsets/mcp/mcp-config.ts",
        find: "const value = env[name] || otherwise;",
        replace: "const value = `\\${${name}}` || env[name] || otherwise;",
      },
    ],
  },
  "M-07": {
    breaks: "a server that a call registers is stored and never started",
    patches: [
      {
        file: "services/tool-executor/src/toolsets/mcp/registered/follow-registered.ts",
        find: "      bridge.add(configOf(server));\n",
        replace: "",
      },
    ],
  },
  "M-08": {
    breaks: "a server that a call unregisters stays connected",
    patches: [
      {
        file: "services/tool-executor/src/toolsets/mcp/registered/follow-registered.ts",
        find: "      await bridge.remove(name);\n",
        replace: "",
      },
    ],
  },
  "M-12": {
    breaks: "each replica of the bridge runs its own copy of every server",
    patches: [
      {
        file: "services/tool-executor/src/toolsets/mcp/start-mcp.ts",
        find: "if (!needsLease(servers, settings)) return await start();",
        replace: "if (servers.length >= 0) return await start();",
      },
    ],
  },
  "U-01": {
    breaks: "the summary of a guide is its heading",
    patches: [
      {
        file: "packages/tool-kit/src/tool/toolset-guide.ts",
        find: "return { summary, markdown,",
        replace: "return { summary: heading, markdown,",
      },
    ],
  },
  "U-02": {
    breaks: "the list of guides has no summaries",
    patches: [
      {
        file: "services/tool-executor/src/toolsets/guides/guide-tools.ts",
        find: "({ name, summary })),",
        replace: "({ name, summary: summary.slice(0, 0) })),",
      },
    ],
  },
  "U-03": {
    breaks: "the guide of another toolset is returned",
    patches: [
      {
        file: "services/tool-executor/src/toolsets/guides/guide-tools.ts",
        find: "found.find(({ toolset }) => toolset === name);",
        replace: "found.find(({ toolset }) => toolset !== name);",
      },
    ],
  },
  "U-04": {
    breaks: "the tenants share their skills",
    patches: [
      {
        file: "services/tool-executor/src/toolsets/guides/skills.ts",
        find: "parsed.value.tenant !== tenant) return",
        replace: 'tenant === "") return',
      },
      {
        file: "services/tool-executor/src/toolsets/guides/skills.ts",
        find: 'return hash("sha256", tenant)',
        replace: 'return hash("sha256", tenant.slice(0, 0))',
      },
    ],
  },
  "O-01": {
    breaks: "the tools do not say that they only read",
    patches: [{ file: "examples/openrouter-mcp/src/tools.ts", find: "readOnlyHint: true", replace: "readOnlyHint: false" }],
  },
  "O-02": {
    breaks: "the requests are POST requests",
    patches: [{ file: "examples/openrouter-mcp/src/open-router.ts", find: 'method: "GET"', replace: 'method: "POST"' }],
  },
  "X-05": {
    breaks: "a write gets six times the time that it should have",
    patches: [
      {
        file: "packages/tool-kit/src/tool/define-tool.ts",
        find: "{ read: 5000, write: 30_000, compute: 2000 }",
        replace: "{ read: 5000, write: 180_000, compute: 2000 }",
      },
    ],
  },
  "X-13": {
    breaks: "a call without a result passes",
    patches: [{ file: "packages/models/src/pairing.ts", find: "  if (first !== undefined)\n", replace: `  if (first === "")\n` }],
  },
  "X-03": {
    breaks: "only the first of several wrong arguments is reported",
    patches: [
      {
        file: "packages/tool-kit/src/calls/read-arguments.ts",
        find: "if (problems.length > 0) return { ok: false, problems };",
        replace: "if (problems.length > 0) return { ok: false, problems: problems.slice(0, 1) };",
      },
    ],
  },
  "X-06": {
    breaks: "nine reads of one turn run at once",
    patches: [
      { file: "services/agent/src/profile.ts", find: "export const PARALLEL_CALLS = 8;", replace: "export const PARALLEL_CALLS = 9;" },
    ],
  },
  "X-14": {
    breaks: "the model does not learn when it may retry",
    patches: [
      {
        file: "packages/contracts/src/result.ts",
        find: "    retryable,\n    retryAfter,\n    details,\n    truncated,\n  });",
        replace: "    retryable,\n    details,\n    truncated,\n  });",
      },
    ],
  },
  "X-01": {
    breaks: "a failed call is acknowledged and answered with nothing",
    patches: [
      {
        file: "packages/tool-kit/src/calls/invoke-pipeline.ts",
        find: "      await publish(resultMessage({ ...parts, result: outcome.result, receipt: outcome.receipt }));",
        replace:
          "      if (!outcome.result.isError) await publish(resultMessage({ ...parts, result: outcome.result, receipt: outcome.receipt }));",
      },
    ],
  },
  "X-02": {
    breaks: "wrong arguments are reported as a failure of the tool",
    patches: [
      {
        file: "packages/contracts/src/error-codes.ts",
        find: 'invalid_arguments: row("ToolUserError", "InvalidArguments",',
        replace: 'invalid_arguments: row("ToolUserError", "ExecutionFailed",',
      },
    ],
  },
  "X-04": {
    breaks: "a minute of a tool's limit lasts a second, and arguments of any size are accepted",
    patches: [
      { file: "packages/tool-kit/src/protection/call-window.ts", find: "const MINUTE_MS = 60_000;", replace: "const MINUTE_MS = 1000;" },
      {
        file: "packages/contracts/src/tool-protection.ts",
        find: "return bytes <= limit ? null",
        replace: "return bytes <= limit + 1e9 ? null",
      },
    ],
  },
  "X-07": {
    breaks: "writes of two runs on one resource run at the same time",
    patches: [
      {
        file: "packages/tool-kit/src/writes/run-write.ts",
        find: "  const resource = tool.resource?.(args.value);",
        replace: "  const resource = tool.resource?.(args.value) === null ? call.callId : undefined;",
      },
    ],
  },
  "X-08": {
    breaks: "a failing dependency is called on and on",
    patches: [
      {
        file: "packages/tool-kit/src/protection/breaker.ts",
        find: 'return openForMs() > 0 ? "open" : "half_open";',
        replace: 'return openForMs() > 0 ? "half_open" : "closed";',
      },
      {
        file: "packages/tool-kit/src/protection/bulkhead.ts",
        find: "if (running < limit) running++;",
        replace: "if (running < 999) running++;",
      },
    ],
  },
  "X-09": {
    breaks: "a write that is done is repeated when its key comes again",
    patches: [
      {
        file: "packages/tool-kit/src/writes/ledger.ts",
        find: '  if (row?.state === "done" && row.result)\n',
        replace: '  if (row?.state === "done" && row.result && row.fence > 9)\n',
      },
    ],
  },
  "X-10": {
    breaks: "the model gets a page of HTML unchanged",
    patches: [
      {
        file: "packages/tool-kit/src/tool/tool-output.ts",
        find: "return isHtmlPage(value) ? textOfHtml(value) : value;",
        replace: 'return isHtmlPage(value) && textOfHtml(value) === "" ? textOfHtml(value) : value;',
      },
    ],
  },
  "X-12": {
    breaks: "the record of a result says that no call took any time",
    patches: [{ file: "packages/tool-kit/src/tool/tool-call.ts", find: "    latencyMs,\n    ok:", replace: "    latencyMs: 0,\n    ok:" }],
  },
  "X-15": {
    breaks: "a caller without a tool's scope may call it",
    patches: [
      {
        file: "services/agent/src/transitions/call-rights.ts",
        find: "const fault = rights ? rightsFault(rights, { name, toolset, scopes }) : null;",
        replace: "const fault = rights ? rightsFault({ ...rights, scopes: scopes ?? [] }, { name, toolset, scopes }) : null;",
      },
    ],
  },
};
