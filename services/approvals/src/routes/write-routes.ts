import {
  declared,
  type JsonObject,
  ToolRemoval,
  toolRemove,
  WriteList,
  writeEnable,
  writesQuery,
  writeTier,
  WriteView,
} from "@toolbus/contracts";
import { getRoute, HttpProblem, noBody, noQuery, postRoute, type Route, type RouteDocs } from "@toolbus/runtime";
import type { Removals } from "../pins/removals.ts";
import type { WriteOutcome, WriteRefused, Writes } from "../pins/writes.ts";
import { recorded } from "./route-docs.ts";

const TAG = "Writes";
const OPERATORS = ["operator"] as const;

/**
 * Returns the routes with which operators decide about writes: which definition is granted, whether it is granted at all, and its lowest tier. Writes
 * belong to no tenant.
 */
export function writeRoutes({ writes, removals }: { readonly writes: Writes; readonly removals: Removals }): readonly Route[] {
  return [
    getRoute({
      url: "/v1/writes",
      access: OPERATORS,
      docs: {
        operationId: "listWrites",
        tag: TAG,
        summary: "Lists every registered write, and whether it is enabled.",
        description:
          "A write that is `pending` or `changed` waits for an operator. Until then, approvals refuses its calls. With `server`, each write of this MCP server has its `definition` and its `changes`.",
        answers: { 200: { says: "The writes.", body: views.list, example: recorded.writes } },
        problems: [],
      },
      query: writesQuery,
      handle: async ({ query }) => ({ writes: await writes.list(query.server) }),
    }),
    getRoute({
      url: "/v1/writes/:id",
      access: OPERATORS,
      docs: {
        operationId: "getWrite",
        tag: TAG,
        summary: "Shows one write: the enabled definition, the registered ones, and the difference.",
        id: tool,
        answers: { 200: { says: "The write.", body: views.write, example: recorded.write } },
        problems: [],
      },
      query: noQuery,
      handle: ({ id }) => shown(id),
    }),
    postRoute({
      url: "/v1/writes/:id/enable",
      access: OPERATORS,
      docs: {
        operationId: "enableWrite",
        tag: TAG,
        summary: "Enables a registered definition, exactly as the caller saw it.",
        description:
          "The hash names the definition, so that approvals enables the definition that the caller checked. A definition that is less strict than the enabled one needs `acceptWeaker`. Runs that began with the earlier definition still get grants if that definition is no less strict.",
        id: tool,
        answers: { 200: { says: "The write in its new state.", body: views.write, example: recorded.enabledWrite } },
        problems: ["conflict"],
      },
      body: {
        declared: writeEnable,
        required: true,
        examples: [{ toolset: "release", hash: HASH }],
        remedy: 'Send {"toolset": "…", "hash": "…"} as GET /v1/writes/{tool} shows them.',
      },
      rate: null,
      handle: async ({ id, body, principal }) => answered(id, await writes.enable(known(id), body, principal.id)),
    }),
    postRoute({
      url: "/v1/writes/:id/disable",
      access: OPERATORS,
      docs: {
        operationId: "disableWrite",
        tag: TAG,
        summary: "Switches a write off, so that no version of it gets grants.",
        description: "Existing grants stay valid until they expire.",
        id: tool,
        answers: { 200: { says: "The write in its new state.", body: views.write, example: recorded.disabledWrite } },
        problems: ["conflict"],
      },
      body: noBody,
      rate: null,
      handle: async ({ id, principal }) => answered(id, await writes.disable(known(id), principal.id)),
    }),
    postRoute({
      url: "/v1/writes/:id/tier",
      access: OPERATORS,
      docs: {
        operationId: "raiseWriteTier",
        tag: TAG,
        summary: "Sets the lowest tier for the calls of a write.",
        description:
          "The tier cannot be below the definition's own tier. Naming the definition's own tier undoes a raise. Writes that were approved at a lower tier get no more grants. Lowering the tier again needs `acceptWeaker`.",
        id: tool,
        answers: { 200: { says: "The write in its new state.", body: views.write, example: recorded.raisedWrite } },
        problems: ["conflict"],
      },
      body: { declared: writeTier, required: true, examples: [{ tier: "critical" }], remedy: 'Send {"tier": "high"} or "critical".' },
      rate: null,
      handle: async ({ id, body, principal }) => answered(id, await writes.raiseTier(known(id), body, principal.id)),
    }),
    postRoute({
      url: "/v1/tools/:id/remove",
      access: OPERATORS,
      docs: {
        operationId: "removeTool",
        tag: TAG,
        summary: "Asks `operations` to remove a registration.",
        description:
          "The tool may be of any kind, and its workers may be gone. A running worker of `operations` removes the registration within seconds. An enabled definition stays enabled. A worker that still runs registers the tool again at its next start.",
        id: tool,
        answers: { 200: { says: "The registration that is removed.", body: views.removal, example: removal } },
        problems: ["conflict"],
      },
      body: {
        declared: toolRemove,
        required: false,
        examples: [{ version: "1" }],
        remedy: 'Send {"version": "…"} if several are registered.',
      },
      rate: null,
      async handle({ id, body, principal }) {
        const asked = await removals.ask(id, body, principal.id);
        if (asked.kind === "asked") return asked.removal;
        if (asked.kind === "none")
          throw new HttpProblem("not_found", "There is no such registration.", {
            remedy: "GET /v1/tools of the gateway lists the registered tools.",
          });
        throw new HttpProblem("conflict", asked.reason, { remedy: "Name the version, and the toolset if several registered the name." });
      },
    }),
  ];

  async function shown(id: string): Promise<WriteView> {
    const view = await writes.show(known(id));
    if (!view) throw notFound();
    return view;
  }

  async function answered(id: string, outcome: WriteOutcome): Promise<WriteView> {
    if (outcome.kind === "no") throw problemOf(outcome);
    return shown(id);
  }
}

