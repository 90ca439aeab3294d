import type { Identity } from "@toolbus/grants";
import type { Outbox } from "@toolbus/runtime";
import type { StateStore } from "@toolbus/state";
import type { Log } from "@toolbus/telemetry";
import type { NameOwners } from "@toolbus/tool-kit";
import type { RunsUnderWay } from "./runs-under-way.ts";
import type { GatewayConfig } from "./settings.ts";
import type { Feed } from "./stream/feed.ts";
import type { OpenStreams } from "./stream/open-streams.ts";

/** The parts of the gateway that its routes need. */
export interface Gateway {
  readonly state: StateStore;
  readonly outbox: Outbox;
  readonly feed: Feed;
  readonly streams: OpenStreams;
  readonly underWay: RunsUnderWay;
  readonly config: GatewayConfig;
  /** Signs the origins of runs. */
  readonly identity: Pick<Identity, "signer">;
  readonly owners: NameOwners;
  readonly random: (bytes: number) => Uint8Array;
  /** The clock for new ids. Nothing else uses it. */
  readonly clock: () => number;
  readonly log: Log;
}
