import { mkdtempDisposable, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { listedServices } from "./listed-services.ts";
import { serviceTools } from "./service-tools.ts";

describe("the file of known services", () => {
  const setup = async () => {
    const folder = await mkdtempDisposable(path.join(tmpdir(), "toolbus-listed-"));
    const file = path.join(folder.path, "services.yaml");
    const problems: string[] = [];
    const services = listedServices(file, (sentence) => problems.push(sentence));
    return { file, problems, services, write: (text: string) => writeFile(file, text), [Symbol.asyncDispose]: () => folder.remove() };
  };
  const entry = "services:\n  - id: weather-agent\n    type: static\n    summary: Forecasts for towns.\n    skills: [forecast]\n";

  it("is searched, and a change of it counts at the next search", async () => {
    await using s = await setup();
    await s.write(entry);
    const search = serviceTools({ registered: async () => [], clock: () => 1, listed: s.services }).find(
      ({ draft }) => draft.name === "search_known_services",
    );
    if (!search || search.kind === "write") throw new Error("It is to be a read.");
    const found = async (query: string) => await search.run({ query } as never, undefined as never);
    expect(await found("forecast")).toMatchObject({ results: [{ id: "weather-agent", type: "static", top_skills: ["forecast"] }] });
    await s.write(JSON.stringify({ services: [{ id: "mcp:maps", type: "mcp", summary: "Maps.", tools: ["route"] }] }));
    expect(await found("forecast")).toEqual({ results: [] });
    expect(await found("route")).toMatchObject({ results: [{ id: "mcp:maps", top_tools: ["route"] }] });
  });

  it.each([
    ["is not YAML", "services: [", /Line 1: this is not YAML/],
    ["breaks its schema", "services:\n  - id: a\n", /breaks its schema/],
    ["lists an id twice", `${entry}${entry.slice("services:\n".length)}`, /lists "weather-agent" twice/],
  ])("keeps the last good list if it %s, and says so once in one sentence", async (_, text, sentence) => {
    await using s = await setup();
    await s.write(entry);
    await s.services.current();
    await s.write(text);
    for (let n = 0; n < 2; n++) expect((await s.services.current()).map(({ id }) => id)).toEqual(["weather-agent"]);
    expect(s.problems).toEqual([expect.stringMatching(sentence)]);
    await s.write(entry);
    await s.services.current();
    expect(s.problems).toHaveLength(1);
  });

  it("is empty if it does not exist, which is reported, and if no file is named", async () => {
    await using s = await setup();
    expect(await s.services.current()).toEqual([]);
    expect(s.problems).toEqual([expect.stringContaining("It cannot be read (ENOENT).")]);
    expect(await listedServices("", (sentence) => s.problems.push(sentence)).current()).toEqual([]);
    expect(s.problems).toHaveLength(1);
  });
});
