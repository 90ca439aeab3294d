import { modelInWords } from "@toolbus/agent";
import { greeting } from "./greeting.ts";
import { embeddedReleaseApi } from "./release-api.ts";
import { startAllInOne } from "./start-all-in-one.ts";

export interface EmbeddedOptions {
  /** Everything that must survive lies here. */
  readonly directory: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Gets what a person at the terminal is told. */
  readonly say: (text: string) => void;
  /** Ends the wait for a store or a broker that is absent at the start. */
  readonly signal?: AbortSignal;
}

/** Which releases an API of somebody else has, only they know. */
export const NO_RELEASE = { releaseId: "YOUR-RELEASE", notes: [] } as const;

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
    const { releaseId, notes } = embedded ?? NO_RELEASE;
    say(greeting({ ...system, directory, model, releaseId, notes, where: [["state", directory]] }));
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
