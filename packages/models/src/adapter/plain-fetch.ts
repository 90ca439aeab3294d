import { type AnswerBounds, DEFAULT_BOUNDS } from "./answer-bounds.ts";
import { eventMeter } from "./answer-meter.ts";
import { boundedResponse } from "./bounded-response.ts";
import { beginningOf } from "./response-text.ts";

/**
 * Returns Node's `fetch` for use by Anthropic's SDK. It sends only the headers in `names`. It omits the SDK's information about the machine
 * and `ANTHROPIC_CUSTOM_HEADERS`. It does not follow a redirect, but returns it as the answer. No answer exceeds the limits
 * in `bounds`. The SDK receives only the beginning of an error, because it reads the whole body.
 */
export function plainFetch(names: readonly string[], bounds: AnswerBounds = DEFAULT_BOUNDS): typeof fetch {
  return async (url, init) => {
    const said = new Headers(init?.headers);
    const headers = names.flatMap((name): [string, string][] => {
      const value = said.get(name);
      return value === null ? [] : [[name, value]];
    });
    const answer = await fetch(url, { ...init, headers, redirect: "manual" });
    // No `Response` can have a higher status. So the code below reads only the beginning of an answer with a higher status.
    const response = answer.status > 599 ? answer : boundedResponse(answer, eventMeter(bounds), bounds);
    return response.ok ? response : shortened(response);
  };
}

async function shortened(response: Response): Promise<Response> {
  const text = await beginningOf(response);
  // Only the class of the status matters, and no `Response` can have a higher status.
  return new Response(text === "" ? null : text, { status: Math.min(response.status, 599), headers: response.headers });
}
