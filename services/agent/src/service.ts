import { connectModel } from "@toolbus/models";
import { defineService, Refusal, startOutbox, startTimerLoop } from "@toolbus/runtime";
import { catalogue } from "./catalogue.ts";
import { releaseInvestigation } from "./investigation/release-investigation.ts";
import { startConsumers } from "./loop/consumers.ts";
import type { InboxReader } from "./loop/inbox.ts";
import { AGENT_SERVICE, type Rules } from "./loop/rules.ts";
import { onTimer } from "./loop/timers.ts";
import type { Profile } from "./profile.ts";
import { agentSettings } from "./settings.ts";

const profiles: ReadonlyMap<string, Profile> = new Map([releaseInvestigation].map((profile) => [profile.name, profile]));

/** The agent: takes what the gateway accepted, asks the model, sends calls and joins their results. It holds no key and calls nothing outside. */
export const agent = defineService({
  name: "agent",
  settings: agentSettings,
  async start({ bus, state, log, random, clock }, config) {
    const rules: Rules = {
      config,
      profile: (name) => profiles.get(name),
      newSecret: () => Buffer.from(random(32)).toString("base64url"),
      ownersDeadBefore: state.ownersDeadBefore,
    };
    if (config.RUN_RENEW_MS >= config.RUN_LEASE_MS)
      throw new Refusal(
        "RUN_RENEW_MS must be shorter than RUN_LEASE_MS, best a third of it: a lease that is renewed too late is lost in the middle of a model call.",
      );
    const outbox = startOutbox({
      state,
      bus,
      service: AGENT_SERVICE,
      log,
      visibilityMs: config.OUTBOX_VISIBILITY_MS,
      pollMs: config.POLL_MS,
    });
    const disabledTools = new Set(
      config.TOOLS_DISABLED.split(",")
        .map((name) => name.trim())
        .filter(Boolean),
    );
    const reader: InboxReader = {
      state,
      outbox,
      provider: connectModel(config.LLM_PROVIDER),
      catalogue: catalogue(state),
      rules,
      log,
      disabledTools,
      announce: (message) => bus.announce(message),
    };
    const stopping = new AbortController();
    const consumers = await startConsumers(bus, reader, clock);
    const timers = startTimerLoop({
      state,
      service: AGENT_SERVICE,
      handle: (timer) => onTimer(reader, timer, stopping.signal),
      log,
      pollMs: config.POLL_MS,
      visibleMs: config.RUN_LEASE_MS,
      random: () => (random(1)[0] ?? 0) / 256,
    });
    return {
      unready: () => [],
      async stop() {
        await Promise.all(consumers.map((consumer) => consumer.stop()));
        stopping.abort();
        await timers.stop();
        await outbox.stop();
      },
    };
  },
});
