import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { RELEASE_LABELS, SERVICE_LABELS, severityWords } from "./alert/alert-facts.ts";
import { UNGRADED } from "./alert/conclude-alert.ts";
import { GENERIC_WORDS } from "./alert/service-findings.ts";
import { REVERT_WORDS, riskyAreas } from "./risky-areas.ts";
import { constants, type Measure, severityOf, thresholds } from "./thresholds.ts";

const page = await readFile(new URL("../../../../docs/offline-investigator.md", import.meta.url), "utf8");

/** Returns the rows of the table under a heading. Each row is a list of cells without code marks. */
function table(heading: string): readonly (readonly string[])[] {
  const section = page.split(/^## /m).find((part) => part.startsWith(`${heading}\n`)) ?? "";
  const rows = section.split("\n").filter((line) => line.startsWith("|"));
  return rows.slice(2).map((row) =>
    row
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim().replaceAll("`", "")),
  );
}

describe("the page about the offline investigator", () => {
  it("has every threshold of the code and no other, with the same values and sentences", () => {
    const expected = Object.entries(thresholds).map(([name, { medium, high, sentence }]) => [
      name,
      medium?.toString() ?? "never",
      high?.toString() ?? "never",
      sentence,
    ]);
    expect(table("Thresholds")).toEqual(expected);
  });

  it("has every constant of the code and no other", () => {
    expect(table("Constants")).toEqual(Object.entries(constants).map(([name, { value, sentence }]) => [name, value.toString(), sentence]));
  });

  it("has every risky area of the code and no other, with its words", () => {
    const expected = Object.entries(riskyAreas).map(([name, { critical, words }]) => [name, critical ? "yes" : "no", words.join(", ")]);
    expect(table("Risky areas")).toEqual(expected);
  });

  it("has every word of a severity label and no other", () => {
    expect(table("Severity labels")).toEqual(Object.entries(severityWords).map(([severity, words]) => [severity, words.join(", ")]));
    expect(page).toContain(`counts as ${UNGRADED}.`);
  });

  it("names the labels and the words that the rules read in an alert", () => {
    const text = page.replaceAll(/\s+/g, " ");
    const listed = (names: readonly string[], last: string) =>
      `${names
        .slice(0, -1)
        .map((name) => `\`${name}\``)
        .join(", ")}${last}\`${names.at(-1)}\``;
    expect(text).toContain(`labels ${listed(RELEASE_LABELS, " and ")} name`);
    expect(text).toContain(`labels ${listed(SERVICE_LABELS, " and ")} that the alert has.`);
    expect(text).toContain(`without the words ${listed(GENERIC_WORDS, ", ")}.`);
  });

  it("names the words that mark a revert", () => {
    expect(page).toContain(REVERT_WORDS.map((word) => `\`${word}\``).join(", "));
  });
});

describe("thresholds", () => {
  it.each(Object.keys(thresholds))("of %s are consistent: there is at least one, and high is above medium", (name) => {
    const { medium, high } = Object.entries(thresholds).find(([known]) => known === name)?.[1] ?? { medium: null, high: null };
    expect(medium ?? high).not.toBeNull();
    expect(high ?? Infinity).toBeGreaterThan(medium ?? 0);
  });

  it("include a value that equals them, despite binary fractions", () => {
    expect(severityOf("errorRateGrowth", 1.2499999999999998)).toBe("medium");
    expect(severityOf("p95Growth", 330 / 275)).toBe("medium");
  });

  it.each<Measure>(["errorRate", "changedLines"])("of %s do not count a value that is not a number", (measure) => {
    expect(severityOf(measure, Number.NaN)).toBe("low");
    expect(severityOf(measure, Number.POSITIVE_INFINITY)).toBe("high");
  });
});
