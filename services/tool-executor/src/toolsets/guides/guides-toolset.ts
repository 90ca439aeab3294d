import { readFileSync } from "node:fs";
import { GUIDES } from "@toolbus/contracts";
import { type KeySet, signedReader } from "@toolbus/grants";
import type { StateStore } from "@toolbus/state";
import type { Log } from "@toolbus/telemetry";
import { readGuides, readRegistry, type Toolset, toolset } from "@toolbus/tool-kit";
import { guideTools } from "./guide-tools.ts";
import { requesterOf } from "./requester.ts";
import { skillTools } from "./skill-tools.ts";
import { skillStore } from "./skills.ts";

export interface GuidesOptions {
  readonly state: StateStore;
  /** The gateway's public keys. They verify who asked for a run, and so which tenant's skills a call sees. */
  readonly gatewayKeys: KeySet;
  readonly log: Log;
}

/** Returns the toolset that serves the guides of all toolsets, and saves skills for each tenant. */
export function guidesToolset({ state, gatewayKeys, log }: GuidesOptions): Toolset {
  const origins = signedReader({ typ: "tb-origin+jwt", keys: gatewayKeys });
  const requester = (callId: string) => requesterOf(callId, { state, origins });
  const skills = skillStore(state);
  return toolset({
    name: GUIDES,
    guide: readFileSync(new URL("guide.md", import.meta.url), "utf8"),
    tools: [
      ...guideTools({
        requester,
        registered: () => readRegistry(state, log),
        guides: (toolsets) => readGuides(state, toolsets, log),
        skills,
      }),
      ...skillTools({ requester, skills }),
    ],
  });
}
