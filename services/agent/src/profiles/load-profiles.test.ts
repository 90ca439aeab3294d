import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { noModelSettings, offlineModel } from "@toolbus/models";
import { Refusal } from "@toolbus/runtime";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { loadProfiles } from "./load-profiles.ts";
import { profileModels } from "./profile-models.ts";

let directory = "";
beforeEach(async () => void (directory = await mkdtemp(path.join(tmpdir(), "toolbus-profiles-"))));
afterEach(() => rm(directory, { recursive: true, force: true }));

const file = (name: string, text: string) => writeFile(path.join(directory, name), text);
const profile = (name: string, more = "") =>
  `name: ${name}\ndescription: Of this test.\nsystemPrompt: Be brief.\ntools: all\nlimits: { rounds: 1, activeSeconds: 2 }\n${more}`;
/** Returns the message of the error with which the start fails. */
async function refusal(): Promise<string> {
  const error = await loadProfiles(directory).catch((thrown: unknown) => thrown);
  if (!(error instanceof Refusal)) throw new Error(`It was not refused: ${String(error)}`);
  return error.message;
}

describe("the built-in profiles", () => {
  it("are there without a setting, each with its own limits", async () => {
    const limits = [...(await loadProfiles("")).values()].map(({ name, limits: { maxRounds, activeMs } }) => [name, maxRounds, activeMs]);
    expect(limits).toEqual([
      ["alert-investigation", 25, 600_000],
      ["chat", 5, 300_000],
      ["direct", 2, 900_000],
      ["release-investigation", 25, 600_000],
    ]);
  });

  it("investigate alerts without a single write", async () => {
    const alert = (await loadProfiles("")).get("alert-investigation");
    expect(alert?.tools).toEqual(["kind:read", "kind:compute"]);
    expect(alert?.report).toEqual({ kind: "conclusion", subjectFromInput: "alert.labels.alertname" });
  });

  it("run tools by name with the offline rules, whatever the process is set to", async () => {
    expect((await loadProfiles("")).get("direct")?.model).toEqual({ provider: "offline", name: null });
  });
});

describe("a directory of profiles", () => {
  it("adds to the built-in ones and replaces them by name", async () => {
    await file("desk.yaml", profile("desk"));
    await file("talk.yml", profile("chat"));
    await file("README.md", "No profile.");
    const profiles = await loadProfiles(directory);
    expect([...profiles.keys()].toSorted()).toEqual(["alert-investigation", "chat", "desk", "direct", "release-investigation"]);
    expect(profiles.get("chat")?.description).toBe("Of this test.");
  });

  it("with a bad file stops the start with its name, the line and the remedy", async () => {
    await file("bad.yaml", profile("desk", "colour: red\n"));
    expect(await refusal()).toBe(
      `The profile file ${path.join(directory, "bad.yaml")} cannot be used: line 6: colour is not a known field. ` +
        "Fix it or remove it; docs/profiles.md explains every field.",
    );
  });

  it("with two files of one name stops the start and names both", async () => {
    await file("a.yaml", profile("desk"));
    await file("b.yml", profile("desk"));
    expect(await refusal()).toBe(
      `The profile files ${path.join(directory, "a.yaml")} and ${path.join(directory, "b.yml")} both hold the profile "desk": rename one of them, or remove it.`,
    );
  });

  it("that does not exist stops the start", async () => {
    directory = path.join(directory, "gone");
    expect(await refusal()).toBe(`The directory of profiles ${directory} cannot be read (ENOENT): create it, or leave PROFILES_DIR unset.`);
  });

  it("with a folder or a huge file in place of a profile stops the start", async () => {
    await mkdir(path.join(directory, "x.yaml"));
    expect(await refusal()).toContain("cannot be read (EISDIR)");
    await rm(path.join(directory, "x.yaml"), { recursive: true });
    await file("y.yaml", `# ${"x".repeat(70_000)}`);
    expect(await refusal()).toContain("65536 is the most");
  });

  it("holds no more profiles than the gateway accepts", async () => {
    await Promise.all(Array.from({ length: 61 }, (_, n) => file(`${n}.yaml`, profile(`p${n}`))));
    expect(await refusal()).toContain("There are 65 profiles, 64 is the most");
  });
});

describe("the model of a profile", () => {
  const process = { provider: { ...offlineModel(), model: "process" }, settings: noModelSettings, wrap: <T>(model: T) => model };
  const modelOf = async (more: string) => {
    await file("desk.yaml", profile("desk", more));
    return (await profileModels((await loadProfiles(directory)).values(), process))("desk").model;
  };

  it("is the process's if it names none", async () => {
    expect(await modelOf("")).toBe("process");
  });

  it("is its own if it names a provider, or a model of the process's provider", async () => {
    expect(await modelOf("model: { provider: offline }\n")).toBe("rules-1");
    expect(await modelOf("model: { name: rules-1 }\n")).toBe("rules-1");
  });

  it.each([
    ["{ provider: far-away }", /There is no model provider "far-away": choose one of offline, anthropic,/],
    ["{ provider: anthropic }", /The provider "anthropic" needs a key: set ANTHROPIC_API_KEY/],
    ["{ name: big-1 }", /The provider "offline" has no model "big-1"/],
  ])("that is unavailable stops the start: %s", async (model, why) => {
    const refused = await modelOf(`model: ${model}\n`).catch((thrown: unknown) => thrown);
    expect(refused).toBeInstanceOf(Refusal);
    expect(refused).toHaveProperty("message", expect.stringMatching(/^The profile "desk" names a model that cannot be used: /));
    expect(refused).toHaveProperty("message", expect.stringMatching(why));
  });
});
