import { randomUUID } from "node:crypto";
import { mkdir, mkdtemp } from "node:fs/promises";
import path from "node:path";
import type { Effects } from "@toolbus/example-orders-shop";
import { Refusal } from "@toolbus/runtime";
import { openConversation } from "../chat/send-message.ts";
import type { DemoArguments } from "../demo/arguments.ts";
import type { DemoSurroundings } from "../demo/run-demo.ts";
import { screen } from "../demo/screen.ts";
import { safeJson } from "../terminal/safe-json.ts";
import { EXIT, type ExitCode } from "../toolbus/exit-codes.ts";
import { askedDeciding, plannedDeciding } from "./deciding.ts";
import { keepEvidence } from "./keep-evidence.ts";
import { faultsOf, rowsInWords, type ToldCall } from "./proof.ts";
import { startShopSystem } from "./shop-system.ts";
import { STORY } from "./story.ts";
import { type Told, tellStep } from "./tell-step.ts";

/**
 * Tells the story of an agent that acts on a shop. At the end it compares what Toolbus said with the shop's database, and returns 1 if they differ.
 * Every run starts a new shop. Throws a Refusal or a Failure for anything that a person must fix.
 */
export async function runDemo(args: DemoArguments, around: DemoSurroundings): Promise<ExitCode> {
  const unattended = args.orders?.unattended ?? false;
  const { input, output, signal } = around;
  if (!unattended && (args.json || !input.isTTY))
    throw new Refusal(
      "The story asks you to decide at a terminal. Run it in one without --json, or with --yes to let its own people decide.",
    );
  const show = args.json ? null : screen(output);
  const base = args.data === undefined ? path.join(around.root, ".toolbus", "orders-demo") : path.resolve(around.cwd, args.data);
  const directory = await newFolder(base);
  const clock = (): number => Date.now();
  // The demo uses the offline rules, which make the calls that a message names. So the story is the same at every run, whatever model is configured.
  const policyFile = path.join(around.root, "examples", "orders-worker", "demo-policy.yaml");
  const system = await startShopSystem({ directory, policyFile, env: settingsOf(around.env), clock, signal });
  try {
    show?.line(`Model: the offline rules, which call the tools that a message names. The shop is at ${system.shop.url}.`);
    show?.line(`The policy of the shop, which says who approves what, is ${policyFile}.`);
    const conversationId = await openConversation(system.gateway, undefined, randomUUID);
    const told: Told[] = [];
    for (const [index, step] of STORY.entries()) {
      show?.line(`\n${"═".repeat(3)} ${index + 1} of ${STORY.length}: ${step.title}`);
      for (const call of step.calls) show?.line(`customer service: ${call}`);
      const deciding = unattended ? plannedDeciding(step.planned) : askedDeciding(input, output, step.planned?.edit);
      told.push(await tellStep(step, { system, conversationId, deciding, show, clock, signal }));
    }
    const effects = system.shop.effects();
    const calls = told.flatMap((step) => step.calls);
    const faults = faultsOf(calls);
    const code = faults.length === 0 ? EXIT.ok : EXIT.failed;
    const database = path.join(directory, "shop", "shop.sqlite");
    const evidence = await keepEvidence(system, calls, { directory, signal });
    const { keysFile } = system;
    if (args.json) output.write(`${safeJson({ steps: told, effects, faults, database, evidence, keysFile, exitCode: code }, 2)}\n`);
    // npm does not say how the user starts the command line. It runs the demo in the project, which has the file.
    const self = around.env["TOOLBUS_TYPED"] || "./toolbus";
    for (const line of endLines({ calls, effects, faults, database, evidence, keysFile, self })) show?.line(line);
    return code;
  } finally {
    await system.stop();
  }
}

interface End {
  readonly calls: readonly ToldCall[];
  readonly effects: Effects;
  readonly faults: readonly string[];
  readonly database: string;
  readonly evidence: string | null;
  readonly keysFile: string;
  /** The name of the command line, as the user types it. */
  readonly self: string;
}

function endLines({ calls, effects, faults, database, evidence, keysFile, self }: End): string[] {
  const { refunds, mails, tickets, balances } = effects;
  return [
    "",
    "═══ What Toolbus said, and what the shop's database has",
    ...calls.map(
      (call) =>
        `  ${call.tool.padEnd(22)} ${(call.tier ?? "").padEnd(9)} ${whoIn(call).padEnd(34)} ${call.status.padEnd(16)} ${rowsInWords(call)}`,
    ),
    "",
    "The rows of the database:",
    ...refunds.map(({ refund, order, amount, reason }) => `  ${refund}  refund of ${amount.toFixed(2)} EUR on ${order}: ${reason}`),
    ...mails.map(({ mail, to, subject }) => `  ${mail}  mail to ${to}: ${subject}`),
    ...tickets.map(({ ticket, subject }) => `  ${ticket}  ticket: ${subject}`),
    ...Object.entries(balances).map(([customer, balance]) => `  ${customer}  balance ${balance.toFixed(2)} EUR`),
    "",
    ...(faults.length === 0 ? ["Every call had the effect that Toolbus reported, and no effect happened twice."] : faults),
    `database  ${database}`,
    ...(evidence === null
      ? []
      : [
          "",
          "The file with the evidence about the critical write proves who asked, who approved and what the worker answered. Check it offline:",
          `  ${self} verify ${evidence} --keys ${keysFile}`,
        ]),
  ];
}

function whoIn({ tier, decidedBy }: ToldCall): string {
  if (tier === null) return "no grant needed";
  return decidedBy.length === 0 ? "policy" : decidedBy.join(", ");
}

/** Makes a new folder for this run. The folders of earlier runs stay, so the demo removes no data of a user. */
async function newFolder(base: string): Promise<string> {
  try {
    await mkdir(base, { recursive: true, mode: 0o700 });
    return await mkdtemp(path.join(base, "run-"));
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? "unknown";
    throw new Refusal(`The demo cannot write to ${base} (${code}): make it writable for this user, or name another folder with --data.`, {
      cause: error,
    });
  }
}

function settingsOf({ LOG_LEVEL, LOG_FORMAT }: DemoSurroundings["env"]): Record<string, string> {
  // The demo shows its runs itself. In the story the shop loses an answer on purpose, which would cause warnings. So the services log only errors.
  return { LLM_PROVIDER: "offline", LOG_LEVEL: LOG_LEVEL || "error", LOG_FORMAT: LOG_FORMAT || "text" };
}
