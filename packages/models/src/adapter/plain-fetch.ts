import { type AnswerBounds, DEFAULT_BOUNDS } from "./answer-bounds.ts";
import { eventMeter } from "./answer-meter.ts";
import { boundedResponse } from "./bounded-response.ts";
import { beginningOf } from "./response-text.ts";

/**
 * Node's `fetch` for use by an SDK. Only these headers are sent, neither the SDK's information about the machine nor `OPENAI_CUSTOM_HEADERS` or
 * `ANTHROPIC_CUSTOM_HEADERS`. A redirect is an answer. No answer exceeds its limits. Of an error only the beginning is passed on, because the SDK reads all
 * of it.
 */
export function plainFetch(names: readonly string[], bounds: AnswerBounds = DEFAULT_BOUNDS): typeof fetch {
  return async (url, init) => {
    const said = new Headers(init?.headers);
    const headers = names.flatMap((name): [string, string][] => {
      const value = said.get(name);
      return value === null ? [] : [[name, value]];
    });
    const answer = await fetch(url, { ...init, headers, redirect: "manual" });
    // No `Response` can have a higher status; for those only the beginning is read.
    const response = answer.status > 599 ? answer : boundedResponse(answer, eventMeter(bounds), bounds);
    return response.ok ? response : shortened(response);
  };
}

async function shortened(response: Response): Promise<Response> {
  const text = await beginningOf(response);
  // Only its class matters, and no `Response` can have a higher one.
  return new Response(text === "" ? null : text, { status: Math.min(response.status, 599), headers: response.headers });
}
