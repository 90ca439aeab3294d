import { type AnswerBounds, DEFAULT_BOUNDS } from "./answer-bounds.ts";
import { eventMeter } from "./answer-meter.ts";
import { boundedResponse } from "./bounded-response.ts";
import { beginningOf } from "./response-text.ts";

/**
 * Node's `fetch` as an SDK is to use it: of the headers only these are sent, neither what the SDK tells of the machine nor what stands in
 * `OPENAI_CUSTOM_HEADERS` or `ANTHROPIC_CUSTOM_HEADERS`; a redirect is an answer; no answer passes its bounds; of one that is an error there is only the beginning, as the SDK reads all of it.
 */
export function plainFetch(names: readonly string[], bounds: AnswerBounds = DEFAULT_BOUNDS): typeof fetch {
  return async (url, init) => {
    const said = new Headers(init?.headers);
    const headers = names.flatMap((name): [string, string][] => {
      const value = said.get(name);
      return value === null ? [] : [[name, value]];
    });
    const answer = await fetch(url, { ...init, headers, redirect: "manual" });
    // No `Response` can be made with a higher status; of those only the beginning is read.
    const response = answer.status > 599 ? answer : boundedResponse(answer, eventMeter(bounds), bounds);
    return response.ok ? response : shortened(response);
  };
}

async function shortened(response: Response): Promise<Response> {
  const text = await beginningOf(response);
  // No more than the class of it counts, and no `Response` can be made of a higher one.
  return new Response(text === "" ? null : text, { status: Math.min(response.status, 599), headers: response.headers });
}
