/** One flag of the demo. `npm run demo` and `toolbus demo` show the same flags. */
export interface DemoFlag {
  readonly name: string;
  /** The name of the flag's value. Absent if the flag has no value. */
  readonly value?: string;
  readonly says: string;
  /** Set if `toolbus` already has this flag for every command. */
  readonly ofEveryCommand?: true;
}

export const DEMO_FLAGS: readonly DemoFlag[] = [
  { name: "repo", value: "PATH", says: "the repository (default: this one)" },
  {
    name: "from",
    value: "TAG",
    says: "the previous release (default: the tag before --to, or HEAD~20 without a tag, or the first commit of a short history)",
  },
  { name: "to", value: "TAG", says: "the release (default: HEAD)" },
  { name: "junit", value: "FILE", says: "test results of the release, JUnit XML" },
  { name: "metrics", value: "FILE", says: 'its deployment metrics, JSON: {"error_rate": 0.02, "response_time_p95": 450}' },
  { name: "approve", says: "the approver says yes (otherwise asked at the keyboard)" },
  { name: "deny", says: "the approver says no" },
  { name: "fail-on", value: "LEVEL", says: "exit with 2 when the severity is LEVEL or worse: medium or high" },
  { name: "json", says: "print one JSON document instead of progress", ofEveryCommand: true },
  { name: "data", value: "DIR", says: "where state and reports are kept (default: .toolbus/demo)", ofEveryCommand: true },
  { name: "bus", value: "URL", says: "every service in its own process, on this broker: amqp://… or nats://…" },
  { name: "state", value: "URL", says: "with --bus: the store that they share (default: redis://127.0.0.1:6379)" },
  {
    name: "permissions",
    value: "DIR",
    says: 'instead of both: the folder of "toolbus permissions", so that each service has its own login',
  },
  { name: "replicas", value: "N", says: "with --bus or --permissions: how many of each service, 1 to 9 (default: 2)" },
  { name: "orders", says: "instead of a release: an agent of a shop refunds, mails and waits for people; you decide" },
  { name: "yes", says: "with --orders: nobody is asked, and the people of the story decide" },
];

const line = (flag: string, says: string): string => `  ${flag.padEnd(17)}  ${says}`;

export const DEMO_HELP = `Investigates a release of a git repository: an agent reads its summary, assesses the risk and files a report once a person agrees.

Usage: npm run demo -- [options]

${DEMO_FLAGS.map(({ name, value, says }) => line(value === undefined ? `--${name}` : `--${name} ${value}`, says)).join("\n")}
${line("--help", "this text")}

Environment variables set the model; without them the offline rules answer: LLM_PROVIDER, LLM_MODEL, ANTHROPIC_API_KEY, OPENAI_API_KEY, …

Exit codes: 0 fine, 1 an error, 2 the severity reached --fail-on, 3 the approval is still pending.

Examples:
  npm run demo
  npm run demo -- --repo ../shop --from v1.4.0 --to v1.5.0 --approve
  npm run demo -- --repo ../shop --junit report.xml --approve --json --fail-on high
  npm run demo -- --orders
  npm run demo -- --bus amqp://guest:guest@127.0.0.1:5672 --state 'redis://127.0.0.1:6379?durability=relaxed' --approve
`;
