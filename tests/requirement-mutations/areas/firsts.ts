import type { Mutations } from "../mutation.ts";

/** The mutations of the rows BEST. */
export const firstsMutations: Mutations = {
  "BEST-1": {
    breaks: "approvals accepts a document as its own whatever its seal is",
    patches: [
      {
        file: "packages/grants/src/seal.ts",
        find: "if (given.length !== expected.length || !timingSafeEqual(given, expected))",
        replace: "if (given.length !== expected.length && !timingSafeEqual(given, expected))",
      },
    ],
  },
  "BEST-6": {
    breaks: "the agent tells the model something else about a denied write than it did when the run was recorded",
    without: ["packages/testing/src/replays/replays.test.ts", "tests/e2e/cli-replay.test.ts"],
    patches: [
      {
        file: "services/agent/src/transitions/decided.ts",
        find: "Do not try it again; say so and apologise.",
        replace: "Do not try it again.",
      },
    ],
  },
  "BEST-4": {
    breaks: "a worker executes an approved write although its target has changed since",
    patches: [
      {
        file: "packages/tool-kit/src/writes/check-plan.ts",
        find: "if (made.hash === approved.hash) return SAME_PLAN;",
        replace: "if (made.hash !== approved.round.toString()) return SAME_PLAN;",
      },
    ],
  },
  "BEST-5": {
    breaks: "untrusted content does not raise the tier of a write",
    patches: [
      {
        file: "services/approvals/src/requests/judge-request.ts",
        find: `  if (taint === undefined) return { tier, reasons };
  const tools`,
        replace: `  if (taint === undefined || reasons.length < 99) return { tier, reasons };
  const tools`,
      },
    ],
  },
  "BEST-7": {
    breaks: "a tool that the vendor's dialect cannot express is sent unchanged",
    patches: [
      {
        file: "packages/models/src/adapter/wire-tools.ts",
        find: "    const tool = compileTool(spec, dialect);\n    if (!tool.ok || ",
        replace:
          "    const compiled = compileTool(spec, dialect);\n    const tool = compiled.ok ? compiled : { ...spec, ok: true as const, strict: false, losses: [], restore: (text: string) => text };\n    if (!tool.ok || ",
      },
    ],
  },
  "BEST-8": {
    breaks: "the verifier does not compare the signed part with the statement of approvals",
    patches: [
      {
        file: "packages/grants/src/evidence.ts",
        find: "return claims.hash === canonicalHash(part) ? null",
        replace: "return claims.hash !== canonicalHash(null) ? null",
      },
    ],
  },
  "BEST-9": {
    breaks: "every login on NATS may send decisions to the agent",
    without: ["tests/e2e/apart/apart.test.ts"],
    patches: [
      {
        file: "packages/bus/src/nats/rights.ts",
        find: `    publish: distinct([\n      "$JS.API.INFO",\n      ...published`,
        replace: `    publish: distinct([\n      "$JS.API.INFO",\n      placeOf(namespace, topics.approvalDecided("default")).subject,\n      ...published`,
      },
    ],
  },
};
