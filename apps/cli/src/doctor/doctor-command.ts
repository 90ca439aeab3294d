import { wrapped, WIDTH } from "../terminal/lines.ts";
import type { Paint, Style } from "../terminal/output.ts";
import { safeText } from "../terminal/safe-text.ts";
import type { Client } from "../http/client.ts";
import type { Context } from "../toolbus/context.ts";
import { EXIT, type ExitCode } from "../toolbus/exit-codes.ts";
import { localAddresses } from "../toolbus/local-addresses.ts";
import { Failure } from "../toolbus/failure.ts";
import type { Check } from "./check.ts";
import { checkAgents } from "./check-agents.ts";
import { checkKey } from "./check-key.ts";
import { checkBus } from "./check-bus.ts";
import { checkApprovals } from "./check-approvals.ts";
import { checkLetters } from "./check-letters.ts";
import { checkDataDirectory, checkKeyFiles, checkNode } from "./check-machine.ts";
import { brokerOnce, checkClock, checkReady, checkWarnings } from "./check-service.ts";
import { checkModelSettings } from "./check-model-settings.ts";
import { checkPageHost } from "./check-page-host.ts";
import { checkStore } from "./check-store.ts";
import { checkWaits } from "./check-waits.ts";
import { checkModel } from "./check-model.ts";
import { checkWebhooks } from "./check-webhooks.ts";
import { checkTools } from "./check-work.ts";
import { probe } from "./probe.ts";

/**
 * Runs every check that is possible from this machine, and skips checks that depend on a failed one. `health` lists the addresses of health ports.
 * Agents and workers have no other port. The command requests `/readyz` there.
 */
export async function doctor(context: Context, health: readonly string[]): Promise<ExitCode> {
  const checks = await allChecks(context, health);
  const failed = checks.some((check) => check.level === "fail");
  const { output } = context;
  if (output.json) output.document({ ok: !failed, checks });
  else output.lines(checks.flatMap((check) => checkLines(check, output.paint)));
  return failed ? EXIT.failed : EXIT.ok;
}

async function allChecks(context: Context, health: readonly string[]): Promise<Check[]> {
  const { options, around, signal } = context;
  const [gateway, approvals, others] = await Promise.all([
    probe("gateway", options.url, around.now, signal),
    probe("approvals", options.approvalsUrl, around.now, signal),
    Promise.all(health.map(async (url) => ({ url, probed: await probe("health", url, around.now, signal) }))),
  ]);
  const userKey = gateway.reachable && gateway.ours ? await checkKey(context, "gateway") : null;
  const operator = userKey?.service ? await operatorOr(context, userKey.service) : null;
  const modelSettings = await checkModelSettings(context);
  const approverKey = approvals.reachable && approvals.ours ? await checkKey(context, "approvals") : null;
  const keyFiles = await checkKeyFiles(context);
  return [
    checkNode(process.version),
    await checkDataDirectory(context),
    ...(keyFiles ? [keyFiles] : []),
    ...(modelSettings ? [modelSettings] : []),
    ...(await checkBus(context)),
    ...(await checkStore(context)),
    checkReady("gateway", options.url, gateway),
    checkReady("approvals", options.approvalsUrl, approvals),
    ...(gateway.reachable && gateway.ours ? [checkClock(gateway, around.env)] : []),
    ...others.map(({ url, probed }) => checkReady("health", url, probed)),
    ...brokerOnce([
      ...(gateway.reachable && gateway.ours ? checkWarnings("gateway", options.url, gateway) : []),
      ...(approvals.reachable && approvals.ours ? checkWarnings("approvals", options.approvalsUrl, approvals) : []),
      ...others.flatMap(({ url, probed }) => (probed.reachable ? checkWarnings("health", url, probed) : [])),
    ]),
    ...(gateway.reachable && approvals.reachable ? checkPageHost(options.url, options.approvalsUrl) : []),
    ...(userKey ? [userKey.check] : []),
    ...(approverKey ? [approverKey.check] : []),
    ...(userKey?.service
      ? [
          await checkTools(userKey.service, options.url === localAddresses(options.dataDirectory).gateway),
          await checkAgents(userKey.service, around.now()),
          await checkWaits(userKey.service, around.now()),
          await checkModel(userKey.service, around.now()),
          await checkLetters(operator ?? userKey.service, around.now()),
          ...(await checkWebhooks(operator ?? userKey.service, "the gateway", around.now())),
        ]
      : []),
    ...(approverKey?.service
      ? [
          ...(await checkApprovals(approverKey.service, around.now())),
          ...(await checkWebhooks(approverKey.service, "approvals", around.now())),
        ]
      : []),
  ];
}

/** Returns the client for requests that need an operator's key. Without such a key it returns the other client, which may see less. */
async function operatorOr(context: Context, other: Client): Promise<Client> {
  try {
    return await context.gatewayForOperators();
  } catch (error) {
    context.signal.throwIfAborted();
    if (error instanceof Failure) return other;
    throw error;
  }
}

const COLOURS: Readonly<Record<Check["level"], Style>> = { ok: "green", warn: "yellow", fail: "red" };

/** Returns a finding as lines. Nothing in it can control the terminal or look like another finding. */
export function checkLines(check: Check, paint: Paint): string[] {
  const indent = " ".repeat(22);
  // Parts of a finding come from the services, and one of them may be compromised.
  const body = wrapped(safeText(check.message), WIDTH - indent.length);
  const fix = check.level === "ok" ? [] : wrapped(safeText(check.fix), WIDTH - indent.length - 2);
  return [
    `${paint(COLOURS[check.level], check.level.padEnd(4))}  ${check.name.padEnd(14)}  ${body[0] ?? ""}`,
    ...body.slice(1).map((line) => indent + line),
    ...fix.map((line, n) => `${indent}${n === 0 ? "→ " : "  "}${line}`),
  ];
}
