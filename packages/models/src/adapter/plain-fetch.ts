import { beginningOf } from "./response-text.ts";

/**
 * Node's `fetch` as an SDK is to use it: of the headers only these are sent, neither what the SDK tells of the machine nor what stands in
 * `OPENAI_CUSTOM_HEADERS` or `ANTHROPIC_CUSTOM_HEADERS`; a redirect is an answer; of an answer that is an error there is only the beginning, as the SDK reads all of it.
 */
export function plainFetch(names: readonly string[]): typeof fetch {
  return async (url, init) => {
    const said = new Headers(init?.headers);
    const headers = names.flatMap((name): [string, string][] => {
      const value = said.get(name);
      return value === null ? [] : [[name, value]];
    });
    const response = await fetch(url, { ...init, headers, redirect: "manual" });
    return response.ok ? response : shortened(response);
  };
}

async function shortened(response: Response): Promise<Response> {
  const text = await beginningOf(response);
  // No more than the class of it counts, and no `Response` can be made of a higher one.
  return new Response(text === "" ? null : text, { status: Math.min(response.status, 599), headers: response.headers });
}
