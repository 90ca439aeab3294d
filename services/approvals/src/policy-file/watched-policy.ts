import { readFile, stat } from "node:fs/promises";
import { Refusal } from "@toolbus/runtime";
import type { Log } from "@toolbus/telemetry";
import type { PolicyDefaults } from "../policy/judge-policy.ts";
import { defaultPolicy, type Policy, policyOf, type PolicySettings } from "../policy/policy.ts";
import { faultsInWords, readPolicy } from "../policy/read-policy.ts";
import type { ApprovalsConfig } from "../settings.ts";

/** The longest time until a running service uses a changed policy. */
export const POLICY_SEEN_WITHIN_MS = 2000;

/** The policy in use. Each replica watches its own copy of the file. */
export interface WatchedPolicy {
  current(): Policy;
  /** Returns why the file's present content is not in use, as sentences that strangers may read. */
  warnings(): readonly string[];
  stop(): void;
}

export interface PolicyWatchOptions {
  /** The names of the webhook targets, to which a policy may escalate. */
  readonly targets: readonly string[];
  readonly log: Log;
  readonly everyMs?: number;
}

type Config = Pick<
  ApprovalsConfig,
  "APPROVAL_POLICY_FILE" | "HITL_MODE" | "WRITE_TOOLS" | "APPROVAL_EXPIRY_MS" | "APPROVAL_REMINDER_PERCENT"
>;

/**
 * Reads the policy file, and reads it again when it changes. If it cannot be used, the last good policy remains in use, and the service logs an error
 * and warns until the file is good again. At the start, throws a `Refusal` instead. The file is polled, because mounts and renames affect file
 * watchers differently on each system.
 */
export async function watchedPolicy(config: Config, options: PolicyWatchOptions): Promise<WatchedPolicy> {
  const { log, targets, everyMs = POLICY_SEEN_WITHIN_MS } = options;
  const { APPROVAL_POLICY_FILE: file } = config;
  const settings = policySettings(config);
  if (file === "") return fixedPolicy(defaultPolicy(settings));
  const defaults = { expiryMs: config.APPROVAL_EXPIRY_MS, remindPercent: config.APPROVAL_REMINDER_PERCENT };
  let mark = await markOf(file);
  const first = await load(file, settings, defaults, targets);
  if (!first.ok) throw new Refusal(`${first.fault} Fix it, or leave APPROVAL_POLICY_FILE empty; docs/policy.md explains every field.`);
  let current = first.policy;
  let fault: string | null = null;
  let looking = false;
  log.info({ file, policy: current.version }, "the policy was read");
  const timer = setInterval(() => void look(), everyMs).unref();
  return {
    current: () => current,
    warnings: () =>
      fault === null
        ? []
        : [
            'The policy file cannot be used, so the policy before is still in use: run "toolbus policy check FILE", which names each fault and its line.',
          ],
    stop: () => clearInterval(timer),
  };

  async function look(): Promise<void> {
    if (looking) return;
    looking = true;
    const now = await markOf(file);
    // A file that cannot be used is read again at each poll, because it may be readable again without having changed.
    if (now !== mark || fault !== null) {
      mark = now;
      const read = await load(file, settings, defaults, targets);
      if (!read.ok && read.fault !== fault)
        log.error({ file, why: read.fault, policy: current.version }, "the policy was not read again; the former policy stays in use");
      if (read.ok && (fault !== null || read.policy.version !== current.version))
        log.info({ file, policy: read.policy.version, before: current.version }, "the policy was read again");
      fault = read.ok ? null : read.fault;
      if (read.ok) current = read.policy;
    }
    looking = false;
  }
}

/** Returns a policy that does not change. */
export function fixedPolicy(policy: Policy): WatchedPolicy {
  return { current: () => policy, warnings: () => [], stop: () => undefined };
}

/** Returns the settings that add to the policy. Throws a `Refusal` if `WRITE_TOOLS` is not a list of tools. */
export function policySettings({ HITL_MODE, WRITE_TOOLS }: Pick<Config, "HITL_MODE" | "WRITE_TOOLS">): PolicySettings {
  const writeTools = WRITE_TOOLS.split(",")
    .map((tool) => tool.trim())
    .filter((tool) => tool !== "");
  const wrong = writeTools.find((tool) => !TOOL.test(tool));
  if (wrong !== undefined)
    throw new Refusal(
      `WRITE_TOOLS has "${wrong.slice(0, 80)}": name tools (issue_refund), toolsets (toolset:orders) or sources (source:mcp:crm).`,
    );
  return { hitlMode: HITL_MODE, writeTools };
}

const TOOL = /^([a-z][a-z0-9_]{0,63}|toolset:[A-Za-z0-9][A-Za-z0-9._-]{0,63}|source:\S{1,120})$/;

type Loaded = { readonly ok: true; readonly policy: Policy } | { readonly ok: false; readonly fault: string };

async function load(file: string, settings: PolicySettings, defaults: PolicyDefaults, targets: readonly string[]): Promise<Loaded> {
  let text: string;
  try {
    text = await readFile(file, "utf8");
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? "unknown";
    return { ok: false, fault: `The policy file ${file} (APPROVAL_POLICY_FILE) cannot be read (${code}).` };
  }
  const read = readPolicy(text, defaults, { targets });
  if (read.ok) return { ok: true, policy: policyOf(read.file, settings) };
  return { ok: false, fault: `The policy file ${file} (APPROVAL_POLICY_FILE) cannot be used: ${faultsInWords(read.faults)}.` };
}

/** Returns a text that changes whenever somebody writes the file. */
async function markOf(file: string): Promise<string> {
  const seen = await stat(file, { bigint: true }).catch(() => null);
  return seen ? `${seen.ino} ${seen.size} ${seen.mtimeNs}` : "gone";
}
