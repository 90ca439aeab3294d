import { modelInWords } from "@toolbus/agent";
import { greeting, withoutLogin } from "./greeting.ts";
import { keepAddresses } from "./kept-addresses.ts";
import { refuseOnePortForBoth } from "./own-ports.ts";
import { embeddedReleaseApi } from "./release-api.ts";
import { startAllInOne } from "./start-all-in-one.ts";

export interface EmbeddedOptions {
  /** The directory for everything that must survive a restart. */
  readonly directory: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Receives the messages for a person at the terminal. */
  readonly say: (text: string) => void;
  /** How the person calls the command line for this data directory, for the commands that the greeting proposes. */
  readonly command: string;
  /** Ends the wait for a store or a broker that is unavailable at the start. */
  readonly signal?: AbortSignal;
}

/** The greeting's placeholder for an external release API, because only that API knows its releases. */
export const NO_RELEASE = { releaseId: "YOUR-RELEASE", notes: [] } as const;

/**
 * Implements `npm start`. Starts every service in this process, with the example release API unless another one is set, and greets the person with
 * the addresses, the keys and what to try.
 */
export async function startEmbedded({ directory, env, say, command, signal }: EmbeddedOptions): Promise<{ stop(): Promise<boolean> }> {
  say("Toolbus starts…\n");
  refuseOnePortForBoth(env);
  const model = await modelInWords(env);
  const stopping = new AbortController();
  const embedded = env["RELEASE_API_URL"] ? null : await embeddedReleaseApi(directory, stopping.signal);
  try {
    const system = await startAllInOne({
      directory,
      env: { ...env, ...(embedded ? { RELEASE_API_URL: embedded.api.url } : {}) },
      ...(signal ? { signal } : {}),
    });
    const forgetAddresses = await keepAddresses(directory, system, say);
    const { releaseId, notes } = embedded ?? NO_RELEASE;
    say(greeting({ ...system, directory, model, releaseId, notes, command, where: whereItIs(env, directory) }));
    return {
      async stop() {
        stopping.abort();
        say("Stopping; open work continues at the next start.\n");
        await forgetAddresses();
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

/** Returns where the bus and the state are. Without other settings, the bus is in the process, and everything else is in the directory. */
export function whereItIs({ BUS_URL, STATE_URL }: EmbeddedOptions["env"], directory: string): readonly (readonly [string, string])[] {
  return [
    ...(BUS_URL ? [["bus", withoutLogin(BUS_URL)] as const] : []),
    ...(STATE_URL ? [["state", withoutLogin(STATE_URL)] as const, ["data", directory] as const] : [["state", directory] as const]),
  ];
}
