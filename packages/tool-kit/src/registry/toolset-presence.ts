import { listenTo, type MessageBus } from "@toolbus/bus";
import {
  callsByName,
  HOME_SHARD,
  isForeign,
  keyOf,
  messageTypes,
  parser,
  SEEN_EVERY_MS,
  SEEN_FOR_MS,
  ToolRefresh,
  topics,
} from "@toolbus/contracts";
import { publicKeyOf } from "@toolbus/grants";
import { lintTool } from "../lint/lint-tool.ts";
import { grantProbe } from "./grant-probe.ts";
import { openProtection, type Protection } from "../protection/protection.ts";
import { shardWatch } from "../writes/lost-shard.ts";
import { markSeen, registerToolset } from "./registry.ts";
import { sayGone, sayHere } from "./replicas.ts";
import { reportForms } from "../calls/report-forms.ts";
import { type Examples, examplesOf } from "../tool/tool-examples.ts";
import type { Toolset } from "../tool/toolset.ts";
import { cleanText } from "../tool/tool-problem.ts";
import { announcement, type WorkerOptions } from "../worker-options.ts";

/** The presence of a toolset in the registry while its worker is alive. */
export interface Presence {
  /** Announces to listeners that the toolset is registered. */
  announce(): Promise<void>;
  /** Registers the toolset again, as it is now, and announces it. */
  renew(): Promise<void>;
  /** Stops the heartbeats, waits for a pending one, and records that this replica is gone. Safe to call twice. */
  stop(): Promise<void>;
}

/**
 * Registers a toolset. Sends heartbeats that say that a worker of the toolset is alive and whether its tools can be used. When the last replica
 * stops, it records that no worker is left. Registers the toolset again when asked to, and if the store has lost its registrations. Logs lint
 * warnings, and tools that a provider cannot express, once. Rejects with `RegistryConflict` if a tool's name belongs to another toolset.
 */
