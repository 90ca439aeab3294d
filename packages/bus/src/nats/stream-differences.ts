import type { StreamConfig } from "@nats-io/jetstream";
import type { StreamDeclaration } from "./topology.ts";

export interface StreamDifferences {
  /** Settings that no server changes, or not without losing what waits. */
  readonly fixed: readonly string[];
  readonly changeable: readonly string[];
}

/** By which of our settings a stream differs from what it must be. What we do not set is the operator's own. */
export function streamDifferences(found: Pick<StreamConfig, keyof StreamDeclaration>, wanted: StreamDeclaration): StreamDifferences {
  const fixed = FIXED.filter((setting) => found[setting] !== wanted[setting]);
  const changeable: string[] = CHANGEABLE.filter((setting) => found[setting] !== wanted[setting]);
  if (found.subjects.join() !== wanted.subjects.join()) changeable.push("subjects");
  return { fixed, changeable };
}

const FIXED = ["retention", "storage"] as const;
const CHANGEABLE = ["discard", "max_bytes", "max_msg_size", "duplicate_window", "num_replicas"] as const;
