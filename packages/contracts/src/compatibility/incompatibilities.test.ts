import { describe, expect, it } from "vitest";
import { isNamed, storeNames } from "../rights.ts";
import { messageTypes } from "../messages.ts";
import { ALL_PARTS, CHECKED_FAMILIES, UNCHECKED_FAMILIES } from "./forms.ts";
import { incompatibilities } from "./incompatibilities.ts";
import {
  type CompatibilityManifest,
  compatibilityManifest,
  type ManifestForm,
  manifestText,
  parseCompatibilityManifest,
} from "./manifest.ts";

const now = compatibilityManifest();
const INVOKE = "toolbus.tool.invoke";

/** The manifest of another version, in which one form differs. */
function withForm(name: string, change: (form: ManifestForm) => ManifestForm | undefined): CompatibilityManifest {
  const form = now.forms[name];
  const { [name]: _, ...rest } = now.forms;
  const changed = form && change(form);
  return { ...now, forms: changed ? { ...rest, [name]: changed } : rest };
}

/** A form with a further field that is optional. */
function withField(form: ManifestForm): ManifestForm {
  const { properties } = form.schema as { readonly properties: object };
  return { ...form, version: "0123456789ab", schema: { ...form.schema, properties: { ...properties, taint: { type: "string" } } } };
}

const sentences = (older: CompatibilityManifest, newer: CompatibilityManifest) =>
  incompatibilities(older, newer).map(({ sentence }) => sentence);

describe("the manifest of this build", () => {
  it("names every type of message and every family of documents, or says that it is not checked", () => {
    expect(Object.keys(now.forms)).toEqual(expect.arrayContaining(Object.values(messageTypes)));
    const families = storeNames(ALL_PARTS).families.filter((family) => !family.endsWith(".stranger"));
    expect(families.filter((family) => !isNamed([...CHECKED_FAMILIES, ...UNCHECKED_FAMILIES], family))).toEqual([]);
    for (const [name, { writers, readers }] of Object.entries(now.forms))
      expect([name, writers.length > 0, readers.length > 0]).toEqual([name, true, true]);
  });

  it("is read as it was written, and fits itself", () => {
    expect(parseCompatibilityManifest(manifestText(now))).toEqual({ ok: true, value: now });
    expect(incompatibilities(now, now)).toEqual([]);
  });
});

describe("two versions", () => {
  it("must be deployed in an order if the newer one writes a field that the older one does not know", () => {
    const newer = withForm(INVOKE, withField);
    expect(sentences(now, newer)).toEqual([
      "Workers of the old version cannot read toolbus.tool.invoke 0123456789ab that agents and operations workers of the new version write (it may have the field taint): replace the workers before the agents and operations workers.",
    ]);
  });

  it("must not run together if the newer one refuses what the older one writes", () => {
    const older = withForm(INVOKE, withField);
    expect(sentences(older, now)).toEqual([
      "Workers of the new version cannot read toolbus.tool.invoke 0123456789ab that agents and operations workers of the old version write (it may have the field taint): stop the old agents and operations workers, and let the new workers begin when no such message is left.",
    ]);
  });

  it("must not run together if replicas of one service cannot read each other's documents", () => {
    expect(
      sentences(
        now,
        withForm("budget.*", () => undefined),
      ),
    ).toEqual([]);
    expect(sentences(now, withForm("budget/BudgetWindow", withField))[0]).toMatch(
      /^Agents of the old version cannot read budget\/BudgetWindow .*: stop all agents of the old version before the first new one starts\.$/,
    );
    expect(sentences(withForm("budget/BudgetWindow", withField), now)[0]).toMatch(
      /: the new version needs a migration of the stored documents\.$/,
    );
  });

  it("must be deployed in an order if one of them sends a message that the other one does not know", () => {
    const without = withForm("toolbus.tool.plan", () => undefined);
    expect(sentences(without, now)).toEqual([
      expect.stringMatching(
        /^No service of the old version reads toolbus\.tool\.plan, which approvals services.* of the new version write: replace the workers before/,
      ),
    ]);
    expect(sentences(now, without)).toEqual([
      expect.stringMatching(/^No service of the new version reads toolbus\.tool\.plan, .*: stop the old approvals/),
    ]);
  });

  it("must not share a store of another format", () => {
    expect(sentences({ ...now, storeFormat: "0" }, now)).toEqual([
      expect.stringMatching(/^The store has the format 1 in the new version and 0 in the old one/),
    ]);
  });
});
