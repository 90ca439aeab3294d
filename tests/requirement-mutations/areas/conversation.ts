import type { Mutations } from "../mutation.ts";

/** The mutations of the rows H. */
export const conversationMutations: Mutations = {
  "H-01": {
    breaks: "the gateway has the agent among its packages",
    patches: [
      {
        file: "services/gateway/package.json",
        find: `    "@toolbus/bus": "workspace:*",`,
        replace: `    "@toolbus/agent": "workspace:*",
    "@toolbus/bus": "workspace:*",`,
      },
    ],
  },
  "H-04": {
    breaks: "a message that asks for a stream gets none",
    patches: [
      {
        file: "services/gateway/src/routes/started-run.ts",
        find: `request.headers.accept?.includes("text/event-stream")`,
        replace: `request.headers.accept?.includes("text/event-streams")`,
      },
    ],
  },
  "H-06": {
    breaks: "a run that waits for an approval looks like one whose tools work",
    patches: [
      {
        file: "packages/contracts/src/run-view.ts",
        find: `if (awaiting.some(({ kind }) => kind === "approval")) return "awaiting_approval";`,
        replace: `if (awaiting.some(({ kind }) => kind === "approval")) return run.status;`,
      },
    ],
  },
};
