import { parseArgs } from "node:util";

export interface DemoArguments {
  readonly repo?: string;
  readonly from?: string;
  readonly to?: string;
  readonly junit?: string;
  readonly metrics?: string;
  readonly data?: string;
  /** The broker and the store of services in processes of their own, so many of each; absent: all in one process. */
  readonly apart?: {
    readonly bus: string;
    readonly state: string;
    readonly replicas: number;
    /** Instead of the two addresses: the folder with a login for each service. */
    readonly permissions?: string;
  };
  /** How the approver decides; ask at the keyboard, or leave it pending where there is none. */
  readonly decision: "approve" | "deny" | "ask";
  readonly json: boolean;
  readonly failOn: "medium" | "high" | null;
  readonly help: boolean;
}

export const DEMO_HELP = `Investigates a release of a git repository: an agent reads its summary, assesses the risk and files a report once a person agrees.

Usage: npm run demo -- [options]

  --repo PATH        the repository (default: this one)
  --from TAG         the release before (default: the tag before --to, or the first commit)
  --to TAG           the release (default: HEAD)
  --junit FILE       test results of the release, JUnit XML
  --metrics FILE     its deployment metrics, JSON: {"error_rate": 0.02, "response_time_p95": 450}
  --approve          the approver says yes (otherwise asked at the keyboard)
  --deny             the approver says no
  --fail-on LEVEL    exit with 2 when the severity is LEVEL or worse: medium or high
  --json             print one JSON document instead of progress
  --data DIR         where state and reports are kept (default: .toolbus/demo)
  --bus URL          every service in a process of its own, on this broker: amqp://… or nats://…
  --state URL        with --bus: the store that they share (default: redis://127.0.0.1:6379)
  --permissions DIR  instead of both: the folder of "toolbus permissions", so that each service has a login of its own
  --replicas N       with --bus or --permissions: how many of each service, 1 to 9 (default: 2)
  --help             this text

The model is set by environment variables, the offline rules without any: LLM_PROVIDER, LLM_MODEL, ANTHROPIC_API_KEY, OPENAI_API_KEY, …

Exit codes: 0 fine, 1 an error, 2 the severity reached --fail-on, 3 the approval is still pending.

Examples:
  npm run demo
  npm run demo -- --repo ../shop --from v1.4.0 --to v1.5.0 --approve
  npm run demo -- --repo ../shop --junit report.xml --approve --json --fail-on high
  npm run demo -- --bus amqp://guest:guest@127.0.0.1:5672 --state redis://127.0.0.1:6379 --approve
`;

const DEFAULT_STATE = "redis://127.0.0.1:6379";
const DEFAULT_REPLICAS = 2;

/** The flags, or one sentence for what cannot be used. It imports nothing heavy: a newcomer sees the first line at once. */
export type ReadArguments = { readonly ok: true; readonly args: DemoArguments } | { readonly ok: false; readonly message: string };

export function demoArguments(argv: readonly string[]): ReadArguments {
  const parsed = parse(argv);
  if (!parsed.ok) return parsed;
  const { values } = parsed;
  if (values.approve && values.deny) return refused("--approve and --deny exclude each other: give one of them, or none to be asked.");
  const failOn = values["fail-on"];
  if (failOn !== undefined && failOn !== "medium" && failOn !== "high") return refused(`--fail-on takes medium or high, not "${failOn}".`);
  for (const name of ["repo", "from", "to", "junit", "metrics", "data", "bus", "state", "permissions", "replicas"] as const) {
    if (values[name] === "") return refused(`--${name} needs a value: leave it out for the default, or see npm run demo -- --help.`);
  }
  const { repo, from, to, junit, metrics, bus, state, permissions, replicas } = values;
  if (permissions !== undefined && (bus ?? state) !== undefined)
    return refused("--permissions goes without --bus and --state: the addresses stand in its folder.");
  if (bus === undefined && permissions === undefined && (state ?? replicas) !== undefined)
    return refused(`--${state === undefined ? "replicas" : "state"} goes with --bus: without a broker every service runs in one process.`);
  if (bus !== undefined && !/^(amqps?|nats):\/\//.test(bus))
    return refused("--bus takes an address that begins with amqp://, amqps:// or nats://.");
  if (state !== undefined && !/^rediss?:\/\//.test(state))
    return refused("--state takes an address that begins with redis:// or rediss://.");
  if (replicas !== undefined && !/^[1-9]$/.test(replicas))
    return refused(`--replicas takes a whole number from 1 to 9, not "${replicas.slice(0, 40)}".`);
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
    help: values.help ?? false,
  };
  return { ok: true, args };
}

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
    return refused(`${message.replace(/\. To specify.*$/s, "").replace(/\.$/, "")}: see npm run demo -- --help for the flags there are.`);
  }
}
