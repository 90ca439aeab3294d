import type { Registration, ToolRights } from "@toolbus/contracts";
import type { StateStore } from "@toolbus/state";
import { attributeNames, type Log, measure, metricNames } from "@toolbus/telemetry";
import { type DefinitionPace, type NameOwners, readRegistry, switchedOff, type ToolFlags } from "@toolbus/tool-kit";
import type { OfferedTo } from "./candidates.ts";
import type { OfferNotice, SetAside } from "./offer-notices.ts";
import type { Profile } from "./profile.ts";
import { type AskedName, type ToolByName, toolByName } from "./tool-by-name.ts";
import type { WhyOff } from "./tool-in-use.ts";
import { offerTools, type ToolOffer } from "./tool-offer.ts";

/** Chooses the tools of new runs from the current registry. */
export interface ToolOffers {
  /** Returns the tools for a run. Throws `StoreUnavailable` if the store does not answer. */
  offer(profile: Profile, run: OfferFor): Promise<ToolOffer>;
  /** Returns the registered tool that a model names in the arguments of a call. Throws `StoreUnavailable` if the store does not answer. */
  find(profile: Profile, run: CallingRun, asked: AskedName): Promise<ToolByName>;
  /** Returns the registered tools, without those under a name of another toolset. Throws `StoreUnavailable` if the store does not answer. */
  registered(): Promise<readonly Registration[]>;
  /** Reads the registry ahead, so that the definitions are judged before a run needs them. Throws `StoreUnavailable`. */
  readAhead(): Promise<void>;
}

/** The run whose model names a tool. */
export interface CallingRun {
  /** The rights of the run's requester. A run of an old version has none. */
  readonly rights: ToolRights | undefined;
  /** The store's time, in milliseconds. */
  readonly now: number;
}

/** The run that begins. */
export interface OfferFor {
  /** The rights of the run's requester. */
  readonly rights: ToolRights;
  /** The store's time, in milliseconds. */
  readonly now: number;
  readonly model: OfferedTo;
  /** The run's message. */
  readonly about: string;
  /** The tools that earlier runs of the conversation called, the latest first. */
  readonly called?: readonly string[];
}

export interface ToolOffersOptions {
  readonly state: StateStore;
  readonly flags: ToolFlags;
  /** The tools in `TOOLS_DISABLED`, as `name` or `name@version`. The agent does not offer them to new runs. */
  readonly disabled: ReadonlySet<string>;
  readonly log: Log;
  readonly pace: DefinitionPace;
  readonly owners: NameOwners;
  /** The words of a model about services, by the id of the service. */
  readonly words?: () => ReadonlyMap<string, readonly string[]>;
}

/** Chooses the tools of new runs. Logs each notice once, although the notice applies to every new run. */
export function toolOffers({ state, flags, disabled, log, pace, owners, words }: ToolOffersOptions): ToolOffers {
  const reported = new Set<string>();
  let switches: { readonly values: ReadonlyMap<string, boolean>; readonly off: WhyOff } | null = null;
  return {
    async offer(profile, { now, rights, model, about, called = [] }) {
      const registrations = await registered();
      const values = await flags.current();
      const { notices, ...offer } = offerTools({
        profile,
        registrations,
        now,
        rights,
        model,
        about,
        off: offBy(values),
        called,
        ...(words ? { words: words() } : {}),
      });
      for (const flag of values.keys())
        if (!registrations.some(({ definition }) => definition.flag === flag))
          tell({ level: "warn", text: `The flag "${flag}" is set, and no registered tool has it: is it spelled right?` });
      for (const notice of notices) {
        if (notice.setAside) measureSetAside(notice.setAside);
        if (notice.quarantinedIn !== undefined) measure(metricNames.toolQuarantined, 1, { [attributeNames.toolset]: notice.quarantinedIn });
        tell(notice);
      }
      return offer;
    },
    async find(profile, { rights, now }, asked) {
      const registrations = await registered();
      const values = await flags.current();
      return toolByName({ profile, registrations, now, rights, off: offBy(values) }, asked);
    },
    registered,
    async readAhead() {
      await registered();
    },
  };

  function registered(): Promise<readonly Registration[]> {
    return readRegistry(state, log, pace, owners);
  }

  /** Returns the function that says why a tool is switched off here. It is the same one while no flag changes. */
  function offBy(values: ReadonlyMap<string, boolean>): WhyOff {
    const known = switches;
    if (known?.values === values) return known.off;
    const off: WhyOff = ({ definition }) => {
      const { name, version } = definition;
      if (disabled.has(name) || disabled.has(`${name}@${version}`)) return "TOOLS_DISABLED names it.";
      return switchedOff(definition, values, flags.environment);
    };
    switches = { values, off };
    return off;
  }

  function tell({ level, text, setAside }: OfferNotice): void {
    if (reported.has(text) || reported.size >= MAX_REPORTED) return;
    reported.add(text);
    log[level]({ ...setAside }, text);
  }
}

const MAX_REPORTED = 1000;

function measureSetAside({ provider, tool, toolset }: SetAside): void {
  measure(metricNames.toolSetAside, 1, {
    [attributeNames.provider]: provider,
    [attributeNames.toolName]: tool,
    [attributeNames.toolset]: toolset,
  });
}

/** Returns the names in a setting, which are separated by commas. */
export function namesOf(text: string): ReadonlySet<string> {
  return new Set(
    text
      .split(",")
      .map((name) => name.trim())
      .filter(Boolean),
  );
}
