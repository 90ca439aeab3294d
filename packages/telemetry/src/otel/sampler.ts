import { AlwaysOffSampler, AlwaysOnSampler, ParentBasedSampler, type Sampler, TraceIdRatioBasedSampler } from "@opentelemetry/sdk-trace";
import type { SamplerSettings } from "../settings.ts";

/** The sampler that the settings name. */
export function samplerOf({ root, ratio, parentBased }: SamplerSettings): Sampler {
  const own = {
    always_on: () => new AlwaysOnSampler(),
    always_off: () => new AlwaysOffSampler(),
    traceidratio: () => new TraceIdRatioBasedSampler(ratio),
  }[root]();
  return parentBased ? new ParentBasedSampler({ root: own }) : own;
}
