import { toolError, type ToolOutput, type ToolProblem } from "@toolbus/tool-kit";
import type { Shop } from "./shop.ts";

/** Returns a client of the shop at this address. Every request ends when its signal aborts. */
export function shopAt(url: string): Shop {
  return {
    async look(path, signal) {
      const answer = await request(url, { path, signal });
      return isSuccess(answer) ? answer.body : (refusal(answer, {}) ?? unavailable(answer));
    },
    async change({ method, path, body, key }, signal) {
      const answer = await request(url, { path, method, body: JSON.stringify(body), signal, ...(key === undefined ? {} : { key }) });
      if (isSuccess(answer)) return answer.body;
      const refused = refusal(answer, { effect: "none" });
      if (refused) return refused;
      // The shop may have made the change. The worker continues as the tool's idempotency mode says.
      throw unavailable(answer);
    },
    async fault(signal) {
      const late = AbortSignal.timeout(CHECK_MS);
      try {
        const answer = await request(url, { path: "/healthz", signal: AbortSignal.any([signal, late]) });
        return isSuccess(answer) ? null : `The shop ${whyOpen(answer)}. Start it, or correct SHOP_URL.`;
      } catch (error) {
        signal.throwIfAborted();
        if (!late.aborted) throw error;
        return `The shop does not answer within ${CHECK_MS / 1000} s. See why it is slow, or correct SHOP_URL.`;
      }
    },
  };
}

type Json = Exclude<ToolOutput, ToolProblem>;

type Answer =
  | { readonly kind: "answered"; readonly status: number; readonly body: Json }
  /** It is not known what the shop did. `why` completes "The shop …". */
  | { readonly kind: "no_answer"; readonly why: string };

interface Asked {
  readonly path: string;
  readonly signal: AbortSignal;
  readonly method?: string;
  readonly body?: string;
  readonly key?: string;
}

const CHECK_MS = 4000;
const MAX_ANSWER_CHARS = 256 * 1024;

/** Makes one HTTP request. Rejects only when the signal aborts. */
async function request(url: string, { path, signal, method = "GET", body, key }: Asked): Promise<Answer> {
  try {
    const response = await fetch(new URL(path, url), {
      method,
      signal,
      // A redirect may lead to a server that is not the configured shop.
      redirect: "error",
      headers: {
        accept: "application/json",
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...(key === undefined ? {} : { "idempotency-key": key }),
      },
      ...(body === undefined ? {} : { body }),
    });
    const text = await boundedText(response);
    if (text === null) return { kind: "no_answer", why: "sent too long an answer" };
    return { kind: "answered", status: response.status, body: JSON.parse(text) as Json };
  } catch (error) {
    signal.throwIfAborted();
    return { kind: "no_answer", why: error instanceof SyntaxError ? "sent something that is not JSON" : "did not answer" };
  }
}

async function boundedText(response: Response): Promise<string | null> {
  const decoder = new TextDecoder();
  let text = "";
  // Leaving the loop cancels the body.
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > MAX_ANSWER_CHARS) return null;
  }
  return text + decoder.decode();
}

function isSuccess(answer: Answer): answer is Extract<Answer, { kind: "answered" }> {
  return answer.kind === "answered" && answer.status >= 200 && answer.status <= 299;
}

/** Returns the problem if the shop refused the request. Returns null if the answer does not say whether the shop made the change. */
function refusal(answer: Answer, nothing: { readonly effect?: "none" }): ToolProblem | null {
  if (answer.kind !== "answered" || answer.status < 400 || answer.status > 499 || OPEN_STATUSES.has(answer.status)) return null;
  const { code, detail, details } = fieldsOf(answer.body);
  return toolError(codeOf(code), typeof detail === "string" ? detail : REFUSED, {
    ...nothing,
    details: (Array.isArray(details) ? details : []).flatMap((one: Json) => {
      const { field, problem } = fieldsOf(one);
      return typeof field === "string" && typeof problem === "string" ? [{ path: `/${field}`, message: problem }] : [];
    }),
  });
}

// With these statuses the shop may still have accepted the request: it stopped waiting for the request (408), or asks for it again (425).
const OPEN_STATUSES: ReadonlySet<number> = new Set([408, 425]);
const REFUSED = "The shop refused the request.";
function codeOf(code: Json | undefined): string {
  if (code === "invalid_fields") return "invalid_arguments";
  return typeof code === "string" && CODE.test(code) ? code : "shop_refused";
}

/** The shop's own codes, which the worker passes on to the model. */
const CODE = /^(order|customer|country|refund|reference|idempotency_key)_[a-z_]{1,40}$/;

function unavailable(answer: Answer): ToolProblem {
  return toolError("unavailable", `The shop ${whyOpen(answer)}.`, { retryable: true });
}

function whyOpen(answer: Answer): string {
  return answer.kind === "answered" ? `answered with status ${answer.status}` : answer.why;
}

function fieldsOf(value: Json): { readonly [name: string]: Json | undefined } {
  return isObject(value) ? value : {};
}

function isObject(value: Json): value is { readonly [name: string]: Json } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
