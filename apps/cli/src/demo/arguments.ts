import { parseArgs } from "node:util";
import { brokerFault, storeFault } from "../toolbus/server-addresses.ts";

export interface DemoArguments {
  readonly repo?: string;
  readonly from?: string;
  readonly to?: string;
  readonly junit?: string;
  readonly metrics?: string;
  readonly data?: string;
  /** The broker, the store and the number of replicas, if the services run in separate processes. Absent if all services run in one process. */
  readonly apart?: {
    readonly bus: string;
    readonly state: string;
    readonly replicas: number;
    /** The folder with a login for each service. It replaces the two addresses. */
    readonly permissions?: string;
  };
  /** How the approver decides. With `ask` the demo asks at the keyboard, or leaves the approval pending if there is no keyboard. */
  readonly decision: "approve" | "deny" | "ask";
  readonly json: boolean;
  readonly failOn: "medium" | "high" | null;
  /** The options of the demo with the example shop. Null if the demo investigates a release. */
  readonly orders: { readonly unattended: boolean } | null;
  readonly help: boolean;
}

const DEFAULT_STATE = "redis://127.0.0.1:6379";
const DEFAULT_REPLICAS = 2;

/** The checked flags, or one sentence that names the fault. This file has no slow imports, so that the demo prints its first line at once. */
export type ReadArguments = { readonly ok: true; readonly args: DemoArguments } | { readonly ok: false; readonly message: string };

/** The values of the flags, as the user typed them. */
export interface DemoValues {
  readonly repo?: string;
  readonly from?: string;
  readonly to?: string;
  readonly junit?: string;
  readonly metrics?: string;
  readonly data?: string;
  readonly bus?: string;
  readonly state?: string;
  readonly permissions?: string;
  readonly replicas?: string;
  readonly approve?: boolean;
  readonly deny?: boolean;
  readonly orders?: boolean;
  readonly yes?: boolean;
  readonly json?: boolean;
  readonly help?: boolean;
  readonly failOn?: string;
}

/** Reads and checks the arguments of `npm run demo`. */
export function demoArguments(argv: readonly string[]): ReadArguments {
  const parsed = parse(argv);
  if (!parsed.ok) return parsed;
  const { "fail-on": failOn, ...values } = parsed.values;
  return demoArgumentsOf({ ...values, ...(failOn === undefined ? {} : { failOn }) }, "npm run demo -- --help");
}

/**
 * Checks the flags. Both `npm run demo` and `toolbus demo` use this function, each with its own parser. `help` is the command that explains the
 * flags.
 */
export function demoArgumentsOf(values: DemoValues, help: string): ReadArguments {
  if (values.approve && values.deny) return refused("--approve and --deny exclude each other: give one of them, or none to be asked.");
  const { failOn } = values;
  if (failOn !== undefined && failOn !== "medium" && failOn !== "high")
    return refused(`--fail-on accepts medium or high, not "${failOn}".`);
  for (const name of ["repo", "from", "to", "junit", "metrics", "data", "bus", "state", "permissions", "replicas"] as const) {
    if (values[name] === "") return refused(`--${name} needs a value: leave it out for the default, or see ${help}.`);
  }
  if (values.yes && !values.orders) return refused("--yes needs --orders: for the report of a release, give --approve or --deny.");
  const others = OF_A_RELEASE.filter((name) => values[name] !== undefined);
  if (values.orders && others.length > 0)
    return refused(`--orders excludes ${others.map(flagOf).join(" and ")}: it accepts --yes, --json and --data.`);
  const { repo, from, to, junit, metrics, bus, state, permissions, replicas } = values;
  if (permissions !== undefined && (bus ?? state) !== undefined)
    return refused("--permissions excludes --bus and --state: the addresses are in its folder.");
  if (bus === undefined && permissions === undefined && (state ?? replicas) !== undefined)
    return refused(`--${state === undefined ? "replicas" : "state"} needs --bus: without a broker every service runs in one process.`);
  const fault = (bus === undefined ? null : brokerFault("--bus", bus)) ?? (state === undefined ? null : storeFault("--state", state));
  if (fault !== null) return refused(fault);
  if (replicas !== undefined && !/^[1-9]$/.test(replicas))
    return refused(`--replicas accepts a whole number from 1 to 9, not "${replicas.slice(0, 40)}".`);
  const apart = {
    bus: bus ?? "",
    state: state ?? DEFAULT_STATE,
    replicas: replicas === undefined ? DEFAULT_REPLICAS : Number(replicas),
    ...(permissions === undefined ? {} : { permissions }),
  };
  const args: DemoArguments = {
    ...(repo === undefined ? {} : { repo }),
    ...(from === undefined ? {} : { from }),
    ...(to === undefined ? {} : { to }),
    ...(junit === undefined ? {} : { junit }),
    ...(metrics === undefined ? {} : { metrics }),
    ...(values.data === undefined ? {} : { data: values.data }),
    ...(bus === undefined && permissions === undefined ? {} : { apart }),
    decision: values.approve ? "approve" : values.deny ? "deny" : "ask",
    json: values.json ?? false,
    failOn: failOn ?? null,
    orders: values.orders ? { unattended: values.yes ?? false } : null,
    help: values.help ?? false,
  };
  return { ok: true, args };
}

/** The flags that are valid only for the investigation of a release. They cannot be combined with --orders. */
const OF_A_RELEASE = [
  "repo",
  "from",
  "to",
  "junit",
  "metrics",
  "bus",
  "state",
  "permissions",
  "replicas",
  "approve",
  "deny",
  "failOn",
] as const;

const flagOf = (name: string): string => (name === "failOn" ? "--fail-on" : `--${name}`);

const refused = (message: string): { readonly ok: false; readonly message: string } => ({ ok: false, message });

function parse(argv: readonly string[]) {
  const text = { type: "string" } as const;
  const flag = { type: "boolean" } as const;
  try {
    const { values } = parseArgs({
      args: [...argv],
      options: {
        repo: text,
        from: text,
        to: text,
        junit: text,
        metrics: text,
        data: text,
        bus: text,
        state: text,
        permissions: text,
        replicas: text,
        approve: flag,
        deny: flag,
        orders: flag,
        yes: flag,
        json: flag,
        help: { ...flag, short: "h" },
        "fail-on": text,
      },
      strict: true,
      allowPositionals: false,
    });
    return { ok: true as const, values };
  } catch (error) {
    const message = error instanceof Error ? (error.message.split("\n")[0] ?? "") : String(error);
    const lacking = /^Option '(?:-\w, )?(--[a-z-]+)(?: <value>)?' argument (?:missing|is ambiguous)/.exec(message)?.[1];
    if (lacking) return refused(`${lacking} needs a value: see npm run demo -- --help.`);
    return refused(`${message.replace(/\. To specify.*$/s, "").replace(/\.$/, "")}: see npm run demo -- --help for the flags.`);
  }
}
