import { type Answer, askApprover, askLine } from "../demo/ask.ts";
import { EXIT } from "../toolbus/exit-codes.ts";
import { Failure } from "../toolbus/failure.ts";
import type { Deciding } from "./people.ts";
import { type Planned, TICKET } from "./story.ts";

/** The people of the story decide as planned. A write that the story does not plan is denied. */
export function plannedDeciding(planned: Planned | undefined): Deciding {
  const { edit, ...answer }: Planned = planned ?? { decision: "deny" };
  return { answer: async () => answer, edit: async () => edit ?? null, ticket: async () => TICKET };
}

/**
 * Asks the person at the terminal. `edit` is the edit that the story suggests, or undefined if it suggests none. Throws a Failure if the input ends
 * before the answer.
 */
export function askedDeciding(input: NodeJS.ReadStream, output: NodeJS.WriteStream, edit: Planned["edit"]): Deciding {
  return {
    async answer(_card, signal): Promise<Answer> {
      const answer = await askApprover(input, output, signal);
      if (answer === null) throw inputEnded();
      return answer;
    },
    async edit(signal) {
      if (edit === undefined) return null;
      for (;;) {
        const said = await question(`change ${JSON.stringify(edit)}? Y/n `, signal);
        if (/^(y(es)?)?$/i.test(said)) return edit;
        if (/^no?$/i.test(said)) return null;
        output.write("Please answer with yes or no.\n");
      }
    },
    ticket: async (signal) => (await question(`ticket? (${TICKET}) `, signal)) || TICKET,
  };

  async function question(text: string, signal: AbortSignal): Promise<string> {
    const said = await askLine(input, output, { text, signal });
    if (said === null) throw inputEnded();
    return said.trim();
  }
}

function inputEnded(): Failure {
  return new Failure(EXIT.pending, "The input ended before the decision. Run the demo in a terminal, or with --yes.");
}
