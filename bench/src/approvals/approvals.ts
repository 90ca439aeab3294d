import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { connectState } from "@toolbus/state";
import type { Conditions, Requests, Results } from "../benchmark.ts";
import { type Goal, goal, tableOfGoals, timeGoal } from "../goal.ts";
import { pairedSlices, type Work } from "../paired-slices.ts";
import { runRedis } from "../run-loop/run-redis.ts";
import { withOption } from "../server-urls.ts";
import { type Inbox, openInbox } from "./inbox.ts";

export interface Sizes {
  readonly few: number;
  readonly many: number;
  readonly expiries: number;
  /**
   * How long people may take to decide a write that the benchmark lets expire. Approvals must hold all of these writes before the first one expires.
   */
  readonly expiresMs: number;
}

const SIZES: Sizes = { few: 100, many: 100_000, expiries: 1000, expiresMs: 15_000 };
const SLICE_MS = 250;
/** How many times the expiries are measured on each of the two stores. */
const ROUNDS = 5;

/**
 * Measures what many pending approvals cost. It measures a page of the list, one decision, and the expiry of a thousand approvals. It compares a
 * store with many pending approvals against a store with few. Both stores are open at the same time, and the measurement alternates between them. The comparison runs
 * on Redis and on SQLite.
 */
export async function approvalsBench(
  conditions: Conditions,
  { servers }: Pick<Requests, "servers">,
  sizes: Sizes = SIZES,
): Promise<Results> {
  const rows: Goal[] = [];
  const directory = await mkdtemp(path.join(tmpdir(), "toolbus-bench-"));
  const redis = await runRedis(servers.redis, conditions.signal);
  try {
    const space = `bench-approvals-${process.pid}`;
    const spaces = [`${space}-few`, `${space}-many`] as const;
    try {
      rows.push(
        ...(await compared(
          "Redis",
          spaces.map((namespace) => withOption(redis.url, "namespace", namespace)),
          directory,
          sizes,
          conditions,
        )),
      );
    } finally {
      for (const namespace of spaces) await redis.remove(namespace);
    }
    const files = ["few", "many"].map((name) => `sqlite:${path.join(directory, name)}`);
    rows.push(...(await compared("SQLite", files, directory, sizes, conditions)));
  } finally {
    await redis.stop();
    await rm(directory, { recursive: true, force: true });
  }
  return { rows, table: tableOfGoals(rows), notes: redis.notes };
}

async function compared(
  store: string,
  [fewUrl = "", manyUrl = ""]: readonly string[],
  directory: string,
  { few, many, expiries, expiresMs }: Sizes,
  conditions: Conditions,
): Promise<readonly Goal[]> {
  await using stack = new AsyncDisposableStack();
  const open = async (url: string, count: number): Promise<Inbox> => {
    const state = await connectState(url, { clock: () => Date.now() });
    stack.defer(() => state.close());
    const inbox = await openInbox(state, await mkdtemp(path.join(directory, "inbox-")));
    stack.defer(() => inbox.stop());
    for (let held = 0; held < count; held += STEP) {
      conditions.signal.throwIfAborted();
      await inbox.hold(Math.min(STEP, count - held));
    }
    return inbox;
  };
  const [bare, subject] = [await open(fewUrl, few), await open(manyUrl, many)];
  const target = (what: string) => ({ name: `${store}: ${what}, ${many} pending against ${few}`, is: "at most", target: 1.5 }) as const;
  const pages = await paired(subject.page, bare.page, conditions);
  const decisions = await paired(deciding(subject), deciding(bare), conditions);
  const [ours, theirs]: [number[], number[]] = [[], []];
  for (let round = 1; round <= ROUNDS; round++) {
    conditions.signal.throwIfAborted();
    ours.push(await subject.expiries(expiries, expiresMs, conditions.stopwatch.now));
    theirs.push(await bare.expiries(expiries, expiresMs, conditions.stopwatch.now));
  }
  const ratios = ours.map((ms, n) => ms / (theirs[n] ?? Number.NaN));
  return [
    timeGoal(target("a page of the list"), pages, 1),
    timeGoal(target("one request and its decision"), decisions, 1),
    goal(target(`${expiries} expiries`), { ours: middle(ours), theirs: middle(theirs), unit: "ms", ratios }),
  ];
}

const STEP = 1000;

function paired(subject: Work, bare: Work, { seconds, stopwatch, signal }: Conditions) {
  return pairedSlices({ subject, bare, seconds, stopwatch, signal, sliceMs: SLICE_MS });
}

/**
 * Returns the work of one decision. The work first makes the request that it then decides, so that the number of pending approvals stays the same.
 */
function deciding(inbox: Inbox): Work {
  return async () => {
    const [approvalId = ""] = await inbox.hold(1);
    await inbox.decide(approvalId);
  };
}

function middle(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN;
}
