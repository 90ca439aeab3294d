/** The outcome of a request: the JSON text that OpenRouter sent, or one sentence that says what is wrong. */
export type Answer = { readonly ok: true; readonly json: string } | { readonly ok: false; readonly problem: string };

/** The key that a request needs. `management` keys can list keys, but cannot call models. */
export type KeyKind = "api" | "management" | "any";

/** Reads OpenRouter's REST API. It has no method that changes anything. */
export interface OpenRouter {
  /** Gets a path below the base URL. Never rejects. */
  get(path: string, key: KeyKind, signal: AbortSignal): Promise<Answer>;
}

export interface OpenRouterOptions {
  /** The address of the API, without a slash at its end. */
  readonly baseUrl: string;
  readonly apiKey: string | undefined;
  readonly managementKey: string | undefined;
  /** The time limit of one request, in milliseconds. The default is 15 s. */
  readonly timeoutMs?: number;
  /** The longest answer, in bytes. The default is 3 MiB, because some clients of MCP refuse a line of more than 4 MiB. */
  readonly maxBytes?: number;
}

/** Returns a reader of the API. The keys appear in no answer, even if the server repeats them. */
export function openRouter({
  baseUrl,
  apiKey,
  managementKey,
  timeoutMs = 15_000,
  maxBytes = 3 * 1024 * 1024,
}: OpenRouterOptions): OpenRouter {
  const keyOf = (kind: KeyKind): { readonly name: string; readonly key: string } | null => {
    const api = apiKey === undefined ? null : { name: "OPENROUTER_API_KEY", key: apiKey };
    const management = managementKey === undefined ? null : { name: "OPENROUTER_MANAGEMENT_KEY", key: managementKey };
    if (kind === "any") return management ?? api;
    return kind === "api" ? api : management;
  };
  const hidden = (text: string): string =>
    [apiKey, managementKey].reduce<string>((shown, key) => (key === undefined ? shown : shown.replaceAll(key, "[key]")), text);

  return {
    async get(path, kind, signal) {
      const used = keyOf(kind);
      if (used === null) return refused(`${NEEDED[kind]} is not set: start the server with it.`);
      const deadline = AbortSignal.timeout(timeoutMs);
      try {
        const response = await fetch(`${baseUrl}${path}`, {
          method: "GET",
          headers: { authorization: `Bearer ${used.key}`, accept: "application/json" },
          // Another server must not receive the key.
          redirect: "error",
          signal: AbortSignal.any([signal, deadline]),
        });
        const text = await boundedText(response, maxBytes);
        if (text === null) return refused(`OpenRouter's answer has more than ${maxBytes} bytes and was not read.`);
        const body = jsonOf(text);
        if (response.status === 401) return refused(`OpenRouter refuses the key in ${used.name} (401): check the key.`);
        if (response.status === 403)
          return refused(
            `OpenRouter does not allow this to the key in ${used.name} (403): use a management key in OPENROUTER_MANAGEMENT_KEY.`,
          );
        if (!response.ok) return refused(`OpenRouter answered ${response.status}${hidden(reasonIn(body))}.`);
        if (body === undefined) return refused("OpenRouter's answer is not JSON: check OPENROUTER_BASE_URL.");
        return { ok: true, json: hidden(text) };
      } catch {
        if (deadline.aborted) return refused(`OpenRouter did not answer within ${timeoutMs / 1000} s. Try again later.`);
        if (signal.aborted) return refused("The call was cancelled.");
        // The error of fetch may contain the request with its key.
        return refused("OpenRouter cannot be reached: check the network and OPENROUTER_BASE_URL.");
      }
    },
  };
}

const NEEDED: Readonly<Record<KeyKind, string>> = {
  api: "OPENROUTER_API_KEY",
  management: "OPENROUTER_MANAGEMENT_KEY",
  any: "OPENROUTER_API_KEY or OPENROUTER_MANAGEMENT_KEY",
};

function refused(problem: string): Answer {
  return { ok: false, problem };
}

/** Reads the body, or returns null if it has more bytes. */
async function boundedText(response: Response, maxBytes: number): Promise<string | null> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns the reason in an error of the API, such as `: Generation not found`. */
function reasonIn(body: unknown): string {
  const error = typeof body === "object" && body !== null && "error" in body ? body.error : null;
  const message = typeof error === "object" && error !== null && "message" in error ? error.message : null;
  return typeof message === "string" ? `: ${message.replaceAll(/\s+/g, " ").slice(0, 300)}` : "";
}
