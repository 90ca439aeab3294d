import type { Dependency } from "@toolbus/contracts";

/** The release API as a dependency of the tools, which share its breaker. */
export const RELEASE_API: Dependency = { name: "release-api", p99Ms: 2000, concurrent: 16 };

/** The team that answers for the tools. */
export const RELEASE_OWNER = "release";
