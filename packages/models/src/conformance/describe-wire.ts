import { describe } from "vitest";
import { describeEndings } from "./endings.ts";
import { describeFaults } from "./faults.ts";
import { describeToolChoice } from "./tool-choice.ts";
import { describeToolDescriptions } from "./tool-descriptions.ts";
import { describeTranscripts } from "./transcripts.ts";
import type { WireProviderCase } from "./wire-provider-case.ts";

/** Tests the behaviour that only a vendor's server can show, such as the requests that it receives and refuses, and its failures. */
export function describeWire(name: string, provider: WireProviderCase): void {
  describe(`model provider ${name} on the wire`, () => {
    describeToolChoice(provider);
    describeToolDescriptions(provider);
    describeEndings(provider);
    describeTranscripts(provider);
    describeFaults(provider);
  });
}
