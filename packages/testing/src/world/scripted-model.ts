import type { TranscriptEntry } from "@toolbus/contracts";
import { type ModelProvider, type ModelReply, type ModelRequest, NetworkError, ProviderError } from "@toolbus/models";
import { prng } from "../clockwork/prng.ts";
import type { SimProcess } from "../clockwork/sim-process.ts";
import type { Observe } from "../ports/observation.ts";
import { portCall, type Wire } from "../ports/wire.ts";

/**
 * Returns the model's answer at this point of a conversation. Two calls for the same turn return different answers, as with real models, because the
 * script uses the wire's random numbers.
 */
export type Script = (request: ModelRequest) => Pick<ModelReply, "text" | "calls">;

export interface ScriptedModelOptions {
  readonly wire: Wire;
  readonly process: SimProcess;
  readonly script: Script;
  /** How long the model thinks, in milliseconds. */
  readonly modelMs: { readonly least: number; readonly most: number };
  readonly observe: Observe;
}

/** The tokens of every answer, as the model reports them. */
export const USAGE = { inputTokens: 10, outputTokens: 5 } as const;

/** Makes a model whose answers follow a script. It is as slow and as unreliable as a real one. */
export function scriptedModel({ wire, process, script, modelMs, observe }: ScriptedModelOptions): ModelProvider {
  const { faults, random } = wire;
  return {
    name: "scripted",
    model: "scripted-1",
    dialect: "any",
    capabilities: {
      tools: true,
      streaming: true,
      vision: false,
      sampling: true,
      contextTokens: 200_000,
      maxOutputTokens: 65_536,
      resultChars: 64_000,
    },
    estimateTokens: () => 1,
    async complete(request, { signal, onText }) {
      signal.throwIfAborted();
      const aborted = new Promise<never>((_resolve, reject) =>
        signal.addEventListener("abort", () => reject(signal.reason instanceof Error ? signal.reason : new Error("aborted")), {
          once: true,
        }),
      );
      const { runId } = request.run;
      let said: Pick<ModelReply, "text" | "calls"> | ProviderError | null = null;
      observe({ kind: "model", at: wire.clockwork.now, runId, what: "asked" });
      const answered = portCall(wire, process, {
        label: `${process.name}: model ${runId}`,
        execute: async () => {
          // A request that arrives twice receives the first answer again, and is charged once.
          const first = said === null;
          said ??= faults.hit("failing_model") ? new ProviderError("The scripted model is overloaded.", true) : script(request);
          if (said instanceof ProviderError) throw said;
          if (first) observe({ kind: "model", at: wire.clockwork.now, runId, what: "answered" });
          return said;
        },
        unanswered: () => new NetworkError("The scripted model broke off."),
        timeoutMs: 5000,
        delayMs: faults.hit("slow_model") ? random.between(8000, 40_000) : random.magnitude(modelMs.least, modelMs.most),
      });
      // After the race, nobody awaits the promise that lost.
      aborted.catch(() => undefined);
      answered.catch(() => undefined);
      const { text, calls } = await Promise.race([answered, aborted]);
      if (text !== "") onText(text);
      return {
        text,
        calls,
        stop: calls.length > 0 ? "tool_use" : "end_turn",
        usage: USAGE,
        model: "scripted-1",
      };
    },
  };
}

/**
 * Returns a script that is drawn from a seed: up to four calls a turn, up to three turns a run, and some wrong calls. `readsShare` is the share of
 * turns that have only reads and computations.
 */
export function drawnScript(seed: string, random: Wire["random"], readsShare = 0): Script {
  return ({ transcript, tools, run }) => {
    const turns = turnsOf(transcript, run.runId);
    const about = transcript.findLast((entry) => entry.type === "user" && entry.runId === run.runId);
    const topic = about?.type === "user" ? about.text : "";
    const plan = prng(`${seed}/script/${topic}/${turns.length}`);
    const asked = 1 + prng(`${seed}/script/${topic}`).below(3);
    if (turns.length >= asked) return { text: `Done after ${turns.length} turns.`, calls: [] };
    const count = 1 + plan.below(3) + (plan.chance(0.05) ? 8 : 0);
    const all = tools.map(({ name }) => name);
    const reads = all.filter((name) => READS.has(name));
    const names = reads.length > 0 && prng(`${seed}/reads/${topic}/${turns.length}`).chance(readsShare) ? reads : all;
    const calls = Array.from({ length: count }, (_, index) => {
      const name = names.length === 0 || plan.chance(0.04) ? "no_such_tool" : plan.pick(names);
      // This number differs between two attempts at this turn.
      const n = random.below(1001);
      const args =
        name === "ask_user"
          ? '{"question":"Which one?"}'
          : plan.chance(0.04)
            ? '{"n":"many"}'
            : JSON.stringify(plan.chance(0.5) ? { n } : { n, to: "somebody" });
      return { id: plan.chance(0.1) ? "" : `c${turns.length}_${plan.chance(0.05) ? 0 : index}`, name, arguments: args };
    });
    return { text: plan.chance(0.3) ? "Let me see." : "", calls };
  };
}

/** Returns a script that makes the turns in this list and then ends the run. */
export function fixedScript(turns: readonly (readonly { readonly name: string; readonly n: number }[])[]): Script {
  return ({ transcript, run }) => {
    const calls = turns[turnsOf(transcript, run.runId).length] ?? [];
    return {
      text: calls.length === 0 ? "Done." : "",
      calls: calls.map(({ name, n }, index) => ({
        id: `c${index}`,
        name,
        arguments: JSON.stringify(name === RECALL ? chunkIn(transcript, n) : { n }),
      })),
    };
  };
}

const READS: ReadonlySet<string> = new Set(["look_up", "add_up"]);
const RECALL = "get_from_working_memory";

/** Returns a chunk of the latest result in working memory. */
function chunkIn(transcript: readonly TranscriptEntry[], n: number): { readonly key: string } {
  const index = transcript.findLast((entry) => entry.type === "result" && entry.indexKey !== undefined);
  const key = index?.type === "result" ? (index.indexKey ?? "") : "";
  return { key: key.replace(/index$/, `chunk${n}`) };
}

/** Returns the turns that a model made in this run, without seed turns. */
function turnsOf(transcript: readonly TranscriptEntry[], runId: string): readonly TranscriptEntry[] {
  return transcript.filter((entry) => entry.type === "assistant" && entry.runId === runId && entry.provider !== "toolbus");
}