export async function keepPresent(bus: MessageBus, options: WorkerOptions): Promise<Presence> {
  const { state, keys, signer, log, clock, monotonic, random, seenEveryMs = SEEN_EVERY_MS } = options;
  const { protection = openProtection({ monotonic, log }) } = options;
  const toolset = withBreakers(options.toolset, protection);
  const grants = grantProbe({ toolset, state, keys, monotonic });
  let reportedGrants: string | null = null;
  let reportedCheck: string | null = null;
  /** True if the last check failed and the check before it did not. */
  let inDoubt = false;
  const replica = Buffer.from(random(8)).toString("hex");
  const receiptKey = signer && publicKeyOf(signer);
  const stopping = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let lastExamples: Examples = new Map();
  let underWay: Promise<void> = Promise.resolve();
  let leaving: Promise<void> | null = null;
  logWarnings(options);
  reportForms(toolset, log);
  await register();
  const watch = shardWatch(state, keyOf(`registry.${toolset.name}`, HOME_SHARD, "nobody's"));
  /** True after a loss, until the toolset is registered again. */
  let lost = await watch.lost();
  const refreshes = await listenTo(bus, {
    topic: topics.toolRefresh,
    types: [messageTypes.toolRefresh],
    parse: parseRefresh,
    listener: async (_, { toolset: only }) => {
      if (only !== undefined && only !== toolset.name) return;
      await renew();
    },
    log,
  });
  const unfollow = protection.follow(toolset, reportBreaker);
  arm();
  return {
    announce,
    renew,
    async stop() {
      stopping.abort(new Error("The worker stops."));
      clearTimeout(timer);
      unfollow();
      await refreshes.stop();
      await underWay;
      await (leaving ??= leave());
    },
  };

  function announce(): Promise<void> {
    return bus.announce(announcement(toolset, clock()));
  }

  async function renew(): Promise<void> {
    await register();
    await announce();
  }

  async function register(): Promise<void> {
    const [unavailable, examples] = await Promise.all([whyUnavailable(), currentExamples()]);
    if (stopping.signal.aborted) return;
    await sayHere(state, toolset.name, replica);
    await registerToolset(state, toolset, { unavailable, unavailableWrites: await whyNoGrants(), examples, receiptKey, log });
  }

  function arm(): void {
    clearTimeout(timer);
    if (stopping.signal.aborted) return;
    // A target may recover at any moment, and new runs are not offered its tools until the worker reports this. A worker that started before approvals
    // gets the keys of approvals within seconds.
    const isWell = reportedCheck === null && reportedGrants === null && !inDoubt && !protection.isTroubled(toolset);
    const nextInMs = isWell ? seenEveryMs : Math.min(seenEveryMs, CHECK_AGAIN_MS);
    timer = setTimeout(() => {
      underWay = giveSign().finally(arm);
    }, nextInMs).unref();
  }

  async function giveSign(): Promise<void> {
    try {
      lost = (await watch.lost()) || lost;
      if (lost) return await registerAgain();
      const [unavailable, examples] = await Promise.all([whyStillUnavailable(), currentExamples()]);
      if (stopping.signal.aborted) return;
      await sayHere(state, toolset.name, replica);
      await markSeen(state, toolset, unavailable, await whyNoGrants(), examples);
    } catch (error) {
      log.warn({ error, toolset: toolset.name }, "a worker could not send its heartbeat; it tries again");
    }
  }

  /** Reports at once which tools a breaker makes unusable. The next heartbeat follows soon, because its check may close the breaker. */
  function reportBreaker(): void {
    if (stopping.signal.aborted) return;
    underWay = underWay.then(async () => {
      try {
        if (!stopping.signal.aborted) await markSeen(state, toolset, reportedCheck, reportedGrants, lastExamples);
      } catch (error) {
        log.warn(
          { error, toolset: toolset.name },
          "a worker could not report that a dependency fails or works again; its next heartbeat does",
        );
      }
    });
    arm();
  }

  async function leave(): Promise<void> {
    try {
      await sayGone(state, toolset, replica);
    } catch (error) {
      log.warn(
        { error, toolset: toolset.name },
        `a worker could not report that it stops; it counts as gone after ${SEEN_FOR_MS / 1000} s`,
      );
    }
  }

  async function registerAgain(): Promise<void> {
    log.warn({ toolset: toolset.name }, "the store has lost commits; the toolset is registered again");
    await register();
    // The store may have lost the new registrations, too.
    lost = await watch.lost();
    await announce();
  }

  async function whyNoGrants(): Promise<string | null> {
    const why = await grants.ask();
    if (why !== null && why !== reportedGrants) log.error({ toolset: toolset.name }, `no write runs here: ${why}`);
    reportedGrants = why;
    return why;
  }

  async function currentExamples(): Promise<Examples> {
    const deadline = AbortSignal.any([stopping.signal, AbortSignal.timeout(CHECK_MS)]);
    lastExamples = await Promise.race([examplesOf(toolset, log, deadline), aborted(deadline)]).catch(() => new Map());
    return lastExamples;
  }

  async function whyUnavailable(): Promise<string | null> {
    return noted(await check());
  }

  /**
   * Returns why the tools cannot be used. A single failed check may only mean that the target was busy. So the tools remain in use until the next
   * check, seconds later, also fails.
   */
  async function whyStillUnavailable(): Promise<string | null> {
    const why = await check();
    inDoubt = why !== null && reportedCheck === null && !inDoubt;
    return inDoubt ? null : noted(why);
  }

  /** Logs the reason why the tools cannot be used when it appears, changes or disappears. */
  function noted(why: string | null): string | null {
    if (stopping.signal.aborted || why === reportedCheck) return why;
    if (why === null) log.info({ toolset: toolset.name }, "the tools can be used again");
    else log.warn({ toolset: toolset.name }, `the tools cannot be used now: ${why}`);
    reportedCheck = why;
    return why;
  }

  /** Checks whether the tools can be used. A check that throws or never ends means that they cannot. */
  async function check(): Promise<string | null> {
    const why = await asked();
    // The check shows as well as a call whether a dependency works again.
    if (toolset.hasCheck && !stopping.signal.aborted) protection.checked(toolset, why === null);
    return why;
  }

  async function asked(): Promise<string | null> {
    const deadline = AbortSignal.any([stopping.signal, AbortSignal.timeout(CHECK_MS)]);
    try {
      return await Promise.race([toolset.unavailable(deadline), aborted(deadline)]);
    } catch (error) {
      return `Its availability check failed: ${cleanText(error instanceof Error ? error.message : String(error), 200)}`;
    }
  }
}

const parseRefresh = parser(ToolRefresh);
/** The time limit of a check, and of the wait for examples. */
const CHECK_MS = 5000;
/** The time after which tools that cannot be used are checked again. */
const CHECK_AGAIN_MS = 5000;

/** Returns the toolset as it can be used now. A tool whose dependency fails cannot be used. */
function withBreakers(toolset: Toolset, protection: Protection): Toolset {
  return { ...toolset, unavailableTool: (definition) => toolset.unavailableTool(definition) ?? protection.whyUnavailable(definition) };
}

function aborted(signal: AbortSignal): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>();
  signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  if (signal.aborted) reject(signal.reason);
  return promise;
}

function logWarnings({ toolset, log }: WorkerOptions): void {
  // A tool that passes on the arguments of any other tool has no narrower schema, and nobody can change a foreign one.
  const ours = toolset.list().filter(({ definition }) => !isForeign(definition) && !callsByName({ toolset: toolset.name, definition }));
  for (const { definition } of ours)
    for (const { level, code, path, message, remedy } of lintTool(definition))
      if (level === "warning") log.warn({ tool: definition.name, version: definition.version, code, path }, `${message} ${remedy}`);
}
