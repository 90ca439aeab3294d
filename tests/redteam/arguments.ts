import { parseArgs } from "node:util";
import { type Broker, BROKERS, type Mode, MODES } from "./system.ts";

export interface RedteamArguments {
  readonly kind: "run";
  readonly brokers: readonly Broker[];
  readonly modes: readonly Mode[];
  /** Selects only the attacks whose name contains this text. */
  readonly only: string | null;
  readonly json: boolean;
}

export type ReadArguments =
  | { readonly ok: true; readonly args: RedteamArguments | { readonly kind: "help" } }
  | { readonly ok: false; readonly message: string };

export const REDTEAM_HELP = `Attacks a whole system, each service in a process of its own, as an attacker who has compromised one of them, and counts the effects at the target.

Usage: npm run redteam -- [options]

  --broker NAME      ${BROKERS.join(" or ")} (default: both)
  --mode NAME        own: each service has the login that toolbus permissions makes; shared: one login for all (default: both)
  --only TEXT        only attacks whose name contains this text
  --json             print one JSON document
  --help             this text

It starts a Redis and a broker of its own for each system, from programs of this machine.

Exit codes: 0 every attack ended as expected and no write happened that nobody allowed, 1 something else did, or an error.

Examples:
  npm run redteam
  npm run redteam -- --broker nats --mode own --only approval
`;

/** Parses the flags. Returns one sentence that names the mistake if a flag is wrong. */
export function redteamArguments(argv: readonly string[]): ReadArguments {
  let values: {
    readonly broker?: string;
    readonly mode?: string;
    readonly only?: string;
    readonly json?: boolean;
    readonly help?: boolean;
  };
  try {
    const options = {
      broker: { type: "string" },
      mode: { type: "string" },
      only: { type: "string" },
      json: { type: "boolean" },
      help: { type: "boolean" },
    } as const;
    ({ values } = parseArgs({ args: [...argv], options }));
  } catch (error) {
    return refused(`${error instanceof Error ? error.message.split("\n")[0] : String(error)} See npm run redteam -- --help.`);
  }
  if (values.help) return { ok: true, args: { kind: "help" } };
  const brokers = BROKERS.filter((name) => values.broker === undefined || name === values.broker);
  if (brokers.length === 0) return refused(`--broker must be ${BROKERS.join(" or ")}, not "${values.broker?.slice(0, 40) ?? ""}".`);
  const modes = MODES.filter((name) => values.mode === undefined || name === values.mode);
  if (modes.length === 0) return refused(`--mode must be ${MODES.join(" or ")}, not "${values.mode?.slice(0, 40) ?? ""}".`);
  return { ok: true, args: { kind: "run", brokers, modes, only: values.only ?? null, json: values.json ?? false } };
}

function refused(message: string): ReadArguments {
  return { ok: false, message };
}
