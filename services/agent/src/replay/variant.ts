import { type RecordedTool, type RunRecord, type RunTool, type ToolDefinition } from "@toolbus/contracts";
import { toolHash } from "@toolbus/grants";
import type { ModelProvider } from "@toolbus/models";
import type { Profile } from "../profile.ts";
import { offerTools, type ToolOffer } from "../tool-offer.ts";
import { offerOf } from "./begin-run.ts";
import { registrationOf } from "./fill-world.ts";
import { recordedProfile, ReplayRefused } from "./recorded-profile.ts";

/** A change of a tool: any fields of its definition, by the tool's name. A tool that the run did not have needs all of its fields. */
export type ToolChange = Partial<ToolDefinition> & Pick<ToolDefinition, "name">;

/** What is different from the run as it was. */
export interface Variant {
  readonly profile?: Profile;
  /** The system prompt. It replaces that of the profile. */
  readonly prompt?: string;
  readonly tools?: readonly ToolChange[];
  readonly model?: ModelProvider;
}

/** A record with a variant's profile and tools. */
export interface Varied {
  readonly record: RunRecord;
  readonly profile: Profile | null;
  readonly offer: ToolOffer;
}

/** Returns the record as it is. `own` replaces a profile that the record does not have. */
export function unchanged(record: RunRecord, own?: Profile): Varied {
  return { record, profile: own ?? recordedProfile(record), offer: offerOf(record) };
}

/**
 * Returns the record with the variant's profile, prompt and tools. With another profile, the tools are chosen from those that the record has, because
 * the registry of that time is gone. Throws `ReplayRefused`.
 */
export function varied(record: RunRecord, variant: Variant): Varied {
  const tools = (variant.tools ?? []).reduce(withChange, { tools: record.tools, offered: record.run.tools });
  // The run names its profile, so another profile takes its name.
  const base = variant.profile ? { ...variant.profile, name: record.run.profile } : recordedProfile(record);
  const profile = base && variant.prompt !== undefined ? { ...base, systemPrompt: variant.prompt } : base;
  const changed: RunRecord = { ...record, tools: [...tools.tools], run: { ...record.run, tools: [...tools.offered] } };
  return { record: changed, profile, offer: variant.profile && profile ? chosen(changed, profile) : offerOf(changed) };
}

interface Tools {
  readonly tools: readonly RecordedTool[];
  readonly offered: readonly RunTool[];
}

function withChange({ tools, offered }: Tools, change: ToolChange): Tools {
  const own = offered.find(({ name }) => name === change.name);
  const before = own && tools.find(({ hash }) => hash === own.hash);
  const definition = { ...before?.definition, ...change } as ToolDefinition;
  for (const field of ["version", "description", "kind", "parameters", "risk", "idempotency", "timeoutMs", "source"] as const)
    if (definition[field] === undefined)
      throw new ReplayRefused(
        `The run did not have the tool "${change.name}", and its definition lacks ${field}: give all fields, or the name of a tool that the run had.`,
      );
  const hash = toolHash(definition);
  const toolset = own?.toolset ?? "replay";
  const entry: RunTool = { name: definition.name, version: definition.version, hash, toolset };
  return {
    tools: [...tools.filter((tool) => tool.hash !== own?.hash), { toolset, hash, definition }],
    offered: own ? offered.map((tool) => (tool === own ? entry : tool)) : [...offered, entry],
  };
}

function chosen(record: RunRecord, profile: Profile): ToolOffer {
  const { run, transcript, tools } = record;
  const said = transcript.find(({ entry }) => entry.type === "user" && entry.runId === run.runId)?.entry;
  const { notices: _, ...offer } = offerTools({
    profile,
    registrations: tools
      .filter(({ hash }) => run.tools.some((tool) => tool.hash === hash))
      .map((tool) => registrationOf(tool, run.createdAt)),
    now: run.createdAt,
    rights: run.rights ?? { scopes: [] },
    model: { name: "recorded", dialect: "any" },
    about: said?.type === "user" ? said.text : "",
    off: () => null,
  });
  return offer;
}
