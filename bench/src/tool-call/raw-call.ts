import { checkArguments, type JsonObject } from "@toolbus/contracts";
import { act, executorOf, noopTools } from "../embedded/noop-tools.ts";

/** The message of a hand-written client. The whole message is encoded as JSON once, with the arguments or the result as a nested value. */
export interface RawRequest {
  readonly id: string;
  readonly text: string;
}

/**
 * Makes the function that answers requests, for any transport. The function parses the request, checks the arguments by the tool's own schema, calls
 * the tool, and returns the answer as text.
 */
export function rawWorker(): (request: string) => RawRequest {
  const { definition } = executorOf(noopTools(), "look");
  return (request) => {
    const { id, args } = JSON.parse(request) as { readonly id: string; readonly args: JsonObject };
    const problems = checkArguments(definition, args);
    if (problems.length > 0) throw new Error("a call of the benchmark has wrong arguments");
    return { id, text: JSON.stringify({ id, result: act() }) };
  };
}

/** The calls that wait for their answers, by their ids. */
export interface RawCalls {
  /** Returns the next request, and the promise of its result. */
  next(args: JsonObject): { readonly request: RawRequest; readonly answered: Promise<JsonObject> };
  /** Accepts an answer. An answer that nobody awaits is dropped. */
  take(answer: string): void;
}

export function rawCalls(prefix: string): RawCalls {
  const waiting = new Map<string, (result: JsonObject) => void>();
  let sent = 0;
  return {
    next(args) {
      const id = `${prefix}-${++sent}`;
      const { promise, resolve } = Promise.withResolvers<JsonObject>();
      waiting.set(id, resolve);
      return { request: { id, text: JSON.stringify({ id, tool: "look", args }) }, answered: promise };
    },
    take(answer) {
      const { id, result } = JSON.parse(answer) as { readonly id: string; readonly result: JsonObject };
      waiting.get(id)?.(result);
      waiting.delete(id);
    },
  };
}
