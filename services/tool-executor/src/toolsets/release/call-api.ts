import type { Json } from "@toolbus/contracts";

/** The largest answer that is read, in bytes. It is also the default limit of a result. */
const MAX_ANSWER_BYTES = 1024 * 1024;

/**
 * The answer of the API. `no_answer` means that nothing is known about what the API did, unless the request was certainly not `sent`. `why` completes
 * "The release API …". `retryAfter` is in seconds.
 */
export type ApiAnswer =
  | { readonly kind: "answered"; readonly status: number; readonly body: Json; readonly retryAfter: number | undefined }
  | { readonly kind: "no_answer"; readonly why: string; readonly sent: boolean };

export interface ApiRequest {
  /** Aborts at the tool's time-out. */
  readonly signal: AbortSignal;
  /** The largest answer that is read, in bytes. The default is 1 MiB. */
  readonly most?: number;
  readonly post?: { readonly body: Json; readonly idempotencyKey: string };
}

/** Makes one HTTP request. Rejects only when the signal aborts. An answer that is too large or not JSON is treated as no answer. */
export async function callApi(url: URL, { signal, post, most = MAX_ANSWER_BYTES }: ApiRequest): Promise<ApiAnswer> {
  try {
    const response = await fetch(url, {
      signal,
      // A redirect target is not the configured API.
      redirect: "error",
      headers: {
        accept: "application/json",
        ...(post ? { "content-type": "application/json", "idempotency-key": post.idempotencyKey } : {}),
      },
      ...(post ? { method: "POST", body: JSON.stringify(post.body) } : {}),
    });
    const text = await boundedText(response, most);
    if (text === null) return { kind: "no_answer", why: `sent more than ${most} bytes`, sent: true };
    return {
      kind: "answered",
      status: response.status,
      body: jsonOf(text, response.status),
      retryAfter: seconds(response.headers.get("retry-after")),
    };
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof SyntaxError) return { kind: "no_answer", why: "sent something that is not JSON", sent: true };
    return { kind: "no_answer", why: "cannot be reached", sent: !NOT_SENT.has(networkCode(error)) };
  }
}

/** The codes of failures before a connection exists, so that the API cannot have received the request. */
const NOT_SENT: ReadonlySet<string> = new Set(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH", "ENETUNREACH"]);

/** Returns the code of the network's error, which `fetch` gives as the cause of its own error. */
function networkCode(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof Error && "code" in cause ? String(cause.code) : "";
}

async function boundedText(response: Response, most: number): Promise<string | null> {
  if (!response.body) return "";
  const chunks: Uint8Array[] = [];
  let size = 0;
  // Leaving the loop cancels the body.
  for await (const chunk of response.body) {
    size += chunk.byteLength;
    if (size > most) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

/** Parses the body of an answer. A refusal may come from a proxy that does not send JSON, but a success must be JSON. */
function jsonOf(text: string, status: number): Json {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (status < 400) throw error;
    return null;
  }
}

function seconds(header: string | null): number | undefined {
  return header !== null && /^\d{1,5}$/.test(header) ? Number(header) : undefined;
}
