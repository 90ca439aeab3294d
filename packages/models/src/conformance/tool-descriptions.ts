import { describe, expect, it } from "vitest";
import { compileTool } from "../schema/compile-tool.ts";
import { completed, requestOf, toolNamed, userEntry, wireSetup } from "./requests.ts";
import type { WireProviderCase } from "./wire-provider-case.ts";

/** The longest description that a tool's definition may have. */
const LONGEST = 4000;
/** The longest description that OpenAI accepts, and the cautious limit for vendors that state none. */
const CAREFUL = 1024;

/** Tests that the vendor accepts the description of a tool, whole or truncated. */
export function describeToolDescriptions(wire: WireProviderCase): void {
  describe("tool descriptions", () => {
    // The emojis have two UTF-16 units each, so that one of them crosses every odd limit.
    it.each([
      ["short", "Looks up."],
      ["at the limit of the strictest vendor", "d".repeat(CAREFUL)],
      ["one above it", "d".repeat(CAREFUL + 1)],
      ["as long as a definition allows", `.${"😀".repeat(LONGEST / 2 - 1)}.`],
    ])("are accepted, whole or truncated with a loss: %s", async (_, description) => {
      await using setup = await wireSetup(wire);
      let seen: readonly string[] = [];
      setup.server.think(({ tools }) => {
        seen = tools.map((tool) => tool.description);
        return { text: "Well." };
      });
      const tool = { ...toolNamed("long_winded"), description };
      const compiled = compileTool(tool, setup.provider.dialect);
      if (!compiled.ok) throw new Error(compiled.reason);
      await completed(setup.provider, requestOf([userEntry("Look.")], { tools: [tool] }));
      expect(setup.server.requests.map(({ status, refusal }) => refusal ?? status)).toEqual([200]);
      expect(seen).toEqual([compiled.description]);
      const whole = compiled.description === description;
      expect(whole || compiled.description.length <= CAREFUL).toBe(true);
      expect(compiled.description.isWellFormed()).toBe(true);
      expect(compiled.losses.map(({ what }) => what)).toEqual(
        whole ? [] : [expect.stringContaining(`${description.length} characters is truncated`)],
      );
      expect(whole).toBe(description.length <= (["anthropic", "bedrock"].includes(setup.provider.dialect) ? LONGEST : CAREFUL));
    });
  });
}
