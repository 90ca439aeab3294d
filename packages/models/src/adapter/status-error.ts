import { AuthenticationError, ContextOverflow, type ModelError, ProviderError, RateLimitError, ValidationError } from "../model-errors.ts";
import { type Provider, vendorWords } from "./vendor-words.ts";

/** An error answer in terms that all vendors share. */
export interface ErrorAnswer {
  readonly provider: Provider;
  readonly model: string;
  /** The names of the tools that were sent, in order, because a complaint about `tools.3` is about the fourth tool. */
  readonly toolNames: readonly string[];
  /** The HTTP status, or the status that matches the vendor's name for the error. Null for an unknown name. */
  readonly status: number | null;
  /** True if the error arrived inside a stream that began with 200. */
  readonly inStream: boolean;
  /** The vendor's message. */
  readonly said: string;
  /** The kind of error, if the status alone does not show it. */
  readonly kind?: "billing" | "unknown-model" | "overflow" | undefined;
  readonly requestId: string | null;
  readonly retryAfterMs: number | null;
}

/** Returns an error whose class shows how to react. Its message says what happened, with which provider, and what to try. */
export function statusError(answer: ErrorAnswer): ModelError {
  const { provider, model, kind, retryAfterMs } = answer;
  const { status } = answer;
  const where = whereOf(answer);
  const said = vendorWords(answer.said, provider);
  const words = said === "" ? "" : ` It said: ${said}`;

  if (kind === "billing" || status === 402)
    return new AuthenticationError(`${provider.name} does not serve this account for now ${where}: check its credit and its plan.${words}`);
  // The message omits the vendor's words, because they may repeat the key.
  if (status === 401) return new AuthenticationError(`${provider.name} does not accept the key ${where}: check ${provider.keyVariable}.`);
  if (status === 403)
    return new AuthenticationError(
      `${provider.name} does not let this key use ${JSON.stringify(model)} ${where}: check ${provider.keyVariable} and what it may do, or set LLM_MODEL to another model.${words}`,
    );
  if (kind === "overflow" || status === 413 || (status === 400 && TOO_LONG.test(answer.said)))
    return new ContextOverflow(
      `The prompt is longer than ${JSON.stringify(model)} of ${provider.name} accepts ${where}: send less of the conversation.${words}`,
    );
  if (kind === "unknown-model" || status === 404)
    return new ValidationError(
      `${provider.name} has no ${JSON.stringify(model)} ${where}: set LLM_MODEL to a model that it has${provider.baseUrl === null ? "" : ", and check LLM_BASE_URL"}.${words}`,
    );
  if (status === 429)
    return new RateLimitError(
      `${provider.name} limits how much may be asked for now ${where}: wait, or ask for a higher limit.${words}`,
      retryAfterMs,
    );
  if (status !== null && RETRYABLE.has(status))
    return new ProviderError(
      `${provider.name} ${status === 529 ? "is overloaded" : "failed"} ${where}: the request may be sent again.${words}`,
      true,
      {
        retryAfterMs,
      },
    );
  if (status === 400 || status === 422)
    return new ValidationError(`${provider.name} refuses the request ${where}: ${suspect(answer)}.${words}`);
  return new ProviderError(
    `${provider.name} failed ${where}, in a way that a repeat is not known to fix${status !== null && status >= 500 ? ", yet may" : ""}.${words}`,
    status !== null && status >= 500,
    { retryAfterMs },
  );
}

const TOO_LONG =
  /prompt is too long|input is too long|too many (input|total) tokens|exceeds? (the )?(model'?s? )?(maximum )?(allowed )?context|context (limit|length|window)|maximum context/i;
const RETRYABLE: ReadonlySet<number> = new Set([408, 409, 424, 500, 502, 503, 504, 529]);

/**
 * Returns a sentence that says what to check after a refusal. The cause is most likely a tool's schema, and the vendor often names the tool. If the
 * path contains `.member`, the vendor counts tools from one.
 */
function suspect({ said, toolNames }: ErrorAnswer): string {
  const [, index, member] = /tools[.[](\d+)\]?(\.member)?/.exec(said) ?? [];
  const name = index === undefined ? undefined : toolNames[Number(index) - (member === undefined ? 0 : 1)];
  if (name !== undefined) return `look at the schema of the tool ${JSON.stringify(name)}, or leave that tool out`;
  return "look at a tool's schema first, and at the transcript second";
}

function whereOf({ status, inStream, requestId }: ErrorAnswer): string {
  const facts = [
    status === null ? null : `status ${status}`,
    inStream ? "within the stream" : null,
    requestId === null ? null : `request ${requestId}`,
  ].filter((fact) => fact !== null);
  return facts.length === 0 ? "(no status)" : `(${facts.join(", ")})`;
}
