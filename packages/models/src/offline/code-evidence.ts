import { describeProblems, type Json } from "@toolbus/contracts";
import { parseReleaseFacts, type ReleaseFacts } from "@toolbus/release-facts/facts";
import type { Attempt } from "./attempts.ts";
import { cleanText, sentence } from "./clean-text.ts";
import { objectIn } from "./release-facts.ts";

/** The facts of a release's change, or one sentence that says why there are none. */
export interface CodeEvidence {
  readonly facts: ReleaseFacts | null;
  readonly unknown: string | null;
}

/** Returns the facts that the run's input contains. They are data from outside, so they are parsed as strictly as a tool's result. */
export function givenEvidence(changes: Json): CodeEvidence {
  return parsed(changes);
}

/** Returns the facts in the last answer of the tool that reads the change. */
export function readEvidence(attempts: readonly Attempt[], tool: string): CodeEvidence {
  const read = attempts.findLast((attempt) => attempt.ok);
  if (read) {
    const answer = objectIn(read.content);
    if (!answer) return unknown(`the answer of ${tool} is not a JSON object`);
    return answer["facts"] === null || answer["facts"] === undefined
      ? unknown(`${tool} has no facts of this release`)
      : parsed(answer["facts"]);
  }
  const last = attempts.at(-1);
  if (!last || last.ok) return unknown(`the run has no tool ${tool}`);
  return unknown(`${tool} failed (${cleanText(last.code, 64)}): ${sentence(last.message)}`);
}

function parsed(value: Json): CodeEvidence {
  const facts = parseReleaseFacts(value);
  if (facts.ok) return { facts: facts.value, unknown: null };
  return unknown(`the facts have a form that the rules cannot read (${cleanText(describeProblems(facts.problems), 200)})`);
}

function unknown(why: string): CodeEvidence {
  return { facts: null, unknown: `Changes of the code: ${sentence(why)}` };
}
