import { HOME_SHARD, keys, parseServerSummary, plainWords, type Registration, type ServerSummary } from "@toolbus/contracts";
import { ModelError, type ModelProvider } from "@toolbus/models";
import type { StateStore, StoredDocument } from "@toolbus/state";
import type { Log } from "@toolbus/telemetry";
import { serviceHash } from "@toolbus/tool-kit";
import { summaryFingerprint, summaryRequest } from "./summary-prompt.ts";

export interface ServerSummariesOptions {
  readonly state: Pick<StateStore, "read" | "commit">;
  /** Returns the enabled tools of each MCP server, by the id of the service. */
  readonly enabled: () => Promise<ReadonlyMap<string, readonly Registration[]>>;
  readonly model: Pick<ModelProvider, "name" | "model" | "complete">;
  readonly log: Log;
  readonly monotonic: () => number;
  readonly newId: () => string;
  /** The longest call of the model, in milliseconds. */
  readonly deadlineMs: number;
  /** The most calls of the model that this process makes in an hour. */
  readonly perHour: number;
}

export interface ServerSummaries {
  /**
   * Asks the model about each server whose enabled definitions have changed, one after the other. Another agent that asks at the same time is left
   * alone. Rejects with `StoreUnavailable` if the store does not answer.
   */
  round(signal: AbortSignal): Promise<void>;
  /** Returns the words of each service, as the last round found them. */
  words(): ReadonlyMap<string, readonly string[]>;
}

const HOUR_MS = 3_600_000;
/** How long a summary is kept. After that time, a model is asked again. */
const KEPT_MS = 30 * 86_400_000;
/** The shortest time between two questions about one server, so that a server that changes all the time costs little. */
const LEAST_BETWEEN_MS = 600_000;
const RETRY_MS = 60_000;
const RETRY_MAX_MS = 6 * HOUR_MS;
/** Time for the commit after the deadline of the model. */
const AFTER_DEADLINE_MS = 10_000;

/** Has a model write the words by which the search finds an MCP server. The words never reach a model or a person. */
export function serverSummaries(options: ServerSummariesOptions): ServerSummaries {
  const { state, enabled, model, log, monotonic, newId, deadlineMs, perHour } = options;
  let words: ReadonlyMap<string, readonly string[]> = new Map();
  let asked: number[] = [];
  return {
    words: () => words,
    async round(signal) {
      const services = [...(await enabled())];
      const stored = services.map(([id]) => keys.serverSummary(serviceHash(id)));
      const { now, documents } = stored.length === 0 ? { now: 0, documents: [] } : await state.read(stored);
      const next = new Map<string, readonly string[]>();
      for (const [n, [id, tools]] of services.entries()) {
        if (signal.aborted) return;
        const found = await wordsOf({ id, tools, now, document: documents[n] ?? null }, signal);
        if (found !== null) next.set(id, found);
      }
      words = next;
    },
  };

  interface Service {
    readonly id: string;
    readonly tools: readonly Registration[];
    readonly now: number;
    readonly document: StoredDocument | null;
  }

  async function wordsOf({ id, tools, now, document }: Service, signal: AbortSignal): Promise<readonly string[] | null> {
    const key = keys.serverSummary(serviceHash(id));
    const version = document?.version ?? 0;
    const parsed = parseServerSummary(document?.value);
    const before = parsed.ok ? parsed.value : null;
    if (tools.length === 0) {
      if (document !== null) await state.commit(HOME_SHARD, { op: `summary:${newId()}`, guards: [{ key, version }], remove: [key] });
      return null;
    }
    const definitions = tools.map(({ definition }) => definition);
    const fingerprint = summaryFingerprint(definitions, model);
    const isSame = before?.fingerprint === fingerprint;
    if (isSame && before.words !== null) return plainWords(before.words.join(" "));
    if ((before !== null && now < before.until) || !mayAsk()) return null;
    const attempts = isSame ? before.attempts + 1 : 1;
    const claim: ServerSummary = { service: id, fingerprint, words: null, attempts, until: now + deadlineMs + AFTER_DEADLINE_MS };
    const claimed = await put(key, version, claim);
    // Another agent was faster, and asks.
    if (claimed.outcome !== "ok") return null;
    asked.push(monotonic());
    const started = monotonic();
    const answer = await ask(id, definitions, signal);
    const then = now + Math.round(monotonic() - started);
    if ("words" in answer) {
      await put(key, claimed.commit, { ...claim, words: [...answer.words], until: then + LEAST_BETWEEN_MS });
      return answer.words;
    }
    // The agent stops. Another one may ask at once.
    const wait = signal.aborted ? 0 : answer.isFinal ? RETRY_MAX_MS : Math.min(RETRY_MS * 2 ** (attempts - 1), RETRY_MAX_MS);
    log.warn(
      { service: id, attempts, error: answer.error },
      "the model has not summarised an MCP server; the search uses the descriptions",
    );
    await put(key, claimed.commit, { ...claim, until: then + wait });
    return null;
  }

  /** Asks the model once. `isFinal` says that the same request would fail again. */
  async function ask(
    id: string,
    definitions: Parameters<typeof summaryRequest>[1],
    signal: AbortSignal,
  ): Promise<{ readonly words: readonly string[] } | { readonly error: unknown; readonly isFinal: boolean }> {
    try {
      const within = AbortSignal.any([signal, AbortSignal.timeout(deadlineMs)]);
      const { text } = await model.complete(summaryRequest(id, definitions), { signal: within, onText: () => undefined });
      const found = plainWords(text);
      return found.length > 0 ? { words: found } : { error: "The answer has no words.", isFinal: false };
    } catch (error) {
      return { error, isFinal: error instanceof ModelError && !error.retryable };
    }
  }

  function put(key: string, version: number, value: ServerSummary) {
    const expiresAt = value.until + KEPT_MS;
    return state.commit(HOME_SHARD, {
      op: `summary:${newId()}`,
      guards: [{ key, version }],
      put: [{ key, value: { ...value }, expiresAt }],
    });
  }

  function mayAsk(): boolean {
    asked = asked.filter((at) => monotonic() - at < HOUR_MS);
    return asked.length < perHour;
  }
}
