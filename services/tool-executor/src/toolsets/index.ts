import { Refusal } from "@toolbus/runtime";
import type { Toolset } from "@toolbus/tool-kit";
import type { ExecutorConfig } from "../settings.ts";
import { releaseToolset } from "./release/release-toolset.ts";

/** Every toolset that this image can serve, by name. */
const factories: Readonly<Record<string, (config: ExecutorConfig) => Toolset>> = {
  release: (config) => releaseToolset({ url: config.RELEASE_API_URL }),
};

/** The toolsets that `TOOLSETS` names. Throws a `Refusal` that lists the known ones for a name that is none of them. */
export function toolsetsOf(config: ExecutorConfig): readonly Toolset[] {
  const names = [
    ...new Set(
      config.TOOLSETS.split(",")
        .map((name) => name.trim())
        .filter(Boolean),
    ),
  ];
  if (names.length === 0) throw new Refusal(`TOOLSETS names no toolset. Known: ${known()}.`);
  return names.map((name) => {
    const factory = Object.hasOwn(factories, name) ? factories[name] : undefined;
    if (!factory) throw new Refusal(`TOOLSETS names "${name.slice(0, 64)}", which is no toolset. Known: ${known()}.`);
    return factory(config);
  });
}

function known(): string {
  return Object.keys(factories).join(", ");
}
