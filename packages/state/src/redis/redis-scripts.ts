import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";

/** A Lua script that the server stores under its hash. */
export interface RedisScript {
  readonly text: string;
  readonly sha: string;
  /** Whether the script declares that it writes nothing. A user with read-only rights may then use it. */
  readonly readOnly: boolean;
}

/** Loading this file reads the scripts. So a missing script fails the start, not the first commit. */
export const redisScripts = {
  commit: load("commit.lua"),
  head: load("head.lua"),
  changed: load("changed.lua"),
  claim: load("claim.lua"),
  settle: load("settle.lua"),
  range: load("range.lua"),
  live: load("live.lua"),
  page: load("page.lua"),
  probe: load("probe.lua"),
  clock: load("clock.lua"),
} as const;

function load(file: string): RedisScript {
  const text = readFileSync(new URL(`scripts/${file}`, import.meta.url), "utf8");
  return { text, sha: createHash("sha1").update(text).digest("hex"), readOnly: text.startsWith("#!lua flags=no-writes") };
}
