import type { StreamConfig } from "@nats-io/jetstream";
import type { StreamDeclaration } from "./topology.ts";

export interface StreamDifferences {
  /** Settings that a server cannot change, or cannot change without losing waiting messages. */
  readonly fixed: readonly string[];
  readonly changeable: readonly string[];
}

/** Returns our settings that an existing stream has with other values. Settings that we do not set belong to the operator. */
export function streamDifferences(found: Pick<StreamConfig, keyof StreamDeclaration>, wanted: StreamDeclaration): StreamDifferences {
  const fixed = FIXED.filter((setting) => found[setting] !== wanted[setting]);
  const changeable: string[] = CHANGEABLE.filter((setting) => found[setting] !== wanted[setting]);
  if (found.subjects.join() !== wanted.subjects.join()) changeable.push("subjects");
  return { fixed, changeable };
}

const FIXED = ["retention", "storage"] as const;
const CHANGEABLE = ["discard", "max_bytes", "max_msg_size", "duplicate_window", "num_replicas"] as const;
