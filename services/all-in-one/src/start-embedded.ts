import { modelInWords } from "@toolbus/agent";
import { embeddedReleaseApi } from "./release-api.ts";
import { type AllInOne, startAllInOne } from "./start-all-in-one.ts";

export interface EmbeddedOptions {
  /** Everything that must survive lies here. */
  readonly directory: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Gets what a person at the terminal is told. */
  readonly say: (text: string) => void;
  /** Ends the wait for a store or a broker that is absent at the start. */
  readonly signal?: AbortSignal;
}

/**
 * What `npm start` does: every service in this process, with the example release API where no other is set, and a greeting with the addresses,
 * the keys and what to try.
 */
export async function startEmbedded({ directory, env, say, signal }: EmbeddedOptions): Promise<{ stop(): Promise<boolean> }> {
  say("Toolbus starts…\n");
  const model = await modelInWords(env);
  const stopping = new AbortController();
  const embedded = env["RELEASE_API_URL"] ? null : await embeddedReleaseApi(directory, stopping.signal);
  try {
    const system = await startAllInOne({
      directory,
      env: { ...env, ...(embedded ? { RELEASE_API_URL: embedded.api.url } : {}) },
      ...(signal ? { signal } : {}),
    });
    say(greeting(system, { directory, model, releaseId: embedded?.releaseId ?? "YOUR-RELEASE", notes: embedded?.notes ?? [] }));
    return {
      async stop() {
        stopping.abort();
        say("Stopping; what is open goes on at the next start.\n");
        const clean = await system.stop();
        await embedded?.api.stop();
        return clean;
      },
    };
  } catch (error) {
    await embedded?.api.stop();
    throw error;
  }
}

interface Greeting {
  readonly directory: string;
  readonly model: string;
  readonly releaseId: string;
  readonly notes: readonly string[];
}

function greeting({ gatewayUrl, approvalsUrl, keys }: AllInOne, { directory, model, releaseId, notes }: Greeting): string {
  const lines = [
    ...notes,
    `gateway    ${gatewayUrl}`,
    `approvals  ${approvalsUrl}`,
    `state      ${directory}`,
    `model      ${model}`,
    "",
    `user key      ${keys.user}`,
    `operator key  ${keys.operator}`,
    `approver key  ${keys.approver}   (for the approvals address only)`,
    "",
    "Start an investigation:",
    `  curl -s ${gatewayUrl}/v1/investigations -H 'Authorization: Bearer ${keys.user}' -H 'Content-Type: application/json' -d '{"releaseId":"${releaseId}"}'`,
    "See what waits for a decision:",
    `  curl -s ${approvalsUrl}/v1/approvals -H 'Authorization: Bearer ${keys.approver}'`,
    "",
    "Stop with Ctrl-C.",
  ];
  return `${lines.join("\n")}\n`;
}