/** Returns the tool in the path. Throws "not found" for an invalid tool name. */
function known(id: string): string {
  if (!new RegExp(tool.pattern).test(id)) throw notFound();
  return id;
}

function notFound(): HttpProblem {
  return new HttpProblem("not_found", "There is no such write.", { remedy: "GET /v1/writes lists the registered ones." });
}

function problemOf({ why, reason }: WriteRefused): HttpProblem {
  switch (why) {
    case "not_enabled":
      return new HttpProblem("conflict", reason, { remedy: "Enable it first." });
    case "quarantined":
      return new HttpProblem("conflict", reason, { remedy: "Its worker has to register a definition without that." });
    case "damaged":
      return new HttpProblem("conflict", reason, { remedy: "Check what approvals refuses, then enable the registered definition." });
    case "not_registered":
    case "keys_changed":
      return new HttpProblem("conflict", reason, { remedy: "Read the write again, then enable what it shows." });
    case "weaker":
      return new HttpProblem("conflict", reason, {
        remedy: "Check the difference; with acceptWeaker the request is accepted anyway.",
        errors: [{ path: "/acceptWeaker", message: "is needed" }],
      });
    case "too_low":
      return new HttpProblem("invalid_request", reason, {
        remedy: "Change the definition in its toolset's source.",
        errors: [{ path: "/tier", message: "is below the definition's own" }],
      });
  }
}

const views = {
  list: declared("WriteList", WriteList),
  write: declared("Write", WriteView),
  removal: declared("ToolRemoval", ToolRemoval),
} as const;

const tool: NonNullable<RouteDocs["id"]> = { says: "The tool's name.", pattern: "^[a-z][a-z0-9_]{0,63}$", example: "file_risk_report" };

/** The hash of the recorded write. */
const HASH = "sha256-s0OeURxmSAKMCfGtBIlFR2ILD2WrBpGVtblIbjWj-U8";
const AT = 1_763_718_400_000;
const removal: JsonObject = { tool: "file_risk_report", toolset: "release", version: "1", lastSeenAt: AT, served: false };
