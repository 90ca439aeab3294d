import { createInterface } from "node:readline/promises";
import { type Answer, askApprover } from "../demo/ask.ts";
import { EXIT } from "../toolbus/exit-codes.ts";
import { Failure } from "../toolbus/failure.ts";
import type { Deciding } from "./people.ts";
import { type Planned, TICKET } from "./story.ts";

/** The people of the story decide as planned. A write that the story does not plan is denied. */
export function plannedDeciding(planned: Planned | undefined): Deciding {
  return { answer: async () => planned ?? { decision: "deny" }, ticket: async () => TICKET };
}

/** Asks the person at the terminal. Throws a Failure if the input ends before the answer. */
export function askedDeciding(input: NodeJS.ReadStream, output: NodeJS.WriteStream): Deciding {
  return {
    async answer(_card, signal): Promise<Answer> {
      const answer = await askApprover(input, output, signal);
      if (answer === null)
        throw new Failure(EXIT.pending, "The input ended before the decision. Run the demo in a terminal, or with --yes.");
      return answer;
    },
    async ticket(signal) {
      const lines = createInterface({ input, output });
      // Ctrl-C stops the demo, not only the question.
      lines.on("SIGINT", () => process.kill(process.pid, "SIGINT"));
      try {
        return (await lines.question(`ticket? (${TICKET}) `, { signal })).trim() || TICKET;
      } finally {
        lines.close();
      }
    },
  };
}
