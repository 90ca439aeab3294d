import { LARGEST_FACTS, parseReleaseFacts } from "@toolbus/release-facts";
import { describe, expect, it } from "vitest";
import { factsFileOf, factsFiles, readFactsText, readLabels, readProjects } from "./releases-folder.ts";

const projects = readProjects().projects;
// Each file is read once, because there are thousands.
const labels = new Map(projects.map(({ project }) => [project, readLabels(project)]));
const labelled = projects.flatMap((project) => labels.get(project.project)?.labels.map((label) => ({ project, label })) ?? []);
const facts = new Map(
  projects.map(({ project, releases }) => [
    project,
    releases.map(({ base, release }) => {
      const text = readFactsText(project, release);
      const value: unknown = JSON.parse(text);
      return { base, release, bytes: Buffer.byteLength(text), value, parsed: parseReleaseFacts(value) };
    }),
  ]),
);

describe("the labelled releases", () => {
  it("are many, from many projects", () => {
    expect(projects.length).toBeGreaterThanOrEqual(20);
    expect(labelled.length).toBeGreaterThanOrEqual(230);
    expect(new Set(projects.map(({ project }) => project)).size).toBe(projects.length);
  });

  it("have the same releases in the list of projects, in the labels and in the facts", () => {
    for (const { project, releases } of projects) {
      const pairs = releases.map(({ base, release }) => `${base}..${release}`);
      expect(labels.get(project)?.project).toBe(project);
      expect(labels.get(project)?.labels.map(({ base, release }) => `${base}..${release}`)).toEqual(pairs);
      expect(factsFiles(project)).toEqual(releases.map(({ release }) => factsFileOf(release)).toSorted());
    }
  });

  it("are neighbours: each begins where the one before it ended, or says that it does not", () => {
    const begins = projects.flatMap(({ project, releases }) =>
      releases.slice(1).map(({ base, release, gap = false }, index) => ({
        name: `${project} ${release}`,
        gap,
        isNext: base === releases[index]?.release,
      })),
    );
    expect(begins.filter(({ gap, isNext }) => gap === isNext)).toEqual([]);
    expect(begins.filter(({ gap }) => gap).length).toBeLessThan(begins.length / 10);
  });

  it("are split by project, with different kinds and languages in each part, and enough of each severity", () => {
    for (const split of ["tuning", "held-out"] as const) {
      const own = projects.filter((project) => project.split === split);
      // The held-out part is empty after rules have met it, until new projects take the place of the old ones.
      if (split === "held-out" && own.length === 0) continue;
      expect(new Set(own.map(({ kind }) => kind)).size).toBeGreaterThanOrEqual(split === "tuning" ? 4 : 2);
      expect(new Set(own.map(({ language }) => language)).size).toBeGreaterThanOrEqual(split === "tuning" ? 4 : 3);
      for (const severity of ["low", "medium", "high"] as const) {
        const count = labelled.filter(({ project, label }) => project.split === split && label.severity.includes(severity)).length;
        expect(count).toBeGreaterThanOrEqual(split === "tuning" ? 20 : 8);
      }
    }
  });
});

describe("a label", () => {
  it("has one class or two neighbours, lowest first", () => {
    const allowed = ["low", "medium", "high", "low medium", "medium high"];
    expect(labelled.map(({ label }) => label.severity.join(" ")).filter((severity) => !allowed.includes(severity))).toEqual([]);
  });

  it("does not say that the same kind is both there and absent, unless it explains a word", () => {
    const both = labelled.flatMap(({ label }) =>
      label.absent
        .filter(({ kind }) => label.findings.some((finding) => finding.kind === kind))
        .map(({ kind }) => `${label.release} ${kind}`),
    );
    expect(both).toEqual([]);
  });

  it("has a reason for more than a low severity", () => {
    const empty = labelled.filter(({ label }) => label.findings.length === 0).map(({ label }) => label);
    expect(empty.filter(({ severity }) => severity.join() !== "low")).toEqual([]);
  });
});

describe("the facts", () => {
  it.each(projects)("of $project match the schema and are small", ({ project }) => {
    for (const { base, release, bytes, parsed } of facts.get(project) ?? []) {
      expect(bytes).toBeLessThanOrEqual(LARGEST_FACTS);
      expect(parsed).toMatchObject({ ok: true, value: { project, base: { ref: base }, head: { ref: release } } });
    }
  });

  it("hold no source: no text has a line break, and only a few fields may be longer than a name", () => {
    const longest = new Map<string, number>();
    const broken: string[] = [];
    const walk = (field: string, value: unknown): void => {
      if (typeof value === "string") {
        if (/[\n\r]/.test(value)) broken.push(value);
        longest.set(field, Math.max(longest.get(field) ?? 0, value.length));
      } else if (Array.isArray(value)) for (const item of value) walk(field, item);
      else if (typeof value === "object" && value !== null) for (const [name, item] of Object.entries(value)) walk(name, item);
    };
    for (const { value } of [...facts.values()].flat()) walk("", value);
    expect(broken).toEqual([]);
    const long = [...longest].filter(([, length]) => length > 100).map(([field]) => field);
    // The first line of a commit message, and paths.
    expect(long.filter((field) => !["subject", "path", "from", "file", "areas", "manifest"].includes(field))).toEqual([]);
    expect(longest.get("subject")).toBeLessThanOrEqual(160);
  });

  it("name no owner of a path", () => {
    const owners = [...facts.values()]
      .flat()
      .flatMap(({ parsed }) => (parsed.ok ? parsed.value.owners.flatMap((rule) => rule.owners) : []));
    expect(owners.length).toBeGreaterThan(10);
    expect(owners.filter((owner) => !/^owner \d+$/.test(owner))).toEqual([]);
  });
});
