import { memoryStore } from "@toolbus/state";
import { silentLog } from "@toolbus/telemetry";
import { defineTool, fixedToolFlags, registerToolset, toolset } from "@toolbus/tool-kit";
import { describe, expect, it } from "vitest";
import { profile } from "./loop/test-bundle.ts";
import { namesOf, toolOffers } from "./tool-offers.ts";

async function setup(flags: Readonly<Record<string, boolean>>, disabled = "") {
  const state = memoryStore({ clock: () => 1000 });
  const parameters = { type: "object", properties: {}, additionalProperties: false };
  const tool = (name: string, version: string) =>
    defineTool({ name, version, kind: "read", description: "Looks.", flag: `${name}_enabled`, parameters, run: () => 1 });
  await registerToolset(state, toolset({ name: "orders", tools: [tool("look", "1"), tool("look", "2"), tool("count", "1")] }));
  const lines: string[] = [];
  const say = (_: object, text: string) => void lines.push(text);
  const log = { ...silentLog, warn: say, info: say };
  const offers = toolOffers({ state, flags: fixedToolFlags("staging", flags), disabled: namesOf(disabled), log });
  return {
    lines,
    offer: async () => (await offers.offer({ ...profile, tools: "all" }, 1000)).tools.map(({ name, version }) => `${name}@${version}`),
  };
}

describe("the tools that the agent offers", () => {
  it("leave out what a flag of this environment switches off", async () => {
    const { offer, lines } = await setup({ look_enabled: false });
    expect(await offer()).toEqual(["count@1"]);
    expect(lines).toContain(
      'New runs of the profile "test" are not offered "look@2". The tool "look" is switched off in the environment "staging" (flag look_enabled).',
    );
  });

  it("leave out what TOOLS_DISABLED names: a tool, or one version of it", async () => {
    expect(await (await setup({}, "look")).offer()).toEqual(["count@1"]);
    expect(await (await setup({}, " look@2 , count,")).offer()).toEqual(["look@1"]);
  });

  it("say of a flag that no tool has, once", async () => {
    const { offer, lines } = await setup({ lok_enabled: false });
    await offer();
    await offer();
    expect(lines).toEqual(['The flag "lok_enabled" is set, and no registered tool has it: is it spelled right?']);
  });
});
